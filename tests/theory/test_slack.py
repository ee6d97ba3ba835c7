"""Slacks in blocks of rows: those of the definitions, also for rows that are not part of a problem."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import geometry
from novikoff.theory.slack import hinge_slack, joint_slack

rng = np.random.default_rng(0)
X = rng.integers(-3, 4, size=(50, 4)).astype(float)


@pytest.fixture(params=[1 << 22, 40])
def block_entries(request, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", request.param)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_the_slack_is_what_the_score_lacks_to_1(layout, block_entries):
    w, b, y = np.array([1.0, -0.5, 0.0, 2.0]), 0.25, np.where(X[:, 0] > 0, 1.0, -1.0)
    found = hinge_slack(layout(X), y, w, b)
    np.testing.assert_array_equal(found, np.maximum(0, 1 - y * (X @ w + b)))
    assert found[np.isclose(y * (X @ w + b), 1)].max(initial=0) == 0


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_the_slack_of_several_classes_is_their_largest_violation(layout, block_entries):
    W, b = rng.integers(-2, 3, size=(3, 4)).astype(float), np.array([0.5, 0.0, -0.5])
    codes = rng.integers(0, 3, size=50)
    scores = X @ W.T + b
    expected = [max((k != c) + s[k] - s[c] for k in range(3)) for s, c in zip(scores, codes, strict=True)]
    np.testing.assert_array_equal(joint_slack(layout(X), codes, W, b), expected)
