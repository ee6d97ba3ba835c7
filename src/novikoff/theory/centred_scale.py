"""The rows of a stream as a learner with a centred scale saw them, computed in NumPy, independently of the kernels.

Frequent columns, which are not 0 in at least half of the examples, are seen as (x_j - mean) / deviation, others as with
a running scale, by the examples before. All sums have the order of the rows, so the rows have the same bits here as in
the kernels, whose file cpp/include/novikoff/centred_scale.hpp has the formulas. docs/theory.md S5.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .geometry import Floats

LEAST_SQUARES = 1e-240  # columns with a smaller sum of squares are seen as 0
LARGEST_KEPT = 8.0  # for larger values the shift and the factor are computed before the row is learned
Places = NDArray[np.intp]


class CentredColumns:
    """What a centred scale knows of each column.

    Parameters
    ----------
    width : int
        The number of columns.
    """

    def __init__(self, width: int) -> None:
        self.total = 0.0
        self.weights, self.sums, self.squares, self.origins, self.shifts, self.factors = np.zeros((6, width))
        self.centred: Places = np.zeros(0, dtype=np.intp)

    def learn(self, places: Places, values: Floats, weight: float) -> tuple[Places, Floats]:
        """Count an example of weight at most 1, given its values other than 0 and their columns.

        Returns the columns and the values as they are learned.
        """
        columns, given = self._with_centred(places, values)
        seen = (given - self.shifts[columns]) * self.factors[columns]
        fits = (self.factors[columns] != 0) & (np.abs(seen) <= LARGEST_KEPT)
        due, n = ~fits, self.weights[places]
        self.total += weight
        self.origins[places] = np.where(n == 0, values, self.origins[places])
        difference = values - self.origins[places]
        self.weights[places] = n + weight
        self.sums[places] += weight * difference
        self.squares[places] += weight * (difference * difference)
        due[np.searchsorted(columns, places)] |= _exponents(n) != _exponents(n + weight)
        due |= (given == 0) & (2 * self.weights[columns] < self.total)
        self._renew(columns[due])
        late = columns[~fits]
        seen[~fits] = (given[~fits] - self.shifts[late]) * self.factors[late]
        return columns, seen

    def _renew(self, places: Places) -> None:
        n, total = self.weights[places], self.total
        offset = self.sums[places] / n
        mean, rest = self.origins[places] + offset, self.squares[places] - self.sums[places] * offset
        spread, centred = np.fmax(rest, 0.0), 2 * n >= total
        shift = np.where(centred, mean * (n / total), 0.0)
        squares = spread + n * np.square(mean - shift) + np.where(centred, (total - n) * np.square(shift), 0.0)
        is_known = (squares >= LEAST_SQUARES) & np.isfinite(squares)
        self.shifts[places] = np.where(is_known, shift, 0.0)
        factors = np.sqrt(np.divide(np.where(centred, total, n), squares, out=np.zeros_like(n), where=is_known))
        self.factors[places] = np.where(is_known, factors, 0.0)
        if np.array_equal(centred, np.isin(places, self.centred)):
            return
        self.centred = np.union1d(np.setdiff1d(self.centred, places[~centred]), places[centred])

    def predict(self, places: Places, values: Floats) -> tuple[Places, Floats]:
        """Return the columns and the values of a row as it is seen now, with the centred columns that are 0 in it."""
        columns, given = self._with_centred(places, values)
        return columns, (given - self.shifts[columns]) * self.factors[columns]

    def _with_centred(self, places: Places, values: Floats) -> tuple[Places, Floats]:
        columns = np.union1d(places, self.centred)
        given = np.zeros(len(columns))
        given[np.searchsorted(columns, places)] = values
        return columns, given


def _exponents(weights: Floats) -> NDArray[np.int64]:
    """Return the binary exponents of weights, which change when a weight reaches a power of two."""
    return weights.view(np.int64) >> 52


def centred_rows(
    rows: Iterable[tuple[Any, Floats]], copies: list[float], width: int, before: bool = False
) -> tuple[list[tuple[Places, Floats]], CentredColumns]:
    """Return the rows of a stream as columns and values that were seen, and what is known of the columns at the end.

    Parameters
    ----------
    rows : iterable of pairs
        Columns, or a slice of all, and values of each row.
    copies : list of float
        The weight of each row, at most 1. A row of weight 0 is not counted.
    width : int
        The number of columns.
    before : bool, default=False
        Whether rows are wanted as they were predicted: scaled by the rows before each.

    Returns
    -------
    seen : list of pairs
        Columns and values of each row.
    columns : CentredColumns
        What is known of the columns.
    """
    state, every = CentredColumns(width), [_nonzeros(columns, values) for columns, values in rows]
    seen = []
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        for row, weight in zip(every, copies, strict=True):
            if before or weight == 0:
                seen.append(state.predict(*row))
            if weight > 0:
                learned = state.learn(*row, weight)
                if not before:
                    seen.append(learned)
    return seen, state


def _nonzeros(columns: Any, values: Floats) -> tuple[Places, Floats]:
    """Return the columns and the values other than 0 of a row."""
    found = np.flatnonzero(values)
    return (found if isinstance(columns, slice) else columns[found].astype(np.intp)), values[found]
