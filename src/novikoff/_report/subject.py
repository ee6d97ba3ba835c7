"""The model and the data that a report describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novikoff._multiclass import MulticlassStrategy, OneVsRest
from novikoff._validation import check_labels
from novikoff.errors import input_error
from novikoff.evaluate import Scores, scores
from novikoff.record import RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import as_table

WHERE = "report"  # names the caller in error messages


@dataclass(frozen=True)
class Subject:
    """A fitted classifier, its training data and, if given, test data.

    Parameters
    ----------
    model : object
        The classifier.
    X, y : array-like or sparse matrix, ndarray
        Rows and labels that it was fitted to.
    training : Scores
        Scores on these rows.
    test : tuple (X, y, Scores) or None
        Rows, labels and scores of test data.
    class_ : object
        The class whose binary problem the figures show.
    feature_names : sequence of str or None
        Names of the columns, if they differ from those of the model.
    """

    model: Any
    X: Any
    y: Any
    training: Scores
    test: tuple[Any, Any, Scores] | None
    class_: Any
    feature_names: Any

    @cached_property
    def table(self) -> Any:
        """X as an array or CSR matrix."""
        return as_table(self.X)

    @cached_property
    def record(self) -> RunRecord | None:
        """The run record; None for classifiers of other packages."""
        return getattr(self.model, "record_", None)

    @property
    def strategy(self) -> MulticlassStrategy:
        """The classes, and which column of scores belongs to which."""
        return OneVsRest(np.asarray(self.model.classes_)) if self.record is None else self.record.strategy

    @property
    def certificates(self) -> list[Certificate]:
        """One certificate per binary problem; empty if there are none."""
        return [] if self.record is None else self.record.certificates

    @property
    def scored(self) -> tuple[Any, Any, Scores]:
        """Rows, labels and scores that show the predictive performance: test data if given, else training data."""
        return (self.X, self.y, self.training) if self.test is None else self.test

    def all_scores(self) -> Iterator[tuple[str, Scores]]:
        """Yield the scores with the name of their data."""
        yield "training", self.training
        if self.test is not None:
            yield "test", self.test[2]


def subject_of(model: Any, X: Any, y: Any, class_: Any, test: Any, feature_names: Any) -> Subject:
    """Check the arguments of ``report`` and compute the scores."""
    if not (hasattr(model, "decision_function") and hasattr(model, "predict")):
        raise input_error(WHERE, f"model must be a classifier with decision_function, but it is a {_kind(model)}.")
    check_is_fitted(model)
    training = scores(model, X, y)
    if test is not None:
        if not isinstance(test, tuple) or len(test) != 2:
            raise input_error(WHERE, f"test must be a tuple (X, y), but it is a {_kind(test)}.")
        test = (*test, scores(model, *test))
    if class_ is None:
        class_ = _most_often_confused(model, training)
    return Subject(model, X, check_labels(WHERE, y, training.rows), training, test, class_, feature_names)


def _kind(value: object) -> str:
    return type(value).__name__


def _most_often_confused(model: Any, training: Scores) -> Any:
    """Return the last of two classes; of more, the one with the most false positives and false negatives."""
    classes = np.asarray(model.classes_).tolist()
    if len(classes) == 2:
        return classes[1]
    wrong = training.confusion.sum(axis=0) + training.confusion.sum(axis=1) - 2 * np.diag(training.confusion)
    by_label = dict(zip(training.labels.tolist(), wrong.tolist(), strict=True))
    return max(classes, key=lambda label: by_label.get(label, 0.0))
