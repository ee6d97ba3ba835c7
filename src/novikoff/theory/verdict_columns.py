"""The columns that a verdict on separability is about: all of X, or those that occur if X is far wider."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .coefficients import OF_ZEROS, CoefficientStatus
from .columns import Columns
from .verification import Check

T = TypeVar("T", bound=Any)


def widened(found: T, columns: Columns) -> T:
    """Return a verdict that is about some columns of X as one about all; the others are 0 and so aliased."""
    width = found.width

    def wide(vector: tuple[int, ...]) -> tuple[int, ...]:
        entries = np.zeros(columns.width, dtype=object)
        entries[columns.indices] = vector[:width]
        return (*entries.tolist(), *vector[width:])

    others = CoefficientStatus.UNDECIDED if found.kind == "undecided" else CoefficientStatus.ALIASED
    statuses = np.full(columns.width, others, dtype=np.int8)
    statuses[columns.indices] = found.statuses[:width]
    return replace(
        found,
        coef=None if found.coef is None else columns.widen(found.coef),
        numerators=None if found.numerators is None else wide(found.numerators),
        statuses=np.append(statuses, found.statuses[width:]),
        directions=tuple(map(wide, found.directions)),
        dependences=tuple(map(wide, found.dependences)),
    )


def narrowed(found: T, X: Any) -> tuple[T, Any]:
    """Return a verdict on all columns, and sparse rows, without the columns in which all rows and directions are 0.

    Columns with a status that a column of zeros cannot have are kept.
    """
    vectors = (*([] if found.numerators is None else [found.numerators]), *found.directions, *found.dependences)
    used = [np.array([entry != 0 for entry in vector[: found.width]], dtype=bool) for vector in vectors]
    used.append(~np.isin(found.statuses[: found.width], OF_ZEROS))
    columns = Columns.occurring(X, *([] if found.coef is None else [found.coef]), *used)
    if columns is None:
        return found, X
    own = [*columns.indices.tolist(), *range(found.width, len(found.statuses))]
    part = replace(
        found,
        coef=None if found.coef is None else columns.narrow(found.coef),
        numerators=None if found.numerators is None else tuple(found.numerators[j] for j in own),
        statuses=found.statuses[own],
        directions=tuple(tuple(vector[j] for j in own) for vector in found.directions),
        dependences=tuple(tuple(vector[j] for j in own) for vector in found.dependences),
    )
    return part, columns.cut(X)


def names_in_columns(names: tuple[str, ...] | None, columns: NDArray[np.int64] | None) -> tuple[str, ...] | None:
    """Return the names of the columns that a verdict is about, given those of all columns of X."""
    if names is None or columns is None:
        return names
    return tuple(names[column] for column in columns.tolist() if 0 <= column < len(names))


def rows_in_columns(X: Any, columns: NDArray[np.int64] | None, width: int | None, count: int) -> Any:
    """Return rows cut to the columns that a verdict is about, or a failed check if they have entries in others.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        All columns of the rows.
    columns : ndarray of int64
        The columns of the verdict.
    width : int
        The number of columns that X must have.
    count : int
        The number of columns that the verdict must have.
    """
    is_array = isinstance(columns, np.ndarray) and columns.dtype.kind in "iu" and columns.shape == (count,)
    if (
        columns is None
        or width is None
        or not is_array
        or np.any(np.diff(columns, prepend=-1) <= 0)
        or np.any(columns >= width)
    ):
        return Check("columns", "fails", f"they are not {count:,} ascending column numbers, one for each coefficient")
    if X.shape[1] != width:
        return Check("data", "fails", f"judged: {width:,} columns; given: {X.shape[1]:,}")
    rows = sp.csr_array(X)
    if not np.all(rows.data):
        rows = rows.copy() if np.shares_memory(rows.data, X.data) else rows
        rows.eliminate_zeros()
    others = np.setdiff1d(rows.indices, columns)
    if len(others):
        return Check("columns", "fails", f"column {others[0]} has entries, but the verdict is not about it")
    return Columns(columns.astype(np.int64), width).cut(rows)
