"""The rows of one partition, validated: what a worker holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._validation import check_labels, check_weights, describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class Block:
    """The rows of one partition.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
        Finite rows of float64 or float32. Sparse rows have ascending indices and no explicit zeros.
    y : ndarray of shape (n_rows,) or None
        The labels as they were given.
    weights : ndarray of shape (n_rows,) or None
        The weights of the rows; None if all are 1.
    name : str
        Where the rows come from, for error messages: ``"part-3.parquet, row group 2"``.
    """

    X: Any
    y: NDArray[Any] | None
    weights: Floats | None
    name: str

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are sparse."""
        return bool(sp.issparse(self.X))

    def rows(self) -> _core.Rows:
        """Return the rows as the kernels read them."""
        return as_rows(self.name, self.X)


def checked_block(name: str, X: Any, y: Any, weights: Any = None) -> Block:
    """Return the block of some rows. Rows that cannot be used are refused with the name and the number of the row.

    Parameters
    ----------
    name : str
        Where the rows come from, for error messages.
    X : array-like or sparse matrix
        The rows; there may be none.
    y : array-like or None
        The labels; None if the rows are not labelled.
    weights : array-like, default=None
        The weights of the rows.
    """
    X = _as_matrix(name, X)
    labels = None if y is None else check_labels(name, y, X.shape[0])
    block = Block(X, labels, check_weights(name, weights, X.shape[0]), name)
    if block.count == 0 or X.shape[1] == 0:
        return block
    good, _, is_rising, has_zeros = _core.survey(block.rows(), None)
    if good < block.count:
        raise describe_bad_row(name, X, good)
    if is_rising and not has_zeros:
        return block
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return Block(X, labels, block.weights, name)


def _as_matrix(name: str, X: Any) -> Any:
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise input_error(name, "the values must be numbers, but they are complex.")
    if sp.issparse(X):
        X = sp.csr_matrix(X) if X.format != "csr" else X
        return X if X.dtype in FLOATS else X.astype(np.float32 if X.dtype == np.float16 else np.float64)
    try:
        X = np.asarray(X)
        X = X if X.dtype in FLOATS else X.astype(np.float32 if X.dtype == np.float16 else np.float64)
    except (TypeError, ValueError) as error:
        raise input_error(name, f"the values must be numbers: {error}.") from None
    if X.ndim != 2:
        raise input_error(name, f"the rows must have two dimensions, but their shape is {X.shape}.")
    return np.ascontiguousarray(X)
