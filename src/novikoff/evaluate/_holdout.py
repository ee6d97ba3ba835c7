"""The accuracy of a learner on rows that are held out while it is fitted to the others."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._estimators import clone
from novikoff._validation import check_labels, check_weights
from novikoff.errors import input_error
from novikoff.theory.geometry import as_table

from ._scores import Scores, scores_of_labels

WHERE = "holdout"
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Holdout:
    """A learner that was fitted to some of the rows, and its scores on the others.

    Parameters
    ----------
    model : estimator
        The fitted learner.
    scores : Scores
        Its scores on the rows held out.
    rows : ndarray of int
        The numbers of these rows, ascending.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[float(place % 5)] for place in range(50)], [place % 5 > 2 for place in range(50)]
    >>> found = nk.evaluate.holdout(nk.LinearSVM(), X, y)
    >>> found.scores.accuracy, len(found.rows)
    (1.0, 10)
    """

    model: Any
    scores: Scores
    rows: Indices


def holdout(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    fraction: float = 0.2,
    seed: int = 0,
    watch: Callable[[str, float | None], None] | None = None,
) -> Holdout:
    """Fit a copy of a learner to part of the rows, and score it on the others.

    The rows held out are drawn at random, from each class in proportion to its rows. Warnings of the fit are not shown.

    Parameters
    ----------
    model : estimator
        The learner, fitted or not. It is not changed.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts, in the fit and in the scores.
    fraction : float, default=0.2
        Which part of the rows is held out.
    seed : int, default=0
        Seed of the choice of rows.
    watch : callable, default=None
        Receives the progress of the fit, as in ``model.watch``.

    Returns
    -------
    Holdout
        The copy, its scores and the rows held out.

    Raises
    ------
    InvalidInputError
        If no row can be held out: every class must keep one row to learn from.

    See Also
    --------
    scores : Measure a fitted classifier on labelled rows.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[float(place % 5)] for place in range(50)], [place % 5 > 2 for place in range(50)]
    >>> nk.evaluate.holdout(nk.LinearSVM(), X, y, fraction=0.3).scores.rows
    15
    """
    X = as_table(X)
    labels = check_labels(WHERE, y, X.shape[0])
    weights = check_weights(WHERE, sample_weight, len(labels))
    rows = held_out_rows(labels, weights, fraction=fraction, seed=seed)
    if not len(rows):
        raise input_error(
            WHERE, "there are too few rows to hold some out. Use a larger fraction= or more rows per class."
        )
    learned = np.setdiff1d(np.arange(len(labels)), rows)
    learner = clone(model)
    if "probability" in learner.get_params():  # it takes as long as several fits, and does not change predictions
        learner.set_params(probability=False)
    if watch is not None:
        learner.watch(watch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(X[learned], labels[learned], None if weights is None else weights[learned])
    if watch is not None:
        learner.watch(None)
    own = None if weights is None else weights[rows]
    found = scores_of_labels(WHERE, labels[rows], learner.predict(X[rows]), np.asarray(learner.classes_), own)
    return Holdout(learner, found, rows)


def held_out_rows(y: Any, weights: Any = None, *, fraction: float, seed: int = 0) -> Indices:
    """Draw the rows to hold out, from each class in proportion to its rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The labels.
    weights : array-like of shape (n_samples,), default=None
        The weights of the rows; a row of weight 0 is not held out.
    fraction : float
        Which part of the rows is held out.
    seed : int, default=0
        Seed of the choice.

    Returns
    -------
    ndarray of int
        Their numbers, ascending; empty if the fraction is less than a row. Every class keeps a row.

    Raises
    ------
    InvalidInputError
        If the fraction is not a number from 0 to below 1.

    Examples
    --------
    >>> from novikoff.evaluate import held_out_rows
    >>> len(held_out_rows(["a"] * 80 + ["b"] * 20, fraction=0.2))
    20
    """
    if not 0 <= fraction < 1:
        raise input_error(WHERE, f"fraction must be a number from 0 to below 1, but it is {fraction}.")
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    present = np.ones(len(codes), dtype=bool) if weights is None else np.asarray(weights) > 0
    rows = np.random.default_rng(seed).permutation(len(codes))
    rows = rows[present[rows]]
    rows = rows[np.argsort(codes[rows], kind="stable")]  # class by class, at random within each
    candidates = rows[:-1][np.diff(codes[rows]) == 0]  # all but one row of each class
    count = min(int(fraction * len(rows) + 0.5), len(candidates))
    evenly = ((np.arange(count) + 0.5) * len(candidates) / max(count, 1)).astype(np.intp)
    found: Indices = np.sort(candidates[evenly])
    return found
