"""Newton's method inside the proximal method of multipliers."""

import numpy as np
import pytest
import scipy.sparse as sp

from binary_problems import each_problem, problem_of, training_set
from novikoff.solvers import newton
from novikoff.solvers.bounds import bounds_at
from novikoff.solvers.solver import Progress, SolverOptions
from novikoff.solvers.workspace import Workspace


def run(problem, max_iter=1000):
    work, progress = Workspace(problem, 1), Progress(problem, SolverOptions(max_iter, 1, 0))
    with np.errstate(over="ignore", invalid="ignore"):
        return newton.minimize(work, np.zeros(problem.columns + 1), progress), work, progress


@each_problem
@pytest.mark.parametrize("C", [0.01, 100.0])
def test_newtons_method_reaches_the_gap(loss, intercept, C):
    bounds, work, progress = run(problem_of(C=C, loss=loss, intercept=intercept, tol=1e-9))
    assert bounds.relative_gap <= 1e-9
    assert progress.steps < 200
    assert np.all((work.alpha >= 0) & (work.alpha <= work.problem.loss.top))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_conjugate_gradients_serve_many_columns_and_many_free_rows(loss):
    X = sp.random_array((1200, 1500), density=0.01, format="csr", rng=np.random.default_rng(0))
    y = np.random.default_rng(1).integers(0, 2, 1200)
    bounds, _, _ = run(problem_of(C=0.3, loss=loss, tol=1e-5, data=training_set(X, y)))
    assert bounds.relative_gap <= 1e-5


def test_it_stops_after_max_iter_steps():
    _, _, progress = run(problem_of(C=100.0, tol=1e-12), max_iter=3)
    assert progress.steps == 3


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_it_gives_up_soon_if_rounding_hides_all_progress(loss):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(8, 3)) * [1e6, 1.0, 1e-6], rng.integers(0, 2, 8)
    bounds, _, progress = run(problem_of(C=1e12, loss=loss, tol=1e-15, data=training_set(X, y)), max_iter=100_000)
    assert bounds is None or bounds.relative_gap <= 1e-15
    assert progress.steps < 2000


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [10.0, 1e4])
def test_few_rows_within_the_margin_do_not_make_the_steps_short(loss, C):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 100)) + 0.5 * np.outer(2 * y - 1, rng.normal(size=100))
    bounds, _, progress = run(problem_of(C=C, loss=loss, tol=1e-5, data=training_set(X, y)))
    assert bounds.relative_gap <= 1e-5
    assert progress.steps < 100


@each_problem
def test_dual_variables_that_are_worse_than_none_are_not_where_it_starts(loss, intercept):
    problem = problem_of(C=100.0, loss=loss, intercept=intercept, tol=1e-6)
    work, progress = Workspace(problem, 1), Progress(problem, SolverOptions(0, 1, 0))
    work.alpha[:] = problem.signs() > 0 if problem.loss.top == 1 else 100.0
    newton.minimize(work, np.zeros(problem.columns + 1), progress)
    assert bounds_at(work, np.zeros(problem.columns + 1)).dual >= 0
