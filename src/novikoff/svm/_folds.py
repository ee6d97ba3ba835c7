"""Stratified folds for cross-validation and Platt scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._class_weights import row_weights
from novikoff._labels import Codes
from novikoff.data.rows import as_rows
from novikoff.errors import input_error, quote
from novikoff.solvers.training_set import TrainingSet, class_counts

Indices = NDArray[np.intp]
Split = tuple[Indices, Indices]  # rows to learn from, and rows held out


def stratified_folds(
    where: str, codes: Codes, weights: NDArray[np.float64] | None, folds: int, seed: int
) -> list[Split]:
    """Assign the shuffled rows of each class to the folds in turn. Rows of weight 0 belong to no fold.

    There are at most as many folds as rows. A class of at least two rows is represented in every part to learn from.
    """
    random = np.random.RandomState(seed)
    is_present = np.ones(len(codes), dtype=bool) if weights is None else weights > 0
    fold, assigned = np.full(len(codes), -1), 0
    for code in np.unique(codes[is_present]):
        rows = random.permutation(np.flatnonzero(is_present & (codes == code)))
        if len(rows) < 2:
            raise input_error(where, "a class has only one row. Every class needs two, so that one can be held out.")
        fold[rows] = (assigned + np.arange(len(rows))) % folds
        assigned += len(rows)
    return [
        (np.flatnonzero(is_present & (fold != held_out)), np.flatnonzero(fold == held_out))
        for held_out in range(min(folds, assigned))
    ]


def subset(
    where: str, data: TrainingSet, rows: Indices, weights: NDArray[np.float64] | None, class_weight: Any
) -> TrainingSet:
    """Return some rows of a training set. "balanced" class weights are computed from these rows alone.

    ``weights`` are the sample weights of all rows, without class weights.
    """
    codes = data.codes[rows]
    own = None if weights is None else weights[rows]
    counts = np.bincount(codes if own is None else codes[own > 0], minlength=len(data.classes))
    if np.any(counts == 0):
        label = data.classes.tolist()[int(np.argmin(counts))]
        raise input_error(where, f"a fold has no rows of class {quote(label)} to learn from. Use other folds.")
    X = data.X[rows]
    kernel_rows = as_rows(where, X)
    product = row_weights(where, class_weight, data.classes.tolist(), codes, own)
    totals = class_counts(codes, own, len(data.classes))
    return TrainingSet(
        X,
        kernel_rows,
        data.largest,
        data.classes,
        codes,
        product,
        data.columns,
        totals,
        data.products.part(X, kernel_rows, rows),
    )
