"""The default C of a machine: 1 / spread, for the sum of the variances of the columns.

If all rows are multiplied by t and C is divided by t^2, the soft-margin problem keeps its solutions, with w divided by
t. So C = 1 / spread does not depend on the unit of the data: it is 1 for rows of about unit length, such as texts, and
1 / (number of columns) for standardised columns. Where columns have different units, the largest would determine the
spread and no column with a small unit could matter; so the spread counts as at most the number of columns. Rows whose
spread is below 2^-93 times the square of the largest value count as equal, and have C = 1. C is rounded to three
digits.

For any point q, the spread is the weighted mean of |x - q|^2, less |m - q|^2 for the mean m. With q close to m, nothing
cancels, and m - q is the weighted mean of x - q.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import Rows, exponent_of, scaled
from novikoff.theory.geometry import Floats

EQUAL_ROWS = Fraction(1, 2**93)  # relative to the square of the largest value: a spread below this counts as 0
LARGEST_FLOAT = Fraction(2) ** 1024


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
    rows = Rows(X, largest)
    if rows.largest == 0:
        return 1.0
    c = np.ones(rows.count) if weights is None else scaled(weights, exponent_of(weights))
    with np.errstate(under="ignore"):
        point = _mean(rows, c) if centered else np.zeros(rows.columns)
        squares, sums = (_sparse if sp.issparse(X) else _dense)(rows, c, point)
        apart = sums / c.sum() if centered else sums * 0
        spread = max(0.0, squares / float(c.sum()) - float(apart @ apart))
    return cost_of_spread(Fraction(spread) * Fraction(4) ** rows.reach, rows.largest, centered, columns)


def cost_of_spread(spread: Fraction, largest: float, centered: bool, columns: int) -> float:
    """Return the default C of rows whose largest absolute value is given; the others are as in `default_cost`."""
    noise = EQUAL_ROWS * Fraction(largest) ** 2 if centered else Fraction(0)
    if spread <= noise or 1 / spread >= LARGEST_FLOAT:
        return 1.0
    return three_digits(1 / min(spread, Fraction(columns)))


def three_digits(number: Fraction) -> float:
    """Return a positive number, rounded to three decimal digits, ties to even, as the nearest float."""
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


def _dense(rows: Rows, c: Floats, point: Floats) -> tuple[float, Floats]:
    """Return the sum of c |x - q|^2, and those of c (x - q), in units of 2^reach and its square."""
    squares, sums = 0.0, np.zeros(rows.columns)
    for block in rows.blocks():
        own = c[block.cut]
        apart = scaled(block.values, rows.reach - rows.exponent) - point
        sums += own @ apart
        squares += float(own @ np.einsum("ij,ij->i", apart, apart))
    return squares, sums


def _sparse(rows: Rows, c: Floats, point: Floats) -> tuple[float, Floats]:
    """Return the same sums; values that are not stored are 0, so that x - q is -q there."""
    squares, sums = 0.0, np.zeros(rows.columns)
    stored, counts = np.zeros(rows.columns), np.zeros(rows.columns, dtype=np.int64)
    for block in rows.blocks():
        own, table = c[block.cut], block.values
        apart = scaled(table.data, rows.reach - rows.exponent).astype(np.float64) - point[table.indices]
        of_values = np.repeat(own, block.terms)
        sums += np.bincount(table.indices, of_values * apart, minlength=rows.columns)
        stored += np.bincount(table.indices, of_values, minlength=rows.columns)
        counts += np.bincount(table.indices, of_values > 0, minlength=rows.columns).astype(np.int64)
        squares += float(of_values @ (apart * apart))
    missing = np.where(counts == np.count_nonzero(c), 0.0, np.maximum(0.0, float(c.sum()) - stored))
    return squares + float(missing @ (point * point)), sums - missing * point
