"""The updates of a run, one at a time, as the kernel makes them."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._estimators import ConvergenceWarning, check_random_state, clone
from novikoff.data.rows import as_rows
from novikoff.record import OnlineRun, ProblemRecord
from novikoff.theory.geometry import Floats
from novikoff.theory.rules import Rule

from ._record import seed_of
from ._state import kernel_configuration
from ._stopping import CONVERGED


@dataclass(frozen=True)
class Update:
    """One update of the weights.

    Parameters
    ----------
    row : int
        The row that was learned from.
    margin : float
        y v.u before the update.
    is_mistake : bool
        Whether the row was predicted wrongly; otherwise only its margin was too small.
    weights : ndarray of shape (n_features,)
        The weights after the update.
    bias : float
        The intercept after the update.
    """

    row: int
    margin: float
    is_mistake: bool
    weights: Floats
    bias: float


class Stepper:
    """A kernel that learns from chosen rows, starting from weights of 0.

    It makes the same updates as ``fit``, with the same rounding. Rows without an update may be left out: they do not
    change the weights.

    Parameters
    ----------
    rule : Rule
        The rule. Averages and votes are not kept.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows, as ``fit`` passes them to the kernel.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.

    Attributes
    ----------
    duals : ndarray of shape (n_samples,)
        How often each row was added to the weights.
    """

    def __init__(self, rule: Rule, X: Any, signs: Floats) -> None:
        self._kernel = _core.OnlineLearner(*kernel_configuration(replace(rule, keep="last"), 0))
        self._kernel.add_problem(1)
        rows = as_rows("trace", X)
        norms, _ = rows.squared_norms()
        self._width = int(X.shape[1])
        self._batch = (rows, (signs > 0).astype(np.int32), None, norms)
        self.duals: Floats = np.zeros(rows.count)

    def learn(self, row: int) -> Update | None:
        """Learn from one row. Return the update, or None if there was none."""
        moved, mistaken, margin = self._kernel.learn(0, *self._batch, None, self.duals, row, row + 1)
        return Update(row, margin, mistaken, *self.plane()) if moved else None

    def learn_pass(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Learn from all rows in this order. Return the rows that caused an update, in the order of the updates."""
        before = self.duals.copy()
        self._kernel.learn(0, *self._batch, order, self.duals, 0, len(order))
        changed: NDArray[np.int64] = order[self.duals[order] != before[order]]
        return changed

    def plane(self) -> tuple[Floats, float]:
        """Return a copy of the weights, and the intercept."""
        weights = np.zeros(self._width)
        known = self._kernel.last_weights(0)[: self._width]
        weights[: len(known)] = known
        return weights, self._kernel.last_bias(0)


def updates_of_fit(run: OnlineRun, X: Any, signs: Floats) -> Iterator[Update]:
    """Yield the updates of a fit.

    Parameters
    ----------
    run : OnlineRun
        The rule, the number of passes, and the seed of the row order if rows are shuffled.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows, as ``fit`` passes them to the kernel.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.

    Yields
    ------
    Update
        Each update, in order.
    """
    whole, single = Stepper(run.rule, X, signs), Stepper(run.rule, X, signs)
    order = np.arange(len(signs), dtype=np.int64)
    random = None if run.seed is None else _core.Random(run.seed)
    for _ in range(run.passes or 0):
        if random is not None:
            random.shuffle(order)
        for row in whole.learn_pass(order).tolist():
            update = single.learn(row)
            assert update is not None  # the two kernels learn the same
            yield update


def fit_copy(learner: Any, X: Any, y: Any, **parameters: Any) -> tuple[ProblemRecord, bool]:
    """Fit a copy of a learner of two classes, and return the record of its problem, and whether the run halted.

    Parameters
    ----------
    learner : estimator
        An online learner. It is not modified.
    X, y : array-like
        Rows and labels.
    **parameters : dict
        Parameters of the copy that differ from those of the learner.

    Returns
    -------
    ProblemRecord
        The record. The seed is known even if ``random_state`` is not an integer.
    bool
        Whether the passes converged.
    """
    model, state = clone(learner).set_params(warm_start=False, **parameters), learner.random_state
    if not isinstance(state, int | np.integer):
        state = copy.deepcopy(check_random_state(state))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(random_state=copy.deepcopy(state)).fit(X, y)
    problem: ProblemRecord = model.record_.problems[0]
    if problem.run is not None and problem.run.shuffle:
        problem = replace(problem, run=replace(problem.run, seed=seed_of(state)))
    return problem, getattr(model, "stopped_", None) == CONVERGED  # a learner that forgets makes one pass only
