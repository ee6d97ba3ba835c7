"""Soft margins that are solved over a working set of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from binary_problems import each_problem, objective, problem_of, training_set
from novikoff.solvers import working_rows
from novikoff.solvers.descent_newton import SOLVER
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.workspace import Workspace

OPTIONS = SolverOptions(10_000, 1, 0)
RNG = np.random.default_rng(3)
SIGNS = np.where(RNG.random(3000) < 0.3, 1.0, -1.0)
ROWS = RNG.normal(size=(3000, 20)) + 1.5 * np.outer(SIGNS, RNG.normal(size=20))
OVERLAPPING = np.where(RNG.random(3000) < 0.4, -SIGNS, SIGNS)


@pytest.fixture(autouse=True)
def _small_problems_count_as_large(monkeypatch):
    monkeypatch.setattr(working_rows, "MIN_ELEMENTS", 1000)


def methods_of(solution):
    return {entry.method for entry in solution.history}


@each_problem
@pytest.mark.parametrize("C", [0.1, 1000.0])
def test_few_rows_decide_and_all_rows_prove_it(loss, intercept, C):
    problem = problem_of(C, loss, intercept, 1e-5, training_set(ROWS, SIGNS))
    solution = SOLVER.solve(problem, OPTIONS)
    assert "working set" in methods_of(solution)
    assert solution.relative_gap <= 1e-5
    value = objective(solution.weights, solution.bias, C, loss, intercept, X=ROWS, signs=SIGNS)
    assert solution.primal == pytest.approx(value, rel=1e-9)
    assert np.count_nonzero(solution.duals) < 300


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_optimum_is_that_of_all_rows(loss, monkeypatch):
    data = training_set(ROWS, SIGNS, RNG.integers(0, 3, 3000).astype(np.float64))
    by_set = SOLVER.solve(problem_of(10.0, loss, tol=1e-8, data=data), OPTIONS)
    monkeypatch.setattr(working_rows, "MIN_ROWS", 10_000)
    by_all = SOLVER.solve(problem_of(10.0, loss, tol=1e-8, data=data), OPTIONS)
    assert "working set" in methods_of(by_set) - methods_of(by_all)
    assert by_set.primal == pytest.approx(by_all.primal, rel=1e-7)
    assert not by_set.duals[data.weights == 0].any()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_sparse_rows_have_a_working_set(loss):
    X = ROWS * (RNG.random(ROWS.shape) < 0.7)
    solution = SOLVER.solve(problem_of(10.0, loss, tol=1e-5, data=training_set(sp.csr_array(X), SIGNS)), OPTIONS)
    assert "working set" in methods_of(solution)
    assert solution.relative_gap <= 1e-5


@pytest.mark.parametrize("C", [1e-4, 10.0])
def test_rows_that_overlap_are_solved_as_a_whole(C):
    solution = SOLVER.solve(problem_of(C, data=training_set(ROWS, OVERLAPPING), tol=1e-4), OPTIONS)
    assert "working set" not in methods_of(solution)
    assert solution.relative_gap <= 1e-4


def test_a_set_that_grows_too_large_is_given_up_and_the_problem_solved_nevertheless(monkeypatch):
    monkeypatch.setattr(working_rows, "MAX_FIRST_SHARE", 1.0)
    monkeypatch.setattr(working_rows, "MAX_SHARE", 0.01)
    solution = SOLVER.solve(problem_of(10.0, data=training_set(ROWS, SIGNS), tol=1e-4), OPTIONS)
    assert solution.relative_gap <= 1e-4


def test_a_start_near_the_end_has_a_working_set_too():
    data = training_set(ROWS, SIGNS)
    first = SOLVER.solve(problem_of(1.0, tol=1e-5, data=data), OPTIONS)
    second = SOLVER.solve(problem_of(3.0, tol=1e-5, data=data), OPTIONS, first.end)
    assert second.relative_gap <= 1e-5
    assert methods_of(second) <= {"", "working set"}


def test_the_result_does_not_depend_on_the_threads():
    problem = problem_of(10.0, data=training_set(ROWS, SIGNS))
    one, two = (SOLVER.solve(problem, SolverOptions(10_000, threads, 0)) for threads in (1, 2))
    assert one.weights.tobytes() == two.weights.tobytes()
    assert one.duals.tobytes() == two.duals.tobytes()


def test_the_steps_are_limited():
    solution = SOLVER.solve(problem_of(10.0, tol=1e-9, data=training_set(ROWS, SIGNS)), SolverOptions(7, 1, 0))
    assert solution.steps <= 7
    assert solution.relative_gap > 1e-9


def test_a_part_of_a_table_has_the_rows_that_were_asked_for():
    weights = np.arange(3000.0)
    rows = np.array([5, 17, 2999])
    for X in (ROWS, sp.csr_array(ROWS)):
        part = working_rows.part_of(training_set(X, SIGNS, weights).table, rows)
        held = part.matrix.toarray() if sp.issparse(part.matrix) else part.matrix
        np.testing.assert_array_equal(held, ROWS[rows])
        assert part.costs.tolist() == weights[rows].tolist()
        assert part.rows.count == 3


def test_rows_within_the_margin_are_those_with_a_small_margin_or_a_dual_variable():
    work = Workspace(problem_of(data=training_set(ROWS, SIGNS)), 1)
    work.margins[:] = 2.0
    work.margins[:4], work.alpha[2:10] = 0.5, 1.0
    assert working_rows.rows_that_count(work) == 10
