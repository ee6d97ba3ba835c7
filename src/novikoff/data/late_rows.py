"""Rows that were predicted and wait for their labels, as model files hold them.

A stream with late labels saves them beside the model: the run that continues learns them before any other. They are
stored as they were encoded, because the encoder of a table has seen more rows since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import input_error

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
LABEL_KINDS = "OUbiuf"
NOTHING = -1  # the code of a prediction before any label was known


class Served(NamedTuple):
    """What a tracker predicted for an example when it was served; it can be pickled and stored until the label comes.

    Parameters
    ----------
    label : object
        The label that was predicted; None if no label was known.
    members : tuple
        The labels that the members predicted.
    known : int
        Number of examples that had been learned; one of weight 2.5 counts as three.
    """

    label: Any
    members: tuple[Any, ...]
    known: int


@dataclass(frozen=True, eq=False)
class LateRows:
    """Rows that were predicted, and whose labels are not learned yet; the oldest first.

    Parameters
    ----------
    width : int
        Number of columns.
    values : ndarray
        The values of the rows, one row after the other: all of dense rows, those that are stored of sparse ones.
    columns : ndarray or None
        Their columns; None for dense rows.
    starts : ndarray of shape (n_rows + 1,) or None
        Where the values of each row begin, and the end of the last one; None for dense rows.
    names : tuple
        All labels and predictions, each once.
    label_type : str
        The type of the array of labels: object, or a type of NumPy; str for text of any length.
    labels : ndarray of shape (n_rows,)
        The places of the labels in ``names``.
    weights : ndarray of shape (n_rows,) or None
        The weights.
    served : ndarray of shape (n_rows * (1 + n_members),) or None
        The places of what a tracker and its members predicted for each row, or -1; None for other learners.
    known : ndarray of shape (n_rows,) or None
        Number of examples that the tracker had learned when it predicted each row.
    """

    width: int
    values: Floats
    columns: Codes | None
    starts: Codes | None
    names: tuple[Any, ...]
    label_type: str
    labels: Codes
    weights: Floats | None
    served: Codes | None
    known: Codes | None

    def __post_init__(self) -> None:
        rows, count = len(self.labels), len(self.names)
        fits = rows > 0 and self.width >= 0 and _are_within(self.labels, 0, count) and self._values_fit(rows)
        if self.weights is not None:
            fits = fits and len(self.weights) == rows and bool(np.all(self.weights >= 0))
        if self.served is not None and self.known is not None:
            fits = fits and len(self.known) == rows < len(self.served) and len(self.served) % rows == 0
            fits = fits and _are_within(self.served, NOTHING, count) and bool(np.all(self.known >= 0))
        if not fits or (self.served is None) != (self.known is None):
            raise input_error("late rows", "the parts of the rows that wait for their labels do not fit each other.")
        try:
            kept = np.dtype(self.label_type).kind in LABEL_KINDS and self.label_array().tolist()
        except (TypeError, ValueError, OverflowError):
            kept = False
        if kept != [self.names[code] for code in self.labels.tolist()]:
            raise input_error("late rows", "the labels are not of the type that is named.")

    def _values_fit(self, rows: int) -> bool:
        starts, columns, stored = self.starts, self.columns, len(self.values)
        if starts is None or columns is None:
            return starts is columns and stored == rows * self.width
        fits = len(starts) == rows + 1 and starts[0] == 0 and starts[-1] == stored == len(columns)
        return fits and bool(np.all(np.diff(starts) >= 0)) and _are_within(columns, 0, self.width)

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, X: Any, labels: NDArray[Any], weights: Floats | None, served: Sequence[Served] | None) -> LateRows:
        """Store rows, their labels and weights, and what was served.

        Parameters
        ----------
        X : csr_array or ndarray
            The rows.
        labels : ndarray
            One label per row.
        weights : ndarray or None
            One weight per row.
        served : sequence of Served or None
            What a tracker has served; None for other learners.
        """
        places: dict[tuple[type[Any], Any], int] = {}

        def place(label: Any) -> int:
            return NOTHING if label is None else places.setdefault((type(label), label), len(places))

        codes = np.array([place(label) for label in labels.tolist()], dtype=np.int64)
        given = None
        if served is not None:
            given = np.array([place(own) for each in served for own in (each.label, *each.members)], dtype=np.int64)
        is_sparse = sp.issparse(X)
        return cls(
            width=int(X.shape[1]),
            values=np.array(X.data if is_sparse else X, dtype=np.float64).ravel(),
            columns=X.indices.astype(np.int64) if is_sparse else None,
            starts=X.indptr.astype(np.int64) if is_sparse else None,
            names=tuple(name for _, name in places),
            label_type="str" if labels.dtype.kind == "U" else labels.dtype.name,
            labels=codes,
            weights=weights,
            served=given,
            known=None if served is None else np.array([each.known for each in served], dtype=np.int64),
        )

    def rows(self) -> Any:
        """Return the rows as an array or a sparse matrix."""
        if self.starts is None:
            return self.values.reshape(len(self), self.width)
        return sp.csr_array((self.values, self.columns, self.starts), shape=(len(self), self.width))

    def label_array(self) -> NDArray[Any]:
        """Return the labels."""
        return np.array([self.names[code] for code in self.labels.tolist()], dtype=self.label_type)

    def served_labels(self) -> list[Served]:
        """Return what was served; empty if the learner is not told."""
        if self.served is None or self.known is None:
            return []
        names = (*self.names, None)  # the last one is that of ``NOTHING``
        found = [[names[code] for code in codes] for codes in self.served.reshape(len(self), -1).tolist()]
        return [Served(own[0], tuple(own[1:]), known) for own, known in zip(found, self.known.tolist(), strict=True)]


def _are_within(codes: Codes, low: int, end: int) -> bool:
    return bool(np.all((codes >= low) & (codes < end)))
