"""Objectives of joint machines: enclosures that contain the exact values, for numbers of all sizes."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.joint_duals import JointDuals
from novikoff.theory.joint_values import JointMargin, JointPoint
from share import share_of

INTERCEPTS = ("free", "penalized", "none")


def numbers(rng, shape, spread):
    """Numbers of magnitudes up to 10^spread and down to 10^-spread, some of them 0."""
    values = rng.normal(size=shape) * 10.0 ** rng.uniform(-spread, spread, size=shape)
    return np.where(rng.random(shape) < 0.15, 0.0, values)


def check(seed):
    rng, intercept, spread = np.random.default_rng(seed), INTERCEPTS[seed % 3], [0, 2, 20, 150, 300][seed % 5]
    n, d, k = int(rng.integers(1, 9)), int(rng.integers(1, 5)), int(rng.integers(2, 5))
    X, codes = numbers(rng, (n, d), spread), rng.integers(0, k, n)
    costs = np.abs(numbers(rng, n, spread)) if rng.random() < 0.5 else np.full(n, 10.0 ** rng.uniform(-spread, spread))
    betas = rng.random((n, k)) * costs[:, None] / rng.choice([1, k], (n, 1)) * (rng.random((n, k)) < 0.6)
    betas[np.arange(n), codes] = 0.0
    weights = numbers(rng, (k, d), spread)
    if rng.random() < 0.5:
        with np.errstate(all="ignore"):
            size = np.nan_to_num(np.max(np.abs(X @ weights.T)))
            weights *= 10.0 ** np.clip(-np.log10(size + 1e-300), -250, 250)
            weights = np.where(np.isfinite(weights), weights, 1.0)
    biases = numbers(rng, k, 9) * rng.choice([0.0, 1.0]) * (intercept != "none")
    problem = JointMargin(sp.csr_array(X) if rng.random() < 0.4 else X, codes, costs, intercept, k)
    point = JointPoint(weights, biases, JointDuals.of(betas))
    exact = problem.exact(point)
    for quick in (False, True):
        with np.errstate(all="ignore"):
            found = problem.enclose(point, Rows(problem.X), quick)
        for enclosure, truth in zip(found, exact, strict=True):
            assert enclosure.low <= truth.low <= enclosure.high, seed


@pytest.mark.parametrize("block", range(10))
def test_the_exact_objectives_lie_in_their_enclosures(block):
    for seed in range(40 * block, 40 * (block + 1)):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(share_of(5)))
def test_the_exact_objectives_lie_in_their_enclosures_for_many_problems(block):
    for seed in range(1000 * (block + 1), 1000 * (block + 2)):
        check(seed)


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_enclosures_of_ordinary_data_are_narrow(intercept):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(300, 4)), np.arange(300) % 3
    betas = rng.random((300, 3)) / 3
    betas[np.arange(300), codes] = 0.0
    problem = JointMargin(X, codes, np.ones(300), intercept, 3)
    biases = np.array([0.1, -0.2, 0.3]) * (intercept != "none")
    point = JointPoint(rng.normal(size=(3, 4)), biases, JointDuals.of(betas))
    for found, truth in zip(problem.enclose(point, Rows(X)), problem.exact(point), strict=True):
        assert found.low <= truth.low <= found.high
        assert found.width <= 1e-11 * abs(truth.high)
    assert problem.is_small


def test_no_loss_is_exactly_0():
    X, codes = np.ones((4, 2)), np.zeros(4, dtype=np.intp)
    problem = JointMargin(X, codes, np.full(4, 1e300), "free", 2)
    nothing = JointDuals.of(np.zeros((4, 2)))
    primal, dual = problem.enclose(JointPoint(np.zeros((2, 2)), np.array([0.5, -0.5]), nothing), Rows(X))
    assert (primal.low, primal.high, dual.low, dual.high) == (0, 0, 0, 0)
