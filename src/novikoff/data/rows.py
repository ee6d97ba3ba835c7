"""Views of matrices and single examples as rows for the compiled kernels, without copies but of int64 indices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._counts import counted
from novikoff.errors import input_error, quote

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
CSR = (sp.csr_array, sp.csr_matrix)  # checked by type first: for single examples, sp.issparse is slow


def as_rows(where: str, X: Any) -> _core.Rows:
    """Return a view of a float array or a CSR matrix as rows."""
    if type(X) not in CSR and not sp.issparse(X):
        return _core.dense(X)
    try:
        return _core.csr(X.data, X.indices, X.indptr, X.shape[1])
    except ValueError as error:
        raise input_error(where, f"the sparse matrix is not valid: {error}") from None


def csr(values: NDArray[Any], columns: NDArray[Any], offsets: NDArray[Any], width: int) -> Any:
    """Return a CSR array of rows that are sorted and free of duplicates, without copying or checking them."""
    X = sp.csr_array((len(offsets) - 1, width), dtype=values.dtype)
    X.data, X.indices, X.indptr = values, columns, offsets
    X.has_canonical_format = True
    return X


def with_valid_columns(where: str, X: Any) -> Any:
    """Return rows, unless an index of a sparse matrix is outside of it."""
    if sp.issparse(X):
        used = X.indices[: X.nnz]
        if len(used) and not 0 <= used.min() <= used.max() < X.shape[1]:
            raise input_error(where, f"X has a column index outside of its {counted(X.shape[1], 'column')}.")
    return X


def is_keyed(x: Any) -> bool:
    """Return whether an example names its features. The DOK matrices of scipy are dicts too, but of positions."""
    if isinstance(x, dict):
        return type(x) is dict or not sp.issparse(x)
    return not hasattr(x, "shape") and isinstance(x, Mapping)


def one_row(where: str, x: Any, width: int | None) -> Any:
    """Return one example (a sequence, an array or a sparse row) as a matrix of one row and ``width`` columns."""
    if type(x) in CSR and len(x.shape) == 2:
        row = x
    elif sp.issparse(x):
        row = x.reshape(1, -1).tocsr() if x.ndim == 1 else x if x.format == "csr" else x.tocsr()
    else:
        row = np.asarray(x)
        row = row.reshape(1, -1) if row.ndim == 1 else row
    if row.dtype not in FLOATS:
        try:
            row = None if row.dtype.kind in "cUSMm" else row.astype(np.float64)
        except (TypeError, ValueError):
            row = None
        if row is None:
            found = f"{np.asarray(x).dtype}: {quote(x)}"
            raise input_error(where, f"the features of an example must be real numbers, but they are {found}.")
    shape = row.shape
    if len(shape) != 2 or shape[0] != 1 or shape[1] != (width or max(1, shape[1])):
        expected = "at least one feature" if width is None else counted(width, "feature")
        raise input_error(where, f"x must be one example of {expected}, but its shape is {np.shape(x)}.")
    return row
