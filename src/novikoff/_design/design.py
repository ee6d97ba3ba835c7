"""What a user has, as the rows that a logistic regression sees.

A row counts if its weight is positive. A row with a count of successes and a count of failures stands for two rows, one
of each class. An offset adds a constant to the score of a row; no constant can keep a score from growing along a
direction of recession, so offsets have no influence on which estimates exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._short_floats import as_array
from novikoff._validation import check_flag, check_weights
from novikoff.errors import input_error, quote

from .coding import coded, with_all_levels
from .columns import frame_columns, is_frame
from .exactness import refuse_rounded
from .formulas import INTERCEPTS, formula_matrix, is_formula_matrix
from .response import Present, Response, modelled_label, response_of

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """The rows of a logistic regression with a positive weight.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The rows, without the intercept.
    signs : ndarray of float64
        +1 for each row of the modelled class, -1 for the others.
    fit_intercept : bool
        Whether there is an intercept.
    positive : object
        The modelled label.
    response : str or None
        The name of y; None if it has counts.
    names : tuple of str or None
        The names of the columns of X; None if they have no names.
    given : int
        The number of rows that the user gave.
    numbers : ndarray of int64 or None
        For each row of X, the number of the row that the user gave; for counts, the failures of row i have the number
        given + i. None if these are the same rows.
    counts : ndarray of shape (given, 2) or None, default=None
        If y has counts, those of the modelled class and of the other.
    has_proportions : bool, default=False
        Whether ``counts`` has proportions of the weight of each row.
    """

    X: Any
    signs: NDArray[np.float64]
    fit_intercept: bool
    positive: Any
    response: str | None
    names: tuple[str, ...] | None
    given: int
    numbers: Rows | None = None
    counts: NDArray[np.float64] | None = None
    has_proportions: bool = False

    def present(self) -> Rows:
        """Return the numbers of the rows that the user gave and that count."""
        return np.arange(self.given) if self.numbers is None else np.unique(self.numbers % self.given)

    def to_given(self, rows: Rows) -> Rows:
        """Return the numbers that rows of X have among those that the user gave."""
        return rows if self.numbers is None else self.numbers[rows]

    def from_given(self, rows: Rows) -> Rows | None:
        """Return the rows of X that have these numbers; None if one of them is not in X."""
        if self.numbers is None:
            return rows if np.all((rows >= 0) & (rows < self.given)) else None
        order = np.argsort(self.numbers, kind="stable")
        places = np.searchsorted(self.numbers, rows, sorter=order)
        if len(rows) == 0:
            return rows
        if places.max() >= len(order) or not np.array_equal(self.numbers[order[places]], rows):
            return None
        return order[places].astype(np.int64)


def design_of(
    where: str,
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    positive: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
) -> Design:
    """Return the design that a user describes.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    X, y, fit_intercept, positive, sample_weight, offset
        As in ``novikoff.separability``.

    Raises
    ------
    InvalidInputError
        If the arguments do not describe two classes of rows. The values of an array X are not read.
    """
    fit_intercept = check_flag(where, "fit_intercept", fit_intercept)
    table, columns_names, has_formula = _table(where, X)
    count = table.shape[0]
    if count == 0:
        raise input_error(where, "X has no rows.")
    weights = check_weights(where, sample_weight, count)
    present = None if weights is None or np.all(weights > 0) else weights > 0
    if present is not None and not np.any(present):
        raise input_error(where, "sample_weight is zero for every row.")
    _check_offset(where, offset, count, present)
    response = response_of(where, y, count, sample_weight is not None, present)
    modelled = modelled_label(where, response, present, positive)
    numbers, signs = _numbered(where, response, present, modelled)
    own = numbers if numbers is None or response.codes is not None else numbers % count
    rows, names = _rows(where, table, columns_names, own, fit_intercept)
    rows, names, fit_intercept = _without_intercept(where, rows, names, fit_intercept, has_formula)
    counts = response.counts if response.levels[-1] != modelled else _reversed(response.counts)
    return Design(
        rows, signs, fit_intercept, modelled, response.name, names, count, numbers, counts, response.has_proportions
    )


def _reversed(counts: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    return None if counts is None else counts[:, ::-1]


def _table(where: str, X: Any) -> tuple[Any, list[str] | None, bool]:
    """Return X as an array, a sparse matrix or a data frame, the names of the columns of a formula, if it is one."""
    names, has_formula = None, is_formula_matrix(X)
    if has_formula:
        X, names = formula_matrix(X)
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):  # a lazy frame of polars
        X = X.collect()
    if hasattr(X, "to_frame") and not is_frame(X):  # a series of pandas or polars
        X = X.to_frame()
    if is_frame(X):
        return X, names, has_formula
    if not sp.issparse(X):
        try:
            X = as_array(X)
        except ValueError:
            raise input_error(where, "X cannot be used: its rows have different lengths.") from None
    if X.dtype.kind == "c":
        raise input_error(where, "X has complex numbers. Use their real and imaginary parts as columns.")
    if X.ndim != 2:
        remedy = " Use X.reshape(-1, 1) for a single column." if X.ndim == 1 else ""
        raise input_error(where, f"X must have two dimensions, but its shape is {X.shape}.{remedy}")
    return X, names, has_formula


def _check_offset(where: str, offset: Any, rows: int, present: Present) -> None:
    """Refuse an offset that is not one finite number per row that counts; it has no further use."""
    if offset is None:
        return
    try:
        values = np.asarray(offset, dtype=np.float64)
    except (TypeError, ValueError):
        raise input_error(where, f"offset must be numbers, but it is {quote(offset)}.") from None
    if values.shape not in ((), (rows,), (rows, 1)):
        raise input_error(where, f"X has {rows} rows, but offset has shape {values.shape}.")
    is_wrong = ~np.isfinite(np.broadcast_to(values.ravel(), (rows,)))
    wrong = np.flatnonzero(is_wrong if present is None else is_wrong & present)
    if len(wrong):
        found = values.ravel()[wrong[0] if values.ndim else 0]
        name = "NaN" if np.isnan(found) else str(found)
        raise input_error(where, f"offset has {name} in row {wrong[0]}. Every row needs a finite number.")


def _numbered(
    where: str, response: Response, present: Present, modelled: Any
) -> tuple[Rows | None, NDArray[np.float64]]:
    """Return the numbers of the rows that count, and their signs."""
    if response.codes is not None:
        place = next(j for j, level in enumerate(response.levels) if level == modelled)
        signs = np.where(response.codes == place, 1.0, -1.0)
        return (None, signs) if present is None else (np.flatnonzero(present), signs[present])
    assert response.counts is not None
    counts = response.counts if present is None else response.counts * present[:, np.newaxis]
    first = list(response.levels).index(modelled)
    successes, failures = (np.flatnonzero(counts[:, side] > 0) for side in (first, 1 - first))
    if len(successes) + len(failures) == 0:
        where_positive = "" if present is None else " in rows of positive weight"
        raise input_error(where, f"all counts of y{where_positive} are 0, so that there are no observations.")
    for rows, level in ((successes, modelled), (failures, response.levels[1 - first])):
        if len(rows) == 0:
            raise input_error(where, f"y has only one class: all counts of {quote(level)} are 0.")
    signs = np.repeat([1.0, -1.0], [len(successes), len(failures)])
    return np.concatenate([successes, len(counts) + failures]).astype(np.int64), signs


def _rows(
    where: str, table: Any, names: list[str] | None, own: Rows | None, fit_intercept: bool
) -> tuple[Any, tuple[str, ...] | None]:
    """Return some rows of X as numbers, and the names of the columns."""
    if is_frame(table):
        columns = frame_columns(where, table)
        if not columns:
            raise input_error(where, "X has no columns.")
        columns = [column.only(own) for column in columns]
        has_constant = fit_intercept or any(
            column.name in INTERCEPTS and np.all(column.values == 1) for column in columns
        )
        return coded(where, columns if has_constant else with_all_levels(columns), own)
    if own is not None:
        table = (table.tocsr() if sp.issparse(table) else table)[own]
        _refuse_values(where, table, own)
    refuse_rounded(where, table, own)
    return table, None if names is None else tuple(names)


def _refuse_values(where: str, table: Any, own: Rows) -> None:
    """Refuse NaN and infinity with the row that the user gave; without row numbers, the kernels find them."""
    values = table.data if sp.issparse(table) else table
    if values.dtype.kind not in "fc" or np.all(np.isfinite(values)):
        return
    entry = int(np.argmin(np.isfinite(values)))
    row = np.searchsorted(table.indptr, entry, "right") - 1 if sp.issparse(table) else entry // table.shape[1]
    column = table.indices[entry] if sp.issparse(table) else entry % table.shape[1]
    name = "NaN" if np.isnan(values.flat[entry]) else str(values.flat[entry])
    raise input_error(where, f"X has {name} in row {own[row]}, column {column}. All values must be finite.")


def _without_intercept(
    where: str, rows: Any, names: tuple[str, ...] | None, fit_intercept: bool, has_formula: bool
) -> tuple[Any, tuple[str, ...] | None, bool]:
    """Return the rows without a named column of ones, which is the intercept, and whether there is one.

    A formula says itself whether there is an intercept; a data frame may have a column ``const``.
    """
    if names is None or not (fit_intercept or has_formula):
        return rows, names, fit_intercept
    for j, name in enumerate(names):
        column = rows[:, [j]] if name in INTERCEPTS else None
        if column is not None and np.all((column.toarray() if sp.issparse(column) else column) == 1):
            if len(names) == 1:  # a model of the intercept only keeps it as a column
                return rows, names, False
            kept = [k for k in range(len(names)) if k != j]
            return rows[:, kept], tuple(names[k] for k in kept), True
    if fit_intercept and "(Intercept)" in names:
        raise input_error(where, "the column '(Intercept)' of X is not constant, but it has the name of the intercept.")
    return rows, names, fit_intercept and not has_formula
