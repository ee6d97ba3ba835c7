"""Bounds on the optimum against plain NumPy."""

import math

import numpy as np
import pytest

from binary_problems import SIGNS, WEIGHTS, X, each_problem, objective, problem_of, training_set
from novikoff.solvers.bounds import (
    bounds_at,
    move_to_duals,
    relative_gap,
    rounding_of_sum,
    stretch,
    with_rounding,
    worst_case_objective,
)
from novikoff.solvers.workspace import Workspace


def workspace(**parameters):
    work = Workspace(problem_of(data=training_set(weights=WEIGHTS), **parameters), threads=1)
    work.alpha[:] = np.random.default_rng(1).random(60)
    return work


@each_problem
def test_bounds_are_the_objectives_of_the_two_points(loss, intercept):
    work = workspace(C=2.0, loss=loss, intercept=intercept)
    problem, v = work.problem, np.array([0.5, -1.0, 0.0, 2.0, 0.3 if intercept != "none" else 0.0])
    work.compute_margins(v)
    bounds = bounds_at(work, v)
    w, b = v[:-1] * problem.scale, v[-1]
    assert 2.0 * bounds.primal == pytest.approx(objective(w, b, 2.0, loss, intercept, WEIGHTS), rel=1e-12)
    a = 2.0 * WEIGHTS * work.alpha * np.where(SIGNS > 0, bounds.shares[1], bounds.shares[0])
    total = (a * SIGNS) @ X
    dual = a.sum() - 0.5 * total @ total
    if intercept == "penalized":
        dual -= 0.5 * (a @ SIGNS) ** 2
    if loss == "squared_hinge":
        dual -= 0.25 * np.sum(a**2 / (2.0 * WEIGHTS))
    assert 2.0 * bounds.dual == pytest.approx(dual, rel=1e-12)
    if intercept == "free":
        assert a @ SIGNS == pytest.approx(0, abs=1e-12 * a.sum())
    assert bounds.gap == bounds.primal - bounds.dual > 0
    assert bounds.relative_gap == relative_gap(bounds.primal, bounds.dual)


def test_a_rounding_error_lowers_the_dual_bound():
    work = workspace()
    work.compute_margins(np.zeros(5))
    plain = bounds_at(work, np.zeros(5)).dual
    assert bounds_at(work, np.zeros(5), rounding=1e-3).dual < plain
    assert 0 < rounding_of_sum(work) < 1e-12


def test_the_relative_gap_is_0_for_crossed_bounds_and_infinite_for_a_primal_of_0():
    assert relative_gap(1.0, 2.0) == 0.0
    assert relative_gap(0.0, -1.0) == math.inf
    assert math.isnan(relative_gap(math.nan, 1.0))


def test_stretching_leaves_no_loss_if_that_is_about_as_good_and_v_as_it_is_otherwise():
    data = training_set([[1.0], [-1.0]], [1, 0])
    work = Workspace(problem_of(C=1e6, tol=1e-4, data=data), threads=1)
    v = np.array([(1 - 1e-9) / work.problem.scale, 0.0])
    work.compute_margins(v)
    stretched = stretch(work, v)
    assert np.all(work.margins > 1)
    assert stretched[0] == pytest.approx(v[0], rel=1e-5)
    work.compute_margins(0.5 * v)
    assert stretch(Workspace(problem_of(C=1.0, data=data), 1), 0.5 * v) is not None
    work = Workspace(problem_of(C=0.01, data=data), threads=1)
    work.compute_margins(0.5 * v)
    half = 0.5 * v
    assert stretch(work, half) is half


def test_the_worst_case_is_above_the_objective_and_the_primal_point_of_alpha_has_no_gradient():
    work = workspace(intercept="penalized")
    v = np.array([0.5, -1.0, 0.0, 2.0, 0.3])
    move_to_duals(work, v)
    work.compute_margins(v)
    bounds = bounds_at(work, v)
    np.testing.assert_allclose(bounds.gradient, 0, atol=1e-10)
    assert worst_case_objective(work, v) >= bounds.primal


@pytest.mark.parametrize("positive", [0.0, 1.0, math.nan])
def test_bounds_of_a_point_without_margins_are_nan(positive):
    work = workspace(C=2.0, loss="hinge", intercept="free")
    v = np.zeros(5)
    work.compute_margins(v)
    work.alpha[:] = np.where(SIGNS > 0, positive, math.nan)
    bounds = bounds_at(work, v)
    assert math.isnan(bounds.dual)
    assert math.isnan(bounds.gap)


@each_problem
def test_rounding_can_be_counted_after_the_bounds_were_computed(loss, intercept):
    work = workspace(C=1e12, loss=loss, intercept=intercept)
    v = np.random.default_rng(0).normal(size=work.problem.columns + 1)
    work.compute_margins(v)
    expected = bounds_at(work, v, rounding=rounding_of_sum(work))
    plain = bounds_at(work, v)
    found = with_rounding(work, plain)
    assert found.dual < plain.dual
    assert found.dual == pytest.approx(expected.dual, rel=1e-14)
    assert (found.primal, found.shares) == (expected.primal, expected.shares)
    assert found.v is v
