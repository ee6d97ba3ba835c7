"""Problems of a few rows, solved in exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest

from binary_problems import each_problem, problem_of, training_set
from novikoff.solvers import exact_dual
from novikoff.solvers.descent_newton import SOLVER
from novikoff.solvers.exact_dual import is_small, solve_exactly
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.workspace import Workspace
from reference import soft_margin
from tiny_problems import tiny_set


def exact_solution(problem):
    """The exact solution after one step in floating point, which is far from the optimum."""
    return solve_exactly(Workspace(problem, 1), SOLVER.solve(problem, SolverOptions(1, 1, 0)))


def exact_primal(point, X, signs, costs, loss, penalized):
    w, b = [Fraction(entry) for entry in point.weights.tolist()], Fraction(point.bias)
    total = (sum(entry * entry for entry in w) + (b * b if penalized else 0)) / 2
    for row, y, cost in zip(X.tolist(), signs.tolist(), costs.tolist(), strict=True):
        score = sum(a * Fraction(c) for a, c in zip(w, row, strict=True)) + b
        slack = max(Fraction(0), 1 - int(y) * score)
        total += Fraction(cost) * (slack if loss == "hinge" else slack * slack)
    return total


@each_problem
@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_that_of_the_reference(loss, intercept, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(9, 2)), rng.permutation([0, 1, 1, 0, 1, 0, 1, 0, 0])
    weights, C = rng.uniform(0.1, 3, 9), float(10.0 ** rng.uniform(-2, 2))
    signs, costs = np.where(y == 1, 1.0, -1.0), C * weights
    point = exact_solution(problem_of(C=C, loss=loss, intercept=intercept, data=training_set(X, y, weights)))
    w, b, _ = soft_margin.solve(X, signs, costs, loss, intercept)
    expected = soft_margin.primal(w, b, X, signs, costs, loss, intercept == "penalized")
    assert point.primal == pytest.approx(expected, rel=1e-9)
    assert 0 <= point.primal - point.dual <= 1e-14 * point.primal
    np.testing.assert_allclose(point.weights, w, atol=1e-5)


@each_problem
def test_the_bounds_hold_exactly(loss, intercept):
    rng = np.random.default_rng(3)
    for _ in range(10):
        X, y = tiny_set(rng, 6)
        C, weights = float(10.0 ** rng.uniform(-6, 6)), rng.uniform(0.1, 3, len(y))
        point = exact_solution(problem_of(C=C, loss=loss, intercept=intercept, data=training_set(X, y, weights)))
        signs = np.where(y == 1, 1.0, -1.0)
        value = exact_primal(point, X, signs, C * weights, loss, intercept == "penalized")
        assert 0 <= Fraction(point.primal) - value <= value / 2**52
        assert point.dual <= value
        assert point.duals.min() >= 0
        assert loss != "hinge" or np.all(point.duals <= C * weights)


def test_identical_rows_of_both_classes_are_solved_at_any_scale():
    X, y = np.full((2, 1), 1.25730221e19), [0, 1]
    point = exact_solution(problem_of(C=1e-3, data=training_set(X, y)))
    assert (point.primal, point.dual) == (0.002, 0.002)
    assert not point.weights.any()


def test_rows_that_repeat_each_other_are_solved():
    X = np.repeat(np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 0.5]]), 4, axis=0)
    y = np.array([0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0])
    for intercept in ("free", "penalized", "none"):
        point = exact_solution(problem_of(C=10.0, intercept=intercept, data=training_set(X, y)))
        assert point.primal - point.dual <= 1e-13 * point.primal


def test_rows_without_a_cost_are_left_alone():
    X, y = np.array([[0.0], [1.0], [100.0], [2.0]]), [0, 1, 0, 1]
    with_zero = exact_solution(problem_of(C=5.0, data=training_set(X, y, [1.0, 1.0, 0.0, 1.0])))
    without = exact_solution(problem_of(C=5.0, data=training_set(X[[0, 1, 3]], [0, 1, 1])))
    assert with_zero.duals[2] == 0
    assert with_zero.primal == without.primal


def test_a_limit_on_the_changes_ends_the_search_with_a_feasible_point(monkeypatch):
    monkeypatch.setattr(exact_dual, "MAX_CHANGES_PER_ROW", 0)
    X, y = tiny_set(np.random.default_rng(3), 1)
    point = exact_solution(problem_of(C=1.0, data=training_set(X, y)))
    assert math.isfinite(point.primal)
    assert point.dual <= point.primal


def test_choosing_by_number_finds_the_same_optimum(monkeypatch):
    X, y = tiny_set(np.random.default_rng(4), 1)
    problem = problem_of(C=1.0, data=training_set(X, y))
    greedy = exact_solution(problem)
    monkeypatch.setattr(exact_dual, "GREEDY_CHANGES_PER_ROW", 0)
    assert exact_solution(problem).primal == pytest.approx(greedy.primal, rel=1e-14)


def test_only_problems_of_a_few_rows_are_small():
    few, many = training_set(np.ones((4, 2)), [0, 1, 0, 1]), training_set()
    assert is_small(problem_of(data=few))
    assert not is_small(problem_of(data=many))
