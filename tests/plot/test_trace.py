import numpy as np
import pytest
from matplotlib import pyplot as plt

import novikoff as nk
from novikoff.plot import TraceDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2))
X = X[np.abs(X @ [1.0, 0.5]) > 0.3]
Y = X @ [1.0, 0.5] > 0
ROUNDING = 1 + 1e-9


@pytest.mark.parametrize("learner", [nk.Perceptron(), nk.MarginPerceptron(), nk.MarginPerceptron(margin=0.1)])
def test_run_lies_between_the_bounds_that_meet_at_the_bound(learner):
    display = TraceDisplay.measure(nk.trace(learner, X, Y))
    upper, lower = (np.interp(display.step, display.bound_step, curve) for curve in (display.upper, display.lower))
    assert np.all(lower <= display.projection * 1.001)  # the curves have 200 points
    assert np.all(display.projection <= display.length * ROUNDING)
    assert np.all(display.length <= upper * 1.001)
    assert display.bound_step[-1] == display.bound
    assert np.all(display.lower[:-1] <= display.upper[:-1] * ROUNDING)
    assert display.lower[-1] == pytest.approx(display.upper[-1], rel=0.01)
    assert display.is_square_root == isinstance(learner, nk.Perceptron)
    assert display.angle_bound[-1] < 10


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_four_lines_the_bound_and_the_end_of_the_run_are_drawn(scale):
    steps = nk.trace(nk.Perceptron(), X, Y)
    display = TraceDisplay.from_trace(steps, scale=scale)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == [
        r"$R\sqrt{M} \geq |v|$",
        "$|v|$",
        r"$v \cdot v^*/|v^*|$",
        r"$M \gamma \leq v \cdot v^*/|v^*|$",
        rf"$(R/\gamma)^2$: at most {int(steps.bound):,} updates",
        f"halted: $M$ = {len(steps)}",
    ]
    assert display.ax_.get_xscale() == scale
    low, high = display.ax_.get_xlim()
    assert low <= 1 < steps.bound < high
    assert display.angle_ax_.lines[1].get_ydata() == pytest.approx(steps.angle)
    assert display.angle_ax_.get_xlim() == (low, high)


def test_method_of_a_trace_draws_it_on_given_axes():
    figure, grid = plt.subplots(1, 2, layout="constrained", figsize=(10, 5))
    grid[0].set_title("a title of the user")
    display = nk.trace(nk.Perceptron(), X, Y).plot(grid[0])
    assert (display.ax_, display.figure_) == (grid[0], figure)
    figure.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    assert not grid[0].title.get_window_extent().overlaps(legend)
    assert legend.x1 <= grid[1].get_window_extent().x0
    assert display.angle_ax_.get_window_extent().y1 < grid[0].get_window_extent().y0


def test_rows_that_cannot_be_separated_have_no_bound_and_no_angle():
    display = nk.trace(nk.Perceptron(max_iter=3), X, rng.random(len(Y)) < 0.5).plot()
    assert (display.bound, display.most, display.angle_ax_) == (np.inf, None, None)
    assert len(display.ax_.lines) == 3
    assert repr(display) == f"<TraceDisplay: {len(display.step)} updates>"


def test_comparator_that_does_not_separate_gives_no_bound():
    display = nk.trace(nk.Perceptron(), X, Y, comparator=[1.0, -0.5, 0.0]).plot()
    assert display.has_comparator
    assert display.bound == np.inf
    assert not any(r"M \gamma" in text.get_text() for text in display.ax_.get_legend().get_texts())


def test_unknown_scale_is_refused():
    with pytest.raises(nk.InvalidInputError, match="TraceDisplay: scale must be"):
        TraceDisplay.from_trace(nk.trace(nk.Perceptron(), X, Y), scale="square")


def test_run_that_returns_to_0_has_linear_axes():
    xor, parity = [[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]], [0, 0, 1, 1]
    steps = nk.trace(nk.Perceptron(shuffle=False, max_iter=10), xor, parity)
    assert steps.length.min() == 0, "otherwise this tests nothing"
    display = steps.plot()
    assert (display.scale, display.ax_.get_xscale(), display.ax_.get_yscale()) == ("linear", "linear", "linear")
    assert nk.trace(nk.Perceptron(), X, Y).plot().scale == "log"


def test_weights_that_point_away_from_the_comparator_have_linear_axes():
    steps = nk.trace(nk.Perceptron(), X, Y, comparator=[-1.0, -0.5, 0.0])
    assert steps.projection.min() < 0
    assert steps.plot().ax_.get_yscale() == "linear"
