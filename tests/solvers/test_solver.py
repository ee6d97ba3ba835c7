"""The solver contract: what a solver is given and returns, and how the estimators choose it."""

import math
import threading

import numpy as np
import pytest

import novikoff as nk
from binary_problems import SIGNS, X, each_problem, objective, problem_of, training_set
from novikoff.solvers.bounds import relative_gap
from novikoff.solvers.descent_newton import DescentNewton
from novikoff.solvers.path import solve_path
from novikoff.solvers.solver import SOLVERS, SolverOptions, Start, solve

OPTIONS = SolverOptions(1000, 1, 0)


@pytest.fixture
def registered():
    """Registers a solver under a name of its own, and removes it afterwards."""
    SOLVERS.register("test", solver := Recording())
    yield solver
    SOLVERS.unregister("test")


class Recording(DescentNewton):
    """The default solver for the hinge alone; it remembers its problems."""

    def __init__(self):
        self.problems = []

    def supports(self, problem):
        return problem.loss.name == "hinge"

    def solve(self, problem, options, start=None):
        self.problems.append(problem)
        return super().solve(problem, options, start)


@each_problem
def test_a_solution_has_the_gap_that_was_asked_for_and_bounds_that_its_points_have(loss, intercept):
    problem = problem_of(loss=loss, intercept=intercept)
    solution = solve(problem, SolverOptions(1000, 1, 0, keep_margins=True))
    assert solution.relative_gap == relative_gap(solution.primal, solution.dual) <= 1e-6
    assert solution.steps == solution.history[-1].step
    assert solution.history[-1][2:5] == (solution.primal, solution.dual, solution.relative_gap)
    np.testing.assert_allclose(solution.margins, SIGNS * (X @ solution.weights + solution.bias), rtol=1e-10)
    value = objective(solution.weights, solution.bias, 1.0, loss, intercept)
    assert solution.primal == pytest.approx(value, rel=1e-12)
    assert np.all(solution.duals >= 0)
    if intercept == "free":
        assert solution.duals @ SIGNS == pytest.approx(0, abs=1e-9)


def test_a_problem_is_not_modified():
    problem = problem_of()
    before = (problem.penalty.tobytes(), problem.table.codes.tobytes(), X.tobytes())
    solve(problem, OPTIONS)
    assert before == (problem.penalty.tobytes(), problem.table.codes.tobytes(), X.tobytes())
    with pytest.raises(ValueError, match="read-only"):
        problem.penalty[0] = 1.0


def test_a_solver_that_starts_at_the_end_makes_no_step():
    end = solve(problem_of(), OPTIONS).end
    assert solve(problem_of(), OPTIONS, end).steps == 0
    assert solve(problem_of(), OPTIONS, Start(*end[:2], is_close=False)).relative_gap <= 1e-6


def test_a_path_starts_where_the_last_point_ended():
    first, second = solve_path(training_set(), 1, problem_of().objective, np.array([1.0, 1.0 + 1e-9]), OPTIONS)
    assert first.solution.relative_gap <= 1e-6
    assert second.solution.steps <= 1


def test_a_cancelled_solver_returns_bounds_that_hold():
    cancelled = threading.Event()
    cancelled.set()
    solution = solve(problem_of(), SolverOptions(1000, 1, 0, cancelled=cancelled))
    best = solve(problem_of(tol=1e-10), OPTIONS)
    assert solution.steps == 0
    assert 0 <= solution.dual <= best.primal * (1 + 1e-9)
    assert solution.primal >= best.dual * (1 - 1e-9)


def test_progress_is_reported_with_the_fraction_completed():
    said = []
    solution = solve(problem_of(C=100.0), SolverOptions(1000, 1, 0, say=lambda *what: said.append(what)))
    assert len(said) == len(solution.history)
    assert "gap" in said[0][0]
    assert said[-1][1] == 1.0
    assert all(0 <= fraction <= 1 for _, fraction in said)


def test_estimators_use_the_solver_that_was_registered_last_and_supports_the_problem(registered):
    nk.LinearSVM(C=1.0, loss="hinge", tol=1e-6).fit(X, SIGNS)
    assert [problem.objective.C for problem in registered.problems] == [1.0]
    nk.LinearSVMPath(Cs=[0.1, 1.0], loss="hinge").fit(X, SIGNS)
    assert [problem.objective.C for problem in registered.problems] == [1.0, 0.1, 1.0]
    nk.LinearSVM(loss="squared_hinge").fit(X, SIGNS)
    assert len(registered.problems) == 3


def test_the_time_of_a_problem_begins_once():
    options = SolverOptions(1000, 1, 0, max_time=100.0)
    begun = options.begun()
    assert options.deadline == math.inf
    assert begun.deadline < math.inf
    assert begun.begun() is begun
    assert not begun.is_over
    assert OPTIONS.begun().deadline == math.inf


def test_the_time_limit_ends_the_solver_with_bounds_that_hold():
    solution = solve(problem_of(C=100.0, tol=1e-12), SolverOptions(1000, 1, 0, max_time=1e-9))
    best = solve(problem_of(C=100.0, tol=1e-10), OPTIONS)
    assert solution.dual <= best.primal
    assert solution.primal >= best.dual
