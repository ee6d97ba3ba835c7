"""Dual feasibility: which duals bound the optimum, checked on rows that may not be those they belong to."""

from __future__ import annotations

import numpy as np

from .certificate import OTHER_DATA, ROUNDING, Duals
from .gap_checks import exact_sum
from .geometry import Floats
from .verification import Check


@np.errstate(over="ignore", invalid="ignore")  # limits and sums near the largest float become infinite
def allowed(duals: Duals, signs: Floats, most: Floats, *, balanced: bool) -> tuple[Check, Floats | None]:
    """Check that 0 <= a <= ``most``, and with ``balanced`` that the duals of both classes have the same sum.

    Return the check, and the duals of all rows after rounding errors were removed, or None if they are not feasible.
    """
    claim, rows = "feasible duals", len(signs)
    if duals.rows.shape != duals.weights.shape or len(np.unique(duals.rows)) != len(duals.rows):
        return Check(claim, "fails", "a row occurs twice, or the numbers of rows and weights differ"), None
    outside = duals.rows[(duals.rows < 0) | (duals.rows >= rows)]
    if len(outside):
        return Check(claim, "fails", f"row {outside[0]} is not among the {rows} rows: {OTHER_DATA}"), None
    a = duals.dense(rows)
    wrong = np.flatnonzero(~((a >= 0) & (a <= most * (1 + ROUNDING)) & (a < np.inf)))
    if len(wrong):
        row = int(wrong[0])
        return Check(claim, "fails", f"row {row} has {a[row]:.6g}, not from 0 to {most[row]:.6g}", row), None
    a = np.minimum(a, most)
    found = f"{np.count_nonzero(a)} rows, all within their limits"
    if not balanced:
        return Check(claim, "holds", found), a
    positive, negative = exact_sum(a[signs > 0]), exact_sum(a[signs < 0])
    apart = abs(positive - negative)
    found += f"; the sums of the classes differ by {apart:.3g}"
    if not apart <= ROUNDING * positive + ROUNDING * negative:  # also if both sums overflow
        return Check(claim, "fails", f"{found}, where they must be equal: {OTHER_DATA}"), None
    # Only balanced duals bound the optimum. Scaling down the heavier class balances them and keeps all limits.
    # docs/theory.md E4.
    heavier, lighter = max(positive, negative), min(positive, negative)
    if apart > 0:
        a[(signs > 0) == (positive > negative)] *= lighter / heavier
    return Check(claim, "holds", found), a
