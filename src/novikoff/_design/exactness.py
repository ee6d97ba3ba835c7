"""Numbers that float64 cannot hold. A verdict is exact for the numbers that it is about, so these must be refused.

Only integers of 64 bits, long doubles and Python objects can be such numbers. Decimal numbers and fractions are rounded
to the nearest float64, as a number such as 0.1 in a program is.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import input_error

LARGEST = 1 << 53  # all integers up to here are float64 numbers
REMEDY = "which float64 would round. Subtract a constant from the column, or round its values."


def refuse_rounded(where: str, table: Any, own: NDArray[np.int64] | None = None) -> None:
    """Refuse an array or a sparse matrix with a number that float64 would round.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    table : ndarray or sparse matrix
        The rows.
    own : ndarray of int64, default=None
        The numbers of these rows among those that the user gave; by default their own.
    """
    if not may_be_rounded(table.dtype):
        return
    table = table.tocsr() if sp.issparse(table) else table
    values = table.data if sp.issparse(table) else table.reshape(-1)
    entry = first_rounded(values)
    if entry is None:
        return
    row = int(np.searchsorted(table.indptr, entry, "right")) - 1 if sp.issparse(table) else entry // table.shape[1]
    column = table.indices[entry] if sp.issparse(table) else entry % table.shape[1]
    row = row if own is None else int(own[row])
    raise input_error(where, f"X has {values[entry]} in row {row}, column {column}, {REMEDY}")


def may_be_rounded(dtype: np.dtype[Any]) -> bool:
    """Return whether numbers of this type need not be float64 numbers."""
    return (
        dtype.kind == "O" or (dtype.kind in "iu" and dtype.itemsize >= 8) or (dtype.kind == "f" and dtype.itemsize > 8)
    )


def first_rounded(values: NDArray[Any]) -> int | None:
    """Return the place of the first number that float64 would round; None if there is none.

    Parameters
    ----------
    values : ndarray of one dimension
        Numbers or other objects, which are ignored.
    """
    if not may_be_rounded(values.dtype) or len(values) == 0:
        return None
    if values.dtype.kind == "O":
        return next((place for place, value in enumerate(values.tolist()) if _is_rounded(value)), None)
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):
            is_rounded = (values.astype(np.float64) != values) & ~np.isnan(values)
    elif int(values.min()) >= -LARGEST and int(values.max()) <= LARGEST:
        return None
    else:
        sizes = np.abs(values).astype(np.uint64)  # also of -2^63, the absolute value of which has the same bits
        lowest = sizes & (~sizes + np.uint64(1))
        is_rounded = sizes // np.maximum(lowest, np.uint64(1)) > LARGEST
    found = np.flatnonzero(is_rounded)
    return int(found[0]) if len(found) else None


def _is_rounded(value: Any) -> bool:
    if not isinstance(value, numbers.Integral | np.longdouble):
        return False
    try:
        return float(value) != value and value == value
    except OverflowError:
        return True
