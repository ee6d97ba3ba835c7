"""Parts of the objectives: their sum over any split of the rows encloses the exact values."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import Rows, exponent_of
from novikoff.theory.gap_values import Point, SoftMargin

LOSSES, INTERCEPTS = ("hinge", "squared_hinge"), ("free", "penalized", "none")


def random_problem(seed, loss, intercept):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 30)), int(rng.integers(1, 5))
    spread = [0, 3, 30][seed % 3]
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-spread, spread, size=(n, d))
    X = sp.csr_matrix(np.where(rng.random((n, d)) < 0.6, X, 0.0)) if seed % 2 else X
    signs, costs = np.where(np.arange(n) % 2, 1.0, -1.0), rng.choice([0.3, 1.0, 1e-5], n)
    point = Point(rng.normal(size=d), 0.0 if intercept == "none" else float(rng.normal()), costs * rng.random(n))
    return SoftMargin(X, signs, costs, loss, intercept), point


def part_of(problem, point, rows, largest, unit):
    own = SoftMargin(problem.X[rows], problem.signs[rows], problem.costs[rows], problem.loss, problem.intercept)
    return own.part(Point(point.weights, point.bias, point.duals[rows]), Rows(own.X, largest), unit)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("seed", range(12))
def test_the_sum_of_any_parts_encloses_the_exact_objectives(loss, intercept, seed):
    problem, point = random_problem(seed, loss, intercept)
    count, values = problem.X.shape[0], problem.X.data if sp.issparse(problem.X) else problem.X
    largest, unit = float(np.max(np.abs(values))), exponent_of(point.duals)
    primal, dual = problem.exact(point)
    rng = np.random.default_rng(seed)
    for owners in (np.zeros(count, int), rng.integers(0, 4, count), np.arange(count)):
        parts = [part_of(problem, point, np.flatnonzero(owners == k), largest, unit) for k in range(owners.max() + 1)]
        total = sum(parts[1:], parts[0])
        found = total.primal(point.weights, point.bias, intercept)
        assert found.low <= primal.low <= found.high
        assert found.high - found.low <= abs(primal.high) / 10**9
        found = total.dual(intercept)
        assert found.low <= dual.low <= found.high
        sides = problem.signs > 0
        exact = [sum(map(Fraction, point.duals[side].tolist())) for side in (sides, ~sides)]
        assert list(total.totals) == exact


def test_parts_in_different_units_are_refused():
    problem, point = random_problem(0, "hinge", "free")
    rows = np.arange(2)
    parts = [part_of(problem, point, rows, 1e3, unit) for unit in (0, 1)]
    with pytest.raises(ValueError, match=r"The parts have the units 2\^0 and 2\^1"):
        parts[0] + parts[1]


def test_without_duals_the_dual_objective_is_zero():
    problem, point = random_problem(1, "squared_hinge", "penalized")
    part = problem.part(Point(point.weights, point.bias, 0 * point.duals), Rows(problem.X), 0)
    dual = part.dual("penalized")
    assert (dual.low, dual.high) == (0, 0)
