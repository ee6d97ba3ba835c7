"""Dual feasibility: which duals bound the optimum, checked on rows that may not be those they belong to."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from novikoff._counts import counted

from .certificate import OTHER_DATA, Duals
from .enclosed_sums import exact_total
from .geometry import Floats
from .verification import Check


def within_limits(duals: Duals, rows: int, most: Floats) -> tuple[Check, Floats | None]:
    """Check that 0 <= a_i <= ``most`` for each of so many rows, without any tolerance.

    Return the check, and the duals of all rows, or None if they are not feasible.
    """
    claim = "feasible duals"
    has_shape = duals.rows.ndim == 1 and duals.rows.shape == duals.weights.shape
    ascend = has_shape and bool(np.all(np.diff(duals.rows) > 0))  # then none occurs twice
    if not has_shape or (not ascend and len(np.unique(duals.rows)) != len(duals.rows)):
        return Check(claim, "fails", "a row occurs twice, or the numbers of rows and weights differ"), None
    outside = duals.rows[(duals.rows < 0) | (duals.rows >= rows)]
    if len(outside):
        return Check(claim, "fails", f"there is no row {outside[0]} among {counted(rows, 'row')}: {OTHER_DATA}"), None
    a = duals.dense(rows)
    wrong = np.flatnonzero(~((a >= 0) & (a <= most) & (a < np.inf)))
    if len(wrong):
        row = int(wrong[0])
        return Check(claim, "fails", f"row {row} has {a[row]:.17g}, not from 0 to {most[row]:.17g}", row), None
    return Check(claim, "holds", f"{counted(np.count_nonzero(a), 'row')}, all within their limits"), a


def balancing_shares(a: Floats, signs: Floats) -> tuple[Fraction, Fraction]:
    """Return the exact factors of the duals of the classes +1 and -1 that make their sums equal.

    Only balanced duals bound the optimum if the intercept is free. The class with the larger sum is scaled down, which
    keeps all limits; the other factor is 1. docs/theory.md E4.
    """
    return shares_of(exact_total(a[signs > 0]), exact_total(a[signs < 0]))


def shares_of(positive: Fraction, negative: Fraction) -> tuple[Fraction, Fraction]:
    """Return the same factors, given the sums of both classes."""
    least = min(positive, negative)
    return (least / positive if positive else Fraction(1)), (least / negative if negative else Fraction(1))
