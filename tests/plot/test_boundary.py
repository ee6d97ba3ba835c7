from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.svm import LinearSVC

import novikoff as nk
from novikoff.plot import BoundaryDisplay
from novikoff.plot.boundary import framed
from real_data import two_classes

rng = np.random.default_rng(3)


@pytest.fixture(scope="module")
def blobs():
    y = np.repeat(["no", "yes"], 60)
    return rng.normal(size=(120, 2)) * [1.0, 5.0] + np.where(y == "yes", 2.0, -2.0)[:, None] * [1.0, 3.0], y


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), y


def test_score_is_0_on_the_line_and_1_on_the_band(blobs):
    X, y = blobs
    model = nk.LinearSVM(C=0.1).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    for ends, score in ((display.line, 0.0), (display.band[0], -1.0), (display.band[1], 1.0)):
        assert_allclose(model.decision_function(ends), score, atol=1e-9)
    drawn = display.ax_.lines[0].get_xydata()
    assert_array_equal(drawn, display.line)


def test_rings_are_the_support_vectors_of_the_certificate(blobs):
    X, y = blobs
    model = nk.LinearSVM().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    assert_array_equal(display.indices[display.support], model.certificate_.model.duals.rows)
    assert_array_equal(display.points, X)
    rings = next(artist for artist in display.ax_.collections if artist.get_label() == "support vectors")
    assert_array_equal(rings.get_offsets(), X[model.support_])


@pytest.mark.parametrize(
    "make",
    [
        nk.LinearSVM,
        partial(nk.LinearSVM, loss="squared_hinge", penalized_intercept=True),
        partial(nk.LinearSVM, fit_intercept=False),
        nk.HardMarginSVM,
        partial(nk.HardMarginSVM, penalized_intercept=True),
        nk.Perceptron,
        nk.MarginPerceptron,
        nk.PassiveAggressiveI,
    ],
)
def test_support_is_marked_only_in_the_training_data(make):
    X, digit = load_digits(return_X_y=True)
    X, y = X[:600], digit[:600] == 0
    model = make().fit(X, y)
    assert BoundaryDisplay.measure(model, X, y).support.any()
    for rows in (slice(None, None, -1), slice(5, None), slice(300)):
        assert not BoundaryDisplay.measure(model, X[rows], y[rows]).support.any()


def test_many_columns_are_projected_with_a_vertical_boundary(cancer):
    X, y = cancer
    model = nk.LinearSVM(C=0.1).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    length = np.linalg.norm(model.coef_)
    assert display.projected
    assert_allclose(display.points[:, 0], model.decision_function(X) / length, atol=1e-9)
    assert_allclose(display.line[:, 0], 0.0, atol=1e-12)
    assert_allclose(display.band[1][:, 0], 1 / length)


def test_vertical_axis_is_the_principal_direction_across_w(cancer):
    X, y = cancer
    model = nk.LinearSVM(C=0.1).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    normal = model.coef_[0] / np.linalg.norm(model.coef_)
    across = X.to_numpy() - X.to_numpy() @ np.outer(normal, normal)
    largest = np.linalg.svd(across - across.mean(axis=0), compute_uv=False)[0]
    assert_allclose(np.linalg.norm(display.points[:, 1]), largest, rtol=1e-3)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array, pd.DataFrame])
def test_sparse_rows_and_frames_give_the_same_points(cancer, kind):
    X, y = cancer
    X = X.to_numpy()
    model = nk.LinearSVM(C=0.1).fit(kind(X), y)
    expected = BoundaryDisplay.measure(nk.LinearSVM(C=0.1).fit(X, y), X, y).points
    assert_allclose(BoundaryDisplay.measure(model, kind(X), y).points, expected, atol=1e-6)


def test_wide_sparse_rows_are_not_made_dense():
    X, y = two_classes("spam_stream")
    model = nk.PassiveAggressiveI(max_iter=1).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, max_points=500)
    assert len(display.points) == 500
    assert display.total == X.shape[0]


def test_sample_is_fixed_and_includes_the_support_vectors(blobs):
    X, y = blobs
    apart = np.where(y == "yes", 1, -1) * (X @ [3.0, 1.0]) > 4
    X, y = np.vstack([X[apart]] * 50), np.tile(y[apart], 50)
    model = nk.HardMarginSVM().fit(X, y)
    first, second = (BoundaryDisplay.measure(model, X, y, max_points=100) for _ in range(2))
    assert_array_equal(first.indices, second.indices)
    assert len(first.points) == 100
    assert_array_equal(first.indices[first.support], model.support_)


def test_band_of_a_separator_is_that_of_its_nearest_row():
    X, digit = load_digits(return_X_y=True)
    y = digit == 0
    model = nk.Perceptron().fit(X, y)
    display = BoundaryDisplay.measure(model, X, y)
    assert display.edge == pytest.approx(np.min(np.where(y, 1, -1) * model.decision_function(X)))
    assert display.support_name == "examples with an update"
    margin = nk.MarginPerceptron(epsilon=0.1).fit(X, y)
    assert BoundaryDisplay.measure(margin, X, y).edge == pytest.approx(
        np.min(np.where(y, 1, -1) * margin.decision_function(X)), rel=1e-6
    )


def test_one_of_several_classes():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500], y[:500]
    model = nk.LinearSVM(C=0.01, multi_class="ovr").fit(X, y)
    assert BoundaryDisplay.measure(model, X, y).names == ("the rest", "0")
    display = BoundaryDisplay.measure(model, X, y, class_=7)
    assert_array_equal(display.signs, np.where(y == 7, 1.0, -1.0))
    assert_allclose(display.points[:, 0], model.decision_function(X)[:, 7] / np.linalg.norm(model.coef_[7]))
    assert_array_equal(display.indices[display.support], model.certificate_[7].model.duals.rows)


