"""The objectives as sums over parts of the rows, docs/theory.md E8 and E9."""

import numpy as np
import pytest

from novikoff.theory.enclosed_sums import Rows, exponent_of
from novikoff.theory.gap_values import Point, SoftMargin

PROBLEMS = [(loss, kind) for loss in ("hinge", "squared_hinge") for kind in ("free", "penalized", "none")]
problems = pytest.mark.parametrize(("loss", "intercept"), PROBLEMS)


def random_problem(seed, rows=48, columns=3):
    """Rows of small integers, signs, costs and duals, all exact, and a point."""
    random = np.random.default_rng(seed)
    X = random.integers(-8, 9, size=(rows, columns)).astype(float)
    signs = np.where(np.arange(rows) < rows // 2, 1.0, -1.0)
    duals = np.tile(random.integers(0, 3, size=rows // 2) / 2, 2)  # of both classes alike, so that they balance
    return X, signs, np.full(rows, 1.0), duals, random.integers(-4, 5, size=columns) / 8, random.integers(-4, 5) / 8


@problems
@pytest.mark.parametrize("cuts", [[], [20], [0, 7, 7, 31]])
def test_E8_the_sums_of_all_parts_enclose_the_objectives_of_all_rows(loss, intercept, cuts):
    X, signs, costs, duals, w, b = random_problem(len(cuts))
    w = w / 3  # so that scores are rounded
    bias = 0.0 if intercept == "none" else b
    total = None
    for X_k, y_k, c_k, a_k in zip(*(np.split(values, cuts) for values in (X, signs, costs, duals)), strict=True):
        own = SoftMargin(X_k, y_k, c_k, loss, intercept)
        part = own.part(Point(w, bias, a_k), Rows(X_k, float(np.abs(X).max())), exponent_of(duals))
        total = part if total is None else total + part
    primal, dual = SoftMargin(X, signs, costs, loss, intercept).exact(Point(w, bias, duals))
    for found, exact in ((total.primal(w, bias, intercept), primal), (total.dual(intercept), dual)):
        assert found.low <= exact.low == exact.high <= found.high
        assert float(found.high - found.low) <= 1e-10 * float(primal.high)


def grouped(X, signs, costs, size):
    """The mean row, the sign and the cost of each group of rows, which follow each other."""
    shape = (-1, size)
    return X.reshape(-1, size, X.shape[1]).mean(axis=1), signs.reshape(shape)[:, 0], costs.reshape(shape).sum(axis=1)


@problems
@pytest.mark.parametrize("seed", range(5))
def test_E9_mean_rows_have_a_smaller_objective_and_the_same_dual(loss, intercept, seed):
    X, signs, costs, _, w, b = random_problem(seed)
    bias = 0.0 if intercept == "none" else b
    size = 4  # a power of two, so that means are exact
    groups = SoftMargin(*grouped(X, signs, costs, size), loss, intercept)
    a = np.random.default_rng(seed).integers(0, 9, size=len(groups.signs)) / 2
    low, dual_of_groups = groups.exact(Point(w, bias, a))
    high, dual_of_rows = SoftMargin(X, signs, costs, loss, intercept).exact(Point(w, bias, np.repeat(a / size, size)))
    assert low.high <= high.low
    assert dual_of_groups == dual_of_rows


def test_E9_groups_on_one_side_of_the_kink_change_nothing_for_the_hinge():
    X, signs, costs, duals, w, b = random_problem(1)
    w = 8 * w
    order = np.lexsort((signs * (X @ w + b) < 1, signs))
    is_low = (signs * (X @ w + b) < 1)[order]
    ends = 1 + np.flatnonzero((np.diff(signs[order]) != 0) | (np.diff(is_low.astype(int)) != 0))
    loss = sum(len(own) * max(0.0, 1 - signs[own[0]] * (X[own].mean(axis=0) @ w + b)) for own in np.split(order, ends))
    assert len(ends) == 3  # both classes are divided by the kink
    exact = float(SoftMargin(X, signs, costs, "hinge", "free").exact(Point(w, b, duals))[0].high)
    assert loss + 0.5 * w @ w == pytest.approx(exact, rel=1e-14)
