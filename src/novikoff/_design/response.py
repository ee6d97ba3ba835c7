"""The response of a logistic regression: labels of two classes, or counts of successes and failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._counts import count, counted
from novikoff._labels import encode
from novikoff._validation import check_labels, is_missing
from novikoff.errors import input_error, quote, quote_first

from .columns import BOOLEAN, FACTOR, Column, frame_columns, is_frame, series_column
from .formulas import factor_levels, formula_matrix, is_formula_matrix

SUCCESS, FAILURE = "success", "failure"
NEEDS_LABEL = "Every row must have a label."

Present = NDArray[np.bool_] | None  # the rows of positive weight; None for all


@dataclass(frozen=True)
class Response:
    """What is observed in each row, before rows of weight 0 are removed.

    Parameters
    ----------
    name : str or None
        The name of the labels; None for counts.
    levels : tuple
        The two labels, the one that is modelled by default last; more than two, or one, are refused later. For counts,
        the names of failures and successes.
    codes : ndarray of int64 or None
        The place of the label of each row among the levels. None for counts.
    counts : ndarray of shape (n_samples, 2) or None, default=None
        Weights of the failures and of the successes of each row.
    has_proportions : bool, default=False
        Whether these are proportions of the weight of the row instead of counts.
    """

    name: str | None
    levels: tuple[Any, ...]
    codes: NDArray[np.int64] | None
    counts: NDArray[np.float64] | None = None
    has_proportions: bool = False


def response_of(where: str, y: Any, rows: int, has_weights: bool, present: Present = None) -> Response:
    """Return the response that y describes. What absent rows have is not checked; their counts are 0.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    y : object
        Labels, a series, a categorical, a matrix of one or two columns, a data frame, or the left side of a formula.
    rows : int
        The number of rows of X.
    has_weights : bool
        Whether there are weights, so that numbers between 0 and 1 may be proportions.
    present : ndarray of bool or None, default=None
        The rows that count; None for all.
    """
    names: list[str] | None = None
    if is_formula_matrix(y):
        table, names = formula_matrix(y)
        table = table.toarray() if sp.issparse(table) else table
        if (found := factor_levels(y, names)) is not None:
            return _from_indicators(*found, np.asarray(table, dtype=np.float64))
        y = np.asarray(table)
    elif sp.issparse(y):
        y = y.toarray()
    elif is_frame(y):
        columns = frame_columns(where, y)
        if len(columns) == 1:
            return _from_column(where, columns[0], rows, has_weights, present)
        if any(column.kind == FACTOR for column in columns):
            raise input_error(where, "a data frame y of several columns must have two columns of counts.")
        names, y = [column.name for column in columns], np.column_stack([column.values for column in columns])
    elif (column := series_column(where, y)) is not None:
        return _from_column(where, column, rows, has_weights, present)
    if y is None or not hasattr(y, "__len__"):
        check_labels(where, y, rows)
    values = _as_array(where, y)
    if values.ndim == 2 and values.shape[1] != 1:
        _check_length(where, len(values), rows)
        return _from_counts(where, values, names, present)
    return _from_values(where, "y" if names is None else names[0], values, rows, has_weights, present)


def _as_array(where: str, y: Any) -> NDArray[Any]:
    """Return y as an array. A missing value among strings does not become a string."""
    try:
        values = np.asarray(y)
    except ValueError:
        raise input_error(where, "y cannot be used: its rows have different lengths.") from None
    if values.dtype.kind == "U" and isinstance(y, list | tuple) and any(isinstance(label, float) for label in y):
        return np.array(y, dtype=object)
    return values


def _check_length(where: str, found: int, rows: int) -> None:
    if found != rows:
        found_words = f"X has {counted(rows, 'row')}, but y has {count(found)}"
        raise input_error(where, f"{found_words} (inconsistent numbers of samples).")


def _from_values(
    where: str, name: str, values: NDArray[Any], rows: int, has_weights: bool, present: Present
) -> Response:
    """Return labels, or proportions of successes, from an array of one column."""
    if values.ndim == 2:
        values = values[:, 0]
    if values.ndim != 1:
        check_labels(where, values, rows)
    _check_length(where, len(values), rows)
    own = values if present is None else values[present]
    for place in _missing(own):
        raise input_error(where, f"y has {_missing_word(own[place])} in row {_row(place, present)}. {NEEDS_LABEL}")
    if (proportions := _proportions(where, own, has_weights, present)) is not None:
        both = np.column_stack([1.0 - proportions, proportions])
        return Response(None, (FAILURE, SUCCESS), None, _of_all_rows(both, present), has_proportions=True)
    classes, codes = encode(where, check_labels(where, own, len(own)))
    return Response(name, tuple(classes.tolist()), _of_all_rows(codes.astype(np.int64, copy=False), present))


def _of_all_rows(values: NDArray[Any], present: Present) -> NDArray[Any]:
    """Return values of the rows that count, with 0 for the others."""
    if present is None:
        return values
    everywhere = np.zeros((len(present), *values.shape[1:]), dtype=values.dtype)
    everywhere[present] = values
    return everywhere


def _row(place: int, present: Present) -> int:
    """Return the number that a row has among all rows, given its place among those that count."""
    return int(place if present is None else np.flatnonzero(present)[place])


def _missing(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the places of NaN, None and the like."""
    if values.dtype.kind == "f":
        return np.flatnonzero(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(0, dtype=np.int64)
    return np.array([i for i, label in enumerate(values.tolist()) if is_missing(label)], dtype=np.int64)


def _missing_word(label: Any) -> str:
    return "NaN" if isinstance(label, float) else str(label)


def _from_column(where: str, column: Column, rows: int, has_weights: bool, present: Present) -> Response:
    """Return labels or proportions from a column; the order of a factor is its own."""
    _check_length(where, len(column.values), rows)
    missing = np.flatnonzero(column.missing if present is None else column.missing & present)
    if len(missing):
        raise input_error(where, f"y has no value in row {missing[0]}. {NEEDS_LABEL}")
    if column.kind == BOOLEAN:
        return Response(column.name, (False, True), np.where(column.missing, 0, column.values).astype(np.int64))
    if column.kind != FACTOR:
        return _from_values(where, column.name, column.values, rows, has_weights, present)
    plain = tuple(level if isinstance(level, str | int | float) else str(level) for level in column.levels)
    return Response(column.name, plain, np.maximum(column.values, 0))


def _from_indicators(name: str, levels: list[Any], table: NDArray[np.float64]) -> Response:
    """Return labels from one column of 0 and 1 per level."""
    return Response(name, tuple(levels), np.argmax(table, axis=1).astype(np.int64))


def _from_counts(where: str, table: NDArray[Any], names: list[str] | None, present: Present) -> Response:
    """Return counts from two columns, successes and failures."""
    if table.ndim != 2 or table.shape[1] != 2:
        message = f"y must hold labels, or two columns of counts (successes, failures), but its shape is {table.shape}."
        raise input_error(where, message)
    try:
        counts = table.astype(np.float64)
    except (TypeError, ValueError):
        message = "two columns of y must be counts of successes and failures, but not all are numbers."
        raise input_error(where, message) from None
    if present is not None:
        counts[~present] = 0
    wrong = np.flatnonzero(~np.all((counts >= 0) & (counts < np.inf), axis=1))
    if len(wrong):
        values = quote_first(counts[wrong[0]].tolist())
        raise input_error(where, f"counts must be at least 0 and finite, but row {wrong[0]} of y has {values}.")
    success, failure = (SUCCESS, FAILURE) if names is None else names
    return Response(None, (failure, success), None, counts[:, ::-1])


def _proportions(where: str, values: NDArray[Any], has_weights: bool, present: Present) -> NDArray[np.float64] | None:
    """Return y as proportions if it has numbers that are not whole; None if these are labels."""
    if values.dtype.kind != "f" or not np.any(measured := np.isfinite(values) & (values != np.floor(values))):
        return None
    outside = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(outside):
        found = f"y has {values[outside[0]]} in row {_row(outside[0], present)}"
        raise input_error(where, f"{found}. Proportions of successes are from 0 to 1, and labels are whole numbers.")
    if not has_weights:
        first = int(np.argmax(measured))
        found = f"y must hold classes, but it has {values[first]} in row {_row(first, present)}"
        raise input_error(where, f"{found}. If y has proportions, give the numbers of trials as sample_weight.")
    return values.astype(np.float64)


def modelled_label(where: str, response: Response, present: Present, positive: Any) -> Any:
    """Return the label whose probability is modelled; refuse labels that are not two.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    response : Response
        The response.
    present : ndarray of bool or None
        The rows that count; None for all.
    positive : object
        The label that the user wants to model; None for the last.
    """
    levels = list(response.levels)
    if response.codes is not None:
        codes = response.codes if present is None else response.codes[present]
        occurs = np.bincount(codes, minlength=len(levels)) > 0
        levels = [level for level, known in zip(levels, occurs.tolist(), strict=True) if known]
    if positive is not None and not any(_same(level, positive) for level in levels):
        raise input_error(where, f"positive is {quote(positive)}, but the labels of y are {quote_first(levels)}.")
    if len(levels) == 1:
        raise input_error(where, f"y has only one class, {quote(levels[0])}. At least two are needed.")
    if len(levels) != 2:
        remedy = "Compare one class with the others: y == label."
        raise input_error(where, f"y must have two classes, but it has {len(levels)}: {quote_first(levels)}. {remedy}")
    return levels[0] if positive is not None and _same(levels[0], positive) else levels[1]


def _same(level: Any, positive: Any) -> bool:
    """Return whether two labels are equal."""
    try:
        return bool(level == positive)
    except Exception:  # a comparison of the user's objects
        return False