def test_a_pair_of_several_classes_has_the_rows_of_both():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500], y[:500]
    model = nk.LinearSVM(C=0.01, multi_class="ovo").fit(X, y)
    display = BoundaryDisplay.measure(model, X, y, class_=(7, 3))
    assert display.names == ("3", "7")
    assert_array_equal(display.indices, np.flatnonzero((y == 7) | (y == 3)))
    assert_array_equal(display.signs, np.where(y[display.indices] == 7, 1.0, -1.0))
    place = model.record_.strategy.pairs.index((7, 3))
    assert_array_equal(display.indices[display.support], model.certificate_[place].model.duals.rows)
    assert BoundaryDisplay.measure(model, X, y, class_=(7, 3), max_points=20).total == len(display.indices)


def test_other_class_of_two_mirrors_the_figure(blobs):
    X, y = blobs
    X = np.column_stack([X, X[:, 0] ** 2])
    model = nk.LinearSVM().fit(X, y)
    one, other = (BoundaryDisplay.measure(model, X, y, class_=label) for label in ("yes", "no"))
    assert_array_equal(one.points[:, 0], -other.points[:, 0])
    assert one.names == other.names[::-1]


def test_classifier_of_scikit_learn_with_one_column_is_drawn():
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1]
    display = BoundaryDisplay.from_estimator(LinearSVC().fit(X, y), X, y)
    assert display.points.shape == (6, 2)
    assert display.line is not None


def test_given_axes_are_drawn_on(blobs):
    _, ax = plt.subplots()
    X, y = blobs
    display = BoundaryDisplay.from_estimator(nk.LinearSVM().fit(X, y), X, y, ax=ax, feature_names=["$a$", "b_c"])
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    ax.figure.canvas.draw()  # fails if a dollar sign starts a formula
    assert ax.get_xlabel() == r"\$a\$"


def test_line_outside_the_figure_is_not_drawn():
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    model = LinearSVC().fit(X, [0, 1])
    model.coef_, model.intercept_ = np.array([[1.0, 1.0]]), np.array([100.0])
    display = BoundaryDisplay.from_estimator(model, X, [0, 1])
    assert display.line is None


def test_wrong_arguments_are_refused(blobs):
    X, y = blobs
    with pytest.raises(nk.InvalidInputError, match=r"scores of VotedPerceptron are not linear"):
        BoundaryDisplay.from_estimator(nk.VotedPerceptron().fit(X, y), X, y)
    with pytest.raises(nk.InvalidInputError, match=r"X must have 2 columns, but it has 1"):
        BoundaryDisplay.from_estimator(nk.LinearSVM().fit(X, y), X[:, :1], y)
    with pytest.raises(nk.InvalidInputError, match="class_ must be one of"):
        BoundaryDisplay.from_estimator(nk.LinearSVM().fit(X, y), X, y, class_="maybe")


def test_columns_that_do_not_occur_change_nothing():
    rng = np.random.default_rng(4)
    rows = sp.csr_array(np.where(rng.random((80, 6)) < 0.5, rng.normal(size=(80, 6)), 0.0))
    wide = sp.csr_array((rows.data, 100 * rows.indices + 5, rows.indptr), shape=(80, 10_000))
    y = rng.integers(0, 2, 80)
    narrow, full = (BoundaryDisplay.measure(nk.LinearSVM().fit(X, y), X, y) for X in (rows, wide))
    np.testing.assert_allclose(full.points, narrow.points, atol=1e-12)


def test_both_axes_have_the_same_scale_so_that_w_is_orthogonal_to_the_line(blobs):
    X, y = blobs
    display = BoundaryDisplay.from_estimator(nk.LinearSVM().fit(X / [1.0, 2.0], y), X / [1.0, 2.0], y)
    assert display.aspect == "equal"
    display.figure_.canvas.draw()
    unit = np.diff(display.ax_.transData.transform([[0.0, 0.0], [1.0, 1.0]]), axis=0)[0]
    assert unit[0] == pytest.approx(unit[1])
    assert_allclose(np.column_stack([display.ax_.get_xlim(), display.ax_.get_ylim()]), display.frame)


def test_columns_of_very_different_scales_have_axes_of_their_own(blobs):
    X, y = blobs
    X = X * [1.0, 1000.0]
    display = BoundaryDisplay.from_estimator(nk.LinearSVM().fit(X, y), X, y)
    assert (display.aspect, display.ax_.get_aspect()) == ("auto", "auto")
    one = BoundaryDisplay.measure(nk.LinearSVM().fit(X[:, :1], y), X[:, :1], y)
    assert one.aspect == "auto"  # the vertical axis has no meaning


@pytest.mark.parametrize("size", [(1.0, 1.0), (1.0, 3.0), (5.0, 1.0)])
def test_frame_contains_the_box_and_is_neither_narrow_nor_wide(size):
    low, high = np.array([2.0, -1.0]), np.array([2.0, -1.0]) + size
    (left, bottom), (right, top) = framed(low, high)[0]
    assert left <= low[0] + 1e-12
    assert right >= high[0] - 1e-12
    assert bottom <= low[1] + 1e-12
    assert top >= high[1] - 1e-12
    assert 0.75 - 1e-9 <= (right - left) / (top - bottom) <= 1.6 + 1e-9
