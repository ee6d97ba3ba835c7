"""Dual coordinate descent from Python."""

import math

import numpy as np
import pytest

import novikoff._core as _core
from binary_problems import each_problem, objective, problem_of
from novikoff.solvers.coordinate_descent import Descent, descend
from novikoff.solvers.solver import Progress, SolverOptions
from novikoff.solvers.workspace import Workspace


def descent_of(problem, passes=2000):
    work = Workspace(problem, 1)
    progress = Progress(problem, SolverOptions(passes, 1, 0))
    return Descent(work, np.zeros(problem.columns + 1), _core.Random(0)), progress


@each_problem
def test_coordinate_descent_reaches_the_gap_and_its_dual_bound_rises(loss, intercept):
    problem = problem_of(C=0.1, loss=loss, intercept=intercept, tol=1e-4)
    descent, progress = descent_of(problem)
    bounds = descent.run(progress, newton_work=math.inf, forecast_after=1.0, newton_gap=0.0)
    assert bounds.relative_gap <= 1e-4
    duals = [entry.dual for entry in progress.history]
    assert duals == sorted(duals) or intercept == "free"  # a free intercept is balanced only in the limit
    value = objective(bounds.v[:-1] * problem.scale, bounds.v[-1], 0.1, loss, intercept)
    assert 0.1 * bounds.primal == pytest.approx(value, rel=1e-12)


def test_it_gives_up_when_newtons_method_is_cheaper():
    descent, progress = descent_of(problem_of(C=1e4, tol=1e-9))
    assert descent.run(progress, newton_work=300, forecast_after=0.0, newton_gap=0.0) is None
    assert progress.steps < 100


def test_the_row_order_is_a_permutation_and_excluded_rows_come_last():
    descent, progress = descent_of(problem_of(C=0.1, tol=1e-6))
    descent.run(progress, newton_work=math.inf, forecast_after=1.0, newton_gap=0.0)
    assert sorted(descent.row_order.tolist()) == list(range(60))
    active = descent.work.kernel.order_active_first(descent.shrunk, descent.row_order)
    assert 0 < active <= 60
    is_shrunk = np.unpackbits(descent.shrunk, bitorder="little")[:60].astype(bool)
    assert is_shrunk[descent.row_order[active:]].all()
    assert not is_shrunk[descent.row_order[:active]].any()


def test_a_few_passes_return_a_finite_point():
    v, alpha = descend(problem_of(C=1e6, tol=0.5), passes=3)
    assert np.isfinite(v).all()
    assert np.all((alpha >= 0) & (alpha <= 1))
