"""Primal and dual objective of a soft-margin machine, enclosed in floating point in one pass, or as exact fractions.

The objectives are those of ``novikoff.theory.gap``. D is that of balanced duals if the intercept is free: those of the
class with the larger sum are multiplied by t, the quotient of the two sums. docs/theory.md E4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .enclosed_sums import (
    EPS,
    Combination,
    Enclosed,
    Rows,
    exact_total,
    exponent_of,
    scaled,
    weighted_squares,
    weighted_sum,
)
from .enclosure import Enclosure
from .exact_gap import ExactTable
from .gap_parts import NOTHING, GapPart
from .geometry import Floats
from .measured import Measured
from .quick_gap import Point as Point
from .quick_gap import quick_bounds

TINY, SMALLEST_NORMAL = 2.0**-1074, 2.0**-1022  # a number below the second may change by the first if it is scaled
SMALL_WORK = 20_000  # stored values and rows up to which fractions take no more than about a tenth of a second


@dataclass(frozen=True)
class SoftMargin:
    """A soft-margin problem: the objectives of any weights and of any duals.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows with finite values.
    signs : ndarray of shape (n_samples,)
        Labels as -1 and +1.
    costs : ndarray of shape (n_samples,)
        The cost C_i of each row.
    loss : {"hinge", "squared_hinge"}
        The loss.
    intercept : {"free", "penalized", "none"}
        The role of the intercept.
    measured : Measured, default=None
        What has been computed already for the only point that is asked about.
    """

    X: Any
    signs: Floats
    costs: Floats
    loss: str
    intercept: str
    measured: Measured | None = None

    @property
    def is_small(self) -> bool:
        """Whether `exact` takes so little time that it need not be asked for."""
        return work_of(self.X) <= SMALL_WORK

    def enclose(self, point: Point, rows: Rows, quick: bool = False) -> tuple[Enclosure, Enclosure]:
        """Return enclosures of P(w, b) and of D(a) for balanced a, computed in one pass over the rows of X.

        With ``quick`` they are wider, if the numbers have ordinary magnitudes, and take a third of the time.
        """
        if quick and (bounds := quick_bounds(self, point, rows, self.measured)) is not None:
            return bounds
        part = self.part(point, rows, exponent_of(point.duals))
        return part.primal(point.weights, point.bias, self.intercept), part.dual(self.intercept)

    def part(self, point: Point, rows: Rows, unit: int) -> GapPart:
        """Return what these rows contribute to P(w, b) and D(a), in one pass; all duals must be below 2^``unit``."""
        weights, bias, a = point
        losses, sums = NOTHING, Combination(rows, unit)
        signed = scaled(a, unit) * self.signs
        exponent = max(rows.score_exponent(weights, bias), 1)
        for block in rows.blocks():
            y = self.signs[block.cut]
            scores = rows.scores(block, weights, 0.0, exponent) if weights.any() else zeros(len(y), exponent)
            losses += self._total_loss(self.costs[block.cut], shortfall(scores, y, bias))
            if a[block.cut].any():
                sums.add(block, signed[block.cut])
        sides = self.signs == 1, self.signs == -1
        totals = exact_total(a[sides[0]]), exact_total(a[sides[1]])
        ridges = NOTHING, NOTHING
        if self.loss == "squared_hinge":
            ridges = self._ridge(a[sides[0]], self.costs[sides[0]]), self._ridge(a[sides[1]], self.costs[sides[1]])
        return GapPart(losses, sums.parts(), totals, ridges)

    def exact(self, point: Point) -> tuple[Enclosure, Enclosure]:
        """Return P(w, b) and D(a) for balanced a as fractions."""
        weights, bias, a = point
        table, squared = ExactTable.of(self.X, self.signs, self.costs), self.loss == "squared_hinge"
        primal = table.primal(weights, bias, self.intercept == "penalized", squared)
        return Enclosure.exactly(primal), Enclosure.exactly(table.dual(a, self.intercept, squared))

    def _total_loss(self, costs: Floats, short: Enclosed) -> Enclosure:
        """Return the sum of the losses of some rows, given 1 - y (w.x + b) of each."""
        low, high = (np.maximum(0.0, ends) for ends in short.ends())
        exact = (short.radius == 0) & (short.middle <= 0)
        low, high = np.where(exact, 0.0, low), np.where(exact, 0.0, high)
        total = weighted_sum if self.loss == "hinge" else weighted_squares
        return total(costs, low, high, short.exponent)

    def _ridge(self, a: Floats, costs: Floats) -> Enclosure:
        """Return the sum of a_i^2 / (4 C_i)."""
        a, costs = a[a > 0], costs[a > 0]
        if len(a) == 0:
            return Enclosure.exactly(0)
        if np.all(costs == costs[0]):
            squares = weighted_squares(np.ones(len(a)), a, a)
            return squares / Enclosure.exactly(4 * Fraction(float(costs[0])))
        # Costs that differ by more than 2^1022 would lose digits if they were scaled, so mantissas are divided.
        (of_duals, places), (of_costs, others) = np.frexp(a), np.frexp(costs)
        quotients, exponents = of_duals * of_duals / of_costs, 2 * places - others
        unit = int(exponents.max())
        low, high = (np.ldexp(quotients * (1 + error), exponents - unit) for error in (-2 * EPS, 2 * EPS))
        return weighted_sum(np.ones(len(a)), low, high, unit - 2)


def zeros(count: int, exponent: int) -> Enclosed:
    """Return numbers that are exactly 0."""
    return Enclosed(np.zeros(count), np.zeros(count), exponent)


def shortfall(scores: Enclosed, signs: Floats, bias: float) -> Enclosed:
    """Return 1 - y (s + b) of scores s. The errors of both additions are computed exactly, so 0 may be exact."""
    b, one = (math.ldexp(number, -scores.exponent) for number in (bias, 1.0))
    lost = TINY * ((bias != 0 and abs(b) < SMALLEST_NORMAL) + (one < SMALLEST_NORMAL))
    sums, first = add(scores.middle, b)
    short, second = add(-signs * sums, one)
    radius = scores.radius + first + second + lost
    return Enclosed(short, np.where(radius > 0, radius * (1 + 4 * EPS), 0.0), scores.exponent)


def add(a: Floats, b: Floats | float) -> tuple[Floats, Floats]:
    """Return a + b, and the absolute value of its rounding error, which is exact (Knuth 1997, theorem 4.2.2 B)."""
    found = a + b
    back = found - a
    return found, np.abs((a - (found - back)) + (b - back))


def work_of(X: Any) -> int:
    """Return the number of stored values and rows."""
    return int(X.nnz if sp.issparse(X) else X.size) + int(X.shape[0])
