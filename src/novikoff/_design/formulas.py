"""The matrices that formulaic and patsy make of a formula, recognised by their attributes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

INTERCEPTS = ("Intercept", "(Intercept)", "const")  # as formulaic and patsy, R, and statsmodels name it


def is_formula_matrix(X: Any) -> bool:
    """Return whether formulaic or patsy made a matrix of a formula."""
    return hasattr(X, "design_info") or hasattr(X, "model_spec")


def formula_matrix(X: Any) -> tuple[Any, list[str]]:
    """Return the array, sparse matrix or data frame of a formula, and the names of its columns."""
    if hasattr(X, "model_spec"):
        return getattr(X, "__wrapped__", X), [str(name) for name in X.model_spec.column_names]
    return (X if hasattr(X, "iloc") else np.asarray(X)), [str(name) for name in X.design_info.column_names]


def factor_levels(y: Any, names: list[str]) -> tuple[str, list[Any]] | None:
    """Return the name and the levels of a factor on the left side of a formula, one per column; None for numbers.

    Both packages turn the factor of ``y ~ x`` into one column of 0 and 1 per level, ``y[no]`` and ``y[yes]``.
    """
    matched = [re.fullmatch(r"(.*)\[(?:T\.)?(.*)\]", name) for name in names]
    parts = [(match[1], match[2]) for match in matched if match is not None]
    if len(parts) < len(names) or len({name for name, _ in parts}) > 1:
        return None
    name = parts[0][0]
    if hasattr(y, "model_spec"):
        found = [state.levels for state in y.model_spec.factor_contrasts.values()]
    elif hasattr(y, "design_info"):
        infos = y.design_info.factor_infos.values()
        found = [info.categories for info in infos if info.type == "categorical"]
    else:
        found = []
    return (name, list(found[0])) if len(found) == 1 and len(found[0]) == len(names) else None
