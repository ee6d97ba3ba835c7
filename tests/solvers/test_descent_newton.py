"""The default solver where it changes its method."""

import numpy as np
import pytest

from binary_problems import SIGNS, X, each_problem, objective, problem_of, training_set
from novikoff.solvers.descent_newton import LARGE_COST, SOLVER, DescentNewton
from novikoff.solvers.solver import SOLVERS, SolverOptions

OPTIONS = SolverOptions(10_000, 1, 0)


def test_it_is_registered_and_supports_every_loss_of_the_kernels():
    assert isinstance(SOLVERS["descent-newton"], DescentNewton)
    assert all(SOLVER.supports(problem_of(loss=loss)) for loss in ("hinge", "squared_hinge"))


@each_problem
def test_a_huge_cost_on_separable_rows_is_solved_by_way_of_a_moderate_one(loss, intercept):
    apart = X + 6 * SIGNS[:, np.newaxis]
    problem = problem_of(C=1e16, loss=loss, intercept=intercept, tol=1e-4, data=training_set(apart))
    assert problem.lam * LARGE_COST < 1
    solution = SOLVER.solve(problem, OPTIONS)
    assert solution.relative_gap <= 1e-4
    value = objective(solution.weights, solution.bias, 1e16, loss, intercept, X=apart)
    assert value == pytest.approx(solution.primal, rel=1e-6)


def test_the_primal_of_the_solution_is_the_least_of_the_history():
    solution = SOLVER.solve(problem_of(C=100.0, tol=1e-9), OPTIONS)
    assert solution.primal <= min(entry.primal for entry in solution.history) * (1 + 1e-9)
