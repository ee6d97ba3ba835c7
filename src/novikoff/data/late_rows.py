"""Rows that were predicted and wait for their labels, as model files hold them.

A stream with late labels saves them beside the model: the run that continues learns them before any other. They are
stored as they were encoded, because the encoder of a table has seen more rows since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import input_error

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
LABEL_KINDS = "OUbiuf"


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
        The labels, each once.
    label_type : str
        The type of the array of labels: object, or a type of NumPy; str for text of any length.
    labels : ndarray of shape (n_rows,)
        The places of the labels in ``names``.
    weights : ndarray of shape (n_rows,) or None
        The weights.
    """

    width: int
    values: Floats
    columns: Codes | None
    starts: Codes | None
    names: tuple[Any, ...]
    label_type: str
    labels: Codes
    weights: Floats | None

    def __post_init__(self) -> None:
        rows, count = len(self.labels), len(self.names)
        fits = rows > 0 and self.width >= 0 and _are_within(self.labels, 0, count) and self._values_fit(rows)
        if self.weights is not None:
            fits = fits and len(self.weights) == rows and bool(np.all(self.weights >= 0))
        if not fits:
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
    def of(cls, X: Any, labels: NDArray[Any], weights: Floats | None) -> LateRows:
        """Store rows, their labels and weights.

        Parameters
        ----------
        X : csr_array or ndarray
            The rows.
        labels : ndarray
            One label per row.
        weights : ndarray or None
            One weight per row.
        """
        places: dict[tuple[type[Any], Any], int] = {}
        codes = [places.setdefault((type(label), label), len(places)) for label in labels.tolist()]
        is_sparse = sp.issparse(X)
        return cls(
            width=int(X.shape[1]),
            values=np.array(X.data if is_sparse else X, dtype=np.float64).ravel(),
            columns=X.indices.astype(np.int64) if is_sparse else None,
            starts=X.indptr.astype(np.int64) if is_sparse else None,
            names=tuple(name for _, name in places),
            label_type="str" if labels.dtype.kind == "U" else labels.dtype.name,
            labels=np.array(codes, dtype=np.int64),
            weights=weights,
        )

    def rows(self) -> Any:
        """Return the rows as an array or a sparse matrix."""
        if self.starts is None:
            return self.values.reshape(len(self), self.width)
        return sp.csr_array((self.values, self.columns, self.starts), shape=(len(self), self.width))

    def label_array(self) -> NDArray[Any]:
        """Return the labels."""
        return np.array([self.names[code] for code in self.labels.tolist()], dtype=self.label_type)


def _are_within(codes: Codes, low: int, end: int) -> bool:
    return bool(np.all((codes >= low) & (codes < end)))
