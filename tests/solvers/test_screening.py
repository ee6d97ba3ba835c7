"""Rows that screening fixes have the dual variables that it claims."""

import numpy as np
import pytest

import novikoff as nk
from machines import INTERCEPTS
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.screening import _best_intercepts, fixed_rows
from novikoff.solvers.training_set import validate_training_set
from novikoff.solvers.workspace import Workspace

every_loss = pytest.mark.parametrize("loss", LOSSES)


def two_classes(seed, rows=120):
    """Rows of two normal distributions, 70 % of them of one class."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.7
    y[:2] = [False, True]
    return rng.normal(size=(rows, 4)) + 1.0 * y[:, np.newaxis], y.astype(int)


@every_loss
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize(("seed", "ratio"), [(0, 1.0), (1, 1.1), (2, 1.5)])
def test_fixed_rows_are_at_the_bound_that_a_better_solution_has_them_at(loss, intercept, seed, ratio):
    """The dual variables of a much better solution, for C times the ratio, are 0 or at their bounds there."""
    X, y = two_classes(seed)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    settings = {"loss": loss, **INTERCEPTS[intercept]}
    rough = nk.LinearSVM(C=0.05, tol=1e-3, **settings).fit(X, y, weights)
    exact = nk.LinearSVM(C=0.05 * ratio, tol=1e-10, **settings).fit(X, y, weights).certificate_
    data = validate_training_set(nk.LinearSVM(), "test", X, y, weights, None)
    problem = Problem(data.table, 1, Objective(0.05 * ratio, LOSSES[loss], intercept, 1e-4))
    work = Workspace(problem, threads=1)
    work.alpha[:] = rough.certificate_.model.duals.dense(len(y)) / (0.05 * weights)
    v = np.append(rough.coef_[0] / problem.scale, rough.intercept_)
    fixed = fixed_rows(work, v, work.squared_norms())
    alpha = exact.model.duals.dense(len(y)) / (0.05 * ratio * weights)
    assert np.all(alpha[fixed.at_zero] < 1e-4)
    assert np.all(alpha[fixed.at_bound] > 1 - 1e-4)
    if ratio == 1.1 and loss == "hinge":
        assert fixed.share > 0.1


@every_loss
@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_intercepts_contains_every_minimiser(loss, seed):
    rng = np.random.default_rng(seed)
    scores, signs = rng.normal(size=31).round(1), rng.choice([-1.0, 1.0], 31)
    costs = rng.integers(0, 3, 31).astype(float)
    costs[:2], signs[:2] = 1, [-1, 1]
    low, high = _best_intercepts(scores, signs, costs, LOSSES[loss])

    def total(b):
        slack = np.maximum(0, 1 - signs * (scores + b))
        return float(costs @ (slack if loss == "hinge" else slack**2))

    grid = np.linspace(-6, 6, 6001)
    values = np.array([total(b) for b in grid])
    best = grid[values <= values.min() + 1e-12]
    assert low - 4e-3 <= best.min()
    assert best.max() <= high + 4e-3
    assert total(low) <= values.min() + 1e-6
    assert total(high) <= values.min() + 1e-6
