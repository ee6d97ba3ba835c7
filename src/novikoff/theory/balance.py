"""Rows that balance: weights a > 0 with sum a_i z_i = 0.

Floating point finds weights that balance approximately. Exact ones are solved for close to them, in integers. Whether
there are any within a factor of two is decided by the simplex method, if no simpler way finds them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from novikoff._one_core import linear_algebra

from .certificate import Duals
from .elimination import Budget, IntegerVector, Reduced, longest, primitive, product_work, spend
from .exact import Examples, to_integers
from .exact_simplex import alternative
from .float_balance import balanced_basis
from .geometry import Floats
from .residues import PRODUCT_SHARE

SHORT_WEIGHT_BITS = 12  # bits of the weights in the first attempt; short integers are faster
WEIGHT_FACTOR = 2  # exact weights of a witness differ from those given by less than this factor
CLOSE = 1.5  # the same for weights that are solved for and then rounded
MAX_EXPONENT_RANGE = 1900  # weights that differ by a larger power of two are not computed in floating point
MAX_EXACT_BITS = 53  # sums of products of so many bits together are exact in floating point
MAX_FREE_DIMENSIONS = 500  # directions orthogonal to the rows of a witness; each is tested on all rows


@dataclass(frozen=True)
class Balance:
    """A proof that some rows balance: sum a_i z_i = 0 with a_i > 0 for all of them.

    Parameters
    ----------
    basis : list of int
        Rows that span the others.
    columns : ndarray of int64
        The columns in which the rows are not all 0.
    reduced : Reduced
        The rows of the basis in these columns, in reduced echelon form.
    duals : Duals
        The rows and their weights, rounded to floats.
    """

    basis: list[int]
    columns: NDArray[np.int64]
    reduced: Reduced
    duals: Duals

    def straighten(self, direction: Floats) -> IntegerVector:
        """Return a direction that is exactly 0 on all rows that balance, and as given in all columns that are free."""
        entries = to_integers(direction)[0]
        places, pivots = self.columns.tolist(), self.reduced.pivots
        free = [place for place in range(len(places)) if place not in set(pivots)]
        divisor = self.reduced.divisor
        sign = 1 if divisor > 0 else -1
        straight = [abs(divisor) * entry for entry in entries]
        for row, pivot in enumerate(pivots):
            straight[places[pivot]] = -sign * sum(self.reduced.table[row, k] * entries[places[k]] for k in free)
        return primitive(straight)

    def moves(self, width: int, budget: Budget | None = None) -> list[IntegerVector] | None:
        """Return a basis of the directions, within the columns, that are 0 on all rows; None if it is too large."""
        free = len(self.columns) - self.reduced.rank
        if free > MAX_FREE_DIMENSIONS:
            return None
        spend(budget, free * (width + product_work(0, 0) * len(self.columns)))
        found = []
        for vector in self.reduced.null_space():
            direction = [0] * width
            for place, entry in zip(self.columns.tolist(), vector, strict=True):
                direction[place] = entry
            found.append(direction)
        return found

    def outside(self, examples: Examples, budget: Budget | None = None) -> NDArray[np.bool_] | None:
        """Return which rows are not spanned by those that balance; None if that is too expensive to decide."""
        moves = self.moves(examples.columns, budget)
        return None if moves is None else examples.reaches_beyond(self.columns) | examples.off_zero(moves, budget)


def balance(examples: Examples, duals: Duals, budget: Budget | None = None, within: float = math.inf) -> Balance | None:
    """Turn weights that balance approximately into a proof that some weights balance exactly; None if that fails.

    The weights of the rows outside of a basis are kept, up to their last bits. Those of the basis are solved for, and
    must be positive and differ from those given by less than the factor ``within``.
    """
    rows = duals.rows[duals.weights > 0]
    weights = duals.weights[duals.weights > 0]
    if len(rows) == 0:
        return None
    columns = examples.used(rows)
    if len(columns) == 0:  # all these rows are 0
        return Balance([], columns, Reduced([], 0), Duals(rows, weights))
    z = examples.floats(rows, columns)
    spend(budget, len(rows) * len(columns) * min(len(rows), len(columns)) / PRODUCT_SHARE)
    if (square := balanced_basis(z, weights)) is not None:
        return Balance(rows[square].tolist(), columns, Reduced.of_full_rank(len(columns)), Duals(rows, weights))
    vectors = examples.integer_rows(rows, columns, budget)
    for leading in _leading(z, weights):
        for digits in (SHORT_WEIGHT_BITS, 53):  # all weights close to these are suitable, and short ones are faster
            short = rounded_to(weights, digits)
            solved = _solve_for(vectors, short, leading, budget)
            if solved is not None:
                basis = list(solved)
                short[basis] = list(solved.values())
                if not np.all((short > weights / within) & (short < weights * within)):
                    continue
                found = Reduced([vectors[k][0] for k in basis], len(columns), budget)
                if _spans_all(found, vectors, budget):
                    return Balance(rows[basis].tolist(), columns, found, Duals(rows, short))
    return None


def proven_balance(examples: Examples, witness: Duals, budget: Budget) -> Balance | None:
    """Decide whether there are weights a' with sum a'_i z_i = 0 and a_i / 2 < a'_i < 2 a_i for all rows of a witness.

    Return the proof, or None if there are no such weights. Raises WorkLimitReached if that takes too much work.
    """
    exponents = np.frexp(witness.weights)[1]
    if np.ptp(exponents) < MAX_EXPONENT_RANGE:
        middle = (int(exponents.max()) + int(exponents.min())) // 2
        found = balance(examples, Duals(witness.rows, np.ldexp(witness.weights, -middle)), budget, CLOSE)
        if found is not None:
            return found
    vectors = examples.integer_rows(witness.rows, examples.used(witness.rows), budget)
    reduced = Reduced(_transposed(vectors), len(vectors), budget)
    given, _ = _scaled(vectors, witness.weights)
    if not _has_weights(reduced.null_space(), given, budget):
        return None
    return span_of(examples, witness, budget)


def span_of(examples: Examples, witness: Duals, budget: Budget) -> Balance:
    """Return a basis of the rows of a witness, whether they balance or not."""
    columns = examples.used(witness.rows)
    vectors = examples.integer_rows(witness.rows, columns, budget)
    pivots = Reduced(_transposed(vectors), len(vectors), budget).pivots
    basis = Reduced([vectors[k][0] for k in pivots], len(columns), budget)
    return Balance(witness.rows[pivots].tolist(), columns, basis, witness)


def _transposed(vectors: list[tuple[IntegerVector, int]]) -> list[IntegerVector]:
    return [list(entries) for entries in zip(*(vector for vector, _ in vectors), strict=True)]


def _has_weights(relations: list[IntegerVector], given: IntegerVector, budget: Budget) -> bool:
    """Return whether some combination of the relations is between half and twice the given weights.

    The coefficients t of the combination and a factor s have to satisfy 2 sum_r t_r n_ri > given_i s and
    sum_r t_r n_ri < 2 given_i s; then s > 0. Gordan's alternative decides that.
    """
    if not relations:
        return False
    sides = []
    for a, entries in zip(given, zip(*relations, strict=True), strict=True):
        below, above = [*entries, -WEIGHT_FACTOR * a], [*(WEIGHT_FACTOR * entry for entry in entries), -a]
        sides += [primitive(above), primitive([-entry for entry in below])]
    return alternative(sides, budget)[1] is not None


def _spans_all(basis: Reduced, vectors: list[tuple[IntegerVector, int]], budget: Budget | None) -> bool:
    """Return whether all vectors are 0 in every direction in which the basis is 0."""
    if basis.rank == basis.table.shape[1]:
        return True
    null, table = basis.null_space(), [vector for vector, _ in vectors]
    bits, products = (longest(null), longest(table)), len(null) * len(table) * len(null[0])
    if sum(bits) + len(null[0]).bit_length() <= MAX_EXACT_BITS:
        spend(budget, products / PRODUCT_SHARE)
        return not np.any(np.array(table, dtype=np.float64) @ np.array(null, dtype=np.float64).T)
    spend(budget, products * product_work(*bits))
    return not np.any(np.array(table, dtype=object) @ np.array(null, dtype=object).T)


def rounded_to(weights: Floats, digits: int) -> Floats:
    """Return the weights rounded to this number of bits."""
    mantissas, exponents = np.frexp(weights)
    rounded: Floats = np.ldexp(np.rint(np.ldexp(mantissas, digits)), exponents - digits)
    return rounded


def _solve_for(
    vectors: list[tuple[IntegerVector, int]], weights: Floats, leading: NDArray[np.int64], budget: Budget | None
) -> dict[int, float] | None:
    """Solve for the weights of a basis among the leading rows; None unless all of them are positive.

    A row is z = k 2^e and its weight a = m 2^f, so the unknowns are m 2^(e + f), which have the sign of a.
    """
    others = np.setdiff1d(np.arange(len(vectors)), leading)
    spend(budget, len(others) * len(vectors[0][0]) * product_work(0, 0))
    right, right_place = _sum([vectors[k] for k in others], weights[others])
    right = right or [0] * len(vectors[0][0])
    given, given_place = _scaled([vectors[k] for k in leading], weights[leading])
    columns = [vectors[k][0] for k in leading]
    matrix = [[*entries, -total] for entries, total in zip(zip(*columns, strict=True), right, strict=True)]
    last = len(leading)
    reduced = Reduced(matrix, last + 1, budget)
    if last in reduced.pivots:  # the sum of the others leaves the space of the leading rows
        return None
    stay = sorted(set(range(last)) - set(reduced.pivots))
    place = min(right_place, given_place)
    solved = {}
    for row, pivot in enumerate(reduced.pivots):
        unknown = _shift(reduced.table[row, last], right_place, given_place)
        unknown -= sum(_shift(reduced.table[row, k] * given[k], given_place, right_place) for k in stay)
        if unknown * reduced.divisor <= 0:
            return None
        k = int(leading[pivot])
        solved[k] = _as_float(Fraction(unknown, reduced.divisor), place - vectors[k][1])
    return solved if all(0 < weight < math.inf for weight in solved.values()) else None


def _as_float(number: Fraction, exponent: int) -> float:
    """Return the number times 2^exponent; 0 or infinity if that is not in the range of floats."""
    shift = number.numerator.bit_length() - number.denominator.bit_length()
    place = shift + exponent
    if place <= -1000:
        return 0.0
    return math.ldexp(float(number / Fraction(2) ** shift), place) if place < 1000 else math.inf


def _leading(z: Floats, weights: Floats) -> Iterator[NDArray[np.int64]]:
    """Yield orders of rows in which a basis is searched.

    First by a pivoted QR decomposition in floating point; then, if there are few rows, by decreasing weight.
    """
    sizes = np.abs(z).max(axis=1, initial=0.0)
    places = np.frexp(weights)[1] + np.frexp(np.where(sizes > 0, sizes, 1.0))[1]
    shares = np.ldexp(np.frexp(weights)[0], np.maximum(places - places.max(), -1000))
    matrix = z / np.where(sizes > 0, sizes, 1.0)[:, None] * shares[:, None]
    tallest = np.abs(matrix).max(axis=0, initial=0.0)
    matrix /= np.where(tallest > 1e-300, tallest, 1.0)
    triangle, order = linear_algebra().qr(matrix.T, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(diagonal > 1e-12 * max(matrix.shape) * diagonal[:1].sum()))
    yield order[: rank + 5].astype(np.int64)  # a few more, in case rounding hides a dimension
    if len(weights) <= 4 * z.shape[1] + 20:
        yield np.argsort(-places, kind="stable")


def _scaled(vectors: list[tuple[IntegerVector, int]], weights: Floats) -> tuple[IntegerVector, int]:
    """Return the unknowns of some rows, as they are given, as integers k times 2^f."""
    parts = [to_integers(np.array([weight])) for weight in weights]
    places = [place + exponent for (_, place), (_, exponent) in zip(parts, vectors, strict=True)]
    least = min(places, default=0)
    return [digits[0] << (place - least) for (digits, _), place in zip(parts, places, strict=True)], least


def _sum(vectors: list[tuple[IntegerVector, int]], weights: Floats) -> tuple[IntegerVector, int]:
    """Return the sum a_i z_i of some rows as integers k times 2^f."""
    factors, least = _scaled(vectors, weights)
    if not vectors:
        return [], least
    table = np.array([vector for vector, _ in vectors], dtype=object)
    return (np.array(factors, dtype=object) @ table).tolist(), least


def _shift(number: int, exponent: int, other: int) -> int:
    """Return the number times 2^exponent, in units of the smaller of the two powers."""
    return number << (exponent - min(exponent, other))
