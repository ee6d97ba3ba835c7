import numpy as np
import pytest
from matplotlib import pyplot as plt

import novikoff as nk
from novikoff.plot import BoundaryDisplay, GapDisplay, MarginDisplay, MistakesDisplay, WeightsDisplay
from novikoff.plot._legend import add_legend
from novikoff.theory.bound_curves import FREUND_SCHAPIRE, NOVIKOFF

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 6))
Y = np.where(X[:, 0] + 0.3 * rng.normal(size=120) > 0, "benign", "malignant")
MODEL = nk.LinearSVM().fit(X, Y)


def both_bounds():
    examples = np.arange(1, 1001)
    bounds = {NOVIKOFF: np.full(1000, 37_941.0), FREUND_SCHAPIRE: np.full(1000, 64_500.0)}
    return MistakesDisplay(examples=examples, mistakes=np.minimum(examples, 38.0), bounds=bounds)


DISPLAYS = {
    "mistakes": both_bounds,
    "boundary": lambda: BoundaryDisplay.measure(MODEL, X, Y),
    "margins": lambda: MarginDisplay.measure(MODEL, X, Y),
    "gap": lambda: GapDisplay.measure(MODEL),
    "weights": lambda: WeightsDisplay.measure(MODEL, feature_names=[f"a long name of column {k}" for k in range(6)]),
}


def extents(display):
    display.figure_.canvas.draw()
    return display.ax_.get_legend().get_window_extent(), display.figure_.bbox


def contains(outer, inner, slack=1.0):
    low, high = outer.min - slack, outer.max + slack
    return bool(np.all(low <= inner.min) and np.all(inner.max <= high))


@pytest.mark.parametrize("name", DISPLAYS)
def test_new_figure_has_wide_axes_and_below_its_title_a_legend_that_covers_no_data(name):
    display = DISPLAYS[name]().plot()
    display.ax_.set_title("a title of the user")
    legend, figure = extents(display)
    axes, title = display.ax_.get_window_extent(), display.ax_.title.get_window_extent()
    assert contains(figure, legend)
    assert contains(figure, title)
    least = {"weights": 0.6, "boundary": 0.7}.get(name, 0.8)  # long names; equal aspect
    assert axes.width > least * figure.width
    assert axes.y1 <= legend.y0
    assert legend.y1 <= title.y0


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["constrained", "tight", None])
def test_given_axes_keep_their_title_and_most_of_the_width(layout):
    _, ax = plt.subplots(layout=layout)
    ax.set_title("a title of the user")
    display = both_bounds().plot(ax=ax)
    legend, figure = extents(display)
    assert display.ax_.get_title() == "a title of the user"
    assert contains(figure, legend)
    assert not ax.title.get_window_extent().overlaps(legend)
    assert ax.get_window_extent().width > 0.75 * figure.width


@pytest.mark.slow
def test_axes_of_a_constrained_grid_do_not_touch_each_other():
    figure, grid = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    shown = [DISPLAYS[name]().plot(ax=ax) for name, ax in zip(("mistakes", "boundary"), grid, strict=True)]
    figure.canvas.draw()
    boxes = [display.ax_.get_tightbbox() for display in shown]
    for place, box in enumerate(boxes):
        assert contains(figure.bbox, box, slack=2.0)
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])
        assert shown[place].ax_.get_window_extent().width > 0.2 * figure.bbox.width


@pytest.mark.slow
def test_entries_share_lines_if_they_fit_and_shrink_if_they_do_not():
    heights = []
    for width in (12, 3):
        _, ax = plt.subplots(figsize=(width, 4), layout="constrained")
        legend, figure = extents(both_bounds().plot(ax=ax))
        assert contains(figure, legend)
        heights.append(legend.height)
    assert heights[0] < 0.5 * heights[1]


def test_removed_legend_leaves_no_gap_below_the_title():
    display = both_bounds().plot()
    display.ax_.set_title("title")
    display.ax_.get_legend().remove()
    display.figure_.canvas.draw()
    title, axes = display.ax_.title.get_window_extent(), display.ax_.get_window_extent()
    assert title.y0 - axes.y1 < title.height


def test_axes_without_labels_get_no_legend():
    _, ax = plt.subplots()
    add_legend(ax)
    assert ax.get_legend() is None


@pytest.mark.slow
def test_subfigures_are_accepted():
    figure = plt.figure(layout="constrained", figsize=(10, 5))
    left, right = figure.subfigures(1, 2)
    for part in (left, right):
        display = both_bounds().plot(ax=part.subplots())
        display.ax_.set_title("title")
    figure.canvas.draw()
    assert contains(right.bbox, display.ax_.get_legend().get_window_extent())
    assert not display.ax_.title.get_window_extent().overlaps(display.ax_.get_legend().get_window_extent())
