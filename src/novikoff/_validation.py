"""Checks of what a user hands in: rows, labels, weights, parameters. Above this line everything is trusted."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Hashable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d, validate_data

from novikoff.errors import InvalidInputError, invalid

MOST_COPIES = 2.0**53  # above this, doubles no longer count
LEAST_WEIGHT = 1e-30  # below this, squares of steps are lost


def check_rows(estimator: BaseEstimator, where: str, X: Any, *, reset: bool) -> Any:
    """Return X as a float array or CSR matrix, without a copy where its layout allows.

    Whether the values are finite and the indices in range is left to the kernels, which see every value anyway.
    """
    if sp.issparse(X) and X.ndim != 2:
        raise invalid(where, "A sparse matrix of two dimensions.", f"one of shape {X.shape}")
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    except ValueError as error:
        raise invalid(where, "A table of numbers, one row an example.", f"one that was refused: {error}") from error


def describe_bad_row(where: str, X: Any, row: int) -> InvalidInputError:
    """Say what is wrong with a row that a kernel refused."""
    need = "Finite values (no NaN or infinity) whose squares add up to a number that is neither infinite nor lost."
    if sp.issparse(X):
        part = slice(int(X.indptr[row]), int(X.indptr[row + 1]))
        columns, values = X.indices[part], X.data[part]
        outside = np.flatnonzero((columns < 0) | (columns >= X.shape[1]))
        if len(outside):
            return invalid(where, f"Column indices from 0 to {X.shape[1] - 1}.", f"{columns[outside[0]]} in row {row}")
    else:
        columns, values = np.arange(X.shape[1]), X[row]
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        name = {True: "NaN"}.get(bool(np.isnan(values[bad[0]])), str(values[bad[0]]))
        return invalid(where, need, f"{name} in row {row}, column {columns[bad[0]]}")
    way = "overflows to inf" if np.abs(values.astype(np.float64)).max() > 1 else "underflows"
    return invalid(where, need, f"row {row}, whose squared norm {way}")


def check_labels(where: str, y: Any, rows: int) -> NDArray[Any]:
    """Return y as an array of one class label a row."""
    if y is None:
        raise invalid(where, "Labels (it requires y to be passed, but the target y is None).", None)
    if sp.issparse(y):
        raise invalid(where, "One label a row, in a dense array.", "a sparse matrix")
    labels: NDArray[Any]
    try:
        labels = column_or_1d(y, warn=True)
    except (TypeError, ValueError) as error:
        raise invalid(where, "One label a row.", f"labels that were refused: {error}") from error
    if len(labels) != rows:
        raise invalid(
            where, f"One label for each of {rows} rows.", f"inconsistent numbers of samples: {len(labels)} labels"
        )
    if labels.dtype.kind == "f":
        if not np.all(np.isfinite(labels)):
            raise invalid(where, "Finite labels.", "NaN or infinity (inf) in y")
        if np.any(labels != np.floor(labels)):
            kind = type_of_target(labels)
            raise invalid(
                where, f"Class labels. Unknown label type: {kind}.", f"{labels[labels != np.floor(labels)][0]}"
            )
    elif labels.dtype.kind == "O":
        for i, label in enumerate(labels):
            if _is_missing(label):
                raise invalid(where, "A label in every row.", f"{label} in row {i}")
            if not isinstance(label, Hashable):
                raise invalid(where, "Labels that are numbers, strings or booleans.", f"{label!r} in row {i}")
    elif labels.dtype.kind not in "biuUS":
        raise invalid(where, "Labels that are numbers, strings or booleans.", f"dtype {labels.dtype}")
    return labels


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # NaN differs from itself
    except TypeError:  # pandas' NA does not say
        return True


def check_label(where: str, y: Any) -> NDArray[Any]:
    """Return one label as an array of one."""
    if np.ndim(y) > 0 or not isinstance(y, Hashable):
        raise invalid(where, "One label, a number, a string or a boolean.", repr(y))
    return check_labels(where, [y], 1)


def check_weights(where: str, sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """Return the weights as float64, or None where every row counts once."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise invalid(where, "Weights that are numbers.", repr(sample_weight)) from error
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise invalid(where, f"sample_weight with one entry for each of {rows} rows.", f"shape {weights.shape}")
    wrong = np.flatnonzero(~((weights == 0) | ((weights >= LEAST_WEIGHT) & (weights <= MOST_COPIES))))
    if len(wrong):
        raise invalid(where, "Weights of 0, or from 1e-30 to 2**53.", f"{weights[wrong[0]]} in row {wrong[0]}")
    return None if np.all(weights == 1) else np.ascontiguousarray(weights)


def check_weight(where: str, weight: float) -> float:
    """One weight."""
    if not isinstance(weight, numbers.Real) or not (weight == 0 or LEAST_WEIGHT <= weight <= MOST_COPIES):
        raise invalid(where, "A weight of 0, or from 1e-30 to 2**53.", repr(weight))
    return float(weight)


def check_number(where: str, name: str, value: Any, *, above: float = -math.inf, at_most: float = math.inf) -> float:
    """A finite real parameter in (above, at_most]."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)
        if above < number <= at_most and math.isfinite(number):
            return number
    span = f"above {above:g}" + (f" and at most {at_most:g}" if at_most < math.inf else "")
    raise invalid(where, f"A number {name} {span}.", repr(value))


def check_integer(where: str, name: str, value: Any, *, at_least: int) -> int:
    """An integer parameter."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= at_least:
        return int(value)
    raise invalid(where, f"An integer {name} of at least {at_least}.", repr(value))


def check_flag(where: str, name: str, value: Any) -> bool:
    """A parameter that is True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise invalid(where, f"{name} = True or False.", repr(value))


def check_choice(where: str, name: str, value: Any, choices: tuple[str, ...]) -> str:
    """A parameter that is one of a few words."""
    if isinstance(value, str) and value in choices:
        return value
    raise invalid(where, f"{name} = {' or '.join(map(repr, choices))}.", repr(value))


def thread_count(where: str, n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` means: None is one, -1 is all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    jobs = check_integer(where, "n_jobs", n_jobs, at_least=-(2**31))
    if jobs == 0:
        raise invalid(where, "n_jobs other than 0.", "0")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)
