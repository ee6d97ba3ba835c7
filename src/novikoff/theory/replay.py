"""A run of an online learner, repeated in plain NumPy, row by row.

The weights of a fit are a sum of rows that its certificate names, so the data show them. The weights of a stream, whose
rows are not kept, and the averages and votes of any run, can only be shown by repeating it. A margin so close to the
threshold of the rule that rounding may have made the decision is remembered: from there on, the runs may differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .columns import Columns
from .geometry import Floats, Geometry
from .rules import OnlineRule, RuleInput

EPS = float(np.finfo(np.float64).eps)
UINT64_MASK = 2**64 - 1


@dataclass
class Replay:
    """The state of a repeated run, and at the end its outcome.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights.
    bias : float, default=0.0
        The intercept.
    average_weights, average_bias : ndarray and float
        The sum of all steps, each times the number of examples before it; ``average`` is computed from it.
    examples, mistakes : float, default=0.0
        The weight of the examples seen, and of those predicted wrongly.
    updates : int, default=0
        Number of updates.
    steps : float, default=0.0
        The sum of all steps.
    squared_length : float, default=0.0
        |v|^2.
    path : float, default=0.0
        The sum of the lengths of all updates.
    drift : float, default=0.0
        A bound on how far rounding may have moved v.
    margin_bound : float, default=infinity
        The smallest |v| / steps so far.
    moved, along : list
        The row of each update, and its factor.
    survived : list of float
        The weight of the examples between one update and the next.
    doubtful : int or None, default=None
        The first row on which rounding may have made the decision.
    """

    weights: Floats
    bias: float = 0.0
    average_weights: Floats = field(default_factory=lambda: np.zeros(0))
    average_bias: float = 0.0
    examples: float = 0.0
    mistakes: float = 0.0
    updates: int = 0
    steps: float = 0.0
    squared_length: float = 0.0
    path: float = 0.0
    drift: float = 0.0
    margin_bound: float = math.inf
    moved: list[int] = field(default_factory=list)
    along: list[float] = field(default_factory=list)
    survived: list[float] = field(default_factory=lambda: [0.0])
    doubtful: int | None = None

    def count(self, copies: float, mistake: bool) -> None:
        """Count examples that were predicted."""
        self.examples += copies
        self.survived[-1] += copies
        self.mistakes += copies if mistake else 0.0

    def move(self, row: int, columns: Any, values: Floats, along: float, bias_step: float) -> None:
        """Add a multiple of a row to the weights."""
        self.average_weights[columns] += self.examples * along * values
        self.average_bias += self.examples * bias_step
        self.weights[columns] += along * values
        self.bias += bias_step
        self.moved.append(row)
        self.along.append(along)
        self.survived.append(0.0)

    def lengthen(self, tau: float, margin: float, norm2: float) -> None:
        """Update |v|^2, with |v + tau y u|^2 = |v|^2 + 2 tau y v.u + tau^2 |u|^2, and what depends on it."""
        length = tau * math.sqrt(norm2)
        self.drift += EPS * (math.sqrt(max(0.0, self.squared_length)) + 2 * length)
        self.squared_length += 2 * tau * margin + tau * tau * norm2
        self.path += length
        self.steps += tau
        self.updates += 1
        self.bound_margin()

    def bound_margin(self) -> None:
        """Update the upper bound on the margin of any separator."""
        self.margin_bound = min(self.margin_bound, math.sqrt(max(0.0, self.squared_length)) / self.steps)

    def average(self) -> tuple[Floats, float]:
        """Return the average of the weights and of the intercept over all examples."""
        clock = self.examples or 1.0
        return self.weights - self.average_weights / clock, self.bias - self.average_bias / clock


def replay(
    X: Any, signs: Floats, copies: Floats, rule: OnlineRule, geometry: Geometry, orders: Iterable[NDArray[np.int64]]
) -> Replay:
    """Repeat a run.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    copies : ndarray of shape (n_samples,)
        Weights. An integer weight k stands for k copies, one after the other.
    rule : OnlineRule
        The rule.
    geometry : Geometry
        How a row becomes the vector that the rule sees.
    orders : iterable of ndarray of int64
        The order of the rows in each pass.

    Returns
    -------
    Replay
        The outcome.
    """
    occurring = Columns.occurring(X)
    rows = list(_rows(X if occurring is None else occurring.cut(X)))
    width = X.shape[1] if occurring is None else len(occurring.indices)
    one, delta2 = (1.0 if geometry.fit_intercept else 0.0), geometry.slack_feature * geometry.slack_feature
    run = Replay(np.zeros(width), average_weights=np.zeros(width))
    for order in orders:
        for i in order.tolist():
            columns, values = rows[i]
            norm2, scale = float(values @ values) + one, 1.0
            if geometry.normalize and norm2 > 0:
                scale, norm2 = 1 / math.sqrt(norm2), 1.0
            _learn(run, rule, i, (columns, values, scale, one), norm2 + delta2, float(signs[i]), float(copies[i]))
    if occurring is not None:
        run.weights, run.average_weights = occurring.widen(run.weights), occurring.widen(run.average_weights)
    return run


def _rows(X: Any) -> Iterator[tuple[Any, Floats]]:
    """Each row as its columns and values."""
    if not sp.issparse(X):
        yield from ((slice(None), row) for row in np.asarray(X, dtype=np.float64))
        return
    for begin, end in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        yield X.indices[begin:end], X.data[begin:end].astype(np.float64, copy=False)


def _learn(
    run: Replay, rule: OnlineRule, i: int, x: tuple[Any, Floats, float, float], norm2: float, y: float, weight: float
) -> None:
    """Learn from one example as often as its weight says; a fraction is one last copy of less weight."""
    columns, values, scale, one = x
    whole, part = int(weight), weight - int(weight)
    while whole > 0 or part > 0:
        terms = values * run.weights[columns]
        score = scale * (float(terms.sum()) + run.bias)
        size = scale * (float(np.abs(terms).sum()) + abs(run.bias))
        mistake = rule.is_mistake(y, score)
        example = RuleInput(y, score, norm2, 1.0 if whole > 0 else part, run.squared_length, run.steps)
        tau, distance = rule.step(example), abs(example.margin - rule.threshold(example))
        rounding = 4 * (len(terms) + 8) * EPS * size + 2 * run.drift * math.sqrt(norm2)
        if run.doubtful is None and min(distance, abs(score)) < rounding:  # either the update or the count of mistakes
            run.doubtful = i
        if tau == 0:
            run.count(whole + part, mistake)
            return
        if norm2 == 0:  # an update along 0 changes nothing
            run.steps += whole + part
            run.updates += whole + (part > 0)
            run.bound_margin()
            run.count(whole + part, mistake)
            return
        run.move(i, columns, values, tau * y * scale, tau * y * scale * one)
        run.lengthen(tau, y * score, norm2)
        run.count(1.0 if whole > 0 else part, mistake)
        whole, part = (whole - 1, part) if whole > 0 else (0, 0.0)


def shuffles(rows: int, seed: int, passes: int) -> Iterator[NDArray[np.int64]]:
    """Return the row orders of the passes of a fit.

    Each is a Fisher-Yates shuffle of the one before, with random numbers from splitmix64.

    Parameters
    ----------
    rows : int
        Number of rows.
    seed : int
        The seed.
    passes : int
        Number of passes.

    Yields
    ------
    ndarray of int64
        The order of one pass.
    """
    order, state = list(range(rows)), seed
    for _ in range(passes):
        for i in range(rows, 1, -1):
            uneven = (2**64 - i) % i
            while True:
                state = (state + 0x9E3779B97F4A7C15) & UINT64_MASK
                z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & UINT64_MASK
                z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & UINT64_MASK
                draw = z ^ (z >> 31)
                if draw >= uneven:
                    break
            j = draw % i
            order[i - 1], order[j] = order[j], order[i - 1]
        yield np.array(order, dtype=np.int64)
