"""Dual coordinate descent from Python."""

import math

import numpy as np
import pytest

import novikoff._core as _core
from binary_problems import each_problem, objective, problem_of
from novikoff.solvers.coordinate_descent import SHRINK_RATIO, Descent, descend, shrinking_limits
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


def dual_of(problem, alpha, v):
    """The dual objective of alpha, and how far v is from its primal point; for a penalised intercept."""
    rows, signs = problem.table.dense * problem.scale, problem.signs()
    total = np.append((alpha * signs) @ rows / problem.lam, np.sum(alpha * signs) / problem.kappa)
    value = alpha.sum() - 0.5 * problem.loss.ridge * float(alpha @ alpha) - problem.regularization(total)
    return value, float(np.abs(total - v).max())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_a_step_over_the_free_rows_raises_the_dual_objective_by_what_it_says(loss, C):
    problem = problem_of(C=C, loss=loss, intercept="penalized", tol=1e-9)
    v, alpha = descend(problem, passes=3)
    work = Workspace(problem, 1)
    before, error = dual_of(problem, alpha, v)
    assert error <= 1e-9 * np.abs(v).max()
    bound = (alpha == 0) | (alpha == problem.loss.top)
    moved, point = alpha.copy(), v.copy()
    steps, gain = work.kernel.move_free_rows(moved, point, problem.lam, 1 / problem.kappa, 1e-2, 1e6)
    after, error = dual_of(problem, moved, point)
    assert steps > 0
    assert gain > 0
    assert after - before == pytest.approx(gain, rel=1e-6)
    assert error <= 1e-9 * np.abs(v).max()
    assert np.all((moved >= 0) & (moved <= problem.loss.top))
    assert np.array_equal(moved[bound], alpha[bound])


def test_a_step_over_the_free_rows_needs_free_rows_and_work():
    problem = problem_of(C=10.0, intercept="penalized")
    work, v = Workspace(problem, 1), np.zeros(problem.columns + 1)
    assert work.kernel.move_free_rows(work.alpha, v, problem.lam, 1 / problem.kappa, 1e-2, 1e6) == (0, 0.0)
    work.alpha[:] = 0.5
    assert work.kernel.move_free_rows(work.alpha, v, problem.lam, 1 / problem.kappa, 1e-2, 60) == (0, 0.0)
    assert np.all(work.alpha == 0.5)


@each_problem
def test_steps_over_the_free_rows_reach_the_gap_and_save_most_passes_of_the_squared_hinge(loss, intercept):
    passes = {}
    for uses_faces in (False, True):
        passes[uses_faces] = 0
        for seed in range(3):
            descent, progress = descent_of(problem_of(C=10.0, loss=loss, intercept=intercept, tol=1e-6), 100_000)
            descent.random = _core.Random(seed)
            bounds = descent.run(progress, math.inf, 1.0, 0.0, 0, uses_faces)
            assert bounds.relative_gap <= 1e-6
            passes[uses_faces] += progress.steps
    assert loss == "hinge" or 4 * passes[True] < passes[False]


def test_a_problem_that_takes_few_passes_is_solved_without_steps_over_the_free_rows(monkeypatch):
    def refuse(*_):
        raise AssertionError("a step over the free rows")

    monkeypatch.setattr(Descent, "_move_free_rows", refuse)
    descent, progress = descent_of(problem_of(C=0.1, intercept="none", tol=1e-4))
    assert descent.run(progress, math.inf, 1.0, 0.0, 0, uses_faces=True).relative_gap <= 1e-4
    assert len(progress.history) > 1
    descent, progress = descent_of(problem_of(C=10.0, tol=1e-6))
    with pytest.raises(AssertionError, match="free rows"):
        descent.run(progress, math.inf, 1.0, 0.0, 0, uses_faces=True)


@pytest.mark.parametrize(
    ("found", "limits"),
    [
        ((5.0, -7.0, 1.0), (SHRINK_RATIO, -SHRINK_RATIO)),
        ((0.5, -7.0, 1.0), (0.5, -SHRINK_RATIO)),
        ((5.0, -7.0, 0.0), (5.0, -7.0)),  # no row could move
        ((-math.inf, math.inf, 0.0), (-math.inf, math.inf)),  # no row was visited
        ((5.0, -7.0, math.nan), (5.0, -7.0)),  # after an overflow
    ],
)
def test_rows_are_skipped_beyond_a_multiple_of_the_mean_step_or_the_farthest_derivative(found, limits):
    assert shrinking_limits(*found) == limits


def test_the_mean_step_is_that_of_the_rows_that_can_move():
    problem = problem_of(C=0.5, intercept="none")
    work = Workspace(problem, 1)
    norms, v = work.squared_norms(), np.zeros(problem.columns + 1)
    order = work.kernel.order_active_first(np.zeros(8, dtype=np.uint8), rows := np.empty(60, dtype=np.int32))
    before = work.alpha.copy()
    *_, step = work.kernel.descend(
        work.alpha, norms, rows, v, (math.inf, -math.inf, order), problem.lam, 0.0, _core.Random(0)
    )
    change = np.abs(work.alpha - before) * (norms / problem.lam + problem.loss.ridge)
    moved = np.count_nonzero(change)
    assert 0 < moved < 60
    assert step == pytest.approx(change.sum() / moved)
