"""Bounds from sums: the objectives of the primal point and of the balanced dual point."""

import math

import numpy as np
import pytest

from novikoff.distributed.soft_margin.sums import Bounds, bounds_of, regularization
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_bounds_are_the_objectives_in_numpy(loss, intercept):
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 30, 3)
    problem = Problem(X, signs, rng.random(30), [10, 20], loss, intercept, C=3.0, scale=0.25)
    v, alpha = rng.normal(size=4), rng.random(30)
    v[-1] *= intercept != "none"
    response = problem.setup.loss_function.response(math.inf)  # which leaves alpha as it is
    parts = []
    for k, own in enumerate((alpha[:10], alpha[10:])):
        local = problem.local(k)
        parts.append(local.dual_sums(own, local.margins(v), response))
    sums, vectors = parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
    bounds = bounds_of(problem.setup, v, sums, vectors)
    balanced = problem.balanced(alpha) if intercept == "free" else alpha
    assert bounds.primal == pytest.approx(problem.primal(v), rel=1e-12)
    assert bounds.dual == pytest.approx(problem.dual(balanced), rel=1e-12)
    expected = problem.setup.penalty * v - problem.u.T @ (problem.costs * alpha * signs)
    assert bounds.gradient == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert regularization(problem.setup, v) == pytest.approx(0.5 * float(problem.setup.penalty @ v**2))


def test_gaps():
    bounds = Bounds(np.zeros(1), 4.0, 3.0, (1.0, 1.0), 0.0, np.zeros(1))
    assert (bounds.gap, bounds.relative_gap) == (1.0, 0.25)
    assert Bounds(np.zeros(1), 4.0, 5.0, (1.0, 1.0), 0.0, np.zeros(1)).gap == 0.0
