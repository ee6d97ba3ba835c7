"""What all batch learners share: their data, one question a class, and predictions from weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from novikoff import _core
from novikoff._base import Codes, Watched, encode, row_weights
from novikoff._kinds import Speaker
from novikoff._notebook import ShowsCertificate
from novikoff._validation import check_labels, check_rows, check_weights, describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.errors import invalid
from novikoff.model_file import Basis, Saveable
from novikoff.theory.geometry import Floats

from ._problem import Table
from ._state import WeightsState, check_weights_fit


@dataclass(frozen=True)
class TrainingSet:
    """Rows, checked, with their classes and what each of them costs."""

    X: Any
    rows: _core.Rows
    largest: float  # value, without its sign
    classes: NDArray[Any]
    codes: Codes
    weights: NDArray[np.float64] | None  # None where every row counts once

    @property
    def questions(self) -> list[int]:
        """The classes that are told from the rest: the last one of two, every one of more."""
        return [1] if len(self.classes) == 2 else list(range(len(self.classes)))

    @property
    def table(self) -> Table:
        """The rows as the solver wants them."""
        if sp.issparse(self.X):
            return Table(self.rows, self.codes, self.weights, int(self.X.nnz), self.largest)
        return Table(self.rows, self.codes, self.weights, int(self.X.size), self.largest, dense=self.X)


def take_in(estimator: BaseEstimator, where: str, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> TrainingSet:
    """Check a data set and view it as rows; nothing is copied but what is not in order."""
    X = check_rows(estimator, where, X, reset=True)
    labels = check_labels(where, y, X.shape[0])
    weights = check_weights(where, sample_weight, X.shape[0])
    classes, codes = _classes_of(where, labels, weights)
    weights = row_weights(where, class_weight, classes.tolist(), codes, weights)
    if weights is not None and len(np.unique(codes[weights > 0])) < len(classes):
        raise invalid(where, "A weight above 0 for some row of every class.", "a class without any")
    rows, largest = _survey(where, X)
    if rows is None:
        X = X.copy()
        X.sum_duplicates()
        rows, largest = _survey(where, X)
    return TrainingSet(X, rows, largest, classes, codes, weights)


def _classes_of(where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None) -> tuple[NDArray[Any], Codes]:
    present = labels if weights is None else labels[weights > 0]
    if len(present) == 0:
        raise invalid(where, "At least one row with a weight above 0.", "only zeros in sample_weight")
    classes, codes = encode(where, present)
    if len(classes) < 2:
        raise invalid(where, "Labels of at least two classes.", f"one class, {classes.tolist()[0]!r}")
    if weights is not None:
        every = np.zeros(len(labels), dtype=np.int32)
        every[weights > 0] = codes
        codes = every
    return classes, codes


def _survey(where: str, X: Any) -> tuple[Any, float]:
    """The rows and their largest value; no rows if their indices are out of order."""
    rows = as_rows(where, X)
    good, largest, rising = _core.survey(rows)
    if good < rows.count:
        raise describe_bad_row(where, X, good)
    return (rows if rising else None), largest


class BatchClassifier(Saveable, Watched, ShowsCertificate, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A linear classifier with ``coef_`` and ``intercept_``, learned from a whole data set."""

    _State: ClassVar[type[Any]] = WeightsState
    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]

    def _where(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    def decision_function(self, X: Any) -> Floats:
        """Scores: one number a row for two classes, one a class for more."""
        check_is_fitted(self)
        where = self._where("decision_function")
        X = check_rows(self, where, X, reset=False)
        rows = as_rows(where, X)
        good, _, _ = _core.survey(rows)
        if good < rows.count:
            raise describe_bad_row(where, X, good)
        scores: Floats = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels. A score of exactly 0 goes to the positive class, the last of ``classes_``."""
        scores = self.decision_function(X)
        chosen = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_sign(self, X: Any) -> NDArray[np.int8]:
        """-1, 0 or +1 for each score: 0 is no opinion."""
        signs: NDArray[np.int8] = np.sign(self.decision_function(X)).astype(np.int8)
        return signs

    def _state(self, where: str) -> Any:
        return WeightsState(self.coef_, self.intercept_)

    def _take_up(self, state: Any, basis: Basis, speaker: Speaker) -> None:
        check_weights_fit(state.coef, state.intercept, basis, speaker)
        self.classes_, self.coef_, self.intercept_ = basis.classes, state.coef, state.intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
