"""A training set as the solvers see it: checked rows, classes and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

import novikoff._core as _core
from novikoff._class_weights import row_weights
from novikoff._labels import Codes, encode
from novikoff._validation import check_labels, check_rows, check_weights, describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.errors import invalid

from .problem import Table


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
