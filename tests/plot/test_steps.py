import numpy as np
import pytest

import novikoff as nk
from novikoff.plot import StepsDisplay
from novikoff.plot.steps import rows_with_margin


@pytest.mark.parametrize("gamma", [0.05, 0.3])
def test_rows_have_length_1_and_the_largest_margin_is_gamma(gamma):
    X, y = rows_with_margin(np.random.default_rng(0), gamma, 300, 5)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
    np.testing.assert_allclose(y * X[:, 0], gamma)
    assert float(nk.HardMarginSVM(fit_intercept=False).fit(X, y).margin_) == pytest.approx(gamma, rel=1e-3)


def test_larger_margin_means_fewer_updates_and_never_more_than_the_bound():
    display = StepsDisplay.from_margins([0.4, 0.05, 0.15], n_samples=200)
    np.testing.assert_array_equal(display.margins, [0.05, 0.15, 0.4])
    np.testing.assert_allclose(display.bounds, 1 / display.margins**2)
    assert np.all(display.updates <= display.bounds[:, None])
    assert np.all(np.diff(np.median(display.updates, axis=1)) < 0)
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "log")
    shown = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert shown == [r"bound $(R/\gamma)^2$", "runs", "median of 5"]
    assert repr(display).startswith("<StepsDisplay: 15 runs of Perceptron, ")


def test_margin_perceptron_has_its_own_bound():
    learner = nk.MarginPerceptron(fit_intercept=False)
    display = StepsDisplay.measure([0.2, 0.4], learner=learner, n_samples=100, repeats=2)
    assert np.all(display.updates <= display.bounds[:, None])
    assert np.all(display.bounds > 1 / display.margins**2)


def test_runs_are_reproducible():
    first, second = (StepsDisplay.measure([0.2], n_samples=50, random_state=3).updates for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_wrong_arguments_are_refused():
    for margins in ([], [0.0, 0.1], [0.1, 1.0], [np.nan]):
        with pytest.raises(nk.InvalidInputError, match="StepsDisplay: margins must be numbers between 0 and 1"):
            StepsDisplay.from_margins(margins)
    with pytest.raises(nk.InvalidInputError, match="n_features"):
        StepsDisplay.from_margins([0.1], n_features=1)
    with pytest.raises(nk.InvalidInputError, match="LinearSVM does not add examples to its weights"):
        StepsDisplay.from_margins([0.1], learner=nk.LinearSVM())


def test_one_margin_is_drawn_with_markers_and_its_bound_is_in_view():
    display = StepsDisplay.from_margins([0.3], n_samples=50)
    bound, runs, median = display.ax_.lines
    assert all(line.get_marker() not in ("", "None", None) for line in (bound, runs, median))
    low, high = display.ax_.get_ylim()
    assert low < display.updates.min() <= display.bounds[0] < high
    several = StepsDisplay.from_margins([0.3, 0.4], n_samples=50)
    assert several.ax_.lines[0].get_marker() == several.ax_.lines[2].get_marker() == "None"
