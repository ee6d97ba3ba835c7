"""One binary question of the soft margin: its state, its smoothed form, and the bounds on its optimum.

The kernels solve it divided by C and with the rows scaled by a power of two s:

    min over w, b:  lam/2 |w|^2 + kappa/2 b^2 + sum_i c_i l(1 - y_i (s x_i.w + b)),

with one dual number alpha_i a row (``cpp/include/novikoff/soft_margin.hpp``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff.errors import invalid
from novikoff.theory.geometry import Floats

EPS = float(np.finfo(np.float64).eps)
LONGEST = 1000  # the largest power of two, up or down, that is told from infinity
FARTHEST = 506  # the largest power of two, up or down, whose square can still be computed with
FLATTEST, STEEPEST = -1018, 830  # powers of two for C |x|^2: beyond them numbers are too small to be exact
SURE = 1e-6  # how far beyond the margin rows are pushed, at most, so that no rounding can bring them back


@dataclass(frozen=True)
class Table:
    """The rows of a data set, the classes they belong to and what each of them costs; what all questions share."""

    rows: _core.Rows
    codes: Codes
    costs: NDArray[np.float64] | None  # None where every row costs 1
    elements: int  # values that are stored
    largest: float  # of them, without its sign
    dense: NDArray[Any] | None = None  # the rows as an array, where they are one


@dataclass(frozen=True)
class Objective:
    """What is to be minimised, and how far."""

    C: float
    squared: bool
    intercept: str  # "free", "penalized" or "none"
    tol: float


def relative_gap(primal: float, dual: float) -> float:
    """The gap in proportion to the primal value; NaN if they are no numbers."""
    if primal <= dual:
        return 0.0
    return (primal - dual) / primal if primal != 0 else math.inf


@dataclass(frozen=True)
class Bounds:
    """A primal point and a dual point: what they are worth, and what Newton's method needs of them.

    ``row_gap`` is the part of the gap that the rows would leave if (w, b) were optimal for these answers: the rest is
    for Newton's method to close.
    """

    v: Floats  # the primal point (w, b)
    primal: float
    dual: float
    row_gap: float
    gradient: Floats  # of the smoothed problem
    shares: tuple[float, float]  # what is left of each class's dual numbers so that sum y a = 0, negative class first

    @property
    def gap(self) -> float:
        """How far the two can be from the optimum; NaN if they are no numbers."""
        return 0.0 if self.primal <= self.dual else self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """The gap in proportion to the primal value."""
        return relative_gap(self.primal, self.dual)


class Report(Protocol):
    """Takes note of what some steps of a solver came to, and says whether to stop."""

    def __call__(self, bounds: Bounds, steps: int = 1) -> bool:
        """Whether the gap is small enough, or no step is left."""
        ...

    @property
    def left(self) -> int:
        """How many more steps may be made."""
        ...


def _length(vector: Floats) -> float:
    """The length of a vector, however small or large its entries."""
    largest = float(np.max(np.abs(vector), initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if 0 < largest < math.inf else largest


def _half_square(pull: Floats, rounding: float, ridge: float) -> float:
    """Return |pull|^2 / (2 ridge), made larger by what rounding may have taken from the sum that pull is.

    The division comes first: the squares of tiny numbers would vanish.
    """
    length = (_length(pull) + rounding) / math.sqrt(ridge)
    return 0.5 * length * length


def unit_scale(table: Table) -> float:
    """The power of two that brings the rows to about unit length."""
    length = table.largest * math.sqrt(max(1.0, table.elements / table.rows.count))
    exponent = math.frexp(length)[1] if length < math.inf else LONGEST
    return math.ldexp(1.0, -max(-LONGEST, min(LONGEST, exponent))) if length > 0 else 1.0


def _scale(table: Table, C: float) -> float:
    """The same, if C and the rows are such that doubles can hold what comes of them."""
    scale = unit_scale(table)
    if table.largest == 0:
        return scale
    exponent = -math.log2(scale)
    if abs(exponent) > FARTHEST or not FLATTEST < math.log2(C) + 2 * exponent < STEEPEST:
        raise invalid(
            "LinearSVM",
            "Rows of a length from 1e-152 to 1e152, and C times its square from 1e-306 to 1e249 (scale X).",
            f"a length of about {1 / scale:.1g} and C = {C:g}",
        )
    return scale


class Problem:
    """The rows of one question with its three vectors of rows: dual numbers, margins, and their rates of change."""

    def __init__(self, table: Table, positive: int, objective: Objective, threads: int) -> None:
        self.table, self.positive, self.objective, self.threads = table, positive, objective, threads
        self.rows, self.columns = table.rows.count, table.rows.columns
        self.scale = _scale(table, objective.C)
        has_intercept = objective.intercept != "none"
        self.kernel = _core.SoftMargin(
            table.rows, table.codes, positive, table.costs, self.scale, has_intercept, table.elements, threads
        )
        self.lam = self.scale * self.scale / objective.C
        self.kappa = 1 / objective.C if objective.intercept == "penalized" else 0.0
        self.free_intercept = objective.intercept == "free"
        self.ridge = np.full(self.columns + 1, self.lam)
        self.ridge[-1] = self.kappa
        self.squared, self.top = objective.squared, math.inf if objective.squared else 1.0
        self.as_it_is = _core.Response(math.inf, self.top, 1.0)  # the dual point itself, whatever the margins
        self.alpha = np.zeros(self.rows)
        self.margins = np.empty(self.rows)
        self.rates = np.empty(self.rows)
        self._pulls = np.empty(2 * (self.columns + 1))

    def costs_of(self, rows: NDArray[np.int64]) -> Floats:
        """What some rows cost."""
        return np.ones(len(rows)) if self.table.costs is None else self.table.costs[rows]

    def signs(self) -> Floats:
        """The labels as -1 and +1."""
        return np.where(self.table.codes == self.positive, 1.0, -1.0)

    def imbalance(self) -> float:
        """Return sum y a, which a free intercept brings to 0."""
        weighted = self.alpha if self.table.costs is None else self.alpha * self.table.costs
        positive = self.table.codes == self.positive
        return float(weighted.sum(where=positive) - weighted.sum(where=~positive))

    def without_weights(self) -> tuple[Floats, float]:
        """The best point with w = 0 and a free intercept, and what it is worth."""
        positive = self.table.codes == self.positive
        costs = np.ones(1) if self.table.costs is None else self.table.costs
        up, down = float(np.sum(costs * positive)), float(np.sum(costs * ~positive))
        v = np.zeros(self.columns + 1)
        v[-1] = (up - down) / (up + down) if self.squared else math.copysign(1.0, up - down)
        return v, 4 * up * (down / (up + down)) if self.squared else 2 * min(up, down)

    def measure(self, v: Floats) -> None:
        """Compute all margins of v = (w, b)."""
        self.kernel.measure(v, self.margins)

    def stretch(self, v: Floats) -> Floats:
        """Return v, or a multiple of it that leaves all rows surely beyond the margin, if that is about as good.

        The loss is then 0 whatever the rounding, even if C is huge. The margins of v are known, and follow.
        """
        counts = True if self.table.costs is None else self.table.costs > 0
        smallest = float(self.margins.min(where=counts, initial=math.inf))
        if smallest <= 0:
            return v
        beyond = min(SURE, 0.05 * self.objective.tol)
        half, factor = 0.5 * float(v @ (self.ridge * v)), (1 + beyond) / smallest
        if half * factor * factor > (half + self.loss()) * (1 + 3 * beyond):
            return v
        self.margins *= factor
        return v * factor

    def worst(self, v: Floats) -> float:
        """What v is worth if rounding went against it in every row."""
        self.measure(v)
        self.kernel.norms(self.rates)
        self.margins -= EPS * self.columns * float(np.linalg.norm(v)) * np.sqrt(self.rates)
        return 0.5 * float(v @ (self.ridge * v)) + self.loss()

    def loss(self) -> float:
        """The loss of all rows."""
        return self.kernel.loss(self.margins, self.squared)

    def rounding(self) -> float:
        """How far rounding can have moved the sum of the rows, as they are weighed by the dual point."""
        self.kernel.norms(self.rates)
        np.sqrt(self.rates, out=self.rates)
        if self.table.costs is not None:
            self.rates *= self.table.costs
        return EPS * float(self.alpha @ self.rates)

    def bounds(self, v: Floats, response: _core.Response | None = None, rounding: float = 0.0) -> Bounds:
        """What v, whose margins are known, proves with the answers to them, or with the dual point as it is.

        ``rounding``, where it is given, is counted against the dual value.
        """
        sums = self.kernel.answer(self.alpha, self.margins, response or self.as_it_is, self._pulls)
        negative, positive = self._pulls[: self.columns + 1], self._pulls[self.columns + 1 :]
        loss = sums["squared_hinge" if self.squared else "hinge"]
        primal = 0.5 * float(v @ (self.ridge * v)) + loss
        row_gap = loss - sum(sums["pull"]) + 0.25 * self.squared * sum(sums["squares"])
        shares = self._shares(*sums["mass"])
        pull = shares[0] * negative + shares[1] * positive
        dual = sum(
            share * mass - 0.25 * self.squared * share * share * squares
            for share, mass, squares in zip(shares, sums["mass"], sums["squares"], strict=True)
        )
        dual -= _half_square(pull[:-1], rounding, self.lam)
        if self.kappa > 0:
            dual -= _half_square(pull[-1:], rounding, self.kappa)
        return Bounds(v, primal, dual, max(0.0, row_gap), self.ridge * v - (negative + positive), shares)

    def follow(self, v: Floats) -> None:
        """Make v the primal point that belongs to the dual numbers; a free intercept stays."""
        self.measure(v)
        gradient = self.bounds(v).gradient
        v[:-1] -= gradient[:-1] / self.lam
        if self.kappa > 0:
            v[-1] -= gradient[-1] / self.kappa

    def _shares(self, negative: float, positive: float) -> tuple[float, float]:
        if not self.free_intercept or negative == positive:
            return 1.0, 1.0
        return (positive / negative, 1.0) if negative > positive else (1.0, negative / positive)
