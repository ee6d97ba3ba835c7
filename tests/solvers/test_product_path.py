"""Paths over products of rows: the solutions are those over the rows, and None where another method is better."""

import numpy as np
import pytest

from binary_problems import each_problem, problem_of, training_set
from novikoff.solvers.product_path import solve_dual_path
from novikoff.solvers.solver import SolverOptions, solve
from wide_problems import wide

CS = np.array([0.01, 0.1, 1.0])
OPTIONS = SolverOptions(max_iter=10_000, threads=1, seed=0)


def path_of(data, loss="hinge", intercept="free", tol=1e-9, options=OPTIONS):
    data.sharing_products(1)
    return solve_dual_path(data, 1, problem_of(1.0, loss, intercept, tol=tol, data=data).objective, CS, options)


@each_problem
def test_the_solutions_are_those_over_the_rows(loss, intercept):
    X, y = wide()
    found = path_of(training_set(X, y), loss, intercept)
    assert 0 <= found.gap <= 1e-9
    for C, duals, bias in zip(CS, found.duals, found.biases, strict=True):
        alone = solve(problem_of(C, loss, intercept, tol=1e-9, data=training_set(X, y)), OPTIONS)
        scores = X @ (duals @ X) + bias
        np.testing.assert_allclose(scores, X @ alone.weights + alone.bias, atol=1e-3)
        assert np.all(duals * np.where(y > 0, 1, -1) >= 0)


def test_a_path_that_is_not_proven_within_its_steps_is_none():
    assert path_of(training_set(*wide()), tol=1e-12, options=SolverOptions(max_iter=1, threads=1, seed=0)) is None


@pytest.mark.parametrize("data", [wide(500, 600), (1e9 * wide()[0], wide()[1])])
def test_problems_that_another_method_solves_better_have_no_path(data):
    assert path_of(training_set(*data)) is None
