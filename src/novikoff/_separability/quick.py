"""Whether a plane separates two classes, decided in floating point and without a proof in integers.

A learner that passes over its rows again and again uses it to know whether it can ever be finished. The answer costs
about as much as ten passes over the rows, where that of ``novikoff.separability`` may take minutes.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from novikoff.solvers.one_core import one_core
from novikoff.solvers.training_set import validate_training_set
from novikoff.theory.exact import Examples
from novikoff.theory.geometry import Floats

from .partition import Rows
from .search import MAX_COLUMNS_FOR_EXTREMES, completed_by, first_rows, linear_program, offending, sparse_rows
from .verdict import DESCENT_EFFORT_IF_WIDE, MAX_PASSES, SeparabilityInput, hint_by_descent

NEGLIGIBLE_MARGIN = 1e-9  # relative to the lengths of the rows; a smaller margin counts as none
LINEAR_PROGRAM_START = 5_000_000.0  # the work of a linear program besides its pivots, which HiGHS needs to begin
MAX_ROUNDS = 20  # linear programs
_highs = threading.Lock()  # HiGHS has global state


def work_of(rows: int, columns: int, nonzeros: int) -> float:
    """Return the approximate work of ``is_separable``, in values that a pass over the rows visits in the same time."""
    if _is_wide(rows, columns):
        return float(min(DESCENT_EFFORT_IF_WIDE, MAX_PASSES * nonzeros))
    return _program_work(rows, columns, nonzeros)


def _is_wide(rows: int, columns: int) -> bool:
    """Whether most data of this shape are separable (Cover 1965)."""
    return 2 * columns > rows


def _program_work(rows: int, columns: int, nonzeros: int) -> float:
    """Return the work of about 2 pivots per column, each of which visits the working set and a row of the basis."""
    working = min(rows, (2 + 2 * (columns <= MAX_COLUMNS_FOR_EXTREMES)) * columns + max(100, 4 * min(columns, 1000)))
    return LINEAR_PROGRAM_START + 2.0 * columns * (working * nonzeros / rows + columns)


def is_separable(X: Any, signs: Floats, fit_intercept: bool, hint: Floats | None, max_work: float) -> bool | None:
    """Decide whether a plane has all rows on its right side.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows.
    signs : ndarray of shape (n_samples,)
        The labels as -1 and +1.
    fit_intercept : bool
        Whether the plane may lie anywhere. Otherwise it contains the origin.
    hint : ndarray or None
        Weights, and the intercept as the last entry if there is one, that may have most rows on the right side.
    max_work : float
        A limit on ``work_of``; the descent for wide data is not limited by it.

    Returns
    -------
    bool or None
        True if such a plane was found. False if no plane has a margin above ``NEGLIGIBLE_MARGIN`` times the length of
        the rows. None if neither was shown.
    """
    if np.all(signs == signs[0]):
        return True if fit_intercept else None
    data = validate_training_set(SeparabilityInput(), "separability", X, signs, None, None)
    examples = Examples(data.X, signs, fit_intercept)
    if hint is not None:
        hint = np.append(data.narrow(hint[: X.shape[1]]), hint[X.shape[1] :])
        if completed_by(examples, hint):
            return True
    if _is_wide(examples.rows, examples.columns):
        with one_core:
            direction, _ = hint_by_descent(data, fit_intercept)
        if direction is not None and completed_by(examples, direction):
            return True
    if _program_work(examples.rows, examples.columns, data.table.elements) > max_work:
        return None
    with _highs, np.errstate(all="ignore"):
        return _by_linear_programs(examples, hint)


def _by_linear_programs(examples: Examples, hint: Floats | None) -> bool | None:
    """Enlarge a working set until its rows balance, or a plane that separates them separates all rows."""
    working, room = first_rows(examples, hint), max(2 * min(examples.columns, examples.rows), 100)
    for _ in range(MAX_ROUNDS):
        solved = linear_program(examples, working)
        if solved is None:
            return None
        direction, weights = solved
        if np.any(weights > 0):
            return False if _imbalance(examples, working, weights) <= NEGLIGIBLE_MARGIN else None
        if completed_by(examples, direction):
            return True
        new = np.setdiff1d(offending(examples, direction, room), working)
        if len(new) == 0:
            return None
        working = np.union1d(working, new)
    return None


def _imbalance(examples: Examples, working: Rows, weights: Floats) -> float:
    """Return |sum a_i z_i| / sum a_i |z_i|, an upper bound on the margin that any plane has for rows z_i / |z_i|."""
    rows, a = working[weights > 0], weights[weights > 0]
    z = sparse_rows(examples, rows, np.arange(examples.columns))
    lengths = np.sqrt(np.asarray(z.multiply(z).sum(axis=1)).ravel())
    total = float(a @ lengths)
    return float(np.linalg.norm(z.T @ a)) / total if total > 0 else 0.0  # rows of zeros are on every plane
