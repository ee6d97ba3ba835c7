"""Primal and dual objectives of soft-margin support vector machines as exact fractions.

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
from .joint_duals import JointDuals

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
        """Return the table of a data set, without explicit zeros. The data set is not changed."""
        rows = sp.csr_array(X, dtype=np.float64)
        if not np.all(rows.data):
            rows = rows.copy()  # the arrays may be those of X
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

    def joint_primal(self, W: Floats, biases: Floats, codes: NDArray[np.intp], penalized: bool) -> Fraction:
        """Return P(w, b) of the joint machine of several classes, given the class of each row."""
        w, exponent = as_integers(np.hstack([W, biases[:, None]]).ravel())
        w = w.reshape(len(W), -1)
        finest = min(exponent + self.exponent, exponent, 0)  # scores, biases and 1 are integer multiples of 2^finest
        scores = []
        for own in w:
            products = self.row_sums(self.values * own[self.rows.indices])
            bias = int(own[-1]) * 2 ** (exponent - finest)
            scores.append(products * 2 ** (exponent + self.exponent - finest) + bias)
        of_own = np.array([scores[code][i] for i, code in enumerate(codes.tolist())], dtype=object)
        short = np.zeros(len(codes), dtype=object)
        for k, of_class in enumerate(scores):
            short = np.maximum(short, np.where(codes == k, 0, 2**-finest + of_class - of_own))
        costs, cost_exponent = as_integers(self.costs)
        squares = sum(int(own[:-1] @ own[:-1]) for own in w)
        squares += int(w[:, -1] @ w[:, -1]) if penalized else 0
        losses = int(costs @ short) * power_of_two(cost_exponent + finest)
        return squares * power_of_two(2 * exponent - 1) + losses

    def joint_dual(self, duals: JointDuals, codes: NDArray[np.intp], classes: int, penalized: bool) -> Fraction:
        """Return D(t beta) of the joint machine, for the largest t <= 1 for which no row is above its cost."""
        amounts, exponent = as_integers(duals.values)
        unit, per_row = power_of_two(exponent), np.zeros(len(codes), dtype=object)
        np.add.at(per_row, duals.rows, amounts)
        scale = Fraction(1)
        for row in np.flatnonzero(per_row).tolist():
            cost, found = Fraction(float(self.costs[row])), int(per_row[row]) * unit
            scale = min(scale, cost / found)
        length = Fraction(0)
        for k in range(classes):
            a = np.where(codes == k, per_row, 0)
            of_class = duals.classes == k
            np.subtract.at(a, duals.rows[of_class], amounts[of_class])
            vector = self.combined(a)
            length += int(vector @ vector) * (power_of_two(self.exponent) * unit) ** 2
            length += (int(a.sum()) * unit) ** 2 if penalized else 0
        return scale * int(amounts.sum()) * unit - scale * scale * length / 2

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
