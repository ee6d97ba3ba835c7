"""Whether a plane separates two classes, searched in floating point only.

A learner that passes over its rows again and again uses it to know whether it can ever be finished. The answer costs
about as much as ten passes over the rows, where that of ``novikoff.separability`` may take minutes.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from novikoff._one_core import one_core
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.balance import proven_balance
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import SMALL_WORK, Budget, WorkLimitReached
from novikoff.theory.exact import Examples
from novikoff.theory.geometry import Floats

from .partition import Rows
from .quick_verdict import NEGLIGIBLE_MARGIN, UNKNOWN, QuickVerdict
from .search import MAX_COLUMNS_FOR_EXTREMES, completed_by, first_rows, linear_program, offending, sparse_rows
from .verdict import DESCENT_EFFORT_IF_WIDE, MAX_PASSES, SeparabilityInput, hint_by_descent

LINEAR_PROGRAM_START = 5_000_000.0  # the work of a linear program besides its pivots, which HiGHS needs to begin
MAX_ROUNDS = 20  # linear programs
MAX_COLUMNS_TO_REDUCE, MAX_ROWS_TO_REDUCE = 20, 500  # of rows that balance, so that few are named in milliseconds
_highs = threading.Lock()  # HiGHS has global state


def _renew_lock() -> None:
    """After a fork, in the child: the thread that held the lock does not exist there."""
    global _highs
    _highs = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_lock)


def work_of(rows: int, columns: int, nonzeros: int) -> float:
    """Return the approximate work of ``decide_quickly``, in values that a pass over the rows visits in that time."""
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


def decide_quickly(X: Any, signs: Floats, fit_intercept: bool, hint: Floats | None, max_work: float) -> QuickVerdict:
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
    QuickVerdict
        The answer.
    """
    if np.all(signs == signs[0]):
        return QuickVerdict(True if fit_intercept else None)
    data = validate_training_set(SeparabilityInput(), "separability", X, signs, None, None)
    examples = Examples(data.X, signs, fit_intercept)
    if hint is not None:
        hint = np.append(data.narrow(hint[: X.shape[1]]), hint[X.shape[1] :])
        if completed_by(examples, hint):
            return _separated(data, hint)
    if _is_wide(examples.rows, examples.columns):
        with one_core:
            direction, _ = hint_by_descent(data, fit_intercept)
        if direction is not None and completed_by(examples, direction):
            return _separated(data, direction)
    if _program_work(examples.rows, examples.columns, data.table.elements) > max_work:
        return UNKNOWN
    with _highs, np.errstate(all="ignore"):
        found = _by_linear_programs(examples, hint)
    return found if found.direction is None else _separated(data, found.direction)


def _separated(data: TrainingSet, direction: Floats) -> QuickVerdict:
    """Return the verdict of a plane that has all rows on its right side, with the weights of all columns."""
    width = data.X.shape[1]
    return QuickVerdict(True, np.append(data.widen(direction[:width]), direction[width:]))


def _by_linear_programs(examples: Examples, hint: Floats | None) -> QuickVerdict:
    """Enlarge a working set until its rows balance, or a plane that separates them separates all rows."""
    working, room = first_rows(examples, hint), max(2 * min(examples.columns, examples.rows), 100)
    for _ in range(MAX_ROUNDS):
        solved = linear_program(examples, working)
        if solved is None:
            return UNKNOWN
        direction, weights = solved
        if np.any(weights > 0):
            if _imbalance(examples, working, weights) > NEGLIGIBLE_MARGIN:
                return UNKNOWN
            return _balanced(examples, working[weights > 0], weights[weights > 0])
        if completed_by(examples, direction):
            return QuickVerdict(True, direction)
        new = np.setdiff1d(offending(examples, direction, room), working)
        if len(new) == 0:
            return UNKNOWN
        working = np.union1d(working, new)
    return UNKNOWN


def _balanced(examples: Examples, rows: Rows, weights: Floats) -> QuickVerdict:
    """Return the verdict of rows that balance up to rounding: whether they balance exactly is decided in integers."""
    every, budget = Duals(rows, weights / weights.sum()), Budget(SMALL_WORK)
    for witness in (_few_rows(examples, rows, weights), every):
        try:
            if proven_balance(examples, witness, budget) is not None:
                return QuickVerdict(False, witness=witness, is_negligible=True)
        except WorkLimitReached:
            continue
    return QuickVerdict(None, is_negligible=True)


def _few_rows(examples: Examples, rows: Rows, weights: Floats) -> Duals:
    """Return rows that balance each other, and weights that add up to 1: few of those given, if these are not too many.

    Multiples c of any columns + 1 rows add up to 0, so a - t c balances as a does. With the largest t for which no
    weight is negative, a row drops out (Caratheodory's theorem). If no c is negative, c balances by itself.
    """
    every = Duals(rows, weights / weights.sum())
    if examples.columns > MAX_COLUMNS_TO_REDUCE or len(rows) > MAX_ROWS_TO_REDUCE:
        return every
    z = sparse_rows(examples, rows, np.arange(examples.columns)).toarray()
    lengths = np.linalg.norm(z, axis=1)
    if lengths.min() == 0:
        return Duals(rows[[int(np.argmin(lengths))]], np.ones(1))
    unit, a, active = z / lengths[:, None], weights * lengths, np.arange(len(rows))
    while len(active) > examples.columns:
        some = active[: examples.columns + 1]
        c = np.linalg.svd(unit[some].T)[2][-1]
        c = c if c.max() > -c.min() else -c
        if c.min() > 0:
            active, a[some] = some, c
            break
        steps = np.divide(a[some], c, out=np.full(len(c), np.inf), where=c > 0)
        dropped = int(np.argmin(steps))
        a[some] -= steps[dropped] * c
        active = np.delete(active, dropped)
    a = np.maximum(a[active], 0.0)
    if not a.any() or np.linalg.norm(a @ unit[active]) > NEGLIGIBLE_MARGIN * a.sum():
        return every
    active, a = active[a > 0], a[a > 0]
    shares = a / lengths[active]
    return Duals(rows[active], shares / shares.sum())


def _imbalance(examples: Examples, working: Rows, weights: Floats) -> float:
    """Return |sum a_i z_i| / sum a_i |z_i|, an upper bound on the margin that any plane has for rows z_i / |z_i|."""
    rows, a = working[weights > 0], weights[weights > 0]
    z = sparse_rows(examples, rows, np.arange(examples.columns))
    lengths = np.sqrt(np.asarray(z.multiply(z).sum(axis=1)).ravel())
    total = float(a @ lengths)
    return float(np.linalg.norm(z.T @ a)) / total if total > 0 else 0.0  # rows of zeros are on every plane
