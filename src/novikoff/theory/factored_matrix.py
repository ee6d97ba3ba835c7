"""A positive definite matrix A = U D U' in the form in which learners with a full matrix keep it.

U is upper triangular with 1 on its diagonal, and D is diagonal. Products with A are computed with bounds on their
rounding errors. Nothing is inverted, so the bounds do not depend on the condition of A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .enclosed_sums import EPS, TINY
from .enclosure import Enclosure
from .geometry import Floats


@dataclass(frozen=True)
class Residual:
    """The length of v - A x.

    Parameters
    ----------
    low, high : float
        Bounds on the length.
    rounding : float
        A bound on the rounding errors of v - A x in this computation, and of a solution by elimination.
    """

    low: float
    high: float
    rounding: float

    def enclosure(self) -> Enclosure:
        """Return the enclosure of the length."""
        return Enclosure.between(self.low, self.high)


@dataclass(frozen=True)
class FactoredMatrix:
    """A positive definite matrix, whose first row and column belong to the intercept.

    Parameters
    ----------
    a : float
        The positive number that all pivots D have at the start.
    gains : ndarray of shape (n,)
        D minus a, which is not negative.
    factor : ndarray of shape (n * (n - 1) / 2,)
        The entries of U above its diagonal, column after column.
    """

    a: float
    gains: Floats
    factor: Floats

    @property
    def size(self) -> int:
        """The number n of rows and columns."""
        return len(self.gains)

    def is_valid(self) -> bool:
        """Return whether all numbers are finite, no gain is negative, and the lengths fit each other."""
        fits = len(self.factor) == self.size * (self.size - 1) // 2
        finite = bool(np.all(np.isfinite(self.gains)) and np.all(np.isfinite(self.factor)))
        return bool(fits and finite and 0 < self.a < math.inf and np.all(self.gains >= 0))

    def square(self, x: Floats) -> Enclosure:
        """Return the enclosure of x'A x."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            turned, error = self._turned(x)
            pivots, size, roundings = self.a + self.gains, np.abs(turned), (self.size + 16) * EPS
            low, high = np.maximum(0.0, size - error), size + error
            least = float(np.sum(pivots * low * low)) * (1 - roundings) - self.size * TINY
            most = float(np.sum(pivots * high * high)) * (1 + roundings) + self.size * TINY
        return Enclosure.between(max(0.0, least), most)

    def residual(self, v: Floats, radius: Floats, x: Floats) -> Residual:
        """Return |v - A x|, where v is known up to ``radius``."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            turned, error = self._turned(x)
            pivots = self.a + self.gains
            steps = pivots * turned
            slack = pivots * error + 4 * EPS * np.abs(steps) + TINY
            rest, terms, errors = v.astype(np.float64), np.abs(v), radius.astype(np.float64)
            for j, column in enumerate(self._columns()):
                products, size = column * steps[j], np.abs(column)
                rest[:j] -= products
                terms[:j] += np.abs(products)
                errors[:j] += size * slack[j] + TINY
                rest[j] -= steps[j]
                terms[j] += abs(steps[j])
                errors[j] += slack[j]
            errors = (errors + (self.size + 8) * EPS * terms) * (1 + (self.size + 8) * EPS)
            size, roundings = np.abs(rest), (self.size + 16) * EPS
            low = float(np.sqrt(np.sum(np.maximum(0.0, size - errors) ** 2))) * (1 - roundings)
            high = float(np.sqrt(np.sum((size + errors) ** 2))) * (1 + roundings) + math.sqrt(self.size) * 1e-153
            rounding = float(np.sqrt(np.sum(errors * errors)))
        return Residual(max(0.0, low - math.sqrt(self.size) * 1e-153), high, rounding)

    def exact_product(self, x: Floats) -> list[Fraction]:
        """Return A x in rational arithmetic."""
        entries, columns = [Fraction(value) for value in x.tolist()], self._columns()
        product = [Fraction(0)] * self.size
        for j, column in enumerate(columns):
            factors = [*(Fraction(value) for value in column.tolist()), Fraction(1)]
            turned = sum((u * entry for u, entry in zip(factors, entries, strict=False)), Fraction(0))
            step = (Fraction(self.a) + Fraction(float(self.gains[j]))) * turned
            product[: j + 1] = [p + u * step for p, u in zip(product, factors, strict=False)]
        return product

    def log_determinant(self) -> Enclosure:
        """Return the enclosure of log det(A/a)."""
        with np.errstate(over="ignore"):
            logs = np.log1p(self.gains / self.a)
        total, error = float(np.sum(logs)), 8 * (self.size + 8) * EPS
        return Enclosure.between(total * (1 - error), total * (1 + error) + self.size * TINY)

    def _columns(self) -> list[Floats]:
        """Return the entries above the diagonal in each column."""
        ends = np.arange(self.size) * (np.arange(self.size) + 1) // 2
        return [self.factor[end - j : end] for j, end in enumerate(ends.tolist())]

    def _turned(self, x: Floats) -> tuple[Floats, Floats]:
        """Return U'x, and bounds on the errors of its entries."""
        turned, sizes = x.astype(np.float64), np.abs(x)
        for j, column in enumerate(self._columns()):
            products = column * x[:j]
            turned[j] += np.sum(products)
            sizes[j] += np.sum(np.abs(products))
        return turned, (self.size + 8) * (EPS * sizes + TINY)
