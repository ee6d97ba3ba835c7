"""Exact arithmetic on floating-point data, whose values are rational numbers.

Vectors have Python integers as entries: a direction or a row may be multiplied by any positive number, so a power of
two makes its entries integers. Most signs are decided in floating point with a bound on the error, and only the others
in integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._cached import cached_property

from .elimination import CONVERSION, EXACT_BITS, OPERATION, SHORT_CONVERSION, Budget, longest, spend
from .elimination import IntegerVector as IntegerVector
from .elimination import Reduced as Reduced
from .enclosed_sums import Block, Rows
from .geometry import Floats, blocks
from .residues import PRODUCT_SHARE, are_zero

MAX_EXACT_INTEGER = 2.0**53  # integers, and sums of integers, up to here are exact in floating point
MAX_DIRECT_ENTRIES = 2000  # products of values that are computed in integers rather than by their residues
MIN_RELATIVE_ENTRY = 1e-280  # smaller entries, relative to the largest, would lose digits


def to_integers(values: Floats) -> tuple[IntegerVector, int]:
    """Return integers k and the largest e such that values = k 2^e."""
    mantissas, exponents = np.frexp(values)
    digits = [int(m) for m in np.ldexp(mantissas, 53)]
    places = [int(e) - 53 for e in exponents]
    used = [place + (digit & -digit).bit_length() - 1 for digit, place in zip(digits, places, strict=True) if digit]
    least = min(used, default=0)
    return [_shifted(digit, place - least) for digit, place in zip(digits, places, strict=True)], least


def _shifted(digit: int, by: int) -> int:
    return digit << by if by >= 0 else digit >> -by  # only zero bits are shifted out


class Examples:
    """The vectors z_i = y_i u_i of a data set, with exact predicates; u = (x, 1) with an intercept, x without.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows x.
    signs : ndarray of shape (n_samples,)
        The labels y as -1 and +1.
    fit_intercept : bool
        Whether there is an intercept.
    """

    def __init__(self, X: Any, signs: Floats, fit_intercept: bool) -> None:
        self.X, self.signs, self.fit_intercept = X, signs, fit_intercept
        self.rows, self.columns = X.shape[0], X.shape[1] + int(fit_intercept)

    @cached_property
    def table(self) -> Rows:
        """The rows x in blocks, scaled by a power of two."""
        return Rows(self.X)

    def entries(self, rows: NDArray[np.int64] | None = None) -> int:
        """Return the number of values of some rows, or of all."""
        if not sp.issparse(self.X):
            return (self.rows if rows is None else len(rows)) * int(self.X.shape[1])
        return int(self.X.nnz if rows is None else np.diff(self.X.indptr)[rows].sum())

    def integer_rows(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64] | None = None, budget: Budget | None = None
    ) -> list[tuple[IntegerVector, int]]:
        """Return the z_i of some rows, each as integers k and exponent e, in some columns or all."""
        entries = len(rows) * (self.columns if columns is None else len(columns))
        spend(budget, SHORT_CONVERSION * entries)
        z = self.floats(rows, columns)
        if _are_integers(z) and np.max(np.abs(z), initial=0.0) < MAX_EXACT_INTEGER:
            return [(row, 0) for row in z.astype(np.int64).tolist()]
        spend(budget, CONVERSION * entries)
        return [to_integers(row) for row in z]

    def floats(self, rows: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> Floats:
        """Return the z_i of some rows as floats, in some columns or all."""
        x, own = self.X[rows], self.X.shape[1]
        if columns is not None:
            x = x[:, columns[columns < own]]
        dense = np.asarray(x.todense() if sp.issparse(x) else x, dtype=np.float64)
        if self.fit_intercept and (columns is None or own in columns):  # it is the last
            dense = np.hstack([dense, np.ones((len(rows), 1))])
        product: Floats = dense * self.signs[rows][:, None]
        return product

    def used(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the columns in which some of these rows are not 0."""
        x = self.X[rows]
        found = np.zeros(x.shape[1], dtype=bool)
        if sp.issparse(x):
            found[x.indices[x.data != 0]] = True
        else:
            found = np.any(x != 0, axis=0)
        return np.flatnonzero(np.append(found, [True] if self.fit_intercept else []))

    def reaches_beyond(self, columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows have a nonzero entry outside of these columns."""
        outside = np.ones(self.columns, dtype=bool)
        outside[columns] = False
        found = np.full(self.rows, self.fit_intercept and bool(outside[-1]))
        if np.any(outside[: self.X.shape[1]]):
            for cut, block in blocks(self.X):
                found[cut] |= _has_entry(block, outside[: self.X.shape[1]])
        return found

    def scores(self, direction: Floats, rounded: bool = False) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield z_i.v in floating point with error bounds, block by block, in units of some power of two.

        The bounds are 0 where scores are known to be exact. The direction itself may be ``rounded``: each entry by at
        most the last digit.
        """
        weights, bias = self._parts(direction)
        exponent = self.table.score_exponent(weights, bias)
        can_be_exact = not rounded and self.table.exponent == 0 and _are_integers(direction)
        for block in self.table.blocks():
            found = self.table.scores(block, weights, bias, exponent)
            is_exact = can_be_exact and _has_exact_products(block, weights, bias)
            errors = np.zeros(len(found.middle)) if is_exact else found.radius
            yield block.cut, self.signs[block.cut] * found.middle, errors

    def relative_scores(self, direction: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield z_i.v relative to the sum of the absolute values of its terms, block by block, up to rounding."""
        weights, bias = self._parts(direction)
        exponent = self.table.score_exponent(weights, bias)
        for block in self.table.blocks():
            signed = self.signs[block.cut] * self.table.scores(block, weights, bias, exponent).middle
            w, b = np.ldexp(np.abs(weights), self.table.exponent - exponent), np.ldexp(abs(bias), -exponent)
            sizes = np.asarray(block.absolute @ w).ravel() + b
            yield block.cut, np.divide(signed, sizes, out=np.zeros_like(signed), where=sizes > 0)

    def _parts(self, direction: Floats) -> tuple[Floats, float]:
        return (direction[:-1], float(direction[-1])) if self.fit_intercept else (direction, 0.0)

    def off_zero(self, directions: list[IntegerVector], budget: Budget | None = None) -> NDArray[np.bool_]:
        """Return which rows have z_i.v != 0 for some of the directions, exactly."""
        found = np.zeros(self.rows, dtype=bool)
        if not directions:
            return found
        short = max(abs(entry) for direction in directions for entry in direction) < MAX_EXACT_INTEGER
        matrix = np.array(directions, dtype=np.float64).T if short else None
        spend(budget, self.entries() * len(directions) / PRODUCT_SHARE)
        for cut, block in blocks(self.X):
            products = None if matrix is None else _products(block, matrix, self.fit_intercept)
            zero = None if products is None else products == 0
            if zero is None and self.entries() * len(directions) > MAX_DIRECT_ENTRIES:
                zero = are_zero(block, self.fit_intercept, directions, budget)
            if zero is None:
                rows = np.arange(cut.start, cut.stop)
                sides = [self._exact_sides(rows, direction, budget) for direction in directions]
                zero = np.array(sides).T == 0
            found[cut] = ~np.all(zero, axis=1)
        return found

    def wrong_sides(self, directions: list[IntegerVector], budget: Budget | None = None) -> NDArray[np.int64]:
        """Return for each direction v a row with z_i.v < 0; -1 if there is none."""
        found = np.full(len(directions), -1, dtype=np.int64)
        short = longest(directions) <= EXACT_BITS
        matrix = np.array(directions, dtype=np.float64).T if short and directions else None
        spend(budget, self.entries() * len(directions) / PRODUCT_SHARE)
        for cut, block in blocks(self.X):
            products = None if matrix is None else _products(block, matrix, self.fit_intercept)
            if products is None:
                for place, direction in enumerate(directions):
                    sides = self.sides(direction, budget)
                    found[place] = int(np.argmin(sides)) if np.min(sides) < 0 else -1
                return found
            is_wrong = products * self.signs[cut][:, None] < 0
            first = np.argmax(is_wrong, axis=0)
            new = (found < 0) & is_wrong[first, np.arange(len(directions))]
            found[new] = first[new] + cut.start
        return found

    def sides(self, direction: IntegerVector, budget: Budget | None = None) -> NDArray[np.int8]:
        """Return the sign of z_i.v for every row, exactly."""
        found, is_open = self.clear_sides(direction)
        rows = np.flatnonzero(is_open)
        found[rows] = self.open_sides(rows, direction, budget)
        return found

    def clear_sides(self, direction: IntegerVector) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the sign of z_i.v for every row where floating point shows it, and for which rows it does not."""
        largest = max(map(abs, direction), default=0)
        found, is_open = np.zeros(self.rows, dtype=np.int8), np.zeros(self.rows, dtype=bool)
        if largest == 0:
            return found, is_open
        as_floats = np.array([c / largest if largest >= MAX_EXACT_INTEGER else float(c) for c in direction])
        if not all(abs(f) >= MIN_RELATIVE_ENTRY or c == 0 for f, c in zip(as_floats, direction, strict=True)):
            return found, ~is_open
        for cut, scores, errors in self.scores(as_floats, rounded=largest >= MAX_EXACT_INTEGER):
            is_clear = (np.abs(scores) > errors) | (errors == 0)
            found[cut] = np.where(is_clear, np.sign(scores), 0)
            is_open[cut] = ~is_clear
        return found, is_open

    def open_sides(
        self, rows: NDArray[np.int64], direction: IntegerVector, budget: Budget | None = None
    ) -> NDArray[np.int8]:
        """Return the sign of z_i.v for some rows, without floating point."""
        found = np.zeros(len(rows), dtype=np.int8)
        if len(rows):
            few = self.entries(rows) <= MAX_DIRECT_ENTRIES
            zero = None if few else are_zero(self.X[rows], self.fit_intercept, [direction], budget)
            left = np.arange(len(rows)) if zero is None else np.flatnonzero(~zero[:, 0])
            found[left] = self._exact_sides(rows[left], direction, budget)
        return found

    def smallest_score(self, direction: IntegerVector, budget: Budget | None = None) -> Fraction:
        """Return the smallest z_i.v of all rows, exactly."""
        self._spend(np.arange(self.rows), direction, budget)
        totals = (self._total(i, direction) for i in range(self.rows))
        return min(total * Fraction(2) ** exponent for total, exponent in totals)

    def _exact_sides(self, rows: NDArray[np.int64], direction: IntegerVector, budget: Budget | None) -> list[int]:
        self._spend(rows, direction, budget)
        return [_sign(self._total(int(i), direction)[0]) for i in rows]

    def _spend(self, rows: NDArray[np.int64], direction: IntegerVector, budget: Budget | None) -> None:
        work = CONVERSION + OPERATION + max(map(abs, direction)).bit_length()
        spend(budget, work * (self.entries(rows) + len(rows)))

    def _total(self, i: int, direction: IntegerVector) -> tuple[int, int]:
        """Return z_i.v as an integer k and exponent e."""
        if sp.issparse(self.X):
            entries = slice(self.X.indptr[i], self.X.indptr[i + 1])
            values, places = self.X.data[entries], self.X.indices[entries].tolist()
        else:
            values, places = self.X[i], range(self.X.shape[1])
        last = [1.0] if self.fit_intercept else []
        numbers, exponent = to_integers(np.append(np.asarray(values, dtype=np.float64), last))
        total = sum(number * direction[j] for number, j in zip(numbers, places, strict=False) if number)
        total += numbers[-1] * direction[-1] if self.fit_intercept else 0
        return (total if self.signs[i] > 0 else -total), exponent


def _products(block: Any, matrix: Floats, with_biases: bool) -> Floats | None:
    """Return the products if they are exact, because all numbers are integers and no sum is too large; else None."""
    weights, biases = (matrix[:-1], matrix[-1]) if with_biases else (matrix, np.zeros(matrix.shape[1]))
    values = _used(block, np.any(weights != 0, axis=1))
    if not _are_integers(values):
        return None
    longest = float(np.max(np.abs(values), initial=1.0)) * float(np.max(np.abs(matrix).sum(axis=0)))
    return np.asarray(block @ weights) + biases if longest < MAX_EXACT_INTEGER else None


def _has_entry(block: Any, columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows of a block are not 0 in some of these columns."""
    if not sp.issparse(block):
        dense: NDArray[np.bool_] = np.any(block[:, columns] != 0, axis=1)
        return dense
    count = np.zeros(len(block.data) + 1, dtype=np.int64)
    np.cumsum(columns[block.indices] & (block.data != 0), out=count[1:])
    sparse: NDArray[np.bool_] = np.diff(count[block.indptr]) > 0
    return sparse


def _used(block: Any, columns: NDArray[np.bool_]) -> Floats:
    """Return the values in some columns."""
    values: Floats = block.data[columns[block.indices]] if sp.issparse(block) else block[:, columns]
    return values


def _are_integers(values: Floats) -> bool:
    return bool(np.array_equal(values, np.rint(values)))


def _has_exact_products(block: Block, weights: Floats, bias: float) -> bool:
    """Return whether all scores of a block of rows that are not scaled are sums of short integers."""
    values = _used(block.values, weights != 0)
    if not _are_integers(values):
        return False
    largest = float(np.max(np.abs(values), initial=1.0)) * (float(np.abs(weights).sum()) + abs(bias))
    return largest < MAX_EXACT_INTEGER


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
