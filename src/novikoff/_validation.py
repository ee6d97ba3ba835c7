"""Checks of rows, labels, weights and parameters. Code below the estimators trusts what passed them."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._estimators import BaseEstimator
from novikoff._short_floats import is_short, widened
from novikoff.errors import InvalidInputError, input_error, quote

LARGEST_WEIGHT = 2.0**53  # above this, not every integer is a double
MAX_INTEGER = 2**63  # integers below this one fit into 64 bits
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
PLAIN = (np.ndarray, sp.csr_array, sp.csr_matrix)
SMALLEST_WEIGHT = 1e-30  # below this, the square of a step underflows


def check_rows(estimator: BaseEstimator, where: str, X: Any, *, reset: bool, may_be_short: bool = False) -> Any:
    """Return X as a float array or CSR matrix, without a copy if its memory layout allows.

    Values and indices are checked by the kernels, which read all of them anyway. Two-byte floats become float32, unless
    the caller does that block by block, which it says by ``may_be_short``.
    """
    X = X if may_be_short and is_short(X) else widened(X)
    if _is_plain(X) and _fits_columns(estimator, X.shape[1], reset):
        return X
    if sp.issparse(X) and X.ndim != 2:
        raise input_error(where, f"a sparse X must have two dimensions, but its shape is {X.shape}.")
    from sklearn.utils.validation import validate_data  # slow to import

    try:
        return validate_data(
            estimator,
            widened(X),
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    except ValueError as error:
        raise input_error(where, f"X cannot be used: {str(error).rstrip('.')}.") from error


def _is_plain(X: Any) -> bool:
    """Return whether X is a matrix of floats already, so that only its number of columns remains to be checked."""
    if type(X) not in PLAIN or X.ndim != 2 or not (X.dtype in FLOATS or is_short(X)):
        return False
    return bool(X.shape[0] > 0 and X.shape[1] > 0)


def _fits_columns(estimator: BaseEstimator, columns: int, reset: bool) -> bool:
    """Return whether rows without column names can be used; with ``reset``, the estimator takes their number.

    This is what scikit-learn does for such rows, which needs 0.3 ms for it. False leaves warnings and errors to it.
    """
    if reset:
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        estimator.n_features_in_ = columns
        return True
    return not hasattr(estimator, "feature_names_in_") and getattr(estimator, "n_features_in_", None) == columns


def describe_bad_row(where: str, X: Any, row: int) -> InvalidInputError:
    """Return the error for a row that a kernel refused."""
    if sp.issparse(X):
        part = slice(int(X.indptr[row]), int(X.indptr[row + 1]))
        columns, values = X.indices[part], X.data[part]
        outside = np.flatnonzero((columns < 0) | (columns >= X.shape[1]))
        if len(outside):
            index = columns[outside[0]]
            return input_error(
                where, f"X has the column index {index} in row {row}, but {counted(X.shape[1], 'column')}."
            )
    else:
        columns, values = np.arange(X.shape[1]), widened(X[row])
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        name = "NaN" if np.isnan(values[bad[0]]) else str(values[bad[0]])
        place = f"row {row}, column {columns[bad[0]]}"
        return input_error(where, f"X has {name} in {place}. All values must be finite (no NaN or infinity).")
    outcome = "overflows to inf" if np.abs(values.astype(np.float64)).max() > 1 else "underflows"
    return input_error(where, f"the squared norm of row {row} {outcome}. Scale the columns.")


def check_labels(where: str, y: Any, rows: int) -> NDArray[Any]:
    """Return y as an array of one class label per row."""
    if y is None:
        raise input_error(where, "it requires y to be passed, but the target y is None.")
    if sp.issparse(y):
        raise input_error(where, "y must be a dense array, but it is a sparse matrix.")
    labels = _one_column(where, y)
    if len(labels) != rows:
        found = f"X has {counted(rows, 'row')}, but y has {counted(len(labels), 'label')}"
        raise input_error(where, f"{found} (inconsistent numbers of samples).")
    if labels.dtype.kind == "f":
        if not np.all(np.isfinite(labels)):
            raise input_error(where, "y has NaN or infinity (inf). Every row must have a label.")
        if np.any(measured := labels != np.floor(labels)):
            from sklearn.utils.multiclass import type_of_target  # slow to import

            kind = type_of_target(labels)
            raise input_error(
                where, f"y must hold classes, but it has {labels[measured][0]}. Unknown label type: {kind}."
            )
    elif labels.dtype.kind == "O":
        for i, label in enumerate(labels):
            if is_missing(label):
                raise input_error(where, f"y has {label} in row {i}. Every row must have a label.")
            if not isinstance(label, Hashable):
                message = f"labels must be numbers, strings or booleans, but row {i} has {quote(label)}."
                raise input_error(where, message)
    elif labels.dtype.kind not in "biuUS":
        raise input_error(where, f"labels must be numbers, strings or booleans, but y has dtype {labels.dtype}.")
    return labels


def _one_column(where: str, y: Any) -> NDArray[Any]:
    """Return y as an array of one dimension."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufUS":  # scikit-learn needs 0.2 ms for the same
        return np.ascontiguousarray(y)
    if type(y) is list and {type(label) for label in y} in ({str}, {int}, {bool}):
        plain = np.array(y)
        if plain.dtype.kind in "biU":  # integers of more than 64 bits have another
            return plain
    from sklearn.utils.validation import column_or_1d  # slow to import

    try:
        labels: NDArray[Any] = column_or_1d(y, warn=type(y) in (np.ndarray, list))  # frames have no other form
    except (TypeError, ValueError) as error:
        raise input_error(where, f"y cannot be used: {str(error).rstrip('.')}.") from error
    return labels


