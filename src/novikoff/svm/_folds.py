"""Folds of the rows, with a fair part of every class in each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._class_weights import row_weights
from novikoff._labels import Codes
from novikoff.data.rows import as_rows
from novikoff.errors import input_error, quote
from novikoff.solvers.training_set import TrainingSet

Places = NDArray[np.intp]
Split = tuple[Places, Places]  # rows to learn from, and rows held out


def stratified_folds(
    where: str, codes: Codes, weights: NDArray[np.float64] | None, folds: int, seed: int
) -> list[Split]:
    """Deal the rows of each class, shuffled, to the folds in turn; rows of weight 0 are in none.

    There are as many folds as rows if there are fewer of these. A class of two rows or more is always among those to
    learn from.
    """
    random = np.random.RandomState(seed)
    present = np.ones(len(codes), dtype=bool) if weights is None else weights > 0
    fold, dealt = np.full(len(codes), -1), 0
    for code in np.unique(codes[present]):
        rows = random.permutation(np.flatnonzero(present & (codes == code)))
        if len(rows) < 2:
            raise input_error(where, "a class has only one row. Every class needs two, so that one can be held out.")
        fold[rows] = (dealt + np.arange(len(rows))) % folds
        dealt += len(rows)
    return [
        (np.flatnonzero(present & (fold != held_out)), np.flatnonzero(fold == held_out))
        for held_out in range(min(folds, dealt))
    ]


def rows_to_learn(
    where: str, data: TrainingSet, rows: Places, weights: NDArray[np.float64] | None, class_weight: Any
) -> TrainingSet:
    """Some rows of a training set, with weights of classes counted anew; ``weights`` are those of the rows alone."""
    codes = data.codes[rows]
    own = None if weights is None else weights[rows]
    counts = np.bincount(codes if own is None else codes[own > 0], minlength=len(data.classes))
    if np.any(counts == 0):
        label = data.classes.tolist()[int(np.argmin(counts))]
        raise input_error(where, f"a fold has no rows of class {quote(label)} to learn from. Use other folds.")
    X = data.X[rows]
    product = row_weights(where, class_weight, data.classes.tolist(), codes, own)
    return TrainingSet(X, as_rows(where, X), data.largest, data.classes, codes, product)
