"""Sums over rows and columns in floating point, with bounds on their rounding errors.

A sum of k products of doubles, in any order, with or without fused operations, differs from the exact one by at most
k 2^-53 / (1 - k 2^-53) times the sum of the absolute values of its terms (Higham 2002, section 3.1), plus 2^-1075 for
each product that underflows. The sum of absolute values is computed in floating point as well; a factor of two pays for
its own error. Vectors and rows are scaled by powers of two before they are multiplied, so that nothing overflows, and
only what is negligible beside the largest entry underflows; a scaled entry may lose digits below 2^-1074, which counts
like a product that underflows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._cached import cached_property

from .enclosure import Enclosure
from .geometry import Floats, blocks, transposed
from .interval import Interval

EPS = 2.0**-52
TINY = 2.0**-1072  # bounds the error of a product that underflows, of factors up to 1 that were scaled
SAFE_EXPONENT = 200  # rows whose largest value is between 2^-200 and 2^200 are not scaled
TINY_BESIDE_ROWS = TINY * 2.0 ** (SAFE_EXPONENT + 1)  # the same for a factor up to 1 and a value of a row
CACHED_ENTRIES = 1 << 18  # entries of a block of dense rows that stays in the cache while it is read several times
MAX_FACTOR_EXPONENT = 1022  # powers of two up to here, and their inverses, are floats with all their digits
PARTIAL_SUM = 512  # terms that are added before partial sums are; the bound on the error grows with this number
HALF_DIGITS = 27  # a mantissa of 53 bits is cut into two parts of about this length
SUMMED_ONE_BY_ONE = 200  # numbers up to which their sum is computed faster in integers
SUMMED_AT_ONCE = 1 << 18  # numbers of that length that are added: their sum is exact, as is that of up to 2^26


def exponent_of(*arrays: Any) -> int:
    """Return the least e such that all entries are below 2^e in absolute value; 0 if all are 0."""
    largest = max((float(np.max(np.abs(array), initial=0.0)) for array in arrays), default=0.0)
    return math.frexp(largest)[1] if 0 < largest < math.inf else 0


def scaled(array: Floats, exponent: int) -> Floats:
    """Return the array times 2^-exponent; entries below 2^-1022 may lose digits."""
    if abs(exponent) <= MAX_FACTOR_EXPONENT:
        return array if exponent == 0 else array * math.ldexp(1.0, -exponent)  # faster than ldexp, with the same bits
    return np.ldexp(array, -exponent)


@dataclass(frozen=True)
class Enclosed:
    """Numbers that were computed in floating point: |true - middle 2^exponent| <= radius 2^exponent.

    A radius is infinite where a number is not known.
    """

    middle: Floats
    radius: Floats
    exponent: int

    def ends(self) -> tuple[Floats, Floats]:
        """Return lower and upper bounds, in units of 2^exponent."""
        with np.errstate(invalid="ignore", over="ignore"):
            low, high = self.middle - self.radius, self.middle + self.radius
            return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)

    def smallest(self) -> Enclosure:
        """Return the enclosure of the smallest of the numbers, of which there is at least one."""
        low, high = self.ends()
        return Enclosure.between(float(low.min()), float(high.min()), self.exponent)

    def largest(self) -> Enclosure:
        """Return the enclosure of the largest of the numbers, of which there is at least one."""
        low, high = self.ends()
        return Enclosure.between(float(low.max()), float(high.max()), self.exponent)

    def squared_length(self) -> Enclosure:
        """Return the enclosure of the sum of the squares."""
        if not self.middle.size:
            return Enclosure.exactly(0)
        size, radius = np.abs(self.middle).ravel(), self.radius.ravel()
        with np.errstate(over="ignore"):
            low, high = np.maximum(0.0, np.nextafter(size - radius, 0.0)), np.nextafter(size + radius, np.inf)
        if not np.all(np.isfinite(high)):
            return Enclosure(Fraction(0), math.inf)
        e = exponent_of(high)
        low, high = scaled(low, e), scaled(high, e)
        return sum_of_products(low, low, high, high, 2 * (e + self.exponent))


@dataclass(frozen=True)
class Block:
    """Some rows of a table, scaled by a power of two.

    Parameters
    ----------
    cut : slice
        Which rows they are.
    values : ndarray or CSR matrix
        The rows. They may be overwritten by the next block.
    terms : ndarray or int
        The number of values of each row, or of all rows, that may differ from 0.
    buffer : ndarray or None, default=None
        Memory for the absolute values of dense rows.
    """

    cut: slice
    values: Any
    terms: Any
    buffer: Floats | None = None

    @cached_property
    def absolute(self) -> Any:
        """The absolute values of the rows. They may be overwritten by those of the next block."""
        values = self.values
        if sp.issparse(values):
            return sp.csr_array((np.abs(values.data), values.indices, values.indptr), shape=values.shape)
        return np.abs(values) if self.buffer is None else np.abs(values, out=self.buffer[: len(values)])


class Rows:
    """The rows of a table as float64, in blocks, times 2^-``exponent``.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows. They are not changed.
    largest : float, default=None
        An upper bound on the absolute values, if it is known.

    Attributes
    ----------
    is_finite : bool
        Whether all values are finite; otherwise the sums below must not be used.
    """

    def __init__(self, X: Any, largest: float | None = None) -> None:
        self.X = X
        self.count, self.columns = X.shape
        largest = _largest(X) if largest is None else largest
        self.is_finite = math.isfinite(largest)
        self.largest = largest
        self.reach = math.frexp(largest)[1] if self.is_finite else 0  # all values are below 2^reach
        self.exponent = self.reach if abs(self.reach) > SAFE_EXPONENT else 0

    def blocks(self, width: int = 1) -> Iterator[Block]:
        """Yield the rows in blocks. Dense blocks are so small that they stay in the cache.

        ``width`` is the number of values per row that the caller computes, if it may exceed the number of columns.
        """
        if sp.issparse(self.X):
            for cut, block in blocks(self.X, width):
                data = scaled(block.data, self.exponent)
                parts = (block.indices, block.indptr)
                values = block if data is block.data else sp.csr_array((data, *parts), shape=block.shape)
                yield Block(cut, values, np.diff(block.indptr))
            return
        step = max(1, CACHED_ENTRIES // max(1, self.columns, width))
        shape = (min(step, self.count), self.columns)
        is_plain = self.X.dtype == np.float64 and self.X.flags.c_contiguous  # else the order of sums might differ
        copies = None if is_plain else np.empty(shape)
        buffer = np.empty(shape)
        for start in range(0, self.count, step):
            cut = slice(start, min(start + step, self.count))
            values = self.X[cut]
            if copies is not None:
                copies[: len(values)] = values
                values = copies[: len(values)]
            yield Block(cut, scaled(values, self.exponent), self.columns, buffer)

    def score_exponent(self, weights: Floats, bias: float | Floats = 0.0) -> int:
        """Return e such that scores x.w + b in units of 2^e neither overflow nor lose more than their last digits."""
        places = []
        if np.any(weights):
            places.append(exponent_of(weights) + self.reach)
        if np.any(bias):
            places.append(exponent_of(bias))
        return max(places, default=0)

    def scores(
        self, block: Block, weights: Floats, bias: float | Floats, exponent: int, quick: bool = False
    ) -> Enclosed:
        """Return x.w + b of the rows of a block, in units of 2^``exponent``, at least that of ``score_exponent``.

        The weights are a vector, or a matrix with one column for each of several scores. With ``quick``, the sum of
        |x_j w_j| is bounded by |x| |w| instead of being computed, which takes half the time.
        """
        w, b = scaled(weights, exponent - self.exponent), np.ldexp(bias, -exponent)
        middle = np.asarray(block.values @ w) + b
        terms = block.terms[:, None] if w.ndim == 2 and np.ndim(block.terms) else block.terms
        if quick:
            size = self.bound_lengths(block, w.ndim) * _length(w) + np.abs(b)
            radius = np.broadcast_to(_radius(size, terms + 1), middle.shape)
            return Enclosed(middle, radius, exponent)
        size = np.asarray(block.absolute @ np.abs(w)) + np.abs(b)
        return Enclosed(middle, _radius(size, terms + 1), exponent)

    def bound_lengths(self, block: Block, dimensions: int = 1) -> Any:
        """Return upper bounds on |x| of the rows of a block, up to rounding, that need no pass over the values."""
        lengths = math.ldexp(self.largest, -self.exponent) * np.sqrt(block.terms)
        return lengths[:, None] if dimensions == 2 and np.ndim(lengths) else lengths

    def squared_lengths(self, block: Block) -> Enclosed:
        """Return |x|^2 of the rows of a block."""
        e = self.reach - self.exponent
        if sp.issparse(block.values):
            data = scaled(block.values.data, e)
            squares = sp.csr_array((data * data, block.values.indices, block.values.indptr), shape=block.values.shape)
            size = np.asarray(squares.sum(axis=1)).ravel()
        else:
            values = block.values if abs(e) <= SAFE_EXPONENT else scaled(block.values, e)
            e = 0 if values is block.values else e
            size = np.einsum("ij,ij->i", values, values)
        return Enclosed(size, _radius(size, block.terms), 2 * (self.exponent + e))


class Combination:
    """The sum of c_i x_i over the rows of a table, which are added block by block.

    Parameters
    ----------
    rows : Rows
        The rows.
    exponent : int
        The coefficients are given in units of 2^exponent, in which they are below 1, so that nothing overflows.
    count : int, default=None
        The number of such sums, if there are several; then the coefficients have this many columns.
    quick : bool, default=False
        Whether only `squared_length` is needed, and may be less accurate. This takes half the time.
    """

    def __init__(self, rows: Rows, exponent: int, count: int | None = None, quick: bool = False) -> None:
        shape = (rows.columns,) if count is None else (rows.columns, count)
        self._rows, self._quick, self._lengths = rows, quick, Fraction(0)
        self._sum, self._size = np.zeros(shape), np.zeros(shape)
        self._exponent, self._terms, self._pieces, self._products = rows.exponent + exponent, 0, 0, 0

    def add(self, block: Block, coefficients: Floats) -> None:
        """Add c_i x_i of the rows of a block."""
        self._sum += np.asarray(transposed(block.values) @ coefficients)
        if self._quick:
            sizes = np.abs(coefficients) if coefficients.ndim == 1 else np.abs(coefficients).sum(axis=1)
            self._lengths += Fraction(float(sizes @ np.broadcast_to(self._rows.bound_lengths(block), len(sizes))))
        else:
            self._size += np.asarray(block.absolute.T @ np.abs(coefficients))
        terms = int(np.max(np.count_nonzero(coefficients, axis=0), initial=0))  # a product with 0 is exact
        self._terms, self._pieces = max(self._terms, terms), self._pieces + 1
        self._products += len(coefficients)  # each of them may underflow, and so may a coefficient that became 0

    def total(self) -> Enclosed:
        """Return the sum."""
        return self.parts().total()

    def size(self) -> Enclosed:
        """Return the sum of |c_i| |x_i|."""
        return self.parts().total_size()

    def parts(self) -> SumParts:
        """Return the sum and what bounds its error, without the rows; not with ``quick``."""
        return SumParts(self._sum, self._size, self._terms, self._pieces, self._products, self._exponent)

    def squared_length(self, share: Fraction = Fraction(0)) -> Enclosure:
        """Return |v|^2, also if coefficients are changed by up to this share of their absolute values."""
        if self._quick:
            # The vector of all errors is no longer than the share and the error of a sum, times the sum of |c_i| |x_i|.
            roundings = (self._terms + self._pieces + 8) * Fraction(EPS)
            tiny = (self._products + 4) * Fraction(TINY_BESIDE_ROWS) * self._sum.size
            error = ((roundings + share) * self._lengths * (1 + roundings) + tiny) * Fraction(2) ** self._exponent
            root = Enclosed(self._sum, np.zeros_like(self._sum), self._exponent).squared_length().root()
            return Enclosure(max(Fraction(0), root.low - error), root.high + error).square()
        return self.parts().squared_length(share)


@dataclass(frozen=True)
class SumParts:
    """The sum of c_i x_i over some rows, in units of 2^``exponent``, and what bounds its rounding error.

    Parameters
    ----------
    sum, size : ndarray
        The sums of c_i x_i and of |c_i| |x_i|.
    terms : int
        The largest number of rows that were added in one product.
    pieces : int
        The number of products that were added one after the other.
    products : int
        The number of products, each of which may underflow.
    exponent : int
        The unit is 2^exponent.
    """

    sum: Floats
    size: Floats
    terms: int
    pieces: int
    products: int
    exponent: int

    def __add__(self, other: SumParts) -> SumParts:
        """Return the sum over the rows of both parts, which must have the same unit."""
        if self.exponent != other.exponent:
            raise ValueError(f"The parts have the units 2^{self.exponent} and 2^{other.exponent}.")
        terms, pieces = max(self.terms, other.terms), self.pieces + other.pieces + 1
        products = self.products + other.products
        return SumParts(self.sum + other.sum, self.size + other.size, terms, pieces, products, self.exponent)

    def total(self) -> Enclosed:
        """Return the sum, enclosed."""
        return Enclosed(self.sum, self._radius(), self.exponent)

    def total_size(self) -> Enclosed:
        """Return the sum of |c_i| |x_i|, enclosed."""
        return Enclosed(self.size, self._radius(), self.exponent)

    def _radius(self) -> Floats:
        return _radius(self.size, self.terms + self.pieces, self.products)

    def squared_length(self, share: Fraction = Fraction(0)) -> Enclosure:
        """Return |v|^2, also if coefficients are changed by up to this share of their absolute values."""
        radius = self._radius()
        if share:
            size = self.total_size().ends()[1]
            radius = (radius + Enclosure.exactly(share).outer_high() * size) * (1 + 4 * EPS)
        return Enclosed(self.sum, radius, self.exponent).squared_length()


def weighted_sum(weights: Floats, low: Floats, high: Floats, exponent: int = 0) -> Enclosure:
    """Return the enclosure of sum_i c_i s_i, with weights c >= 0 and 0 <= low <= s 2^-exponent <= high."""
    if not np.all(np.isfinite(high[weights > 0])):
        return Enclosure(Fraction(0), math.inf)
    low, high = np.where(weights > 0, low, 0.0), np.where(weights > 0, high, 0.0)
    if not high.any():
        return Enclosure.exactly(0)
    of_weights, of_values = exponent_of(weights), exponent_of(high)
    c = scaled(weights, of_weights)
    return sum_of_products(c, scaled(low, of_values), c, scaled(high, of_values), of_weights + of_values + exponent)


def weighted_squares(weights: Floats, low: Floats, high: Floats, exponent: int = 0) -> Enclosure:
    """Return the enclosure of sum_i c_i s_i^2, with weights c >= 0 and 0 <= low <= s 2^-exponent <= high."""
    if not np.all(np.isfinite(high[weights > 0])):
        return Enclosure(Fraction(0), math.inf)
    low, high = np.where(weights > 0, low, 0.0), np.where(weights > 0, high, 0.0)
    if not high.any():
        return Enclosure.exactly(0)
    of_weights, of_values = exponent_of(weights), exponent_of(high)
    c, low, high = scaled(weights, of_weights), scaled(low, of_values), scaled(high, of_values)
    return sum_of_products(c * low, low, c * high, high, of_weights + 2 * (of_values + exponent))


def exact_total(values: Floats) -> Fraction:
    """Return the sum of floats, without rounding."""
    values = np.asarray(values, dtype=np.float64)
    if len(values) <= SUMMED_ONE_BY_ONE:
        ratios = [value.as_integer_ratio() for value in values.tolist()]
        common = max((below for _, below in ratios), default=1)  # denominators are powers of two
        return Fraction(sum(above * (common // below) for above, below in ratios), common)
    total = Fraction(0)
    for first in range(0, len(values), SUMMED_AT_ONCE):
        # The upper and lower digits of all mantissas of the same exponent have sums that are exact.
        mantissas, exponents = np.frexp(values[first : first + SUMMED_AT_ONCE])
        digits = np.ldexp(mantissas, HALF_DIGITS)
        upper = np.trunc(digits)
        least = int(exponents.min())
        for part, place in ((upper, least - HALF_DIGITS), (np.ldexp(digits - upper, 53 - HALF_DIGITS), least - 53)):
            sums = np.bincount(exponents - least, part)
            for step in np.flatnonzero(sums).tolist():
                total += int(sums[step]) * Fraction(2) ** (place + step)
    return total


def _largest(X: Any) -> float:
    """Return the largest absolute value; NaN or infinity if there is one."""
    values = X.data if sp.issparse(X) else X
    step = max(1, CACHED_ENTRIES // max(1, values[:1].size))
    largest = 0.0
    for start in range(0, len(values), step):  # each piece is read twice, the second time from the cache
        piece = values[start : start + step]
        found = max(float(piece.max(initial=0)), -float(piece.min(initial=0)))
        if not math.isfinite(found):
            return found
        largest = max(largest, found)
    return largest


def _radius(size: Floats, terms: Any, products: Any = None) -> Floats:
    """Return the bound on the error of sums, given the computed sums of absolute values.

    No term passes through more than ``terms`` operations. As many products, or the number given, may underflow.
    """
    products = terms if products is None else products
    radius: Floats = (terms + 4) * EPS * size + (products + 4) * TINY_BESIDE_ROWS
    return radius


def sum_of_products(a: Floats, b: Floats, c: Floats, d: Floats, exponent: int = 0) -> Enclosure:
    """Return the enclosure of a number between a.b and c.d times 2^e; the terms are at least 0 and do not overflow."""
    found = interval_of_products(a, b, c, d)
    return Enclosure.between(found.low, found.high, exponent)


def interval_of_products(a: Floats, b: Floats, c: Floats, d: Floats) -> Interval:
    """Return an interval around a number between a.b and c.d, whose terms are at least 0 and do not overflow."""
    terms = min(len(a), PARTIAL_SUM) + 6
    low = _dot(a, b)
    high = low if c is a and d is b else _dot(c, d)
    tiny = len(a) * TINY
    return Interval(
        max(0.0, math.nextafter(low - (terms * EPS * low + tiny), -math.inf)),
        math.nextafter(high + (terms * EPS * high + tiny), math.inf),
    )


def _length(weights: Floats) -> Floats:
    """Return the length of a vector, or of each column of a matrix, without underflow of the squares."""
    largest = np.max(np.abs(weights), axis=0, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    length: Floats = largest * np.sqrt(np.sum(np.square(weights / unit), axis=0))
    return length


def _dot(a: Floats, b: Floats) -> float:
    """Return a.b, with partial sums that are added almost without rounding."""
    whole = len(a) // PARTIAL_SUM * PARTIAL_SUM
    parts = np.einsum("ij,ij->i", a[:whole].reshape(-1, PARTIAL_SUM), b[:whole].reshape(-1, PARTIAL_SUM))
    return math.fsum([*parts.tolist(), float(a[whole:] @ b[whole:])])
