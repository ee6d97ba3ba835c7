"""The vectors u of a data set, with enclosures of their products, lengths and sums.

u is (x, 1) with an intercept and x without; with ``normalize`` it is divided by its length, and with a private feature
of value delta every example has one more entry, which is 0 in all others. Vectors u are not stored: everything is
computed from blocks of the rows x, with bounds on the rounding errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .enclosed_sums import (
    EPS,
    TINY,
    Combination,
    Enclosed,
    Rows,
    exact_total,
    exponent_of,
    scaled,
    weighted_squares,
)
from .enclosure import ROUNDING_UNIT, UNBOUNDED, Enclosure
from .geometry import Floats, Geometry


@dataclass(frozen=True)
class Measures:
    """Products v.u and squared lengths |u|^2 of all rows, the former without their private features."""

    scores: Enclosed
    squares: Enclosed


@dataclass(frozen=True)
class Combined:
    """The sum c of vectors a_i y_i u_i, with a >= 0, and the sum of their absolute values.

    Parameters
    ----------
    weights, sizes : Enclosed
        The entries of c that belong to the columns of x, and the sums of a_i |u_ij|.
    intercept, intercept_size : Enclosure
        The same for the intercept; 0 without one.
    private : Enclosure
        The squared length of the private part of c.
    steps : Fraction
        The sum of a.
    """

    weights: Enclosed
    sizes: Enclosed
    intercept: Enclosure
    intercept_size: Enclosure
    private: Enclosure
    steps: Fraction

    def squared_length(self) -> Enclosure:
        """Return the enclosure of |c|^2, with the private part."""
        is_zero = not (self.weights.middle.any() or self.weights.radius.any())
        squares = Enclosure.exactly(0) if is_zero else self.weights.squared_length()
        return squares + self.intercept.square() + self.private

    def squared_ratio(self) -> Enclosure:
        """Return the enclosure of (|c| / sum a)^2; above it, no separator has a margin."""
        return self.squared_length() / Enclosure.exactly(self.steps * self.steps)


class LiftedRows:
    """The vectors u of a data set.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows x, which are finite. They are not changed.
    geometry : Geometry
        How rows x become vectors u.
    """

    def __init__(self, X: Any, geometry: Geometry) -> None:
        self.X, self.geometry, self.rows = X, geometry, Rows(X)

    def __len__(self) -> int:
        return int(self.rows.count)

    def measure(self, weights: Floats, intercept: float) -> Measures:
        """Return v.u and |u|^2 of all rows, in one pass over them."""
        rows, count = self.rows, len(self)
        bias = intercept if self.geometry.fit_intercept else 0.0
        exponent, place = rows.score_exponent(weights, bias), 0
        scores, score_radius, squares, square_radius = np.empty((4, count))
        for block in rows.blocks():
            score, square = rows.scores(block, weights, bias, exponent), rows.squared_lengths(block)
            scores[block.cut], score_radius[block.cut] = score.middle, score.radius
            squares[block.cut], square_radius[block.cut] = square.middle, square.radius
            place = square.exponent
        of_rows = Enclosed(scores, score_radius, exponent)
        lengths = self._with_intercept(Enclosed(squares, square_radius, place))
        if self.geometry.normalize:
            factors, relative = self._unit_factors(lengths)
            of_rows = _multiplied(of_rows, factors, relative)
            ones = (factors.middle > 0).astype(np.float64)
            lengths = Enclosed(ones, np.where(np.isfinite(relative), 0.0, np.inf), 0)
        if self.geometry.slack_feature:
            lengths = plus(lengths, private_part(self.geometry.slack_feature, np.ones(count)))
        return Measures(of_rows, lengths)

    def combine(self, rows: NDArray[np.int64], amounts: Floats, signs: Floats) -> Combined:
        """Return the sum of a_i y_i u_i over some rows, given their a >= 0 and y. Each has its private feature."""
        some = LiftedRows(self.X[rows], self.geometry)
        exponent = exponent_of(amounts)
        coefficients, inexact = scaled(amounts, exponent), 0.0
        if self.geometry.normalize:
            factors, relative = some._unit_factors(some._squared_lengths())
            coefficients, exponent = _scaled_products(amounts, factors)
            inexact = float(relative.max(initial=0.0)) + EPS
        total, signed = Combination(some.rows, exponent), coefficients * signs
        for block in some.rows.blocks():
            total.add(block, signed[block.cut])
        found, size = some._without_zeros(total.total()), some._without_zeros(total.size())
        most = size.middle + size.radius
        error = np.multiply(inexact, most, out=np.zeros_like(most), where=most > 0)  # it may be infinite
        delta = Fraction(self.geometry.slack_feature)
        squares = weighted_squares(np.ones(len(amounts)), amounts, amounts) if delta else Enclosure.exactly(0)
        return Combined(
            weights=Enclosed(found.middle, found.radius + error, found.exponent),
            sizes=Enclosed(size.middle, size.radius + error, size.exponent),
            intercept=self._intercept(signed, inexact, exponent),
            intercept_size=self._intercept(coefficients, inexact, exponent),
            private=squares * Enclosure.exactly(delta * delta),
            steps=exact_total(amounts),
        )

    def _intercept(self, coefficients: Floats, inexact: float, exponent: int) -> Enclosure:
        """Return the sum of coefficients that have a relative error, and an absolute one where they underflow."""
        if not self.geometry.fit_intercept:
            return Enclosure.exactly(0)
        if not math.isfinite(inexact):
            return UNBOUNDED
        error = Fraction(inexact) * exact_total(np.abs(coefficients)) + len(coefficients) * Fraction(TINY)
        total = exact_total(coefficients)
        return Enclosure(total - error, total + error).times_power_of_two(exponent)

    def _without_zeros(self, sums: Enclosed) -> Enclosed:
        """Return sums over the rows, which are exactly 0 in columns where all rows are 0."""
        columns = np.flatnonzero(sums.middle == 0)
        radius = sums.radius.copy()
        radius[columns[_are_zero(self.X[:, columns].T)]] = 0.0
        return Enclosed(sums.middle, radius, sums.exponent)

    def _squared_lengths(self) -> Enclosed:
        """Return |(x, 1)|^2 or |x|^2 of all rows."""
        middle, radius, place = np.empty(len(self)), np.empty(len(self)), 0
        for block in self.rows.blocks():
            square = self.rows.squared_lengths(block)
            middle[block.cut], radius[block.cut], place = square.middle, square.radius, square.exponent
        return self._with_intercept(Enclosed(middle, radius, place))

    def _with_intercept(self, squares: Enclosed) -> Enclosed:
        # The terms are not negative, so half of the general bound on the error holds.
        squares = Enclosed(squares.middle, 0.5 * squares.radius, squares.exponent)
        if self.geometry.fit_intercept:
            ones = np.ones(len(squares.middle))
            return plus(squares, Enclosed(ones, 0 * ones, 0))
        maybe = np.flatnonzero(squares.middle == 0)
        squares.radius[maybe[_are_zero(self.X[maybe])]] = 0.0
        return squares

    def _unit_factors(self, squares: Enclosed) -> tuple[Enclosed, Floats]:
        """Return 1 / sqrt(s), 0 for rows that are 0, and bounds on the relative errors, which may be infinite."""
        known = squares.middle > squares.radius
        root = np.sqrt(np.where(known, squares.middle, 1.0))
        ratio = np.where(known, squares.radius / np.where(known, squares.middle - squares.radius, 1.0), np.inf)
        relative = 0.5 * ratio * (1 + ratio)  # the root halves a relative error
        factors = np.where(known, 1 / root, 0.0)
        if not self.geometry.fit_intercept:  # (0, 1) is not 0, although 1 may be lost beside longer rows
            doubtful = np.flatnonzero(~known)
            relative[doubtful[_are_zero(self.X[doubtful])]] = 0.0
        return Enclosed(factors, 0 * factors, -(squares.exponent // 2)), relative + 2 * EPS


def plus(a: Enclosed, b: Enclosed) -> Enclosed:
    """Return the sums of two arrays of numbers."""
    exponent = max(a.exponent, b.exponent)
    a, b = _in_units(a, exponent), _in_units(b, exponent)
    middle = a.middle + b.middle
    return Enclosed(middle, (a.radius + b.radius) * (1 + 4 * EPS) + EPS * np.abs(middle), exponent)


def private_part(slack_feature: float, amounts: Floats) -> Enclosed:
    """Return delta^2 a: what the private feature of an example adds to its margin."""
    mantissa, place = math.frexp(slack_feature)
    exponent = exponent_of(amounts)
    middle = mantissa * mantissa * scaled(amounts, exponent)
    return Enclosed(middle, 2 * EPS * middle + TINY * (amounts != 0), 2 * place + exponent)


def squared_length_of(weights: Floats, intercept: float, private: Floats | None, slack_feature: float) -> Enclosure:
    """Return the enclosure of |v|^2, with the private part delta a where there is one."""
    if not (np.all(np.isfinite(weights)) and math.isfinite(intercept)):
        return Enclosure(Fraction(0), math.inf)
    zeros, exponent = np.zeros(len(weights)), exponent_of(weights)
    found = Enclosed(scaled(weights, exponent), zeros + TINY, exponent).squared_length()
    found = found + Enclosure.exactly(intercept).square()
    if private is not None and slack_feature:
        squares = weighted_squares(np.ones(len(private)), private, private)
        found = found + squares * Enclosure.exactly(slack_feature).square()
    return found


def _in_units(numbers: Enclosed, exponent: int) -> Enclosed:
    """Return the same numbers in larger units."""
    shift = numbers.exponent - exponent
    if shift == 0:
        return numbers
    is_zero = (numbers.middle == 0) & (numbers.radius == 0)
    radius = np.where(is_zero, 0.0, np.ldexp(numbers.radius, shift) + TINY)
    return Enclosed(np.ldexp(numbers.middle, shift), radius, exponent)


def _multiplied(numbers: Enclosed, factors: Enclosed, relative: Floats) -> Enclosed:
    """Return products with factors that have a relative error."""
    with np.errstate(invalid="ignore", over="ignore"):
        middle = numbers.middle * factors.middle
        radius = numbers.radius * factors.middle * (1 + relative) + np.abs(middle) * (relative + 4 * EPS) + TINY
    radius[~np.isfinite(middle) | np.isnan(radius)] = np.inf
    radius[(factors.middle == 0) & np.isfinite(relative)] = 0.0
    return Enclosed(np.where(np.isfinite(middle), middle, 0.0), radius, numbers.exponent + factors.exponent)


def _scaled_products(amounts: Floats, factors: Enclosed) -> tuple[Floats, int]:
    """Return the products with factors in units of 2^e in which the largest is about 1, and e.

    Mantissas are multiplied, so that a product is rounded once and underflows only if it is negligible in these units.
    """
    (mantissas, places), (others, other_places) = np.frexp(amounts), np.frexp(factors.middle)
    products, exponents = mantissas * others, places + other_places
    unit = int(exponents[products > 0].max(initial=np.iinfo(exponents.dtype).min)) if products.any() else 0
    return np.ldexp(products, exponents - unit), unit + factors.exponent


def _are_zero(X: Any) -> NDArray[np.bool_]:
    """Return which rows have no entry other than 0."""
    used = np.asarray((X != 0).sum(axis=1)).ravel() if sp.issparse(X) else np.any(X, axis=1)
    return np.asarray(used == 0)


def relative_to(found: Enclosed, unit: Enclosure) -> Floats:
    """Return lower bounds on numbers divided by a positive one, as floats."""
    low = found.ends()[0]
    if not unit.is_bounded or unit.low <= 0:
        return np.full(len(low), -np.inf)
    ends = [_as_float(Fraction(2) ** found.exponent / Fraction(end)) for end in (unit.low, unit.high)]
    quotients: Floats = np.where(low >= 0, low * ends[1], low * ends[0])
    return quotients - (8 * EPS * np.abs(quotients) + TINY)


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def lies_near(
    claimed: Floats, found: Enclosed, sizes: Enclosed, roundings: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which numbers certainly, and which possibly, differ by at most k 2^-52 size + k 2^-1074."""
    exponent = max(found.exponent, sizes.exponent, exponent_of(claimed))
    found, sizes = _in_units(found, exponent), _in_units(sizes, exponent)
    given = Enclosed(scaled(claimed, exponent), np.where(claimed == 0, 0.0, TINY), exponent)
    gap = np.abs(given.middle - found.middle)
    radius = (given.radius + found.radius) * (1 + 4 * EPS) + EPS * gap
    allowed = roundings * float(ROUNDING_UNIT)
    tiny = math.ldexp(roundings, -1074 - exponent)  # the exponent of any float is above -1074
    least = (allowed * np.maximum(0.0, sizes.middle - sizes.radius)) * (1 - 4 * EPS) + tiny * (1 - EPS)
    most = (allowed * (sizes.middle + sizes.radius)) * (1 + 4 * EPS) + tiny * (1 + EPS) + TINY
    with np.errstate(invalid="ignore"):
        return (gap + radius == 0) | (gap + radius <= least - TINY), ~(gap - radius > most)
