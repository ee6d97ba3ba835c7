"""Duals in the units of the user: within their limits, balanced where the driver says so, and measured."""

import numpy as np
import pytest

from novikoff.distributed.soft_margin.duals import (
    DualsCommand,
    MeasureCommand,
    duals_step,
    measure_step,
)
from novikoff.theory.gap_values import Point, SoftMargin
from partitions import INTERCEPTS, LOSSES, Problem, cut, noisy_rows

SIZES = [10, 0, 1, 19]


def problem_of(loss="hinge", intercept="free", is_weighted=True):
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 30, 3)
    weights = rng.choice([0.0, 1.0, 1 / 3], 30) if is_weighted else None
    problem = Problem(X, signs, weights, SIZES, loss, intercept, C=0.7)
    problem.kept = cut(rng.choice([0.0, 1.0, 0.3, 1 + 1e-15, -1e-17], 30), SIZES)
    return problem


@pytest.mark.parametrize("loss", LOSSES)
def test_duals_are_costs_times_alpha_within_their_limits(loss):
    problem = problem_of(loss)
    alpha, costs = np.concatenate(problem.kept), 0.7 * problem.costs
    found, _, _ = problem.run(duals_step, DualsCommand(np.zeros(4), 0.0, False))
    duals = np.concatenate(problem.kept)
    expected = np.clip(costs * alpha, 0.0, costs if loss == "hinge" else np.where(costs > 0, np.inf, 0))
    assert np.array_equal(duals, expected)
    numbers, values, is_positive = (np.concatenate([part[k] for part in found]) for k in range(3))
    assert numbers.tolist() == np.flatnonzero(expected).tolist()
    assert np.array_equal(values, expected[numbers])
    assert np.array_equal(is_positive, problem.signs[numbers] > 0)


def test_duals_of_a_ramp_are_its_values_at_the_point():
    problem = problem_of("squared_hinge", is_weighted=False)
    v = np.array([0.2, 0.1, -0.3, 0.4])
    problem.run(duals_step, DualsCommand(v, problem.setup.loss_function.ridge, False))
    slack = np.maximum(0.0, 1 - problem.signs * (problem.u @ v))
    assert np.concatenate(problem.kept) == pytest.approx(0.7 * 2 * slack, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_the_measured_objectives_enclose_the_exact_ones(loss, intercept):
    problem = problem_of(loss, intercept)
    problem.run(duals_step, DualsCommand(np.zeros(4), 0.0, False))
    duals = np.concatenate(problem.kept)
    weights, bias = np.array([0.5, -0.25, 1 / 3]), 0.0 if intercept == "none" else 0.1
    numbers = np.flatnonzero(duals)[[0, -1]].astype(np.int64)
    part = problem.run(measure_step, MeasureCommand(weights, bias, (0.5, 1.0), numbers, np.array([0.01, 0.02]), 1))
    expected = duals * np.where(problem.signs > 0, 1.0, 0.5)
    expected[numbers] = 0.01, 0.02
    assert np.array_equal(np.concatenate(problem.kept), expected)
    whole = SoftMargin(problem.X, problem.signs.astype(float), 0.7 * problem.costs, loss, intercept)
    primal, dual = whole.exact(Point(weights, bias, expected))
    measured = part.primal(weights, bias, intercept), part.dual(intercept)
    for enclosure, exact in zip(measured, (primal, dual), strict=True):
        assert enclosure.low <= exact.low <= enclosure.high
        if intercept != "free" or exact is primal:  # the duals are not balanced, which widens the enclosure
            assert float(enclosure.high - enclosure.low) <= 1e-12 * abs(float(exact.low))


def test_costs_are_counted_and_gathered_if_they_are_wanted():
    problem = problem_of()
    _, costs, count = problem.run(duals_step, DualsCommand(np.zeros(4), 0.0, True))
    assert np.array_equal(np.concatenate(costs), 0.7 * problem.costs)
    assert count == np.count_nonzero(problem.costs) < 30
    assert problem_of().run(duals_step, DualsCommand(np.zeros(4), 0.0, False))[1:] == ([], count)
