"""The margin of a plane and the distance of convex hulls, enclosed quickly for numbers of ordinary magnitudes.

One pass over the rows computes w.x_i, |x_i|^2 and v = sum_i c_i y_i x_i, where c_i are the duals divided by their sum,
or by that of their class if the intercept is free. Errors are bounded without another look at the values: with
|x_i| <= r, each score is off by at most k eps r |w|, and the vector v by at most k eps r sum c_i in length, for sums of
k terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .enclosed_sums import EPS, Block, Rows, interval_of_products
from .hull_bounds import HullSolution, Measurement, Smallest, measure
from .interval import Interval
from .quick_gap import TINY, is_ordinary

MIN_QUICK_ENTRIES = 20_000  # tables of fewer values are measured accurately at once, which takes a millisecond
MAX_GATHERED_SHARE = 0.25  # share of the rows of a dense block up to which those of the support are copied


@dataclass(frozen=True)
class QuickMeasurement:
    """The numbers of a `Measurement` in floats.

    Parameters
    ----------
    smallest, squared_norm, squared_radius, squared_distance : Interval
        As in `Measurement`.
    nearest, longest : ndarray of int64
        As in `Measurement`.
    """

    smallest: Interval
    squared_norm: Interval
    squared_radius: Interval
    squared_distance: Interval
    nearest: NDArray[np.int64]
    longest: NDArray[np.int64]

    def stated(self) -> StatedBounds | None:
        """Return bounds that a check confirms; None if they do not prove that the plane separates the rows."""
        if not (self.smallest.low > 0 and self.squared_norm.low > 0):
            return None
        lower = self.smallest.over(self.squared_norm.root()).stated_low()
        upper = self.squared_distance.root().stated_high()
        radius = self.squared_radius.root()
        return StatedBounds(min(lower, upper), upper, (radius.low + radius.high) / 2) if lower > 0 else None

    def measurement(self, solution: HullSolution) -> Measurement:
        """Return the same numbers as fractions, given the solution that they belong to."""
        return Measurement(
            solution,
            self.smallest.enclosure(),
            self.squared_norm.enclosure(),
            self.squared_radius.enclosure(),
            self.squared_distance.enclosure(),
            self.nearest,
            self.longest,
        )


class StatedBounds(NamedTuple):
    """Bounds on the margin of a plane and on the largest margin, and the largest |u|."""

    lower: float
    upper: float
    radius: float


def measurements(rows: Rows, solution: HullSolution, most: int) -> Iterator[Measurement]:
    """Yield measurements, each narrower than the one before.

    The last one is without rounding if at most ``most`` values have to be converted to integers.

    Parameters
    ----------
    rows : Rows
        The rows of the solution.
    solution : HullSolution
        The plane and the duals.
    most : int
        The number of values.
    """
    if (quick := quick_measure(rows, solution)) is not None:
        yield quick.measurement(solution)
    found = measure(rows, solution)
    yield found
    if (exact := found.exact(most)) is not None:
        yield exact


def quick_measure(rows: Rows, solution: HullSolution) -> QuickMeasurement | None:
    """Return a measurement, or None if a number is too large or too small, no duals bound the margin, or rows are few.

    Parameters
    ----------
    rows : Rows
        The rows of the solution.
    solution : HullSolution
        The plane and the duals.
    """
    weights, bias = solution.weights, solution.bias
    if rows.count * rows.columns < MIN_QUICK_ENTRIES or not solution.has_distance:
        return None
    if not all(map(is_ordinary, (rows.largest, weights, bias, solution.duals))):
        return None
    norm, combination = interval_of_products(weights, weights, weights, weights), _Combination(rows, solution)
    scores, lengths, size = Smallest(), Smallest(), norm.root().high
    for block in rows.blocks():
        combination.add(block)
        use = np.flatnonzero(solution.counted[block.cut])
        if not len(use):
            continue
        terms, numbers = int(np.max(block.terms, initial=0)), use + block.cut.start
        margins = (solution.signs[block.cut] * (block.values @ weights + bias))[use]
        error = (terms + 8) * EPS * (rows.largest * math.sqrt(terms) * size + abs(bias)) + TINY
        scores.add(numbers, margins - 2 * error, margins + 2 * error)  # twice: these sums are rounded, too
        found = rows.squared_lengths(block)
        squares, share = np.ldexp(found.middle, found.exponent)[use], (terms + 8) * EPS
        lengths.add(numbers, -(squares * (1 + share) + TINY), -squares * (1 - share) + TINY)
    radius = Interval(max(0.0, -lengths.high), -lengths.low)
    squared_distance = combination.squared_distance(radius.root().high)
    if solution.intercept == "penalized":
        norm, radius = norm + Interval(bias, bias).square(), radius + Interval(1.0, 1.0)
    return QuickMeasurement(
        Interval(scores.low, scores.high), norm.widened(TINY), radius, squared_distance, scores.rows(), lengths.rows()
    )


class _Combination:
    """The sum v of c_i y_i x_i, where c_i is a_i divided by the sum of a, or of that of its class if b is free.

    The sums are the nearest floats to the true ones, so c_i is off by at most two roundings.
    """

    def __init__(self, rows: Rows, solution: HullSolution) -> None:
        assert solution.duals is not None
        self._a, self._signs, self._intercept = solution.duals, solution.signs, solution.intercept
        support = np.flatnonzero(self._a)
        own, is_positive = self._a[support], self._signs[support] > 0
        self._total = math.fsum(own.tolist())
        self._sides = [math.fsum(own[side].tolist()) for side in (is_positive, ~is_positive)]
        self._v, self._added, self._pieces = np.zeros(rows.columns), 0, 0

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        used = np.flatnonzero(self._a[block.cut])
        if not len(used):
            return
        a, is_positive = self._a[block.cut][used], self._signs[block.cut][used] > 0
        plus, minus = self._sides if self._intercept == "free" else (self._total, self._total)
        own, rows, count = np.where(is_positive, a / plus, -a / minus), block.values, block.values.shape[0]
        if isinstance(rows, np.ndarray) and len(used) < MAX_GATHERED_SHARE * count:
            rows = rows[used]
        elif len(used) < count:
            own, some = np.zeros(count), own
            own[used] = some
        self._v += rows.T @ own
        self._added, self._pieces = max(self._added, len(used)), self._pieces + 1

    def squared_distance(self, length: float) -> Interval:
        """Return the square of the distance of the hulls, given a bound on |x|."""
        is_free = self._intercept == "free"
        roundings = (1 + is_free) * (self._added + self._pieces + 16) * EPS  # the sum of c is 1, or 1 for each class
        found = interval_of_products(self._v, self._v, self._v, self._v).root().widened(roundings * length + TINY)
        if self._intercept == "none":
            return found.square()
        if is_free:
            return found.square().half().half()
        plus, minus, total = (Interval(x, x).widened(EPS * x) for x in (*self._sides, self._total))
        return found.square() + (plus - minus).square().over(total.square())
