"""A run of an online learner, made again in plain NumPy, row by row.

The weights of a fit are a sum of rows that a certificate names, and the data show it. Those of a stream, whose rows are
not kept, and the averages and votes of a run, are shown only by making the run again. A score so close to where a rule
decides that rounding may have decided it otherwise is remembered: from there on, the run may have been another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .geometry import Floats, Geometry

EPS = float(np.finfo(np.float64).eps)
MASK = 2**64 - 1


@dataclass(frozen=True)
class RuleOf:
    """Which rule made the run: its name, its parameter, and what it takes a score of 0 for."""

    name: str
    parameter: float
    tie: str

    def is_mistake(self, y: float, score: float) -> bool:
        """Whether the prediction was wrong.  docs/theory.md A2."""
        return y * score < 0 or (score == 0 and (self.tie == "mistake" or y < 0))

    def step(self, y: float, score: float, norm2: float, weight: float, run: Replay) -> tuple[float, float]:
        """How far to move along y u, and how far the margin is from where that is decided."""
        margin, length = y * score, math.sqrt(max(0.0, run.length2))
        if self.name == "perceptron":
            return (weight if self.is_mistake(y, score) else 0.0), abs(score)
        if self.name == "fixed margin":
            wanted = self.parameter * length
        elif self.name == "dynamic margin":
            wanted = (1 - self.parameter) * run.length2 / run.steps if run.steps > 0 else 0.0
        else:
            return self._passive_aggressive(1 - margin, norm2, weight, length), abs(1 - margin)
        return (0.0 if run.length2 > 0 and margin >= wanted else weight), abs(margin - wanted)

    def _passive_aggressive(self, loss: float, norm2: float, weight: float, length: float) -> float:
        """Crammer et al. (2006), section 3; what is nothing but rounding is no loss."""
        if not loss > 0 or norm2 == 0 or (loss < 1e-6 and loss <= 16 * EPS * (1 + length * math.sqrt(norm2))):
            return 0.0
        if self.name == "passive-aggressive II":
            return loss / (norm2 + 1 / (2 * weight * self.parameter))
        whole = loss / norm2 if loss / norm2 < math.inf else 0.0
        return min(weight * self.parameter, whole) if self.name == "passive-aggressive I" else weight * whole


@dataclass
class Replay:
    """Where a run stands, and in the end what it comes to."""

    weights: Floats
    bias: float = 0.0
    average_weights: Floats = field(default_factory=lambda: np.zeros(0))  # sum of clock times step, until it ends
    average_bias: float = 0.0
    examples: float = 0.0
    mistakes: float = 0.0
    updates: int = 0
    steps: float = 0.0
    length2: float = 0.0
    path: float = 0.0  # the length of all moves together
    drift: float = 0.0  # how far rounding may have moved v
    margin_bound: float = math.inf
    moved: list[int] = field(default_factory=list)  # the rows of the moves
    along: list[float] = field(default_factory=list)  # and how far
    survived: list[float] = field(default_factory=lambda: [0.0])
    doubtful: int | None = None  # the first row that rounding may have decided otherwise

    def count(self, copies: float, mistake: bool) -> None:
        """Count examples that were predicted."""
        self.examples += copies
        self.survived[-1] += copies
        self.mistakes += copies if mistake else 0.0

    def move(self, row: int, where: Any, values: Floats, along: float, bias_step: float) -> None:
        """V += along x, and what follows from it."""
        self.average_weights[where] += self.examples * along * values
        self.average_bias += self.examples * bias_step
        self.weights[where] += along * values
        self.bias += bias_step
        self.moved.append(row)
        self.along.append(along)
        self.survived.append(0.0)

    def lengthen(self, tau: float, margin: float, norm2: float) -> None:
        """|v + tau y u|^2 = |v|^2 + 2 tau y v.u + tau^2 |u|^2."""
        length = tau * math.sqrt(norm2)
        self.drift += EPS * (math.sqrt(max(0.0, self.length2)) + 2 * length)
        self.length2 += 2 * tau * margin + tau * tau * norm2
        self.path += length
        self.steps += tau
        self.updates += 1
        self.margin_bound = min(self.margin_bound, math.sqrt(max(0.0, self.length2)) / self.steps)

    def average(self) -> tuple[Floats, float]:
        """The mean of the hypotheses, each by the examples that it lived through."""
        clock = self.examples or 1.0
        return self.weights - self.average_weights / clock, self.bias - self.average_bias / clock


def replay(
    X: Any, signs: Floats, copies: Floats, rule: RuleOf, geometry: Geometry, orders: Iterable[NDArray[np.int64]]
) -> Replay:
    """Make a run again: all rows in each of the orders, an integer weight k being k copies in a row."""
    rows = list(_rows(X))
    one, delta2 = (1.0 if geometry.fit_intercept else 0.0), geometry.slack_feature * geometry.slack_feature
    run = Replay(np.zeros(X.shape[1]), average_weights=np.zeros(X.shape[1]))
    for order in orders:
        for i in order.tolist():
            where, values = rows[i]
            norm2, scale = float(values @ values) + one, 1.0
            if geometry.normalize and norm2 > 0:
                scale, norm2 = 1 / math.sqrt(norm2), 1.0
            _learn(run, rule, i, (where, values, scale, one), norm2 + delta2, float(signs[i]), float(copies[i]))
    return run


def _rows(X: Any) -> Iterator[tuple[Any, Floats]]:
    """Each row as its columns and values."""
    if not sp.issparse(X):
        yield from ((slice(None), row) for row in np.asarray(X, dtype=np.float64))
        return
    for begin, end in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        yield X.indices[begin:end], X.data[begin:end].astype(np.float64, copy=False)


def _learn(
    run: Replay, rule: RuleOf, i: int, x: tuple[Any, Floats, float, float], norm2: float, y: float, weight: float
) -> None:
    """One example, as often as its weight says; a fraction is one last copy that weighs less."""
    where, values, scale, one = x
    whole, part = int(weight), weight - int(weight)
    while whole > 0 or part > 0:
        terms = values * run.weights[where]
        score = scale * (float(terms.sum()) + run.bias)
        size = scale * (float(np.abs(terms).sum()) + abs(run.bias))
        mistake = rule.is_mistake(y, score)
        tau, distance = rule.step(y, score, norm2, 1.0 if whole > 0 else part, run)
        rounding = 4 * (len(terms) + 8) * EPS * size + 2 * run.drift * math.sqrt(norm2)
        if run.doubtful is None and min(distance, abs(score)) < rounding:  # where it moves, or counts a mistake
            run.doubtful = i
        if tau == 0:
            run.count(whole + part, mistake)
            return
        if norm2 == 0:  # a move along 0 changes nothing
            run.steps += whole + part
            run.updates += whole + (part > 0)
            run.margin_bound = min(run.margin_bound, math.sqrt(max(0.0, run.length2)) / run.steps)
            run.count(whole + part, mistake)
            return
        run.move(i, where, values, tau * y * scale, tau * y * scale * one)
        run.lengthen(tau, y * score, norm2)
        run.count(1.0 if whole > 0 else part, mistake)
        whole, part = (whole - 1, part) if whole > 0 else (0, 0.0)


def shuffles(rows: int, seed: int, passes: int) -> Iterator[NDArray[np.int64]]:
    """The orders of the passes of a fit: Fisher and Yates's shuffle, each of the one before, by splitmix64."""
    order, state = list(range(rows)), seed
    for _ in range(passes):
        for i in range(rows, 1, -1):
            uneven = (2**64 - i) % i
            while True:
                state = (state + 0x9E3779B97F4A7C15) & MASK
                z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
                z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
                draw = z ^ (z >> 31)
                if draw >= uneven:
                    break
            j = draw % i
            order[i - 1], order[j] = order[j], order[i - 1]
        yield np.array(order, dtype=np.int64)
