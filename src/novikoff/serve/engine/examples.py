"""Examples of one model as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.data.rows import csr

NO_LABEL = -1  # code of an example without a label
NEW_COLUMN = -1  # of the first name that the model lacks; the one at place k has the column NEW_COLUMN - k
NEW_CODE = -2  # of the first label that the model lacks; the one at place k has the code NEW_CODE - k
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
        Codes of the labels; `NO_LABEL` without one.
    width : int
        More than any column of a name that the model has.
    weights : ndarray of float64 or None
        Weights; None: all are 1.
    ids : list or None
        What clients called the examples.
    served : tuple of ndarrays of int32 and int64, or None
        For each example, the code of the label that was served before (-1: no label was known; -2: it was not served)
        and the version that served it.
    new_names, new_labels : list or None
        Names and labels that the model lacks, for columns below 0 and codes below -1. `Additions` settles them.
    """

    offsets: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    codes: NDArray[np.int32]
    width: int
    weights: NDArray[np.float64] | None = None
    ids: list[str | None] | None = None
    served: tuple[NDArray[np.int32], NDArray[np.int64]] | None = None
    new_names: list[str] | None = None
    new_labels: list[Any] | None = None

    @classmethod
    def of(cls, read: _core.ReadExamples) -> Examples:
        """Return what was read."""
        return cls(
            read.offsets,
            read.columns,
            read.values,
            read.codes,
            read.width,
            read.weights,
            read.ids,
            new_names=read.new_names or None,
            new_labels=read.new_labels or None,
        )

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
            self.new_names,
            self.new_labels,
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
    columns, new_names = _together([(part.columns, part.new_names) for part in parts], NEW_COLUMN)
    codes, new_labels = _together([(part.codes, part.new_labels) for part in parts], NEW_CODE)
    return Examples(
        np.concatenate([np.zeros(1, dtype=np.int32), *offsets]).astype(np.int32, copy=False),
        columns,
        np.concatenate([part.values for part in parts]),
        codes,
        max(part.width for part in parts),
        weights,
        ids,
        served,
        new_names,
        new_labels,
    )


def _together(
    parts: Sequence[tuple[NDArray[np.int32], list[Any] | None]], first: int
) -> tuple[NDArray[np.int32], list[Any] | None]:
    """Return the columns or codes of several parts, and the new names or labels of all of them."""
    whole: list[Any] = []
    begins: dict[int, int] = {}  # of each list in the whole one; parts may share a list
    moved = []
    for values, new in parts:
        if new is not None:
            if id(new) not in begins:
                begins[id(new)] = len(whole)
                whole += new
            if begin := begins[id(new)]:
                values = np.where(values <= first, values - begin, values)
        moved.append(values)
    return np.concatenate(moved), whole or None


def no_examples() -> Examples:
    """Return examples of which there are none."""
    empty = np.zeros(0, dtype=np.int32)
    return Examples(np.zeros(1, dtype=np.int32), empty, np.zeros(0), empty, 1)


def not_served(count: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return what ``served`` is of examples that were not served before."""
    return np.full(count, NOT_SERVED, dtype=np.int32), np.full(count, -1, dtype=np.int64)
