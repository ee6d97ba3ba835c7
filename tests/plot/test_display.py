import sys

import pytest

import novikoff as nk
from novikoff.plot import MarginDisplay


def test_missing_matplotlib_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = r"MarginDisplay: the package matplotlib is not installed.*pip install 'novikoff\[plot\]'"
    with pytest.raises(nk.InvalidInputError, match=message):
        MarginDisplay.from_predictions([0, 1], [-1.0, 1.0])


def test_short_text_stands_for_a_display_in_a_notebook():
    display = MarginDisplay.from_predictions([0, 1, 1], [-1.0, 1.0, -2.0])
    assert repr(display) == "<MarginDisplay: 1 of 3 rows on the wrong side>"
