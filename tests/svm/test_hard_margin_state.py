"""The nearest points of the two hulls: their distance, their place on the margins, and their file."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import novikoff as nk
from saved import again
from strategies import few, separable

rng = np.random.default_rng(3)
CODES = rng.integers(0, 3, size=30)
X = rng.normal(size=(30, 3)) + 8 * np.array([[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.0]])[CODES]


@given(data=separable(intercept=True))
@few
def test_notes_4_the_margin_is_half_the_distance_of_the_nearest_points_along_w(data):
    model = nk.HardMarginSVM().fit(data.X, data.y)
    x_plus, x_minus = model.nearest_points_
    w, certificate = model.coef_[0], model.certificate_
    half = np.linalg.norm(x_plus - x_minus) / 2
    assert half == pytest.approx(certificate.margin_upper_bound, rel=1e-8)
    along = (x_plus - x_minus) @ w / np.linalg.norm(w) / 2
    assert model.margin_ * (1 - 1e-9) <= along <= half * (1 + 1e-9)
    reach = 1e-9 * (1 + np.abs(data.X).max() * np.linalg.norm(w))
    assert x_plus @ w + model.intercept_[0] >= 1 - reach
    assert x_minus @ w + model.intercept_[0] <= -1 + reach


@given(data=separable(intercept=True))
@few
def test_notes_4_support_vectors_of_both_classes_lie_on_the_margin_boundaries(data):
    model = nk.HardMarginSVM(tol=1e-9).fit(data.X, data.y)
    rows = model.support_
    scores = data.y[rows] * model.decision_function(data.X[rows])
    weights = np.abs(model.dual_coef_[0]) / np.abs(model.dual_coef_[0]).sum()
    assert np.all(scores >= 1 - 1e-9)
    assert weights @ scores == pytest.approx(1, abs=1e-6)
    signs, w = data.y[rows], model.coef_[0]
    heavy = [rows[signs == side][np.argmax(weights[signs == side])] for side in (1.0, -1.0)]
    margin = (data.X[heavy[0]] - data.X[heavy[1]]) @ w / np.linalg.norm(w) / 2
    assert margin == pytest.approx(1 / np.linalg.norm(w), rel=1e-5)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_several_classes_have_two_points_for_each_problem_also_in_a_file(layout, tmp_path):
    model = nk.HardMarginSVM().fit(layout(X), CODES)
    assert model.nearest_points_.shape == (3, 2, 3)
    for points, certificate in zip(model.nearest_points_, model.certificate_, strict=True):
        assert np.linalg.norm(points[0] - points[1]) / 2 == pytest.approx(certificate.margin_upper_bound, rel=1e-8)
    loaded = again(model, tmp_path / "model.nvk")
    np.testing.assert_array_equal(loaded.nearest_points_, model.nearest_points_)
    assert nk.verify(loaded, layout(X), CODES)


def test_the_points_are_convex_combinations_of_their_class():
    model = nk.HardMarginSVM().fit([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]], [0, 0, 1])
    np.testing.assert_allclose(model.nearest_points_, [[1.0, 3.0], [1.0, 0.0]])
    assert model.margin_ == pytest.approx(1.5)


@pytest.mark.parametrize("parameters", [{"fit_intercept": False}, {"penalized_intercept": True}])
def test_without_a_free_intercept_the_margin_is_no_distance_of_two_hulls(parameters, tmp_path):
    model = nk.HardMarginSVM().fit(X, CODES == 0)
    assert hasattr(model, "nearest_points_")
    model.set_params(**parameters).fit(X, CODES == 0)
    assert not hasattr(model, "nearest_points_")
    assert not hasattr(again(model, tmp_path / "model.nvk"), "nearest_points_")
    with pytest.raises(AttributeError, match=r"HardMarginSVM has no nearest_points_: .* belong to a free intercept"):
        _ = model.nearest_points_


def test_points_of_another_shape_are_refused():
    model = nk.HardMarginSVM().fit(X, CODES == 0)
    state = model.record_.state
    with pytest.raises(nk.InvalidInputError, match="their shape must be"):
        state.check_points(2)
