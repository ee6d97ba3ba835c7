"""Gordan's alternative in integers: weights that balance, or a direction with all rows on its right side.

The simplex method for a >= 0, sum a = 1, sum a_i z_i = 0, with one artificial variable per constraint, Bland's rule
(1977), which never cycles, and pivots without fractions (Edmonds 1967). It is meant for small working sets.
"""

from __future__ import annotations

import numpy as np

from .elimination import Budget, IntegerVector, longest, product_work, spend


def alternative(
    vectors: list[IntegerVector], budget: Budget | None = None
) -> tuple[IntegerVector | None, IntegerVector | None]:
    """Return (a, None) with a >= 0, a != 0 and sum a_i z_i = 0; or (None, v) with z_i.v > 0 for all i, in integers."""
    count, columns = len(vectors), len(vectors[0])
    height = columns + 1
    # Columns: a, artificial variables, right-hand side. Rows: one per column of z, sum a = 1, and the reduced costs.
    table = np.zeros((height + 1, count + height + 1), dtype=object)
    for i, vector in enumerate(vectors):
        table[:columns, i] = vector
        table[columns, i] = 1
    for k in range(height):
        table[k, count + k] = 1
    table[columns, -1] = 1
    table[height] = -table[:height].sum(axis=0)
    table[height, count : count + height] = 0
    basis = list(range(count, count + height))
    divisor = 1
    while True:
        enters = next((j for j in range(count) if table[height, j] < 0), None)
        if enters is None:
            break
        if budget is not None:
            bits = longest(table.tolist())
            spend(budget, table.size * product_work(bits, bits))
        leaves = _leaving(table, basis, enters)
        pivot, line, factors = table[leaves, enters], table[leaves].copy(), table[:, enters].copy()
        table = (pivot * table - np.multiply.outer(factors, line)) // divisor
        table[leaves] = line
        basis[leaves], divisor = enters, pivot
    if table[height, -1] == 0:  # all artificial variables are 0
        weights = [0] * count
        for row, variable in enumerate(basis):
            if variable < count:
                weights[variable] = table[row, -1]
        return weights, None
    # The reduced cost of an artificial variable is 1 - y_k, with y the multipliers; then z_i.y + y_last <= 0 for all i.
    direction = [table[height, count + k] - divisor for k in range(columns)]
    return None, direction


def _leaving(table: np.ndarray, basis: list[int], enters: int) -> int:
    """Return the row whose variable reaches 0 first; of several, the one whose variable has the smallest index."""
    best = -1
    for row in range(len(basis)):
        slope = table[row, enters]
        if slope <= 0:
            continue
        if best < 0:
            best = row
            continue
        difference = table[row, -1] * table[best, enters] - table[best, -1] * slope
        if difference < 0 or (difference == 0 and basis[row] < basis[best]):
            best = row
    return best
