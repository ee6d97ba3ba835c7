"""The scores of a learner whose classes are learned together, before each row of a stream, repeated in plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .geometry import Floats, each_row
from .kesler_replay import KeslerReplay, replay_jointly
from .replayed_run import EPS
from .rules import Rule


class KeslerScores:
    """The scores of all classes for the rows of a run, before it learns from each.

    Parameters
    ----------
    predicted : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows as they were predicted; a running scale shows them otherwise than they were learned.
    classes : int
        The number of classes.

    Attributes
    ----------
    values, tolerances : ndarray of shape (n_classes, n_samples)
        The scores, and by how much rounding may have changed them. Those of classes that no update
        has changed are exactly 0.
    """

    def __init__(self, predicted: Any, classes: int) -> None:
        self._rows, self._predicted = predicted, each_row(predicted[:0])
        self.values, self.tolerances = np.zeros((2, classes, predicted.shape[0]))
        self._next, self._updates, self._is_changed = 0, 0, np.zeros(classes, dtype=bool)

    def before(self, run: KeslerReplay, one: float) -> None:
        """Score the row that is predicted next; ``replay_jointly`` calls this before a row is learned."""
        if run.visits == 0:
            self._predicted = each_row(self._rows if run.columns is None else run.columns.cut(self._rows))
        row = next(self._predicted, None)
        if row is None:
            return
        for update in run.made[self._updates :]:
            self._is_changed[[update.own, update.rival]] = True
        self._updates = len(run.made)
        columns, values = row
        length = math.sqrt(float(values @ values) + one)  # a score is not that of the row at unit length
        terms = run.weights[:, columns] * values
        sizes = np.abs(terms).sum(axis=1) + np.abs(run.biases)
        doubt = 4 * (len(values) + 8) * EPS * sizes + 2 * run.rounding * length
        self.values[:, self._next] = terms.sum(axis=1) + run.biases
        self.tolerances[:, self._next] = np.where(self._is_changed, doubt, 0.0)
        self._next += 1


def joint_scores_of(
    X: Any,
    predicted: Any,
    codes: NDArray[np.int64],
    amounts: Floats,
    rule: Rule,
    classes: int,
    declared: bool,
) -> tuple[Floats, Floats, int | None]:
    """Repeat a run over a stream, and return scores, tolerances and the first row that rounding may have decided.

    While two classes are known, the last of them has the difference of both scores, and the first has 0: the sign of
    one score decides, as for a binary problem.

    Parameters
    ----------
    X, predicted : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows as they were learned, and as they were predicted.
    codes : ndarray of int64
        The codes of their labels, in the order of the labels.
    amounts : ndarray of shape (n_samples,)
        Their weights, above 0 and at most 1.
    rule : Rule
        The rule of the learner.
    classes : int
        The number of labels.
    declared : bool
        Whether all labels were known from the start; otherwise, each since its first row.

    Returns
    -------
    tuple
        Values and tolerances of shape (n_classes, n_samples), and a row or None.
    """
    scores = KeslerScores(predicted, classes)
    order = [np.arange(len(codes))]
    run = replay_jointly(X, codes, classes, amounts, rule.implementation(), rule.geometry, order, scores.before)
    values, tolerances = scores.values, scores.tolerances
    first, last, pair = 0, len(codes), [0, 1]
    if not declared:
        met, since = np.unique(codes, return_index=True)
        since = since[by_time := np.argsort(since)] + 1  # the first row that is predicted with each class
        pair = sorted(met[by_time][:2].tolist())
        first, last = (int(since[k]) if k < len(since) else len(codes) for k in (1, 2))
    if len(pair) == 2 and (not declared or classes == 2):
        low, high = pair
        values[high, first:last] -= values[low, first:last]
        tolerances[high, first:last] += tolerances[low, first:last]
        values[low, first:last] = tolerances[low, first:last] = 0.0
    return values, tolerances, run.doubtful
