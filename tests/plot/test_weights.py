import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff.plot import WeightsDisplay


def test_weights_are_sorted_by_size_and_named_by_the_frame():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = nk.LinearSVM().fit(X, y)
    display = WeightsDisplay.from_estimator(model, k=8)
    assert np.all(np.diff(np.abs(display.weights)) <= 0)
    assert np.abs(display.weights).min() >= np.sort(np.abs(model.coef_[0]))[-8]
    assert_array_equal(model.coef_[0][display.columns], display.weights)
    assert display.names == X.columns[display.columns].tolist()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == display.names
    lengths = {round(bar.get_y() + 0.4): bar.get_width() for group in display.ax_.containers for bar in group}
    assert_array_equal([lengths[place] for place in range(7, -1, -1)], display.weights)


def test_weights_of_0_are_left_out_and_columns_without_names_have_numbers():
    model = nk.LinearSVM().fit(sp.csr_matrix([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), ["a", "b"])
    display = WeightsDisplay.from_estimator(model)
    assert display.names == ["column 2"]
    assert (display.nonzero, display.total) == (1, 3)


def test_one_of_several_classes_and_the_other_of_two():
    X, y = (part[:400] for part in load_digits(return_X_y=True))
    model = nk.LinearSVM(C=0.01, multi_class="ovr").fit(X, y)
    assert_array_equal(
        WeightsDisplay.measure(model, class_=5).weights,
        model.coef_[5][np.argsort(-np.abs(model.coef_[5]), kind="stable")[:20]],
    )
    two = nk.LinearSVM(C=0.01).fit(X, y == 5)
    one, other = (WeightsDisplay.measure(two, class_=label) for label in (True, False))
    assert_array_equal(one.weights, -other.weights)
    assert one.sides == ("False", "True") == other.sides[::-1]


def test_names_with_special_characters_are_drawn():
    model = nk.LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    display = WeightsDisplay.from_estimator(model, feature_names=["$\\frac$ " + "x" * 100, "<b>\n\n</b>"])
    display.figure_.canvas.draw()
    assert max(len(text.get_text()) for text in display.ax_.get_yticklabels()) < 50


def test_wrong_number_of_names_is_refused():
    model = nk.LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(nk.InvalidInputError, match=r"feature_names must have 2 entries"):
        WeightsDisplay.from_estimator(model, feature_names=["a"])
