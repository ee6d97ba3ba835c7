"""The rows that a caller of ``verify`` gives, as a table of numbers, without changing them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.errors import input_error
from novikoff.theory.geometry import as_table


def rows_of(where: str, X: Any) -> Any:
    """Return rows as an array of numbers, or as a CSR matrix whose indices are in order.

    Parameters
    ----------
    where : str
        Who asks, for error messages.
    X : array-like or sparse matrix
        The rows. They are not changed; what has the right form already is not copied.

    Returns
    -------
    ndarray or CSR matrix of shape (n_samples, n_features)
        The rows.
    """
    if sp.issparse(X):
        if X.ndim != 2:
            raise input_error(where, f"X must have two dimensions, but its shape is {X.shape}.")
        return as_table(_with_valid_indices(where, X))
    try:
        table = as_table(X)
        if table.dtype.kind not in "biuf":
            table = table.astype(np.float64, casting="safe" if table.dtype.kind == "c" else "unsafe")
    except (TypeError, ValueError) as error:
        raise input_error(where, f"X must be a table of numbers: {str(error).rstrip('.')}.") from error
    if table.ndim != 2:
        raise input_error(where, f"X must have two dimensions, but its shape is {table.shape}.")
    return table


def _with_valid_indices(where: str, X: Any) -> Any:
    """Return a sparse matrix as CSR, unless an index is outside of it, which SciPy would not notice."""
    try:
        table = X.tocsr()
        starts, columns = table.indptr, table.indices
        is_valid = (
            len(starts) == X.shape[0] + 1
            and starts[0] == 0
            and np.all(np.diff(starts) >= 0)
            and starts[-1] <= min(len(columns), len(table.data))
            and (len(columns) == 0 or 0 <= columns.min() <= columns.max() < X.shape[1])
        )
    except (TypeError, ValueError, IndexError) as error:
        raise input_error(where, f"X is not a valid sparse matrix: {str(error).rstrip('.')}.") from error
    if not is_valid:
        raise input_error(where, "X is not a valid sparse matrix: some indices are outside of it.")
    if table.dtype.kind not in "biuf":
        raise input_error(where, f"X must be a table of numbers, but its dtype is {table.dtype}.")
    return table
