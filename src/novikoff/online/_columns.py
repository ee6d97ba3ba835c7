"""The columns of an online learner: how many there are, and their names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._cached import cached_property
from novikoff._wide_array import compacted
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import Floats
from novikoff.theory.running_scale import FIXED, MIXED, ColumnScale

MAX_HASHED_BYTES = 2**32  # of the weights of hashed columns that a file stores compactly


def padded(model: Any, weights: Floats) -> Floats:
    """Return the weights of a kernel with one entry per column of the model; columns it has not seen have weight 0."""
    if model._numbering is not None:
        return cast("Floats", model._numbering.widened(weights, model.n_features_in_))
    missing = model.n_features_in_ - len(weights)
    weights = np.pad(weights, (0, missing)) if missing > 0 else weights
    return compacted(weights) if has_compact_buckets(model) else weights


def scale_of(model: Any) -> ColumnScale | None:
    """Return how each column of the model is scaled before it is learned from; None without a scale."""
    factors, shifts = model._learner.scale_factors(), model._learner.scale_shifts()
    if factors is None:
        return None
    kind = model._learned_rule.geometry.scale
    if not model._is_stream:
        kind = MIXED if model._runs is None else FIXED
    return ColumnScale(kind, padded(model, factors), None if shifts is None else padded(model, shifts))


def plane_of(model: Any, q: int) -> tuple[Floats, float]:
    """Return the weights and the intercept that predict in a problem, for rows as they are given."""
    scale, weights, intercept = scale_of(model), padded(model, model._learner.weights(q)), model._learner.bias(q)
    return (weights, intercept) if scale is None else scale.plane(weights, intercept)


def has_compact_buckets(model: Any) -> bool:
    """Whether the record and the file of a learner have the weights of hashed columns in compact form, if wide."""
    each = (
        4 if model._learned_rule.implementation().is_second_order else 2 if model._learned_rule.keep == "average" else 1
    )
    vectors = model._classes.problem_count * each
    return model.max_features is not None and 8 * model.n_features_in_ * vectors <= MAX_HASHED_BYTES


def match_columns(model: Any) -> None:
    """Tell the validation of scikit-learn the names of columns that appeared by name.

    The model is a draft or a view.
    """
    names = _texts_of(model._learner) if model._by_name else None
    if names is not None:
        model.feature_names_in_ = names


def _texts_of(kernel: _core.OnlineLearner) -> NDArray[Any] | None:
    """Return the names of the columns of a kernel if there are any and all are texts.

    The array is kept with the kernel until it has other names, because a list of a million names takes long to make.
    """
    revision = kernel.names_revision  # read first: names that are replaced meanwhile must not be kept under the new one
    kept = vars(kernel).get("texts")
    if kept is None or kept[:2] != (revision, kernel.name_count):
        names = kernel.names
        texts = np.array(names, dtype=object) if names and all(isinstance(name, str) for name in names) else None
        if texts is not None:
            texts.flags.writeable = False
        kept = vars(kernel)["texts"] = (revision, len(names), texts)
    found: NDArray[Any] | None = kept[2]
    return found


def fix_columns(view: Any) -> None:
    """Let a view have the columns of this moment: others may get new ones while it validates rows."""
    if view._by_name:
        match_columns(view)
        names = vars(view).get("feature_names_in_", ())
        view.n_features_in_ = len(names) or view.n_features_in_


def name_columns(model: Any, where: str) -> None:
    """Let features have names from now on: those of a data frame, or the numbers of the columns."""
    if model._by_name:
        return
    check_buckets(model, where)
    if model.max_features is None:
        width = model._width or 0
        names = names_of_columns(model)
        if model._numbering is not None and names is None:
            names = model._numbering.in_order.tolist()
        elif model._numbering is not None and names is not None:
            names = [names[column] for column in model._numbering.in_order.tolist()]
        if width or names is not None:  # otherwise, there are no columns yet
            model._learner.name_columns(list(range(width) if names is None else names))
        model._numbering = None
    model._by_name = True


def check_buckets(model: Any, where: str) -> None:
    """Refuse a dict after rows of another width than that of hashed features."""
    width = 0 if model._by_name else model._width or 0
    if model.max_features is not None and width not in (0, model.max_features):
        message = f"a dict cannot follow rows of {width} numbers unless max_features={width}."
        raise input_error(where, message)


def names_of_columns(model: Any) -> Sequence[Any] | None:
    """Return the names that a data frame or a stream gave the columns of rows; None if they have none."""
    names: Sequence[Any] | None = getattr(model, "feature_names_in_", model._column_names)
    return names


def row_of_names(column_of: Mapping[Any, int], width: int, where: str, x: Mapping[Any, Any]) -> _core.Rows:
    """Return a dict of features as a sparse row of columns that have no names in the kernel yet.

    The features keep their order, so that the score has the same bits. Features without a column add nothing.
    """
    columns, values = [], []
    for key, value in x.items():
        try:
            _core.hash_keys([key])  # refuses what the kernel would not take as the name of a feature
        except ValueError as error:
            raise input_error(where, str(error)) from None
        try:
            number = float("" if isinstance(value, str) else value)
        except (TypeError, ValueError, OverflowError):
            message = f"feature {quote(key)} must be a number, but its value is {quote(value)}."
            raise input_error(where, message) from None
        if not math.isfinite(number):
            raise input_error(where, f"feature {quote(key)} must be finite, but its value is {quote(value)}.")
        if key in column_of:
            columns.append(column_of[key])
            values.append(number)
    return _core.csr(
        np.array(values, dtype=np.float64), np.array(columns, dtype=np.int32), np.array([0, len(values)]), width
    )


def feature_names_of(model: Any) -> NDArray[Any] | None:
    """Return ``feature_names_in_``, extended by later keys of dicts; None if some column has no name."""
    names: NDArray[Any] | None = vars(model).get("feature_names_in_")
    if names is not None and model._by_name:
        met = model._learner.names
        is_named = len(met) == getattr(model, "n_features_in_", 0) and all(isinstance(name, str) for name in met)
        names = np.array(met, dtype=object) if is_named else None
    return names


def column_names_of(model: Any) -> Sequence[Any] | None:
    """Return what the columns are called by the keys of dicts, by a data frame or by a table; None without names."""
    if model._by_name and model._learner.name_count > 0:  # there are none in buckets
        return KernelNames(model._learner)
    names = getattr(model, "feature_names_in_", model._column_names)
    return None if names is None else list(names)


class KernelNames(Sequence[Any]):
    """The names of the columns of a kernel that no longer learns, as a list that is made when it is needed."""

    def __init__(self, kernel: _core.OnlineLearner) -> None:
        self._kernel = kernel

    @cached_property
    def _names(self) -> list[Any]:
        return list(self._kernel.names)

    def __len__(self) -> int:
        return int(self._kernel.columns)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return self._names[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._names == list(other)

    __hash__ = None  # type: ignore[assignment]  # like that of a list

    def __repr__(self) -> str:
        return repr(self._names)
