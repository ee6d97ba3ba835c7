"""The columns of an online learner: how many there are, and their names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import input_error
from novikoff.theory.geometry import Floats


def padded(model: Any, weights: Floats) -> Floats:
    """Return the weights of a kernel with one entry per column of the model; columns it has not seen have weight 0."""
    missing = model.n_features_in_ - len(weights)
    return np.pad(weights, (0, missing)) if missing > 0 else weights


def match_columns(model: Any) -> None:
    """Tell the validation of scikit-learn the names of columns that appeared by name."""
    names = model._learner.names if model._by_name else []
    if names and all(isinstance(name, str) for name in names):
        model.feature_names_in_ = np.array(names, dtype=object)


def name_columns(model: Any, where: str) -> None:
    """Let features have names from now on: those of a data frame, or the numbers of the columns."""
    if model._by_name:
        return
    width = getattr(model, "n_features_in_", 0)
    if model.max_features is None:
        names = getattr(model, "feature_names_in_", model._column_names)
        model._learner.name_columns(list(range(width) if names is None else names))
    elif width not in (0, model.max_features):
        message = f"a dict cannot follow rows of {width} numbers unless max_features={width}."
        raise input_error(where, message)
    model._by_name = True


def feature_names_of(model: Any) -> NDArray[Any] | None:
    """Return ``feature_names_in_``, extended by later keys of dicts; None if some column has no name."""
    names: NDArray[Any] | None = vars(model).get("feature_names_in_")
    if names is not None and model._by_name:
        met = model._learner.names
        is_named = len(met) == getattr(model, "n_features_in_", 0) and all(isinstance(name, str) for name in met)
        names = np.array(met, dtype=object) if is_named else None
    return names


def column_names_of(model: Any) -> list[Any] | None:
    """Return what the columns are called by the keys of dicts, by a data frame or by a table; None without names."""
    names = model._learner.names if model._by_name else None
    if not names:
        names = getattr(model, "feature_names_in_", model._column_names)
    return None if names is None else list(names)
