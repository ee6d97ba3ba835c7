"""The nearest points of two hulls by a working set."""

import numpy as np
import pytest
import scipy.sparse as sp

from binary_problems import problem_of, training_set
from novikoff.solvers import working_set
from novikoff.solvers.solver import Progress, SolverOptions
from novikoff.solvers.working_set import nearest_points
from novikoff.solvers.workspace import Workspace
from reference import hard_margin
from strategies import make_separable


def run(X, y, intercept="free", tol=1e-6, max_iter=100_000):
    data = training_set(X, y)
    problem = problem_of(intercept=intercept, data=data)
    return nearest_points(data, Workspace(problem, 1), tol, Progress(problem, SolverOptions(max_iter, 1, 0)))


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_the_margin_is_that_of_the_reference(intercept, layout):
    slow = (60, 3, 1.0, 1e-3)  # one variable at a time
    rows, columns, gap, tol = slow if intercept == "penalized" else (500, 6, 0.2, 1e-6)
    data = make_separable(np.random.default_rng(0), rows, columns, gap, intercept=intercept != "none")
    plane, steps = run(layout(data.X), data.y, intercept, tol)
    assert steps > 0
    found = hard_margin.margin_of(plane.weights, plane.bias, data.X, data.y, intercept)
    assert found == pytest.approx(hard_margin.margin(data.X, data.y, intercept), rel=2 * tol)
    np.testing.assert_allclose(plane.margins, data.y * (data.X @ plane.weights + plane.bias), rtol=1e-9)
    assert plane.margins.min() == pytest.approx(1, rel=tol)


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_newton_steps_over_few_support_vectors_save_single_steps(intercept, monkeypatch):
    data = make_separable(np.random.default_rng(3), 80, 200, 0.2, intercept=intercept != "none")
    plane, steps = run(data.X, data.y, intercept, 1e-8)
    monkeypatch.setattr(working_set, "MAX_NEWTON_ROUNDS", 0)
    slow_plane, slow_steps = run(data.X, data.y, intercept, 1e-8)
    assert steps < slow_steps
    np.testing.assert_allclose(plane.weights, slow_plane.weights, atol=1e-6 * np.abs(plane.weights).max())
    assert plane.margins.min() == pytest.approx(1, rel=1e-8)


def test_it_gives_up_on_hulls_that_meet():
    rng = np.random.default_rng(0)
    plane, _ = run(rng.normal(size=(300, 3)), rng.integers(0, 2, 300))
    assert plane is None


def test_it_stops_after_max_iter_steps():
    data = make_separable(np.random.default_rng(1), 400, 20, 1e-3, intercept=True)
    _, steps = run(data.X, data.y, tol=1e-12, max_iter=1)
    assert steps <= 2
