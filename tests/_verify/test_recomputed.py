"""Slacks and nearest points are recomputed from the rows, and only rounding may make a difference."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._verify.recomputed import has_nearest_points, has_slack

rng = np.random.default_rng(4)
X = rng.normal(size=(40, 3))
THREE = np.digitize(X[:, 0] + 0.3 * rng.normal(size=40), [-0.5, 0.5])
APART = X[:, 0] > 0


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_the_attributes_of_a_fit_agree(layout):
    for y in (APART, THREE):
        model = nk.LinearSVM().fit(layout(X), y)
        assert has_slack(model.slack_, model.record_.certificates, layout(X), y)
    model = nk.HardMarginSVM().fit(layout(X), APART)
    assert has_nearest_points(model.nearest_points_, model.record_.certificates, layout(X), APART)


def test_another_shape_or_another_kind_of_array_does_not_agree():
    model = nk.LinearSVM().fit(X, THREE)
    certificates = model.record_.certificates
    assert has_slack(model.slack_.toarray(), certificates, X, THREE) is False
    assert has_slack(model.slack_[:, :2], certificates, X, THREE) is False
    hard = nk.HardMarginSVM().fit(X, APART)
    assert has_nearest_points(hard.nearest_points_[None], hard.record_.certificates, X, APART) is False


def test_a_small_change_is_noticed():
    model, hard = nk.LinearSVM().fit(X, APART), nk.HardMarginSVM().fit(X, APART)
    slack, points = model.slack_.copy(), hard.nearest_points_.copy()
    slack[3] += 1e-9
    points[1, 0] += 1e-9
    assert has_slack(slack, model.record_.certificates, X, APART) is False
    assert has_nearest_points(points, hard.record_.certificates, X, APART) is False


def test_certificates_without_slacks_or_hulls_say_nothing():
    perceptron = nk.Perceptron().fit(X, APART)
    assert has_slack(np.zeros(40), perceptron.record_.certificates, X, APART) is None
    through_zero = nk.HardMarginSVM(fit_intercept=False).fit(X, APART)
    assert has_nearest_points(np.zeros((2, 3)), through_zero.record_.certificates, X, APART) is None
