import numpy as np
import pytest

import novikoff as nk
from novikoff.plot import LossDisplay
from novikoff.theory.losses import LOSSES


def test_supporting_lines_touch_the_losses_from_below():
    for at in (-1.5, 0.0, 0.25, 1.0, 2.0):
        display = LossDisplay.measure(at=at)
        for name, values in display.values.items():
            for slope in display.slopes[name]:
                line = display.heights[name] + slope * (display.score - at)
                assert np.all(line <= values + 1e-12)
                assert np.interp(at, display.score, line) == pytest.approx(float(LOSSES[name].value(at)))


def test_kink_has_several_supporting_lines_and_other_points_one():
    dashed = {
        at: sum(line.get_linestyle() == "--" for line in LossDisplay.from_losses("hinge", at=at).ax_.lines)
        for at in (0.5, 1.0)
    }
    assert dashed[0.5] == 1
    assert dashed[1.0] > 2


def test_legend_names_losses_and_slopes_and_is_inside_the_figure():
    display = LossDisplay.from_losses(at=0.0)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == [
        "mistake (0/1)",
        "perceptron, slope [-1, 0]",
        "hinge, slope -1",
        "squared hinge, slope -2",
    ]
    display.figure_.canvas.draw()
    box = display.ax_.get_legend().get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= display.figure_.bbox.x1
    assert box.y1 <= display.figure_.bbox.y1 + 1


def test_without_a_score_only_the_losses_are_drawn():
    display = LossDisplay.from_losses(at=None)
    assert (display.slopes, display.heights) == ({}, {})
    assert len(display.ax_.lines) == 5  # with the axis
    assert repr(display) == "<LossDisplay: perceptron, hinge, squared_hinge>"


def test_wrong_arguments_are_refused():
    with pytest.raises(nk.InvalidInputError, match=r"LossDisplay: at must be a score from -2 to 2.5, but it is 7"):
        LossDisplay.from_losses(at=7.0)
    with pytest.raises(nk.InvalidInputError, match="limits must be two ascending numbers"):
        LossDisplay.from_losses(limits=(1.0, 1.0))
    with pytest.raises(nk.InvalidInputError, match="logistic"):
        LossDisplay.from_losses(["logistic"])
