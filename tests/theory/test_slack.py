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


def test_a_class_that_is_not_known_is_taken_for_the_first_one():
    """Rows of such a class have the code -1; their slack is not part of the problem."""
    W, b = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.5, 0.25])
    rows = np.array([[2.0, 3.0], [2.0, 3.0], [9.0, 1.0]])
    assert joint_slack(rows, np.array([0, -1, 0]), W, b).tolist() == [1.75, 1.75, 0.0]
    assert joint_slack(rows, np.array([1, 1, 1]), W, b).tolist() == [0.25, 0.25, 9.25]
