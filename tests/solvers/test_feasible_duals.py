"""Dual variables that are feasible exactly."""

import math

import numpy as np
import pytest

from binary_problems import each_problem, problem_of, training_set
from novikoff.solvers.descent_newton import SOLVER
from novikoff.solvers.feasible_duals import make_feasible
from novikoff.solvers.solver import SolverOptions
from tiny_problems import tiny_set

WEIGHTS = [0.1, 0.0, 0.3, 1e-30, 7.0]


def tiny_problem(loss, intercept, C=0.3, weights=WEIGHTS):
    X, y = np.arange(10.0).reshape(5, 2), [1, 0, 1, 0, 0]
    return problem_of(C=C, loss=loss, intercept=intercept, data=training_set(X, y, weights))


@each_problem
def test_values_beyond_the_bounds_are_cut_to_them(loss, intercept):
    problem = tiny_problem(loss, intercept)
    duals = np.array([-1e-20, 1e-5, 0.1, 0.02, 0.05])
    make_feasible(problem, duals)
    caps = 0.3 * np.array(WEIGHTS)
    assert duals.min() >= 0
    assert duals[1] == 0
    assert loss != "hinge" or np.all(duals <= caps)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("seed", range(20))
def test_the_classes_balance_as_well_as_floats_allow(loss, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation([0] * 20 + [1] * 20)
    problem = problem_of(C=10.0, loss=loss, data=training_set(rng.normal(size=(40, 2)), y))
    duals, signs = rng.uniform(size=40) ** 8, np.where(y == 1, 1.0, -1.0)
    duals *= np.where(y == 1, duals[y == 0].sum() / duals[y == 1].sum(), 1.0)
    before = duals.copy()
    make_feasible(problem, duals)
    assert abs(math.fsum(signs * duals)) <= np.spacing(np.median(duals))
    np.testing.assert_allclose(duals, before, atol=1e-14)


@pytest.mark.parametrize("scale", [1.0, 1e-290, 1e290])
def test_the_classes_of_many_rows_balance(scale):
    rng = np.random.default_rng(0)
    y = np.arange(5000) % 2
    problem = problem_of(loss="squared_hinge", data=training_set(rng.normal(size=(5000, 2)), y))
    duals, signs = rng.uniform(size=5000) * scale, np.where(y == 1, 1.0, -1.0)
    duals *= np.where(y == 1, duals[y == 0].sum() / duals[y == 1].sum(), 1.0)
    make_feasible(problem, duals)
    assert abs(math.fsum(signs * duals)) <= np.spacing(duals.max())


def test_a_class_without_duals_leaves_none_to_the_other():
    duals = np.array([0.0, 0.0, 0.0, 0.0, 0.5])
    make_feasible(tiny_problem("hinge", "free"), duals)
    assert not duals.any()


@each_problem
def test_the_duals_of_the_solver_are_feasible_exactly(loss, intercept):
    rng = np.random.default_rng(5)
    for _ in range(30):
        X, y = tiny_set(rng, 3)
        weights = rng.uniform(0.1, 5, len(y)) * (np.arange(len(y)) != 2)
        C = float(10.0 ** rng.uniform(-6, 6))
        if len(np.unique(y[weights > 0])) < 2:
            continue
        solution = SOLVER.solve(
            problem_of(C=C, loss=loss, intercept=intercept, data=training_set(X, y, weights)), SolverOptions(2000, 1, 0)
        )
        assert solution.duals.min() >= 0
        assert loss != "hinge" or np.all(solution.duals <= C * weights)
        assert solution.duals[2] == 0
        if intercept == "free" and solution.duals.any():
            signs = np.where(y == 1, 1.0, -1.0)
            assert abs(math.fsum(signs * solution.duals)) <= np.spacing(solution.duals.max())
