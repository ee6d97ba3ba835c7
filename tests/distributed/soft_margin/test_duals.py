"""Duals in the units of the user are within their limits, whatever rounding did to those of the solver."""

import numpy as np
import pytest

from novikoff.distributed.soft_margin.duals import DualsCommand, duals_step
from partitions import LOSSES, Problem, cut, noisy_rows

SIZES = [10, 0, 1, 19]


@pytest.mark.parametrize("loss", LOSSES)
def test_duals_are_costs_times_alpha_within_their_limits(loss):
    rng = np.random.default_rng(0)
    problem = Problem(*noisy_rows(rng, 30, 3), rng.choice([0.0, 1.0, 1 / 3], 30), SIZES, loss, C=0.7)
    alpha, costs = rng.choice([0.0, 1.0, 0.3, 1 + 1e-15, -1e-17], 30), 0.7 * problem.costs
    problem.kept = cut(alpha, SIZES)
    found, _, _ = problem.run(duals_step, DualsCommand(np.zeros(4), 0.0, False))
    expected = np.clip(costs * alpha, 0.0, costs if loss == "hinge" else np.where(costs > 0, np.inf, 0))
    numbers, values, is_positive = (np.concatenate([part[k] for part in found]) for k in range(3))
    assert np.array_equal(np.concatenate(problem.kept), expected)
    assert numbers.tolist() == np.flatnonzero(expected).tolist()
    assert np.array_equal(values, expected[numbers])
    assert np.array_equal(is_positive, problem.signs[numbers] > 0)
