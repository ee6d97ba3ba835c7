from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib import pyplot as plt
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


@pytest.mark.parametrize("layout", ["constrained", None])
def test_labels_are_inside_the_figure_and_do_not_touch_each_other(layout):
    figure, ax = plt.subplots(figsize=(4, 3), layout=layout)
    model = nk.LinearSVM().fit(np.eye(20), [0, 1] * 10)
    WeightsDisplay.from_estimator(model, feature_names=[f"a long name of column {k}" for k in range(20)], ax=ax)
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert min(box.x0 for box in boxes) >= 0
    for below, above in pairwise(sorted(boxes, key=lambda box: box.y0)):
        assert below.y1 - above.y0 < 0.35 * below.height  # the box includes room for descenders
    assert ax.get_window_extent().width > 0.35 * figure.bbox.width
