"""The margin of a plane and the distance of convex hulls, enclosed in floating point or computed without rounding.

Rows x_i have labels y_i in {-1, +1}. ``measure`` encloses, in one pass over the rows,

    min_i y_i (w.x_i + b),    |w|^2,    max_i |u_i|^2    and    (|sum_i a'_i y_i u_i| / sum_i a'_i)^2,

where u_i is (x_i, 1) if the intercept is penalised and x_i otherwise. a' are the duals a; if the intercept is free, the
class of the larger sum is scaled down, so that both classes have the same sum. ``Measurement.exact`` computes the same
numbers in integers, of the rows only that may attain them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .elimination import IntegerVector
from .enclosed_sums import EPS, Block, Combination, Enclosed, Rows, exact_total, exponent_of, scaled
from .enclosure import Enclosure
from .exact import to_integers
from .geometry import Floats

SMALL_WORK = 20_000  # values that are converted to integers even if no exact check was requested
MAX_EXACT_WORK = 50_000_000  # values that are converted to integers if it was; about a minute
PRECISE = Fraction(1, 2**30)  # a relatively wider enclosure is replaced by the number itself if that is cheap


@dataclass(frozen=True)
class HullSolution:
    """A plane and duals, with the rows that they belong to.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows, all of whose values are finite.
    signs : ndarray of shape (n_samples,)
        The labels as -1 and +1.
    counted : ndarray of bool of shape (n_samples,)
        Which rows count; at least one does. The duals of the others are 0.
    weights : ndarray of shape (n_features,)
        The weights w of the plane.
    bias : float
        Its intercept b.
    duals : ndarray of shape (n_samples,) or None
        The duals a >= 0.
    intercept : {"free", "penalized", "none"}
        The role of the intercept.
    """

    X: Any
    signs: Floats
    counted: NDArray[np.bool_]
    weights: Floats
    bias: float
    duals: Floats | None
    intercept: str

    @property
    def has_distance(self) -> bool:
        """Whether the duals bound the margin of all planes: they are not all 0, of either class if b is free."""
        if self.duals is None:
            return False
        used = self.duals > 0
        positive, negative = bool(np.any(used & (self.signs > 0))), bool(np.any(used & (self.signs < 0)))
        return positive and negative if self.intercept == "free" else positive or negative


@dataclass(frozen=True)
class Measurement:
    """The numbers that bound margins.

    Parameters
    ----------
    solution : HullSolution
        What was measured: the plane, the duals and the rows.
    smallest : Enclosure
        The smallest y f(x).
    squared_norm : Enclosure
        |w|^2, or |w|^2 + b^2 if the intercept is penalised.
    squared_radius : Enclosure
        The largest |u|^2.
    squared_distance : Enclosure or None
        The square of the distance of the hulls, or of their half distance if the intercept is free; None without duals.
    nearest, longest : ndarray of int64
        The rows that may have the smallest y f(x), and those that may have the largest |u|.
    """

    solution: HullSolution
    smallest: Enclosure
    squared_norm: Enclosure
    squared_radius: Enclosure
    squared_distance: Enclosure | None
    nearest: NDArray[np.int64]
    longest: NDArray[np.int64]

    @property
    def has_direction(self) -> bool:
        """Whether the plane has a margin: its weights are not all 0."""
        solution = self.solution
        return bool(np.any(solution.weights)) or (solution.intercept == "penalized" and solution.bias != 0)

    @property
    def squared_margin(self) -> Enclosure:
        """The margin m of the plane as m |m|; the plane must have a direction."""
        return self.smallest.signed_square() / self.squared_norm

    @property
    def margin(self) -> Enclosure:
        """The margin of the plane, which must have a direction."""
        return self.smallest / self.squared_norm.root()

    @property
    def radius(self) -> float:
        """The largest |u|, rounded."""
        root = self.squared_radius.root()
        return Enclosure(root.low, (root.low + root.high) / 2).outer_high()

    @property
    def is_precise(self) -> bool:
        """Whether the relative width of all numbers is small."""
        found = (self.smallest, self.squared_norm, self.squared_radius, self.squared_distance)
        return all(one is None or _is_narrow(one) for one in found)

    def exact(self, most: int) -> Measurement | None:
        """Return the same numbers without rounding; None if more than this many values would have to be converted."""
        solution = self.solution
        support = np.zeros(0, dtype=np.int64) if solution.duals is None else np.flatnonzero(solution.duals)
        rows = (self.nearest, self.longest, support)
        if len(solution.weights) + sum(_entries(solution.X, some) for some in rows) > most:
            return None
        extra = Fraction(int(solution.intercept == "penalized"))
        bias = Fraction(solution.bias)
        return Measurement(
            solution,
            Enclosure.exactly(min(exact_scores(solution, self.nearest))),
            Enclosure.exactly(_squared_length(solution.weights) + extra * bias * bias),
            Enclosure.exactly(max(_exact_squares(solution.X, self.longest)) + extra),
            None if self.squared_distance is None else Enclosure.exactly(exact_squared_distance(solution, support)),
            self.nearest,
            self.longest,
        )


def measure(rows: Rows, solution: HullSolution) -> Measurement:
    """Enclose the numbers, in one pass over the rows, which are those of the solution."""
    e = rows.score_exponent(solution.weights, solution.bias)
    scores, lengths = Smallest(), Smallest()
    hulls = _Hulls(rows, solution) if solution.has_distance else None
    unit = 0
    for block in rows.blocks():
        use = np.flatnonzero(solution.counted[block.cut])
        if not len(use):
            continue
        low, high = (end[use] for end in rows.scores(block, solution.weights, solution.bias, e).ends())
        positive, numbers = solution.signs[block.cut][use] > 0, use + block.cut.start
        scores.add(numbers, np.where(positive, low, -high), np.where(positive, high, -low))
        squares = rows.squared_lengths(block)
        low, high = (end[use] for end in squares.ends())
        lengths.add(numbers, -high, -np.maximum(low, 0.0))
        unit = squares.exponent
        if hulls is not None:
            hulls.add(block)
    extra = Enclosure.exactly(int(solution.intercept == "penalized"))
    norm = Enclosed(solution.weights, np.zeros(len(solution.weights)), 0).squared_length()
    return Measurement(
        solution,
        Enclosure.between(scores.low, scores.high, e),
        norm + extra * Enclosure.exactly(solution.bias).square(),
        Enclosure.between(-lengths.high, -lengths.low, unit) + extra,
        None if hulls is None else hulls.squared_distance(),
        scores.rows(),
        lengths.rows(),
    )


def precisely(rows: Rows, solution: HullSolution) -> Measurement:
    """Measure in floating point; or, if that is not precise and the rows are few, without rounding."""
    found = measure(rows, solution)
    return found if found.is_precise else found.exact(SMALL_WORK) or found


class Smallest:
    """The smallest of some enclosed numbers, one per row, and the rows that may have it.

    The numbers are given block by block and only those that may be the smallest are kept, so that millions of rows need
    no vector of their length.

    Attributes
    ----------
    low, high : float
        Bounds on the smallest number.
    """

    def __init__(self) -> None:
        self.low = self.high = math.inf
        self._rows: list[NDArray[np.int64]] = []
        self._lows: list[Floats] = []

    def add(self, rows: NDArray[np.int64], low: Floats, high: Floats) -> None:
        """Add the bounds of some rows, of which there is at least one."""
        self.low = float(np.minimum(self.low, low.min()))
        self.high = float(np.minimum(self.high, high.min()))
        near = np.flatnonzero(low <= self.high)
        self._rows.append(rows[near])
        self._lows.append(low[near])

    def rows(self) -> NDArray[np.int64]:
        """Return the rows by increasing lower bounds, so that the first one is named if a claim fails."""
        rows, lows = np.concatenate(self._rows), np.concatenate(self._lows)
        near = lows <= self.high
        return rows[near][np.argsort(lows[near], kind="stable")]


class _Hulls:
    """The weighted sums of rows whose difference, or whose sum, bounds all margins."""

    def __init__(self, rows: Rows, solution: HullSolution) -> None:
        assert solution.duals is not None
        self._rows, self._free, self._penalized = rows, solution.intercept == "free", solution.intercept == "penalized"
        self._signs, self._a = solution.signs, solution.duals
        sides = (solution.signs > 0, solution.signs < 0)
        self._totals = [exact_total(self._a[side]) for side in sides]
        parts = (self._a[side] for side in sides) if self._free else (self._a,)  # one at a time in memory
        self._exponents = [exponent_of(part) for part in parts]
        self._sums = [Combination(rows, exponent) for exponent in self._exponents]

    def add(self, block: Block) -> None:
        """Add the rows of a block whose duals are not 0."""
        a, signs = self._a[block.cut], self._signs[block.cut]
        sides = [(a > 0) & (signs == 1), (a > 0) & (signs == -1)] if self._free else [a > 0]
        for side, combination, exponent in zip(sides, self._sums, self._exponents, strict=True):
            chosen = np.flatnonzero(side)
            if len(chosen):
                coefficients = scaled(a[chosen] if self._free else (a * signs)[chosen], exponent)
                combination.add(_some(block, chosen), coefficients)

    def squared_distance(self) -> Enclosure:
        positive, negative = self._totals
        if self._free:
            middle = self._difference([combination.total() for combination in self._sums])
            return middle.squared_length().times_power_of_two(-2)
        total, rest = positive + negative, Enclosure.exactly(positive - negative).square()
        square = self._sums[0].total().squared_length()
        return (square + rest if self._penalized else square) / Enclosure.exactly(total * total)

    def _difference(self, sums: list[Enclosed]) -> Enclosed:
        """Return the difference of the weighted means of the two classes, in the unit of the rows."""
        unit = self._rows.exponent
        means, radii = [], []
        for found, total in zip(sums, self._totals, strict=True):
            place = total.numerator.bit_length() - total.denominator.bit_length()
            factor = float(Fraction(2) ** place / total)  # from 1/2 to 2
            means.append(np.ldexp(found.middle * factor, found.exponent - place - unit))
            radii.append(np.ldexp(found.radius * factor, found.exponent - place - unit))
        # Four roundings, each of at most EPS / 2: of the factor, the product, its scaling and the difference.
        radius = 1.01 * (radii[0] + radii[1]) + 4 * EPS * (np.abs(means[0]) + np.abs(means[1])) + 2.0**-1060
        return Enclosed(means[0] - means[1], radius, unit)


def _some(block: Block, chosen: NDArray[np.int64]) -> Block:
    """Return some rows of a block."""
    if len(chosen) == block.values.shape[0]:
        return block
    return Block(block.cut, block.values[chosen], block.terms)


def _is_narrow(found: Enclosure) -> bool:
    if not (isinstance(found.low, Fraction) and isinstance(found.high, Fraction)):
        return False
    return found.high - found.low <= min(abs(found.low), abs(found.high)) * PRECISE


# ---- without rounding ------------------------------------------------------------------------------------------------


def exact_scores(solution: HullSolution, rows: NDArray[np.int64]) -> list[Fraction]:
    """Return y f(x) of some rows."""
    w, place = to_integers(solution.weights)
    bias = Fraction(solution.bias)
    found = []
    for i, (values, exponent, columns) in zip(rows.tolist(), _integer_rows(solution.X, rows), strict=True):
        total = sum(value * w[j] for value, j in zip(values, columns, strict=True) if value)
        score = total * Fraction(2) ** (exponent + place) + bias
        found.append(score if solution.signs[i] > 0 else -score)
    return found


def exact_squared_distance(solution: HullSolution, support: NDArray[np.int64]) -> Fraction:
    """Return the square of |sum a' y u| / sum a', for duals whose sums of classes are not 0 where that matters."""
    assert solution.duals is not None
    amounts, signs = to_integers(solution.duals[support])[0], solution.signs[support].tolist()
    sums = [sum(a for a, sign in zip(amounts, signs, strict=True) if sign == side) for side in (1.0, -1.0)]
    if solution.intercept == "free":
        amounts = [a * sums[1 if sign > 0 else 0] for a, sign in zip(amounts, signs, strict=True)]
    signed = [a if sign > 0 else -a for a, sign in zip(amounts, signs, strict=True)]
    total = _combination(solution.X, support, signed)
    square = sum(entry * entry for entry in total[0]) * Fraction(4) ** total[1]
    if solution.intercept == "penalized":
        square += Fraction(sums[0] - sums[1]) ** 2
    return square / Fraction(sum(amounts)) ** 2


def _combination(X: Any, rows: NDArray[np.int64], amounts: IntegerVector) -> tuple[IntegerVector, int]:
    """Return the entries of sum c_i x_i that are not 0 in all rows, as integers k and exponent e."""
    total: dict[int, int] = {}
    least: int | None = None
    for amount, (values, exponent, columns) in zip(amounts, _integer_rows(X, rows), strict=True):
        if not any(values):
            continue
        if least is None:
            least = exponent
        if exponent < least:
            total = {column: entry << (least - exponent) for column, entry in total.items()}
            least = exponent
        factor = amount << (exponent - least)
        for value, column in zip(values, columns, strict=True):
            if value:
                total[column] = total.get(column, 0) + factor * value
    return list(total.values()), least or 0


def _integer_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Yield rows, each as integers k, exponent e and their columns."""
    if sp.issparse(X):
        for i in rows.tolist():
            cut = slice(X.indptr[i], X.indptr[i + 1])
            yield *to_integers(np.asarray(X.data[cut], dtype=np.float64)), X.indices[cut].tolist()
        return
    columns = range(X.shape[1])
    for i in rows.tolist():
        yield *to_integers(np.asarray(X[i], dtype=np.float64)), columns


def _exact_squares(X: Any, rows: NDArray[np.int64]) -> list[Fraction]:
    return [
        sum(value * value for value in values) * Fraction(4) ** exponent
        for values, exponent, _ in _integer_rows(X, rows)
    ]


def _squared_length(vector: Floats) -> Fraction:
    entries, exponent = to_integers(vector)
    return sum(entry * entry for entry in entries) * Fraction(4) ** exponent


def _entries(X: Any, rows: NDArray[np.int64]) -> int:
    """Return the number of values of some rows."""
    return int(np.diff(X.indptr)[rows].sum()) if sp.issparse(X) else len(rows) * X.shape[1]
