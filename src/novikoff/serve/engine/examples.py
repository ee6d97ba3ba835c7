"""Examples of one model as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.rows import csr

NOT_SERVED = -2  # code of an example for which nothing was served before


@dataclass(eq=False, slots=True)
class Examples:
    """Examples whose columns and codes are those of the tables of one model.

    Attributes
    ----------
    offsets, columns : ndarray of int32
        The features of example i are those from ``offsets[i]`` to ``offsets[i + 1]``.
    values : ndarray of float64
        Their values.
    codes : ndarray of int32
        Codes of the labels; -1: no label.
    width : int
        More than any column.
    weights : ndarray of float64 or None
        Weights; None: all are 1.
    ids : list or None
        What clients called the examples.
    served : tuple of ndarrays of int32 and int64, or None
        For each example, the code of the label that was served before (-1: no label was known; -2: it was not served)
        and the version that served it.
    """

    offsets: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    codes: NDArray[np.int32]
    width: int
    weights: NDArray[np.float64] | None = None
    ids: list[str | None] | None = None
    served: tuple[NDArray[np.int32], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def matrix(self, width: int = 0) -> Any:
        """Return the rows as a CSR matrix of at least so many columns."""
        return csr(self.values, self.columns, self.offsets, max(width, self.width))

    def taken(self, rows: NDArray[np.intp]) -> Examples:
        """Return some of the examples."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        places = np.repeat(self.offsets[rows].astype(np.int64) - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Examples(
            offsets,
            self.columns[places],
            self.values[places],
            self.codes[rows],
            self.width,
            None if self.weights is None else self.weights[rows],
            None if self.ids is None else [self.ids[row] for row in rows.tolist()],
            None if self.served is None else (self.served[0][rows], self.served[1][rows]),
        )

    def features(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return copies of the columns and values of one example."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return self.columns[begin:end].copy(), self.values[begin:end].copy()


def joined(parts: Sequence[Examples]) -> Examples:
    """Return the examples of several parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0] + [len(part.columns) for part in parts])
    offsets = [part.offsets[1:] + end for part, end in zip(parts, ends.tolist(), strict=False)]
    weights = ids = served = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate([np.ones(len(part)) if part.weights is None else part.weights for part in parts])
    if any(part.ids is not None for part in parts):
        ids = [own for part in parts for own in (part.ids if part.ids is not None else [None] * len(part))]
    if any(part.served is not None for part in parts):
        both = [part.served if part.served is not None else not_served(len(part)) for part in parts]
        served = (np.concatenate([codes for codes, _ in both]), np.concatenate([versions for _, versions in both]))
    return Examples(
        np.concatenate([np.zeros(1, dtype=np.int32), *offsets]).astype(np.int32, copy=False),
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.codes for part in parts]),
        max(part.width for part in parts),
        weights,
        ids,
        served,
    )


def no_examples() -> Examples:
    """Return examples of which there are none."""
    empty = np.zeros(0, dtype=np.int32)
    return Examples(np.zeros(1, dtype=np.int32), empty, np.zeros(0), empty, 1)


def not_served(count: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return what ``served`` is of examples that were not served before."""
    return np.full(count, NOT_SERVED, dtype=np.int32), np.full(count, -1, dtype=np.int64)
