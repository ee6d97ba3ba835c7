"""Exact arithmetic on floating-point data, whose values are rational numbers.

Vectors have Python integers as entries: a direction or a row may be multiplied by any positive number, so a power of
two makes its entries integers. Most signs are decided in floating point with a bound on the error, and only the others
in integers.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .geometry import Floats, blocks
from .residues import IntegerVector as IntegerVector
from .residues import are_zero

EPS = float(np.finfo(np.float64).eps)
MAX_EXACT_INTEGER = 2.0**53  # integers, and sums of integers, up to here are exact in floating point
MIN_RELATIVE_ENTRY = 1e-280  # smaller entries, relative to the largest, would lose digits
MAX_INT64_FACTOR = 2**30  # a difference of two products of integers below this fits into 64 bits
EXACT_BATCH_ENTRIES = 1_000_000  # of dense rows that are converted to integers at a time
UNDERFLOW_BOUND = 1e-290  # an upper bound on the error of a product that underflows


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


def primitive(vector: IntegerVector) -> IntegerVector:
    """Return the shortest integer vector of the same direction."""
    divisor = math.gcd(*vector)
    return [entry // divisor for entry in vector] if divisor > 1 else vector


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

    def integer_rows(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64] | None = None
    ) -> list[tuple[IntegerVector, int]]:
        """Return the z_i of some rows, each as integers k and exponent e, in some columns or all."""
        z = self.floats(rows, columns)
        if _are_integers(z) and np.max(np.abs(z), initial=0.0) < MAX_EXACT_INTEGER:
            return [(row, 0) for row in z.astype(np.int64).tolist()]
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
        found = np.asarray((x != 0).sum(axis=0)).ravel() > 0
        return np.flatnonzero(np.append(found, [True] if self.fit_intercept else []))

    def reaches_beyond(self, columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows have a nonzero entry outside of these columns."""
        outside = np.ones(self.columns, dtype=bool)
        outside[columns] = False
        found = np.full(self.rows, self.fit_intercept and bool(outside[-1]))
        if np.any(outside[: self.X.shape[1]]):
            for cut, block in blocks(self.X):
                found[cut] |= np.asarray((block != 0) @ outside[: self.X.shape[1]].astype(np.float64)).ravel() > 0
        return found

    def scores(self, direction: Floats, rounded: bool = False) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield z_i.v in floating point with error bounds, block by block; v itself may be ``rounded``."""
        weights, bias = (direction[:-1], float(direction[-1])) if self.fit_intercept else (direction, 0.0)
        for cut, block in blocks(self.X):
            scores, errors = _scores(block, weights, bias, rounded)
            yield cut, self.signs[cut] * scores, errors

    def leaves(self, directions: Floats, share: float) -> NDArray[np.bool_]:
        """Return which rows have a product with a column of a matrix that exceeds this share of its terms."""
        weights, biases = (directions[:-1], directions[-1]) if self.fit_intercept else (directions, 0.0 * directions[0])
        found = np.zeros(self.rows, dtype=bool)
        for cut, block in blocks(self.X):
            products = np.abs(np.asarray(block @ weights) + biases)
            sizes = np.asarray(abs(block) @ np.abs(weights)) + np.abs(biases)
            found[cut] = np.any(products > share * np.max(sizes, axis=1, keepdims=True), axis=1)
        return found

    def off_zero(self, directions: list[IntegerVector]) -> NDArray[np.bool_]:
        """Return which rows have z_i.v != 0 for some of the directions, exactly."""
        found = np.zeros(self.rows, dtype=bool)
        if not directions:
            return found
        short = max(abs(entry) for direction in directions for entry in direction) < MAX_EXACT_INTEGER
        matrix = np.array(directions, dtype=np.float64).T if short else None
        for cut, block in blocks(self.X):
            products = None if matrix is None else _products(block, matrix, self.fit_intercept)
            zero = are_zero(block, self.fit_intercept, directions) if products is None else products == 0
            if zero is None:
                rows = range(cut.start, cut.stop)
                zero = np.array([[self._side(i, direction) == 0 for direction in directions] for i in rows])
            found[cut] = ~np.all(zero, axis=1)
        return found

    def sides(self, direction: IntegerVector) -> NDArray[np.int8]:
        """Return the sign of z_i.v for every row, exactly."""
        largest = max(map(abs, direction), default=0)
        found = np.zeros(self.rows, dtype=np.int8)
        if largest == 0:
            return found
        as_floats = np.array([c / largest if largest >= MAX_EXACT_INTEGER else float(c) for c in direction])
        can_filter = all(abs(f) >= MIN_RELATIVE_ENTRY or c == 0 for f, c in zip(as_floats, direction, strict=True))
        for cut, scores, errors in self.scores(as_floats, rounded=largest >= MAX_EXACT_INTEGER):
            settled = (np.abs(scores) > errors) | (errors == 0) if can_filter else np.zeros(len(scores), dtype=bool)
            found[cut] = np.where(settled, np.sign(scores), 0)
            unsettled = np.flatnonzero(~settled) + cut.start
            if len(unsettled):
                zero = are_zero(self.X[unsettled], self.fit_intercept, [direction])
                for i in unsettled if zero is None else unsettled[~zero[:, 0]]:
                    found[i] = self._side(int(i), direction)
        return found

    def _side(self, i: int, direction: IntegerVector) -> int:
        """Return the sign of z_i.v, computed in integers."""
        if sp.issparse(self.X):
            entries = slice(self.X.indptr[i], self.X.indptr[i + 1])
            values, places = self.X.data[entries], self.X.indices[entries].tolist()
        else:
            values, places = self.X[i], range(self.X.shape[1])
        numbers, _ = to_integers(np.append(np.asarray(values, dtype=np.float64), [1.0] if self.fit_intercept else []))
        total = sum(number * direction[j] for number, j in zip(numbers, places, strict=False) if number)
        total += numbers[-1] * direction[-1] if self.fit_intercept else 0
        return _sign(total) * (1 if self.signs[i] > 0 else -1)


def margin_is_at_least(examples: Examples, direction: Floats, least: float, with_intercept: bool) -> bool:
    """Return whether z_i.v >= ``least`` |v| for every row, exactly; the intercept may be part of |v| or not."""
    v = [Fraction(float(entry)) for entry in direction]
    counted = v if with_intercept or not examples.fit_intercept else v[:-1]
    square = sum((entry * entry for entry in counted), Fraction(0)) * Fraction(least) ** 2
    # An upper bound on least |v|. Squares of entries below MIN_RELATIVE_ENTRY may underflow, so each may add that much.
    largest = float(max((abs(entry) for entry in counted), default=Fraction(0)))
    shares = [float(entry / Fraction(largest)) if largest > 0 else 0.0 for entry in counted]
    length = (
        largest
        * (math.sqrt(math.fsum(share * share for share in shares)) + len(shares) * MIN_RELATIVE_ENTRY)
        * (1 + 8 * EPS)
    )
    bound = least * length if least > 0 else 0.0
    for cut, scores, errors in examples.scores(direction):
        close = np.flatnonzero(~(scores - errors > bound)) + cut.start
        size = max(1, EXACT_BATCH_ENTRIES // examples.columns)
        for first in range(0, len(close), size):
            some = close[first : first + size]
            used = examples.used(some)
            entries = [v[j] for j in used]
            for vector, exponent in examples.integer_rows(some, used):
                total = sum((a * b for a, b in zip(vector, entries, strict=True) if a), Fraction(0))
                score = total * Fraction(2) ** exponent
                signed = score * abs(score)
                if signed < (square if least >= 0 else -square):
                    return False
    return True


def distance_is_at_most(examples: Examples, rows: NDArray[np.int64], weights: Floats, most: float, free: bool) -> bool:
    """Return whether |sum a_i z_i| <= ``most`` sum a_i, exactly.

    With a ``free`` intercept, z does not include it, and the classes are first scaled to the same total weight.
    """
    amounts = to_integers(weights)[0]
    positive = examples.signs[rows] > 0
    if free:
        sums = [sum(a for a, p in zip(amounts, positive, strict=True) if p == side) for side in (True, False)]
        amounts = [a * sums[1 if p else 0] for a, p in zip(amounts, positive, strict=True)]
    combined = _sparse_combination if sp.issparse(examples.X) else _dense_combination
    total, exponent = combined(examples, rows, amounts, examples.fit_intercept and not free)
    square = sum(entry * entry for entry in total) * Fraction(4) ** exponent
    return most >= 0 and sum(amounts) > 0 and bool(square <= (Fraction(most) * sum(amounts)) ** 2)


def _dense_combination(
    examples: Examples, rows: NDArray[np.int64], amounts: IntegerVector, with_intercept: bool
) -> tuple[IntegerVector, int]:
    """Return the entries of sum a_i z_i as integers k and exponent e."""
    vectors = examples.integer_rows(rows, examples.used(rows))
    least = min(exponent for _, exponent in vectors)
    scaled = np.array(
        [a << (exponent - least) for a, (_, exponent) in zip(amounts, vectors, strict=True)], dtype=object
    )
    total: IntegerVector = (scaled @ np.array([vector for vector, _ in vectors], dtype=object)).tolist()
    return (total if with_intercept or not examples.fit_intercept else total[:-1]), least


def _sparse_combination(
    examples: Examples, rows: NDArray[np.int64], amounts: IntegerVector, with_intercept: bool
) -> tuple[IntegerVector, int]:
    """Return the entries of sum a_i z_i that rows have, in time and memory of their entries."""
    x = examples.X[rows]
    numbers, exponent = to_integers(np.append(np.asarray(x.data, dtype=np.float64), [1.0] if with_intercept else []))
    signed = [a if sign > 0 else -a for a, sign in zip(amounts, examples.signs[rows].tolist(), strict=True)]
    total: dict[int, int] = defaultdict(int)
    columns, ends = x.indices.tolist(), x.indptr.tolist()
    for a, start, end in zip(signed, ends, ends[1:], strict=False):
        for column, number in zip(columns[start:end], numbers[start:end], strict=True):
            total[column] += a * number
    return [*total.values(), *([sum(signed) * numbers[-1]] if with_intercept else [])], exponent


def _products(block: Any, matrix: Floats, with_biases: bool) -> Floats | None:
    """Return the products if they are exact, because all numbers are integers and no sum is too large; else None."""
    weights, biases = (matrix[:-1], matrix[-1]) if with_biases else (matrix, np.zeros(matrix.shape[1]))
    values = _used(block, np.any(weights != 0, axis=1))
    if not _are_integers(values):
        return None
    longest = float(np.max(np.abs(values), initial=1.0)) * float(np.max(np.abs(matrix).sum(axis=0)))
    return np.asarray(block @ weights) + biases if longest < MAX_EXACT_INTEGER else None


def _used(block: Any, columns: NDArray[np.bool_]) -> Floats:
    """Return the values in some columns."""
    values: Floats = block.data[columns[block.indices]] if sp.issparse(block) else block[:, columns]
    return values


def _are_integers(values: Floats) -> bool:
    return bool(np.array_equal(values, np.rint(values)))


def _scores(block: Any, weights: Floats, bias: float, rounded: bool) -> tuple[Floats, Floats]:
    """Return scores and bounds on their errors (Higham 2002, section 3.1); 0 where they are known to be exact."""
    absolute = abs(block)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scores = np.asarray(block @ weights).ravel() + bias
        sizes = np.asarray(absolute @ np.abs(weights)).ravel() + abs(bias)
        errors = (block.shape[1] + 5) * (2 * EPS * sizes + UNDERFLOW_BOUND)
    if not rounded and _are_integers(np.append(weights, bias)) and _are_integers(_used(block, weights != 0)):
        errors[sizes < MAX_EXACT_INTEGER] = 0.0
    errors[~np.isfinite(scores)] = np.inf
    return scores, errors


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


@cache
def _flint() -> Any:
    """Return python-flint, which eliminates many times faster; None if the extra "exact" is not installed."""
    return importlib.import_module("flint") if importlib.util.find_spec("flint") else None


class Reduced:
    """The reduced row echelon form of an integer matrix, times ``divisor``.

    Gauss-Jordan elimination without fractions (Bareiss 1968). ``pivots`` are the columns that are independent of those
    before them; the first ``rank`` rows belong to them.
    """

    def __init__(self, matrix: list[IntegerVector], columns: int) -> None:
        rows = len(matrix)
        library = _flint()
        if library is not None and rows and columns:
            self._take(*library.fmpz_mat(matrix).rref())
            return
        table: Any = np.array(matrix, dtype=object).reshape(rows, columns)
        largest = max((abs(entry) for row in matrix for entry in row), default=0)
        if largest < MAX_INT64_FACTOR:
            table = table.astype(np.int64)
        self.pivots: list[int] = []
        self.divisor = 1
        for column in range(columns):
            rank = len(self.pivots)
            if rank == rows:
                break
            candidates = rank + np.flatnonzero(table[rank:, column] != 0)
            if len(candidates) == 0:
                continue
            if (
                table.dtype != object and np.max(np.abs(table)) >= MAX_INT64_FACTOR
            ):  # from now on a product may overflow
                table = table.astype(object)
            chosen = min(candidates, key=lambda i: abs(table[i, column]))
            table[[rank, chosen]] = table[[chosen, rank]]
            pivot = table[rank, column]
            line, factors = table[rank].copy(), table[:, column].copy()
            table = (pivot * table - np.multiply.outer(factors, line)) // self.divisor
            table[rank] = line
            self.divisor = int(pivot)
            self.pivots.append(column)
        self.table = table.astype(object)

    def _take(self, table: Any, divisor: Any, rank: int) -> None:
        """Store the result of python-flint."""
        self.table = np.array([[int(entry) for entry in row] for row in table.tolist()], dtype=object)
        self.divisor = int(divisor)
        self.pivots = [int(np.argmax(self.table[row] != 0)) for row in range(rank)]

    @property
    def rank(self) -> int:
        """The number of independent columns."""
        return len(self.pivots)

    def null_space(self) -> list[IntegerVector]:
        """Return a basis of the vectors that the matrix maps to 0, one for each column that is not a pivot."""
        free = [column for column in range(self.table.shape[1]) if column not in set(self.pivots)]
        basis = []
        for column in free:
            vector = [0] * self.table.shape[1]
            vector[column] = self.divisor
            for row, pivot in enumerate(self.pivots):
                vector[pivot] = -self.table[row, column]
            basis.append(primitive(vector))
        return basis
