"""Dual variables made feasible for free intercepts: exactly balanced, never larger, and hardly smaller if close."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.solvers.circulation import balanced, reductions
from novikoff.theory.joint_duals import JointDuals
from strategies import seeds


@given(seed=seeds, rows=st.integers(2, 40), classes=st.integers(2, 6), size=st.sampled_from([1e-300, 1e-8, 1.0, 1e250]))
def test_class_sums_are_exactly_0_and_nothing_grows(seed, rows, classes, size):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows).astype(np.int32)
    betas = size * rng.exponential(size=(rows, classes)) * (rng.random((rows, classes)) < 0.5)
    betas[np.arange(rows), codes] = 0.0
    found = balanced(betas, codes)
    assert not any(JointDuals.of(found).class_sums(codes, classes))
    assert np.all((found >= 0) & (found <= betas))


def test_a_circulation_loses_only_rounding_and_a_small_imbalance_only_itself():
    codes = np.array([0, 1, 2], dtype=np.int32)
    betas = np.array([[0.0, 0.3, 0.0], [0.0, 0.0, 0.3], [0.3, 0.0, 0.0]])
    np.testing.assert_allclose(balanced(betas, codes), betas, rtol=1e-12)
    betas[0, 1] += 1e-6
    np.testing.assert_allclose(balanced(betas, codes).sum(), 0.9, rtol=1e-12)


def test_flows_without_a_cycle_vanish():
    codes = np.array([0, 1], dtype=np.int32)
    betas = np.array([[0.0, 0.5, 0.2], [0.0, 0.0, 0.4]])
    assert not balanced(betas, codes).any()
    assert not balanced(np.zeros((2, 3)), codes).any()


@pytest.mark.parametrize("seed", range(5))
def test_reductions_leave_a_circulation(seed):
    flows = np.random.default_rng(seed).integers(0, 5, (6, 6)) * (1 - np.eye(6, dtype=np.int64))
    left = flows.copy()
    for own, other, amount in reductions(flows):
        assert 0 < amount <= flows[own, other]
        left[own, other] -= amount
    assert left.sum(axis=0).tolist() == left.sum(axis=1).tolist()
