import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff.plot import MarginDisplay


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_every_row_is_counted_once_and_the_wrong_ones_are_those_that_predict_gets_wrong(cancer):
    X, y = cancer
    model = nk.LinearSVM().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    assert display.rows == len(y)
    assert display.mistaken == np.count_nonzero(model.predict(X) != y)
    assert display.margin == 1.0
    heights = sum(bar.get_height() for container in display.ax_.containers for bar in container)
    assert heights == len(y)


def test_no_bin_has_both_correct_and_wrong_rows(cancer):
    X, y = cancer
    display = MarginDisplay.measure(nk.LinearSVM().fit(X, y), X, y)
    assert np.any(display.edges == 0)
    assert not np.any((display.right > 0) & (display.wrong > 0))
    assert display.wrong[display.edges[:-1] >= 0].sum() == 0


def test_score_of_0_predicts_the_positive_class():
    display = MarginDisplay.from_predictions([0, 1, 0, 1], [0.0, 0.0, -1.0, 2.0])
    assert (display.rows, display.mistaken) == (4, 1)


def test_distance_is_the_score_divided_by_the_length_of_w(cancer):
    X, y = cancer
    model = nk.LinearSVM().fit(X, y)
    display = MarginDisplay.measure(model, X, y, unit="distance")
    assert display.margin == pytest.approx(1 / np.linalg.norm(model.coef_))


def test_correct_rows_inside_the_margin_are_counted(cancer):
    X, y = cancer
    model = nk.LinearSVM().fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert MarginDisplay.measure(model, X, y).inside == np.count_nonzero((margins >= 0) & (margins < 1 - 1e-9))


def test_hard_margin_has_no_row_inside_it():
    X, digit = load_digits(return_X_y=True)
    display = MarginDisplay.measure(nk.HardMarginSVM().fit(X, digit == 0), X, digit == 0)
    assert (display.inside, display.mistaken, display.margin) == (0, 0, 1.0)


def test_outliers_are_counted_in_the_outer_bins():
    scores = np.concatenate([np.linspace(-1, 3, 2000), [1e9, -1e9]])
    display = MarginDisplay.from_predictions(np.r_[np.zeros(1), np.ones(2001)], scores)
    assert display.rows == 2002
    assert -5 < display.edges[0] < display.edges[-1] < 9


def test_several_classes_and_votes():
    X, y = (part[:400] for part in load_digits(return_X_y=True))
    model = nk.VotedPerceptron(max_iter=1).fit(X, y)
    display = MarginDisplay.measure(model, X, y, class_=3)
    wrong = np.where(y == 3, 1, -1) * model.decision_function(X)[:, 3] < 0
    assert display.mistaken == np.count_nonzero(wrong)
    with pytest.raises(nk.InvalidInputError, match='unit="distance" needs a linear classifier'):
        MarginDisplay.measure(model, X, y, unit="distance")


def test_equal_scores_are_accepted_and_wrong_arguments_refused():
    display = MarginDisplay.from_predictions([0, 1], [0.0, 0.0])
    assert_array_equal([display.rows, display.mistaken], [2, 1])
    for labels, scores, message in (
        ([0, 1, 2], [0.0, 1.0, 2.0], "labels of two classes, but it has 3"),
        ([0, 1], [0.0], "has 2 labels, but there are 1 scores"),
        ([0, 1], [np.nan, 1.0], "NaN or infinite"),
    ):
        with pytest.raises(nk.InvalidInputError, match=f"MarginDisplay: .*{message}"):
            MarginDisplay.from_predictions(labels, scores)


@pytest.mark.parametrize("margin", [0.013, 0.1, 1 / 3, 1.0, 2.9, 7.0])
def test_no_bin_lies_across_0_or_the_edge_of_the_margin(margin):
    scores = np.linspace(-3, 5, 999)
    y = np.r_[np.zeros(1), np.ones(998)]
    display = MarginDisplay.from_predictions(y, scores, margin=margin)
    assert {0.0, margin} <= set(display.edges.tolist())
    assert -margin in display.edges or display.edges[0] > -margin
    assert np.all(np.diff(display.edges) > 0)
    assert len(display.edges) < 200
    assert display.right[display.edges[1:] <= margin].sum() == display.inside
    assert display.ax_.get_ylim()[1] > max(bar.get_y() + bar.get_height() for bar in display.ax_.patches)


def test_bins_have_equal_width_unless_the_margin_is_narrow():
    scores = np.r_[-1.0, np.linspace(0.5, 5, 100)]
    for margin, is_equal in ((0.5, True), (0.01, False)):
        widths = np.diff(MarginDisplay.from_predictions(np.r_[0, np.ones(100)], scores, margin=margin).edges)
        assert np.allclose(widths, widths[0]) == is_equal


def test_row_on_the_margin_up_to_rounding_is_counted_beyond_it():
    display = MarginDisplay.from_predictions([1, 1, 0], [1 - 1e-12, 0.5, -3.0], margin=1.0)
    assert display.inside == display.right[display.edges[1:] <= 1.0].sum() == 1


def test_rows_are_counted_in_integers_and_no_entry_stands_for_no_row():
    display = MarginDisplay.from_predictions([0, 1, 1], [-1.0, 1.0, 2.0])
    assert np.all(display.ax_.get_yticks() % 1 == 0)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["correct, 100%"]
