import numpy as np

from novikoff._report.figures._plotly import MAX_LABEL, axis, label, layout, line, logarithmic, numbers


def test_names_are_shortened_and_escaped():
    assert label("<b>") == "&lt;b&gt;"
    assert label("x" * 100) == "x" * (MAX_LABEL - 1) + "…"


def test_numbers_are_rounded_to_five_digits():
    assert numbers(np.array([1 / 3, 123456.0])) == [0.33333, 123460.0]


def test_axes_cannot_be_zoomed():
    both = layout(logarithmic(axis("x")), axis("y"), bargap=0)
    assert both["xaxis"]["fixedrange"]
    assert both["yaxis"]["fixedrange"]
    assert both["xaxis"]["type"] == "log"
    assert both["bargap"] == 0


def test_colours_are_custom_properties_of_the_page():
    assert line([0], [0], "a", "--ink")["line"]["color"] == "--ink"
    assert axis("x")["gridcolor"].startswith("--")
