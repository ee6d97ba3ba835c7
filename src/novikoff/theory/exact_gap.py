"""The objective of a soft-margin machine and the bound of its dual numbers, as exact fractions.

Every float is a whole number times a power of two, so scores, losses and |w|^2 are, too; only what balances the
classes, and the squared hinge's a^2 / (4 C), divides by anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .exact import whole
from .geometry import Floats

Objects = NDArray[np.object_]  # of Python's whole numbers


def _numbers(values: Floats) -> tuple[Objects, int]:
    """Values as whole numbers times 2^e, and e."""
    found, exponent = whole(np.asarray(values, dtype=np.float64))
    return np.array(found, dtype=object), exponent


def _two(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


@dataclass(frozen=True)
class ExactTable:
    """Rows x_i with their signs and costs, as whole numbers."""

    rows: Any  # CSR; its values are those of ``values``, which it cannot hold
    values: Objects  # times 2^exponent
    exponent: int
    signs: NDArray[np.int8]
    costs: Floats

    @classmethod
    def of(cls, X: Any, signs: Floats, costs: Floats) -> ExactTable:
        """Take in a data set; zeros are left out."""
        rows = sp.csr_array(X, dtype=np.float64)
        rows.eliminate_zeros()
        return cls(rows, *_numbers(rows.data), signs.astype(np.int8), costs)

    def primal(self, weights: Floats, bias: float, penalized: bool, squared: bool) -> Fraction:
        """P(w, b)."""
        w, exponent = _numbers(np.append(weights, bias))
        squares = int(w[:-1] @ w[:-1]) + (int(w[-1]) ** 2 if penalized else 0)
        finest = min(exponent + self.exponent, exponent, 0)  # scores, the bias and 1 are whole multiples of 2^finest
        products = self._row_sums(self.values * w[self.rows.indices])
        scores = products * 2 ** (exponent + self.exponent - finest) + int(w[-1]) * 2 ** (exponent - finest)
        short = np.maximum(2**-finest - self.signs * scores, 0)
        costs, cost_exponent = _numbers(self.costs)
        losses = int(costs @ (short * short if squared else short)) * _two(cost_exponent + finest * (1 + squared))
        return squares * _two(2 * exponent - 1) + losses

    def dual(self, a: Floats, intercept: str, squared: bool) -> Fraction:
        """D(a). If the intercept is free, a is brought into balance first: the heavier class is scaled down."""
        amounts, exponent = _numbers(a)
        sums = [int(amounts[self.signs == side].sum()) * _two(exponent) for side in (1, -1)]
        scales = [Fraction(1), Fraction(1)]
        if intercept == "free":
            least = min(sums)
            scales = [least / total if total else Fraction(1) for total in sums]
        v = [self._combined(np.where(self.signs == side, amounts, 0)) for side in (1, -1)]
        common = scales[0].denominator * scales[1].denominator
        p, n = (int(scale * common) for scale in scales)
        vector = p * v[0] - n * v[1]
        length = int(vector @ vector) * (_two(self.exponent + exponent) / common) ** 2
        totals = [total * scale for total, scale in zip(sums, scales, strict=True)]
        found = sum(totals, Fraction(0)) - length / 2
        if intercept == "penalized":
            found -= (totals[0] - totals[1]) ** 2 / 2
        return found - (self._squares(amounts, exponent, scales) if squared else 0)

    def _squares(self, amounts: Objects, exponent: int, scales: list[Fraction]) -> Fraction:
        """Sum a^2 / (4 C), over rows of one cost and one class at a time."""
        total = Fraction(0)
        for cost in np.unique(self.costs[amounts > 0]).tolist():
            for side, scale in zip((1, -1), scales, strict=True):
                some = amounts[(self.costs == cost) & (self.signs == side)]
                total += int(some @ some) * (_two(exponent) * scale) ** 2 / (4 * Fraction(cost))
        return total

    def _row_sums(self, entries: Objects) -> Objects:
        sums = np.zeros(self.rows.shape[0], dtype=object)
        filled = np.flatnonzero(np.diff(self.rows.indptr))
        if len(filled):
            sums[filled] = np.add.reduceat(entries, self.rows.indptr[filled])
        return sums

    def _combined(self, amounts: Objects) -> Objects:
        """Sum a_i x_i, in multiples of both units."""
        per_row = np.diff(self.rows.indptr)
        used = np.repeat(np.flatnonzero(per_row), per_row[per_row > 0])
        terms = self.values * amounts[used]
        total = np.zeros(self.rows.shape[1], dtype=object)
        np.add.at(total, self.rows.indices, terms)
        return total
