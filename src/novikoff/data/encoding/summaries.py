"""What a pass over a table learns about its columns: counts, moments, extremes and categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.data.tables.block import Block

from .words import ALL_CORES


class NumberSummary:
    """Counts, means, variances and extremes of the columns of numbers, updated block by block.

    Means and sums of squared deviations of two parts are combined as in Chan, Golub and LeVeque (1983), Algorithms for
    computing the sample variance, so that a large mean does not cancel a small variance.

    Parameters
    ----------
    count : int
        Number of columns.
    """

    def __init__(self, count: int) -> None:
        self.rows = 0
        self.count = np.zeros(count, dtype=np.int64)  # of values that are not missing
        self.mean, self._squares = np.zeros(count), np.zeros(count)
        self.least, self.largest = np.full(count, np.inf), np.full(count, -np.inf)

    def add(self, numbers: NDArray[Any]) -> None:
        """Add rows, with NaN for missing values."""
        if len(numbers) == 0 or numbers.shape[1] == 0:
            self.rows += len(numbers)
            return
        rows = np.ascontiguousarray(numbers, dtype=np.float64)
        count, mean, squares, least, largest = _core.column_moments(rows, ALL_CORES)
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.count + count.astype(np.int64)
            shift = mean - self.mean
            share = np.divide(count, total, out=np.zeros(len(total)), where=total > 0)
            self._squares += squares + shift * shift * self.count * share
            self.mean += shift * share
        self.count, self.rows = total, self.rows + len(rows)
        self.least, self.largest = np.fmin(self.least, least), np.fmax(self.largest, largest)

    def deviation(self, j: int) -> float:
        """Return the standard deviation of a column, in the form that divides by the number of values."""
        return float(np.sqrt(self._squares[j] / max(int(self.count[j]), 1)))


class StringSummary:
    """The strings of the columns of strings, and how many are missing, updated block by block.

    Parameters
    ----------
    names : sequence of str
        The columns.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.rows = 0
        self.names = list(names)
        self.missing: dict[str, int] = dict.fromkeys(names, 0)
        self.values: dict[str, Sequence[str]] = dict.fromkeys(names, ())

    def add(self, block: Block) -> None:
        """Add the rows of a block of the same pass."""
        self.rows += block.rows
        missing = dict(zip(block.string_names, (block.codes < 0).sum(axis=0).tolist(), strict=True))
        for name in self.names:
            self.missing[name] += missing.get(name, block.rows)
            self.values[name] = block.string_column(name)[1]


def string_counts(blocks: Sequence[Block], name: str) -> NDArray[np.int64]:
    """Return how often each string of a column occurs in the blocks of a pass."""
    counts = np.zeros(len(blocks[-1].string_column(name)[1]) + 1, dtype=np.int64)
    for block in blocks:
        counts += np.bincount(block.string_column(name)[0] + 1, minlength=len(counts))
    return counts[1:]


def scaled_moments(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and the standard deviation of values whose squares overflow or underflow."""
    unit = float(np.abs(values).max())
    scaled = values / unit
    return float(scaled.mean()) * unit, float(scaled.std()) * unit


def columns_of(blocks: Sequence[Block], name: str) -> NDArray[np.float64]:
    """Return a column of numbers of all blocks, without missing values."""
    parts = [block.number_columns([name])[:, 0].astype(np.float64) for block in blocks]
    values: NDArray[np.float64] = np.concatenate(parts)
    return values[~np.isnan(values)]


def is_row_number(values: NDArray[np.float64]) -> bool:
    """Return whether values count the rows: each is 1 more than the one before."""
    return bool(np.all(np.diff(values) == 1.0))


def safe_scale(scale: float) -> float:
    """Return a divisor: 1 in place of 0, and of what is not finite."""
    return scale if scale > 0 and math.isfinite(scale) else 1.0
