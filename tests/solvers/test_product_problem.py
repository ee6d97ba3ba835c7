"""One problem over products of rows: known solutions, starts, and both ways to solve the system of a Newton step."""

import numpy as np
import pytest

from binary_problems import each_problem, problem_of, training_set
from novikoff.solvers import product_problem, products
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.product_problem import ProductProblem
from wide_problems import wide


def over(problem):
    return products.product_problem(problem, 1)


@each_problem
def test_a_start_at_the_solution_needs_no_move(loss, intercept):
    problem = problem_of(0.1, loss, intercept, tol=1e-6, data=training_set(*wide()))
    found = over(problem).solve(np.zeros(problem.rows), 1e-6, 10**6)
    again = over(problem).solve(found.alpha, 2e-6, 10**6)
    assert again.moves == 0


def test_equal_rows_of_different_classes_reach_their_bounds_at_once():
    found = ProductProblem(
        np.ones((2, 2)), np.array([1.0, -1.0]), None, LOSSES["hinge"], rate=1e35, balanced=True
    ).solve(np.zeros(2), 1e-6, 10)
    np.testing.assert_array_equal(found.alpha, 1.0)
    assert found.moves == 1


def test_the_dual_objective_rises_with_the_number_of_moves():
    problem = over(problem_of(1.0, "hinge", data=training_set(*wide())))
    duals = [problem.solve(np.zeros(40), 1e-12, moves).dual for moves in (1, 10, 100, 1000)]
    assert duals == sorted(duals)


def test_a_problem_of_two_rows_has_the_known_solution():
    problem = ProductProblem(np.diag([1.0, 1.0]), np.array([1.0, -1.0]), None, LOSSES["hinge"], 1.0, balanced=True)
    found = problem.solve(np.zeros(2), 1e-12, 100)
    np.testing.assert_allclose(found.alpha, [1.0, 1.0])
    assert found.primal == pytest.approx(1.0)


@pytest.mark.parametrize("balanced", [False, True])
def test_small_and_large_systems_of_newton_steps_have_the_same_solution(balanced):
    X, _ = wide(30, 60)
    signs, ends = np.where(np.arange(30) % 2 == 0, 1.0, -1.0), []
    problem = ProductProblem(X @ X.T, signs, None, LOSSES["squared_hinge"], 0.5, balanced=balanced)
    for max_small in (0, 30):
        t = 1e-3 * signs
        gradient = problem._gradient(t)
        assert problem.kernel.newton(t, gradient, 0.0, 30, product_problem.solve_positive, max_small) == 30
        np.testing.assert_allclose(gradient, problem._gradient(t), atol=1e-12)
        ends.append(t)
    assert np.abs(ends[0]).max() > 0.01
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-9, atol=1e-12)
