"""Primal and dual objective of a soft-margin support vector machine as exact fractions.

Every float is an integer times a power of two, and so are scores, losses and |w|^2. Other denominators occur only where
the duals of the classes are balanced, and in the term a^2 / (4 C) of the squared hinge loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .exact import to_integers
from .geometry import Floats

Objects = NDArray[np.object_]  # of Python integers


def as_integers(values: Floats) -> tuple[Objects, int]:
    """Return values as integers times 2^e, and e."""
    found, exponent = to_integers(np.asarray(values, dtype=np.float64))
    return np.array(found, dtype=object), exponent


def power_of_two(exponent: int) -> Fraction:
    """Return 2^exponent."""
    return Fraction(2) ** exponent


@dataclass(frozen=True)
class ExactTable:
    """Rows x_i with their signs and costs, as integers."""

    rows: Any  # CSR; only its structure is used, because it cannot hold ``values``
    values: Objects  # times 2^exponent
    exponent: int
    signs: NDArray[np.int8]
    costs: Floats

    @classmethod
    def of(cls, X: Any, signs: Floats, costs: Floats) -> ExactTable:
        """Return the table of a data set, without explicit zeros."""
        rows = sp.csr_array(X, dtype=np.float64)
        rows.eliminate_zeros()
        return cls(rows, *as_integers(rows.data), signs.astype(np.int8), costs)

    def primal(self, weights: Floats, bias: float, penalized: bool, squared: bool) -> Fraction:
        """Return P(w, b)."""
        w, exponent = as_integers(np.append(weights, bias))
        squares = int(w[:-1] @ w[:-1]) + (int(w[-1]) ** 2 if penalized else 0)
        finest = min(exponent + self.exponent, exponent, 0)  # scores, the bias and 1 are integer multiples of 2^finest
        products = self.row_sums(self.values * w[self.rows.indices])
        scores = products * 2 ** (exponent + self.exponent - finest) + int(w[-1]) * 2 ** (exponent - finest)
        short = np.maximum(2**-finest - self.signs * scores, 0)
        costs, cost_exponent = as_integers(self.costs)
        losses = int(costs @ (short * short if squared else short)) * power_of_two(
            cost_exponent + finest * (1 + squared)
        )
        return squares * power_of_two(2 * exponent - 1) + losses

    def dual(self, a: Floats, intercept: str, squared: bool) -> Fraction:
        """Return D(a). If the intercept is free, the heavier class is scaled down first, so that a is balanced."""
        amounts, exponent = as_integers(a)
        sums = [int(amounts[self.signs == side].sum()) * power_of_two(exponent) for side in (1, -1)]
        scales = [Fraction(1), Fraction(1)]
        if intercept == "free":
            least = min(sums)
            scales = [least / total if total else Fraction(1) for total in sums]
        v = [self.combined(np.where(self.signs == side, amounts, 0)) for side in (1, -1)]
        common = scales[0].denominator * scales[1].denominator
        p, n = (int(scale * common) for scale in scales)
        vector = p * v[0] - n * v[1]
        length = int(vector @ vector) * (power_of_two(self.exponent + exponent) / common) ** 2
        totals = [total * scale for total, scale in zip(sums, scales, strict=True)]
        found = sum(totals, Fraction(0)) - length / 2
        if intercept == "penalized":
            found -= (totals[0] - totals[1]) ** 2 / 2
        return found - (self._squares(amounts, exponent, scales) if squared else 0)

    def _squares(self, amounts: Objects, exponent: int, scales: list[Fraction]) -> Fraction:
        """Return sum a^2 / (4 C), computed for the rows of each cost and class together."""
        total = Fraction(0)
        for cost in np.unique(self.costs[amounts > 0]).tolist():
            for side, scale in zip((1, -1), scales, strict=True):
                some = amounts[(self.costs == cost) & (self.signs == side)]
                total += int(some @ some) * (power_of_two(exponent) * scale) ** 2 / (4 * Fraction(cost))
        return total

    def row_sums(self, entries: Objects) -> Objects:
        """Return the sum over each row of numbers that belong to the stored values."""
        sums = np.zeros(self.rows.shape[0], dtype=object)
        filled = np.flatnonzero(np.diff(self.rows.indptr))
        if len(filled):
            sums[filled] = np.add.reduceat(entries, self.rows.indptr[filled])
        return sums

    def combined(self, amounts: Objects) -> Objects:
        """Return sum a_i x_i, in units of 2^exponent of the values times that of the amounts."""
        per_row = np.diff(self.rows.indptr)
        used = np.repeat(np.flatnonzero(per_row), per_row[per_row > 0])
        terms = self.values * amounts[used]
        total = np.zeros(self.rows.shape[1], dtype=object)
        np.add.at(total, self.rows.indices, terms)
        return total
