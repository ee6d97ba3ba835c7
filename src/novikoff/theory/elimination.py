"""Elimination in integers, and limits on the work of exact arithmetic.

The unit of work is a product of two digits of Python's integers, which have 30 bits: about two nanoseconds.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from typing import Any

import numpy as np

from novikoff._cached import cached_property

IntegerVector = list[int]
EXACT_BITS = 53  # integers of so many bits, and sums of them, are exact in floating point
PRIME = 2**61 - 1
DIGIT_BITS = 30  # of Python's integers
OPERATION = 150.0  # work of an operation on short integers in an object array
CONVERSION = 500.0  # work of turning a float into an integer
SHORT_CONVERSION = 20.0  # the same if all are integers already
SMALL_WORK = 1e8  # what is decided exactly even if that was not requested: about a fifth of a second
MAX_WORK = 3e10  # what is decided exactly if it was: about a minute


class WorkLimitReached(Exception):
    """Exact arithmetic would take more work than is allowed."""


class Budget:
    """How much work exact arithmetic may still do.

    Parameters
    ----------
    most : float
        The limit on all work together.
    """

    def __init__(self, most: float) -> None:
        self.most = self.left = most

    def spend(self, work: float) -> None:
        """Take work from the budget before it is done; raise WorkLimitReached if not so much is left."""
        if not work <= self.left:
            raise WorkLimitReached
        self.left -= work


def spend(budget: Budget | None, work: float) -> None:
    """Take work from a budget, if there is one."""
    if budget is not None:
        budget.spend(work)


def primitive(vector: IntegerVector) -> IntegerVector:
    """Return the shortest integer vector of the same direction."""
    divisor = math.gcd(*vector)
    return [entry // divisor for entry in vector] if divisor > 1 else vector


def longest(matrix: list[IntegerVector]) -> int:
    """Return the number of bits of the longest entry."""
    return max((max(max(row), -min(row)) for row in matrix if row), default=0).bit_length()


def product_work(bits: float, other: float) -> float:
    """Return the work of the product of two integers of so many bits."""
    return OPERATION + (bits / DIGIT_BITS) * (other / DIGIT_BITS)


def _work(rows: int, columns: int, bits: int) -> float:
    """Return the work of an elimination, in which entries grow with the number of pivots (Hadamard's bound).

    FLINT eliminates modulo many primes, and then puts the entries together.
    """
    rank = min(rows, columns)
    mean = rank * (bits + math.log2(rank + 1)) / 2
    return rows * columns * (rank * mean / DIGIT_BITS / 5 + product_work(mean, mean) / 4)


@cache
def _flint() -> Any:
    """Return python-flint, which takes a while to import and is not always needed."""
    return importlib.import_module("flint")


class Reduced:
    """The reduced row echelon form of an integer matrix, times ``divisor``.

    ``pivots`` are the columns that are independent of those before them; the first ``rank`` rows belong to them.
    """

    def __init__(self, matrix: list[IntegerVector], columns: int, budget: Budget | None = None) -> None:
        rows = len(matrix)
        if budget is not None:
            budget.spend(_work(rows, columns, longest(matrix)))
        self.pivots: list[int] = []
        self.divisor = 1
        self.table: Any = np.zeros((rows, columns), dtype=object)
        if rows and columns:
            table, divisor, rank = _flint().fmpz_mat(matrix).rref()
            self.table[:] = _integers(table)
            self.divisor = int(divisor)
            self.pivots = [int(np.argmax(self.table[row] != 0)) for row in range(rank)]

    @classmethod
    def of_full_rank(cls, columns: int) -> Reduced:
        """Return the form of every matrix whose columns are independent."""
        found = cls([], columns)
        found.pivots, found.table = list(range(columns)), np.eye(columns, dtype=np.int64).astype(object)
        return found

    @property
    def rank(self) -> int:
        """The number of independent columns."""
        return len(self.pivots)

    @property
    def free(self) -> list[int]:
        """The columns that are not pivots."""
        return sorted(set(range(self.table.shape[1])) - set(self.pivots))

    def null_space(self) -> list[IntegerVector]:
        """Return a basis of the vectors that the matrix maps to 0, one for each column that is not a pivot."""
        basis = []
        for column in self.free:
            vector = [0] * self.table.shape[1]
            vector[column] = self.divisor
            for row, pivot in enumerate(self.pivots):
                vector[pivot] = -self.table[row, column]
            basis.append(primitive(vector))
        return basis

    def null_vector(self, coefficients: IntegerVector) -> IntegerVector:
        """Return the vector that the matrix maps to 0 with these entries, times one number, in the free columns."""
        vector = [0] * self.table.shape[1]
        for column, coefficient in zip(self.free, coefficients, strict=True):
            vector[column] = self.divisor * coefficient
        if self.pivots:
            sums = self.table[: self.rank][:, self.free] @ np.array(coefficients, dtype=object)
            for pivot, total in zip(self.pivots, sums.tolist(), strict=True):
                vector[pivot] = -total
        return primitive(vector)

    def spans(self, vectors: list[IntegerVector], budget: Budget | None = None) -> list[bool]:
        """Return for each vector whether it is a linear combination of the rows of the matrix."""
        leading = [[vector[pivot] for pivot in self.pivots] for vector in vectors]
        columns = [list(entries) for entries in zip(*self.table[: self.rank].tolist(), strict=True)]
        if not self.pivots:
            return [not any(vector) for vector in vectors]
        sums = Factors(columns).products(leading, budget)
        return [[self.divisor * entry for entry in v] == sum_ for v, sum_ in zip(vectors, sums, strict=True)]


class Factors:
    """Integer vectors with which others are multiplied.

    Parameters
    ----------
    vectors : list of list of int
        The vectors, at least one.
    """

    def __init__(self, vectors: list[IntegerVector]) -> None:
        self._vectors, self._bits = vectors, longest(vectors)

    @cached_property
    def _floats(self) -> Any:
        return np.array(self._vectors, dtype=np.float64).T

    @cached_property
    def _integers(self) -> Any:
        return _flint().fmpz_mat(self._vectors).transpose()

    def products(self, others: list[IntegerVector], budget: Budget | None = None) -> list[IntegerVector]:
        """Return the scalar products of each of the other vectors with all of these."""
        if not others or not self._vectors:
            return [[] for _ in others]
        bits, width, count = longest(others), len(others[0]), len(self._vectors)
        if bits + self._bits + width.bit_length() <= EXACT_BITS:  # every partial sum is exact in floating point
            spend(budget, len(others) * width * (SHORT_CONVERSION + count / 4))
            sums: list[IntegerVector] = (np.array(others, dtype=np.float64) @ self._floats).astype(np.int64).tolist()
            return sums
        work = 2 * count * product_work(bits, self._bits) / OPERATION + OPERATION
        spend(budget, len(others) * width * work)
        return _integers(_flint().fmpz_mat(others) * self._integers)


def pivots_modulo(matrix: list[IntegerVector], budget: Budget | None = None) -> list[int]:
    """Return columns that are independent modulo a prime, and therefore independent, as many as there are."""
    if not matrix:
        return []
    rows, columns = len(matrix), len(matrix[0])
    spend(budget, rows * columns * (SHORT_CONVERSION + min(rows, columns)))
    short = [entry % PRIME for row in matrix for entry in row]
    reduced, rank = _flint().nmod_mat(rows, columns, short, PRIME).rref()
    table = reduced.tolist()
    return [next(j for j in range(columns) if int(table[row][j])) for row in range(rank)]


def solve(
    matrix: list[IntegerVector], right: list[IntegerVector], budget: Budget | None = None
) -> tuple[list[IntegerVector], int]:
    """Return integers x and d > 0 with matrix x = d b for each right-hand side b; the matrix must be invertible."""
    size, bits = len(matrix), max(longest(matrix), longest(right))
    steps = (
        2 * size * (bits + math.log2(size + 1)) / 60
    )  # of Dixon's lifting, each of which finds a word of the solution
    spend(budget, 5 * size * size * (size + len(right) * steps))
    library = _flint()
    found = library.fmpz_mat(matrix).solve(library.fmpz_mat(right).transpose())
    numerators, denominator = found.numer_denom()
    return _integers(numerators.transpose()), int(denominator)


def _integers(matrix: Any) -> list[IntegerVector]:
    """Return the entries of a matrix of python-flint."""
    return [[int(entry) for entry in row] for row in matrix.tolist()]