def is_missing(label: Any) -> bool:
    """Return whether a label is None, NaN or the like."""
    try:
        return label is None or bool(label != label)  # NaN differs from itself
    except TypeError:  # the comparison of pandas.NA has no truth value
        return True


def check_label(where: str, y: Any) -> NDArray[Any]:
    """Return one label as an array of length 1."""
    if type(y) is str or type(y) is bool or (type(y) is int and -MAX_INTEGER <= y < MAX_INTEGER):
        return np.array([y])
    if type(y) not in (str, int, bool) and (np.ndim(y) > 0 or not isinstance(y, Hashable)):
        raise input_error(where, f"a label must be a number, a string or a boolean, but it is {quote(y)}.")
    return check_labels(where, [y], 1)


def check_weights(where: str, sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """Return the weights as float64, or None if all are 1."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise input_error(where, f"sample_weight must be numbers, but it is {quote(sample_weight)}.") from error
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise input_error(where, f"X has {counted(rows, 'row')}, but sample_weight has shape {weights.shape}.")
    wrong = np.flatnonzero(~((weights == 0) | ((weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT))))
    if len(wrong):
        message = f"weights must be 0 or from 1e-30 to 2**53, but row {wrong[0]} has {weights[wrong[0]]}."
        raise input_error(where, message)
    return None if np.all(weights == 1) else np.ascontiguousarray(weights)


def check_weight(where: str, weight: float) -> float:
    """Return the weight of one example as a float."""
    if not isinstance(weight, numbers.Real) or not (weight == 0 or SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT):
        raise input_error(where, f"a weight must be 0 or from 1e-30 to 2**53, but it is {quote(weight)}.")
    return float(weight)


def check_number(
    where: str, name: str, value: Any, *, above: float = -math.inf, at_most: float = math.inf, other: str = ""
) -> float:
    """Return a finite real parameter in (above, at_most]. ``other`` names a value that the caller accepts as well."""
    if type(value) is float or (isinstance(value, numbers.Real) and not isinstance(value, bool)):
        number = float(value)
        if above < number <= at_most and math.isfinite(number):
            return number
    need = (
        "a finite number" if above == -math.inf else "a positive number" if above == 0 else f"a number above {above:g}"
    )
    need += f" of at most {at_most:g}" if at_most < math.inf else ""
    need += f" or {other}" if other else ""
    raise input_error(where, f"{name} must be {need}, but it is {_described(value)}.")


def check_integer(where: str, name: str, value: Any, *, at_least: int) -> int:
    """Return an integer parameter."""
    is_integer = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    if is_integer and int(value) >= at_least:
        return int(value)
    raise input_error(where, f"{name} must be an integer of at least {at_least}, but it is {_described(value)}.")


def check_flag(where: str, name: str, value: Any) -> bool:
    """Return a parameter that is True or False."""
    if value is True or value is False or isinstance(value, np.bool_):
        return bool(value)
    raise input_error(where, f"{name} must be True or False, but it is {_described(value)}.")


def check_choice(where: str, name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return a parameter that is one of a few words."""
    if isinstance(value, str) and value in choices:
        return value
    *first, last = (f'"{choice}"' for choice in choices)
    words = f"{', '.join(first)} or {last}" if first else last
    raise input_error(where, f"{name} must be {words}, but it is {_described(value)}.")


def _described(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else quote(value)


def thread_count(where: str, n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means: None is one, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    jobs = check_integer(where, "n_jobs", n_jobs, at_least=-(2**31))
    if jobs == 0:
        raise input_error(where, "n_jobs must not be 0. Use None for one thread, or -1 for all cores.")
    return jobs if jobs > 0 else max(1, _core_count() + 1 + jobs)


@cache
def _core_count() -> int:
    """Return the number of cores, which the system takes as long to tell as a small fit takes to check its rows."""
    return os.cpu_count() or 1
