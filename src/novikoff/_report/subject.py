"""The model and the data that a report describes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._cached import cached_property
from novikoff._counts import count
from novikoff._estimators import check_is_fitted
from novikoff._multiclass import MulticlassStrategy, OneVsRest
from novikoff._validation import check_labels
from novikoff._verify import verify
from novikoff.errors import input_error
from novikoff.evaluate import Holdout, Scores, scores
from novikoff.record import RunRecord
from novikoff.theory.geometry import Floats, as_table
from novikoff.theory.verification import Verification

from .certificate import Part, split

WHERE = "report"  # names the caller in error messages
OF_THE_MODEL = (
    "parameters",
    "model",
    "certificates",
    "classes",
    "attributes",
)  # checks that fail if the model was changed, whatever the rows


@dataclass(frozen=True)
class Measured:
    """Rows on which the predictions were measured.

    Parameters
    ----------
    model : object
        The classifier.
    X, y : array-like or sparse matrix, ndarray
        Rows and labels.
    scores : Scores
        The predictions compared with the labels.
    kind : {"training", "test", "held-out", "other", "given"}
        Whether the model was fitted to these rows, was not, would have been were it not for this measurement, certainly
        was not, or may have been.
    """

    model: Any
    X: Any
    y: Any
    scores: Scores
    kind: str

    @cached_property
    def decisions(self) -> Floats:
        """The result of ``decision_function``."""
        return np.asarray(self.model.decision_function(self.X), dtype=np.float64)

    @property
    def words(self) -> str:
        """The rows in words, as every accuracy on the page names them."""
        rows = "row" if self.scores.rows == 1 else "rows"
        after = {
            "training": f"training {rows}",
            "test": f"test {rows}",
            "held-out": f"held-out {rows}",
            "other": f"given {rows}, which are not the training rows",
            "given": f"given {rows}",
        }
        return f"{count(self.scores.rows)} {after[self.kind]}"


@dataclass(frozen=True)
class Subject:
    """A fitted classifier, the rows that the report was given and, if given, test data.

    Parameters
    ----------
    model : object
        The classifier.
    X, y : array-like or sparse matrix, ndarray
        The rows and labels that the report was given as those that the model was fitted to.
    first : Measured
        The predictions of these rows.
    test : Measured or None
        The predictions of test data.
    verification : Verification or None
        The certificates checked against X and y; None for a model without certificate.
    class_ : object
        The class whose binary problem the figures show.
    feature_names : sequence of str or None
        Names of the columns, if they differ from those of the model.
    """

    model: Any
    X: Any
    y: Any
    first: Measured
    test: Measured | None
    verification: Verification | None
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
    def has_weights(self) -> bool:
        """Whether the model has ``coef_``. Our learners do; theirs is not read, since it may be very wide."""
        return self.record is not None or hasattr(self.model, "coef_")

    @cached_property
    def strategy(self) -> MulticlassStrategy:
        """The classes, and which column of scores belongs to which."""
        return OneVsRest(np.asarray(self.model.classes_)) if self.record is None else self.record.strategy

    @cached_property
    def opponent(self) -> Any:
        """For machines that oppose pairs of classes, the class that ``class_`` is confused with most often.

        None if ``class_`` is opposed to all others, or never confused.
        """
        strategy, found = self.strategy, self.scored.scores
        labels = found.labels.tolist()
        is_pairwise = strategy.is_joint or strategy.pairs[0][1] is not None
        if len(strategy.classes) == 2 or not is_pairwise or self.class_ not in labels:
            return None
        code = labels.index(self.class_)
        errors = found.confusion[code] + found.confusion[:, code]
        known = np.isin(found.labels, strategy.classes) & (found.labels != self.class_)
        other = int(np.argmax(np.where(known, errors, -1)))
        return labels[other] if known[other] and errors[other] > 0 else None

    @property
    def problem(self) -> Any:
        """The binary problem that the displays show, as their ``class_``: a class, or a pair of classes."""
        return self.class_ if self.opponent is None else (self.class_, self.opponent)

    @property
    def parts(self) -> tuple[list[Part], list[Any]]:
        """Each certificate with its checks, and the checks of the model as a whole."""
        return split([] if self.record is None else self.record.named_certificates, self.verification)

    @property
    def scored(self) -> Measured:
        """The rows that show the predictive performance: test data if given, else the first rows."""
        return self.first if self.test is None else self.test

    @property
    def measured(self) -> list[Measured]:
        """All rows on which the predictions were measured, the most telling ones first."""
        return [self.first] if self.test is None else [self.test, self.first]


def subject_of(
    model: Any, X: Any, y: Any, class_: Any, test: Any, feature_names: Any, sample_weight: Any = None
) -> Subject:
    """Check the arguments of ``report``, compute the scores and check the certificates."""
    if not (hasattr(model, "decision_function") and hasattr(model, "predict")):
        raise input_error(WHERE, f"model must be a classifier with decision_function, but it is a {_kind(model)}.")
    check_is_fitted(model)
    found = scores(model, X, y)
    labels = check_labels(WHERE, y, found.rows)
    if test is not None:
        if not isinstance(test, tuple) or len(test) != 2:
            raise input_error(WHERE, f"test must be a tuple (X, y), but it is a {_kind(test)}.")
        test = Measured(model, *test, scores(model, *test), "test")
    record: RunRecord | None = getattr(model, "record_", None)
    verification = verify(model, X, y, sample_weight) if record is not None and record.certificates else None
    first = Measured(model, X, labels, found, _kind_of_rows(record, verification))
    if class_ is None:
        class_ = by_errors(model, (first if test is None else test).scores)[0]
    return Subject(model, X, labels, first, test, verification, class_, feature_names)


def with_held_out(subject: Subject, held_out: Holdout) -> Subject:
    """Return the subject with the predictive performance on rows that a copy of the model was not fitted to."""
    X, y = subject.table[held_out.rows], subject.y[held_out.rows]
    measured = Measured(held_out.model, X, y, scores(held_out.model, X, y), "held-out")
    return dataclasses.replace(subject, test=measured)


def _kind(value: object) -> str:
    return type(value).__name__


def _kind_of_rows(record: RunRecord | None, found: Verification | None) -> str:
    """Return whether the rows are those of the certificates."""
    if record is None or found is None:
        return "given"
    parts, general = split(record.named_certificates, found)
    checks = [*general, *(check for part in parts for check in part.verification.checks)]
    is_other = any(check.status == "fails" and check.claim.partition(":")[0] not in OF_THE_MODEL for check in checks)
    return "other" if is_other else "training"


def by_errors(model: Any, found: Scores) -> list[Any]:
    """Return the classes by descending number of false positives and false negatives; of two, the last first."""
    classes: list[Any] = np.asarray(model.classes_).tolist()
    if len(classes) == 2:
        return classes[::-1]
    wrong = found.confusion.sum(axis=0) + found.confusion.sum(axis=1) - 2 * np.diag(found.confusion)
    by_label = dict(zip(found.labels.tolist(), wrong.tolist(), strict=True))
    return sorted(classes, key=lambda label: -by_label.get(label, 0.0))
