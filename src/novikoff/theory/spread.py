"""The spread of rows: the sum of the variances of their columns, by which the default C of a machine is chosen.

If all rows are multiplied by t and C is divided by t^2, the soft-margin problem keeps its solutions, with w divided by
t. So C = 1 / spread does not depend on the unit of the data: it is 1 for rows of about unit length, such as texts, and
1 / (number of columns) for standardised columns. Where columns have different units, the largest would determine the
spread and no column with a small unit could matter; so the spread counts as at most the number of columns. Rows whose
spread is below 2^-93 times the square of the largest value count as equal, and have C = 1.

C is rounded to three digits. It is right if it is that of a spread which differs from the true one by a factor of at
most 1 + 2^-30, so that no sum has to be exact.

For any point q, the spread is the weighted mean of |x - q|^2, less |m - q|^2 for the mean m. With q close to m, nothing
cancels, and m - q is the weighted mean of x - q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .columns import compact
from .enclosed_sums import EPS, Enclosed, Rows, exact_total, exponent_of, scaled, weighted_squares, weighted_sum
from .enclosure import Enclosure, End
from .exact_gap import ExactTable, as_integers, power_of_two
from .gap_values import SMALL_WORK, work_of
from .geometry import Floats
from .verification import Check

EQUAL_ROWS = Fraction(1, 2**93)  # relative to the square of the largest value: a spread below this counts as 0
FACTOR = Fraction(1, 2**30)  # relative; how far the spread that C is computed from may differ from the true one
TINY = 2.0**-1000  # bounds the errors of products that underflow, beside values of up to 1
LARGEST_FLOAT = Fraction(2) ** 1024


@dataclass(frozen=True)
class Spread:
    """The spread of rows, enclosed.

    Parameters
    ----------
    value : Enclosure
        The spread.
    noise : Fraction
        The spread below which rows count as equal.
    columns : int
        The number of columns.
    """

    value: Enclosure
    noise: Fraction
    columns: int

    def cost(self, value: End) -> float:
        """Return the C of a spread, which need not be the enclosed one."""
        if not isinstance(value, Fraction):
            value = Fraction(self.columns)
        if value <= self.noise or 1 / value >= LARGEST_FLOAT:
            return 1.0
        return three_digits(1 / min(value, Fraction(self.columns)))

    def costs(self, certain: bool) -> tuple[float, float] | None:
        """Return the smallest and the largest C that are possible, or with ``certain`` right whatever the spread is.

        None if that is not known, because rows may or may not be equal.
        """
        low, high = self.value.low, self.value.high
        if high <= self.noise:
            return 1.0, 1.0
        if not isinstance(low, Fraction) or not isinstance(high, Fraction) or low <= self.noise:
            return None
        above, below = 1 + FACTOR, 1 - FACTOR
        if 1 / (low * below) >= LARGEST_FLOAT:
            return (1.0, 1.0) if 1 / (high * above) >= LARGEST_FLOAT else None
        if certain:
            return self.cost(low * above), self.cost(high * below)
        return self.cost(high * above), self.cost(low * below)


def default_cost(X: Any, weights: Floats | None, centered: bool, columns: int, largest: float | None = None) -> float:
    """Return the default C of rows: 1 / min(spread, columns), rounded to three digits; 1 if the rows do not differ.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows with finite values.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows, not all 0; None if all are 1.
    centered : bool
        Whether the spread is that around the mean row; otherwise it is that around 0.
    columns : int
        The number of columns, some of which may be missing in X because all their values are 0.
    largest : float, default=None
        An upper bound on the absolute values, if it is known.
    """
    found = spread(X, weights, centered, columns, Rows(X, largest))
    range_ = found.costs(certain=True)
    if work_of(X) <= SMALL_WORK and (range_ is None or range_[0] > range_[1]):
        found = exact_spread(X, weights, centered, columns)
    low, high = found.value.low, found.value.high
    return found.cost((low + high) / 2 if found.value.is_bounded and low > found.noise else found.noise)


def check_cost(C: float, X: Any, weights: Floats | None, centered: bool, exact: bool) -> Check:
    """Check that C is the default one of the rows; the other parameters are those of `default_cost`."""
    columns, (X,) = X.shape[1], compact(X)
    rows = Rows(X)
    if not rows.is_finite:
        return Check("data", "fails", "NaN or infinity among the values")
    check = compare_cost(C, spread(X, weights, centered, columns, rows))
    if check.status == "open" and (exact or work_of(X) <= SMALL_WORK):
        return compare_cost(C, exact_spread(X, weights, centered, columns))
    return check


def compare_cost(C: float, found: Spread) -> Check:
    """Check that C is the default one of a spread that is enclosed."""
    claim = "C"
    certain, possible = found.costs(certain=True), found.costs(certain=False)
    if certain is not None and certain[0] <= C <= certain[1] and three_digits(Fraction(C)) == C:
        return Check(claim, "holds", f"{C:g} follows from the spread of the rows")
    words = f"{C:g} is used; the spread of the rows"
    if possible is None:
        return Check(claim, "open", f"{words} may be 0")
    gives = f"{possible[0]:g}" if possible[0] == possible[1] else f"{possible[0]:g} to {possible[1]:g}"
    is_open = possible[0] <= C <= possible[1] and three_digits(Fraction(C)) == C
    return Check(claim, "open" if is_open else "fails", f"{words} gives {gives}")


def spread(X: Any, weights: Floats | None, centered: bool, columns: int, rows: Rows) -> Spread:
    """Return the spread of rows, enclosed by two passes over them; the parameters are those of `default_cost`."""
    c = np.ones(rows.count) if weights is None else scaled(weights, exponent_of(weights))
    noise = EQUAL_ROWS * Fraction(rows.largest) ** 2 if centered else Fraction(0)
    if rows.largest == 0:
        return Spread(Enclosure.exactly(0), noise, columns)
    total = Enclosure.exactly(exact_total(c))
    with np.errstate(under="ignore"):
        point = _mean(rows, c) if centered else np.zeros(rows.columns)
        squares, sums = (_sparse if sp.issparse(X) else _dense)(rows, c, point)
    found = squares / total
    if centered:
        # The errors of the sums of c (x - q) are at most eps times their number of terms times sqrt(W sum c |x - q|^2).
        root, error = sums.squared_length().root(), (rows.count + 8) * Fraction(EPS) * (squares * total).root().high
        found -= (Enclosure(max(Fraction(0), root.low - error), root.high + error) / total).square()
    found = Enclosure(max(Fraction(0), found.low), found.high)
    return Spread(found.times_power_of_two(2 * rows.reach), noise, columns)


def exact_spread(X: Any, weights: Floats | None, centered: bool, columns: int) -> Spread:
    """Return the spread of rows, computed in fractions; the parameters are those of `default_cost`."""
    table = ExactTable.of(X, np.zeros(X.shape[0]), np.zeros(X.shape[0]))
    c, exponent = as_integers(np.ones(X.shape[0]) if weights is None else weights)
    total, unit = int(c.sum()) * power_of_two(exponent), power_of_two(exponent) * power_of_two(table.exponent) ** 2
    value = int(c @ table.row_sums(table.values * table.values)) * unit / total
    noise = Fraction(0)
    if centered:
        sums = table.combined(c)
        value -= int(sums @ sums) * unit * power_of_two(exponent) / total**2
        noise = EQUAL_ROWS * Fraction(Rows(X).largest) ** 2
    return Spread(Enclosure.exactly(value), noise, columns)


def three_digits(number: Fraction) -> float:
    """Return a positive number, rounded to three decimal digits, ties to even, as the nearest float."""
    if number <= 0:
        return 0.0
    place = math.floor(math.log10(number.numerator) - math.log10(number.denominator)) - 2
    while number >= Fraction(10) ** (place + 3):
        place += 1
    while number < Fraction(10) ** (place + 2):
        place -= 1
    return float(f"{round(number / Fraction(10) ** place)}e{place}")


def _mean(rows: Rows, c: Floats) -> Floats:
    """Return a point close to the weighted mean of rows, in units of 2^reach."""
    point = np.zeros(rows.columns)
    for block in rows.blocks():
        point += block.values.T @ c[block.cut]
    return scaled(point / c.sum(), rows.reach - rows.exponent)


def _dense(rows: Rows, c: Floats, point: Floats) -> tuple[Enclosure, Enclosed]:
    """Return the sum of c |x - q|^2, and those of c (x - q), in units of 2^reach and its square."""
    squares, sums = Enclosure.exactly(0), np.zeros(rows.columns)
    for block in rows.blocks():
        own = c[block.cut]
        apart = scaled(block.values, rows.reach - rows.exponent) - point
        sums += own @ apart
        squares += _weighed(own, np.einsum("ij,ij->i", apart, apart), rows.columns)
    return squares, Enclosed(sums, np.full(rows.columns, rows.count * TINY), 0)


def _sparse(rows: Rows, c: Floats, point: Floats) -> tuple[Enclosure, Enclosed]:
    """Return the same sums; values that are not stored are 0, so that x - q is -q there."""
    squares, sums, radius = Enclosure.exactly(0), np.zeros(rows.columns), np.full(rows.columns, rows.count * TINY)
    stored, counts = np.zeros(rows.columns), np.zeros(rows.columns, dtype=np.int64)
    for block in rows.blocks():
        own, table = c[block.cut], block.values
        apart = scaled(table.data, rows.reach - rows.exponent).astype(np.float64) - point[table.indices]
        of_values = np.repeat(own, block.terms)
        sums += np.bincount(table.indices, of_values * apart, minlength=rows.columns)
        stored += np.bincount(table.indices, of_values, minlength=rows.columns)
        counts += np.bincount(table.indices, of_values > 0, minlength=rows.columns).astype(np.int64)
        squares += _weighed(of_values, apart * apart, 1)
    total = float(c.sum())
    missing = np.where(counts == np.count_nonzero(c), 0.0, np.maximum(0.0, total - stored))
    error = np.where(missing > 0, (rows.count + 8) * EPS * total, 0.0)
    low, high = np.maximum(0.0, missing - error), missing + error
    squares += _between(low, high, point)
    sums -= missing * point
    return squares, Enclosed(sums, radius + error * np.abs(point) * (1 + 8 * EPS), 0)


def _weighed(c: Floats, squares: Floats, terms: int) -> Enclosure:
    """Return the sum of c_i s_i, for sums s_i of so many squares of differences, which were rounded."""
    error = (terms + 8) * EPS
    return weighted_sum(c, np.maximum(0.0, squares * (1 - error) - TINY), squares * (1 + error) + TINY)


def _between(low: Floats, high: Floats, point: Floats) -> Enclosure:
    """Return the enclosure of the sum of w_j q_j^2, for weights between two bounds."""
    size = np.abs(point)
    return Enclosure(weighted_squares(low, size, size).low, weighted_squares(high, size, size).high)
