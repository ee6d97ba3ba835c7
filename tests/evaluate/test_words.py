"""Accuracies in words."""

import pytest

from novikoff.evaluate import accuracy_words, percent


@pytest.mark.parametrize(
    ("fraction", "shown"), [(0.0, "0.00%"), (1e-9, "0.01%"), (0.5, "50.00%"), (1 - 1e-9, "99.99%"), (1.0, "100.00%")]
)
def test_only_everything_is_100_percent(fraction, shown):
    assert percent(fraction) == shown


def test_an_accuracy_is_never_said_without_its_rows_and_the_most_frequent_label():
    assert accuracy_words(0.5, "4 rows of t.csv", 0.75, 3) == "50.00% on 4 rows of t.csv (always 3: 75.00%)"
