import numpy as np
import pytest

from novikoff._report.figures._plotly import MAX_LABEL, axis, label, logarithmic, numbers, power_of_ten


def test_names_are_shortened_and_escaped():
    assert label("<b>") == "&lt;b&gt;"
    assert label("x" * 100) == "x" * (MAX_LABEL - 1) + "…"


def test_numbers_are_rounded_to_five_digits():
    assert numbers(np.array([1 / 3, 123456.0])) == [0.33333, 123460.0]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1, 1200, ["1", "10", "100", "1,000"]),
        (2.9e-5, 0.4, ["10⁻⁴", "10⁻³", "0.01", "0.1"]),
        (1, 9, ["1", "2", "5"]),
        (1e-9, 3e9, ["10⁻⁹", "10⁻⁵", "0.1", "1,000", "10⁷"]),
        (1, 1, ["1", "10"]),
        (0.03, 0.07, ["0.05"]),
    ],
)
def test_ticks_of_a_logarithmic_axis_are_few_and_in_plain_numbers(low, high, ticks):
    found = logarithmic(axis("x"), low, high)
    assert found["ticktext"] == ticks
    assert 10 ** found["range"][0] <= low
    assert high <= 10 ** found["range"][1]


@pytest.mark.parametrize(("value", "text"), [(0.02, "0.02"), (2e-7, "2·10⁻⁷"), (1e5, "100,000"), (1e6, "10⁶")])
def test_ticks_have_exponents_only_where_digits_would_be_many(value, text):
    assert power_of_ten(value) == text
