"""The columns of a data frame as columns of numbers, with factors in R's treatment coding.

A factor of levels a, b and c, in this order, becomes two columns that are 1 where the level is b and where it is c; the
first level is the reference, in which both are 0. They are named as R names them, ``colorb`` and ``colorc``. Levels
that do not occur are dropped, as R's ``glm`` does. The levels of ordered factors are coded in the same way. Without an
intercept, the first factor has a column for each of its levels, as in R.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import input_error, quote

from .columns import FACTOR, Column
from .exactness import REMEDY, first_rounded

MAX_DENSE_ENTRIES = 1 << 24  # of a matrix of many zeros, above which it is sparse


def coded(where: str, columns: list[Column], numbers: NDArray[np.int64] | None = None) -> tuple[Any, tuple[str, ...]]:
    """Return the matrix of some columns, without missing values, and the names of its columns.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    columns : list of Column
        Columns with the rows and levels that count.
    numbers : ndarray of int64, default=None
        The numbers of these rows among those that the user gave, for error messages; by default their own.
    """
    for column in columns:
        _refuse_missing(where, column, numbers)
    names = tuple(name for column in columns for name in coded_names(column))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise input_error(where, f"two columns of X are named {quote(twice)}, with the levels of factors.")
    rows = len(columns[0].values) if columns else 0
    plain = sum(column.kind != FACTOR for column in columns)
    if rows * len(names) > max(MAX_DENSE_ENTRIES, 2 * rows * (2 * plain + len(columns))):
        return sp.hstack([sp.csc_array(_dummies(column)) for column in columns], format="csr"), names
    X = np.empty((rows, len(names)))
    first = 0
    for column in columns:
        part = _dummies(column)
        width = part.shape[1]
        X[:, first : first + width] = part.toarray() if sp.issparse(part) else part
        first += width
    return X, names


def coded_names(column: Column) -> list[str]:
    """Return the names of the columns that a column becomes."""
    if column.kind != FACTOR:
        return [column.name]
    return [f"{column.name}{level}" for level in column.levels[1 if column.has_reference else 0 :]]


def with_all_levels(columns: list[Column]) -> list[Column]:
    """Return columns of which the first factor has no reference level, as R codes a model without an intercept."""
    first = next((j for j, column in enumerate(columns) if column.kind == FACTOR), None)
    return [replace(column, has_reference=False) if j == first else column for j, column in enumerate(columns)]


def _dummies(column: Column) -> Any:
    """Return the columns of numbers that a column becomes."""
    if column.kind != FACTOR:
        return column.values.astype(np.float64, copy=False)[:, np.newaxis]
    first = 1 if column.has_reference else 0
    rows = np.flatnonzero(column.values >= first)
    ones: NDArray[np.float64] = np.ones(len(rows))
    shape = (len(column.values), len(column.levels) - first)
    return sp.csc_array((ones, (rows, column.values[rows] - first)), shape=shape)


def _refuse_missing(where: str, column: Column, numbers: NDArray[np.int64] | None) -> None:
    name = quote(column.name)
    missing = np.flatnonzero(column.missing)
    if len(missing):
        remedy = "Leave out such rows, as R does, or fill in the values."
        row = missing[0] if numbers is None else numbers[missing[0]]
        first = f"row {row}" if len(missing) == 1 else f"{len(missing)} rows, the first of which is row {row}"
        raise input_error(where, f"column {name} has no value in {first}. {remedy}")
    if column.kind == FACTOR and len(column.levels) < 2:
        level = quote(column.levels[0]) if column.levels else "none"
        raise input_error(where, f"column {name} has only one level, {level}. Leave the column out.")
    if column.values.dtype.kind == "f" and not np.all(np.isfinite(column.values)):
        place = int(np.argmin(np.isfinite(column.values)))
        row = place if numbers is None else numbers[place]
        raise input_error(where, f"column {name} has {column.values[place]} in row {row}. All values must be finite.")
    if column.kind != FACTOR and (rounded := first_rounded(column.values)) is not None:
        row = rounded if numbers is None else numbers[rounded]
        raise input_error(where, f"column {name} has {column.values[rounded]} in row {row}, {REMEDY}")
