"""Counts as text for people."""

import math

import pytest

from novikoff._counts import count, counted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1"),
        (999, "999"),
        (3_399_228.0, "3,399,228"),
        (2.0**53, "9,007,199,254,740,992"),
        (2.5, "2.5"),
        (1 / 3, "0.333333"),
        (1e-30, "1e-30"),
        (10 / 3, "3.33333"),
        (12_345.678, "12,345.7"),
        (3_399_228.5, "3,399,228.5"),
        (math.inf, "inf"),
    ],
)
def test_a_count_has_all_its_digits(value, text):
    assert count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 rows"), (1, "1 row"), (1.0, "1 row"), (2, "2 rows"), (0.5, "0.5 rows"), (1000, "1,000 rows")],
)
def test_one_of_a_thing_is_singular(value, text):
    assert counted(value, "row") == text


def test_plurals():
    assert counted(2, "pass") == "2 passes"
    assert counted(1, "class") == "1 class"
    assert counted(3, "vertex", "vertices") == "3 vertices"
