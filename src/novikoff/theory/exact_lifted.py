"""The vectors u of a data set in rational arithmetic, which decides what rounding leaves open.

Values of rows, weights and duals are rational numbers, and so are products of them. Lengths are compared by their
squares. Only sums of vectors that were each divided by their length need square roots, which are enclosed to
``ROOT_BITS`` bits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .enclosure import ROUNDING_UNIT, SMALLEST, Enclosure, signed_square
from .exact import to_integers
from .geometry import Floats, Geometry

ROOT_BITS = 220
BATCH_ENTRIES = 200_000  # of rows that are converted to integers at a time


@dataclass(frozen=True)
class ExactMargin:
    """The margin s / sqrt(q) + p of one example: s = y v.(x, 1), q = |(x, 1)|^2 with ``normalize``, else 1."""

    score: Fraction
    square: Fraction
    private: Fraction

    def is_positive(self) -> bool:
        """Return whether the margin is above 0."""
        return signed_square(self.score) > -self.private * self.private * self.square  # p is not negative

    def signed_square(self) -> Enclosure:
        """Return the enclosure of m |m|, which is exact unless there is a root beside a private feature."""
        if not self.private or self.square == 1:
            total = self.score + self.private
            return Enclosure.exactly(Fraction(signed_square(total)) / self.square)
        root = Enclosure.exactly(self.square).root(ROOT_BITS)
        return (Enclosure.exactly(self.score) / root + Enclosure.exactly(self.private)).signed_square()


@dataclass(frozen=True)
class ExactCombination:
    """The sum of a_i y_i u_i over some rows, and the sums of a_i |u_ij|, as integers times 2^``exponent``.

    Parameters
    ----------
    sums, sizes : dict of int to int
        By column, where the one after the last is the intercept.
    errors : dict of int to int
        Bounds on the errors of both, which come from square roots; empty if there are none.
    exponent : int
        The common exponent.
    private : Fraction
        The squared length of the private part.
    steps : Fraction
        The sum of a.
    """

    sums: dict[int, int]
    sizes: dict[int, int]
    errors: dict[int, int]
    exponent: int
    private: Fraction
    steps: Fraction

    def squared_ratio(self) -> Enclosure:
        """Return the enclosure of (|c| / sum a)^2."""
        low = high = 0
        for column, total in self.sums.items():
            error = self.errors.get(column, 0)
            low += max(0, abs(total) - error) ** 2
            high += (abs(total) + error) ** 2
        unit = Fraction(4) ** self.exponent
        found = Enclosure(low * unit + self.private, high * unit + self.private)
        return found / Enclosure.exactly(self.steps * self.steps)

    def are_near(self, claimed: dict[int, float], roundings: int) -> tuple[int | None, int | None]:
        """Return the first column that is farther than k 2^-52 size + k 2^-1074, and the first that may be."""
        unit, doubtful = Fraction(2) ** self.exponent, None
        for column in sorted(self.sums.keys() | claimed.keys()):
            value, error = Fraction(claimed.get(column, 0.0)), self.errors.get(column, 0) * unit
            gap = abs(value - self.sums.get(column, 0) * unit)
            size = self.sizes.get(column, 0) * unit
            if gap - error > roundings * (ROUNDING_UNIT * (size + error) + SMALLEST):
                return column, None
            least = max(Fraction(0), size - error)
            if doubtful is None and gap + error > roundings * (ROUNDING_UNIT * least + SMALLEST):
                doubtful = column
        return None, doubtful


class ExactRows:
    """The vectors u of a data set.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows x.
    signs : ndarray of shape (n_samples,)
        The labels y as -1 and +1.
    geometry : Geometry
        How rows x become vectors u.
    """

    def __init__(self, X: Any, signs: Floats, geometry: Geometry) -> None:
        self.X, self.signs, self.geometry = X, signs, geometry

    def margins(
        self, rows: NDArray[np.int64], weights: Floats, intercept: float, private: Floats | None
    ) -> Iterator[tuple[int, ExactMargin]]:
        """Yield the margins of some rows, given v and the duals a whose private features count, if any."""
        of_weights, place = to_integers(weights)
        bias, delta = Fraction(intercept if self.geometry.fit_intercept else 0.0), Fraction(self.geometry.slack_feature)
        for row, columns, numbers, exponent in self._integers(rows):
            total = sum(number * of_weights[j] for j, number in zip(columns, numbers, strict=True))
            score = (total * Fraction(2) ** (exponent + place) + bias) * (1 if self.signs[row] > 0 else -1)
            square = self._square(numbers, exponent) if self.geometry.normalize else Fraction(1)
            if square == 0:
                score, square = Fraction(0), Fraction(1)
            own = Fraction(0) if private is None else delta * delta * Fraction(float(private[row]))
            yield row, ExactMargin(score, square, own)

    def squares(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, Fraction]]:
        """Yield |u|^2 of some rows."""
        delta = Fraction(self.geometry.slack_feature)
        for row, _, numbers, exponent in self._integers(rows):
            square = self._square(numbers, exponent)
            yield row, (Fraction(1) if self.geometry.normalize and square else square) + delta * delta

    def combine(self, rows: NDArray[np.int64], amounts: Floats) -> ExactCombination:
        """Return the sum of a_i y_i u_i over some rows, given their a >= 0."""
        factors, errors, place = self._coefficients(rows, amounts)
        sums: dict[int, int] = defaultdict(int)
        sizes: dict[int, int] = defaultdict(int)
        doubts: dict[int, int] = defaultdict(int)
        least = 0
        last = self.X.shape[1]
        for (row, columns, numbers, exponent), factor, error in zip(self._integers(rows), factors, errors, strict=True):
            if exponent < least:
                for table in (sums, sizes, doubts):
                    for column in table:
                        table[column] <<= least - exponent
                least = exponent
            shift, sign = exponent - least, 1 if self.signs[row] > 0 else -1
            entries = list(zip(columns, numbers, strict=True))
            if self.geometry.fit_intercept:
                shift, entries = 0, [(j, number << shift) for j, number in entries] + [(last, 1 << -least)]
            for column, number in entries:
                value = number << shift
                sums[column] += sign * factor * value
                sizes[column] += factor * abs(value)
                if error:
                    doubts[column] += error * abs(value)
        a = [Fraction(value) for value in amounts.tolist()]
        delta = Fraction(self.geometry.slack_feature)
        own = delta * delta * sum((value * value for value in a), Fraction(0)) if delta else Fraction(0)
        return ExactCombination(dict(sums), dict(sizes), dict(doubts), least + place, own, sum(a, Fraction(0)))

    def _coefficients(self, rows: NDArray[np.int64], amounts: Floats) -> tuple[list[int], list[int], int]:
        """Return the factors of (x, 1) as integers times 2^e, and bounds on their errors."""
        if not self.geometry.normalize:
            numbers, place = to_integers(amounts)
            return numbers, [0] * len(numbers), place
        found = []
        for (_, _, numbers, exponent), amount in zip(self._integers(rows), amounts.tolist(), strict=True):
            square = self._square(numbers, exponent)
            value = Fraction(amount) ** 2 / square if square else Fraction(0)
            found.append(Enclosure.exactly(value).root(ROOT_BITS))
        ends = [(Fraction(root.low), Fraction(root.high)) for root in found]
        sizes = [low.numerator.bit_length() - low.denominator.bit_length() for low, _ in ends if low]
        place = min(sizes, default=0) - ROOT_BITS
        unit = Fraction(2) ** -place
        floors, ceilings = [math.floor(low * unit) for low, _ in ends], [math.ceil(high * unit) for _, high in ends]
        return floors, [above - below for above, below in zip(ceilings, floors, strict=True)], place

    def _square(self, numbers: list[int], exponent: int) -> Fraction:
        """Return |(x, 1)|^2 or |x|^2."""
        one = 1 if self.geometry.fit_intercept else 0
        return sum(number * number for number in numbers) * Fraction(4) ** exponent + one

    def _integers(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, list[int], list[int], int]]:
        """Yield each row as its number, columns, integers k and exponent e <= 0, with values k 2^e."""
        step = max(1, BATCH_ENTRIES // max(1, self.X.shape[1])) if not sp.issparse(self.X) else 4096
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            table = self.X[some]
            for place, row in enumerate(some.tolist()):
                if sp.issparse(table):
                    cut = slice(table.indptr[place], table.indptr[place + 1])
                    columns, values = table.indices[cut].tolist(), table.data[cut]
                else:
                    columns = np.flatnonzero(table[place]).tolist()
                    values = table[place][columns]
                numbers, exponent = to_integers(np.asarray(values, dtype=np.float64))
                if exponent > 0:
                    numbers, exponent = [number << exponent for number in numbers], 0
                yield row, columns, numbers, exponent
