"""Parts of the objectives: their sum over any split of the rows encloses the exact values."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import Rows, exponent_of
from novikoff.theory.gap_values import Point, SoftMargin

PROBLEMS = [(loss, kind) for loss in ("hinge", "squared_hinge") for kind in ("free", "penalized", "none")]
problems = pytest.mark.parametrize(("loss", "intercept"), PROBLEMS)


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


def integer_problem(seed, rows=48, columns=3):
    """Rows of small integers, signs, costs and duals, all exact, and a point."""
    random = np.random.default_rng(seed)
    X = random.integers(-8, 9, size=(rows, columns)).astype(float)
    signs = np.where(np.arange(rows) < rows // 2, 1.0, -1.0)
    duals = np.tile(random.integers(0, 3, size=rows // 2) / 2, 2)  # of both classes alike, so that they balance
    return X, signs, np.full(rows, 1.0), duals, random.integers(-4, 5, size=columns) / 8, random.integers(-4, 5) / 8


@problems
@pytest.mark.parametrize("seed", range(12))
def test_E8_the_sums_of_all_parts_enclose_the_objectives_of_all_rows(loss, intercept, seed):
    problem, point = random_problem(seed, loss, intercept)
    count, values = problem.X.shape[0], problem.X.data if sp.issparse(problem.X) else problem.X
    largest, unit = float(np.max(np.abs(values))), exponent_of(point.duals)
    primal, dual = problem.exact(point)
    rng = np.random.default_rng(seed)
    for owners in (np.zeros(count, int), 2 * rng.integers(0, 3, count), np.arange(count)):  # some parts have no rows
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


def grouped(X, signs, costs, size):
    """The mean row, the sign and the cost of each group of rows, which follow each other."""
    shape = (-1, size)
    return X.reshape(-1, size, X.shape[1]).mean(axis=1), signs.reshape(shape)[:, 0], costs.reshape(shape).sum(axis=1)


@problems
@pytest.mark.parametrize("seed", range(5))
def test_E9_mean_rows_have_a_smaller_objective_and_the_same_dual(loss, intercept, seed):
    X, signs, costs, _, w, b = integer_problem(seed)
    bias = 0.0 if intercept == "none" else b
    size = 4  # a power of two, so that means are exact
    groups = SoftMargin(*grouped(X, signs, costs, size), loss, intercept)
    a = np.random.default_rng(seed).integers(0, 9, size=len(groups.signs)) / 2
    low, dual_of_groups = groups.exact(Point(w, bias, a))
    high, dual_of_rows = SoftMargin(X, signs, costs, loss, intercept).exact(Point(w, bias, np.repeat(a / size, size)))
    assert low.high <= high.low
    assert dual_of_groups == dual_of_rows


def test_E9_groups_on_one_side_of_the_kink_change_nothing_for_the_hinge():
    X, signs, costs, duals, w, b = integer_problem(1)
    w = 8 * w
    order = np.lexsort((signs * (X @ w + b) < 1, signs))
    is_low = (signs * (X @ w + b) < 1)[order]
    ends = 1 + np.flatnonzero((np.diff(signs[order]) != 0) | (np.diff(is_low.astype(int)) != 0))
    loss = sum(len(own) * max(0.0, 1 - signs[own[0]] * (X[own].mean(axis=0) @ w + b)) for own in np.split(order, ends))
    assert len(ends) == 3  # both classes are divided by the kink
    exact = float(SoftMargin(X, signs, costs, "hinge", "free").exact(Point(w, b, duals))[0].high)
    assert loss + 0.5 * w @ w == pytest.approx(exact, rel=1e-14)
