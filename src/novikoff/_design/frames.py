"""Columns of numbers as a data frame of the package that the user's data frame is of."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .columns import is_frame, package_of
from .formulas import formula_matrix, is_formula_matrix


def as_frame(like: Any, X: Any, names: Sequence[str] | None, rows: NDArray[np.int64]) -> Any:
    """Return a matrix as a data frame if another object is one, and the matrix itself otherwise.

    Parameters
    ----------
    like : object
        What the user gave: a data frame, a formula matrix, or anything else.
    X : ndarray or sparse matrix
        The columns.
    names : sequence of str or None
        Their names.
    rows : ndarray of int64
        The numbers of these rows in ``like``, for the index of a data frame of pandas.
    """
    if is_formula_matrix(like):
        like = formula_matrix(like)[0]
    if hasattr(like, "collect_schema") and hasattr(like, "collect"):
        like = like.collect()
    if names is None or not is_frame(like):
        return X
    values = X.toarray() if sp.issparse(X) else np.asarray(X)
    module = sys.modules[package_of(like)]
    if package_of(like) == "pandas":
        return module.DataFrame(values, columns=list(names), index=like.index[rows])
    columns = {name: values[:, j] for j, name in enumerate(names)}
    return module.table(columns) if package_of(like) == "pyarrow" else module.DataFrame(columns)
