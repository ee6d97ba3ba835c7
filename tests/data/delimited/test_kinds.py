"""The kind of a column by its values."""

from collections import Counter

import pytest

from novikoff.data.delimited.kinds import kind_of


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], "number"),
        (["1", "2.5", "-3e4"], "number"),
        (["1"] * 99 + ["one"], "number"),
        (["1"] * 97 + ["one", "two", "three"], "string"),
        (["1", "unknown"] * 5, "number"),  # one word is half of the values
        (["1", "unknown", "unknown"], "string"),
        (["0", "1", "10"], "number"),
        (["0.5", "00.5"], "number"),
        (["02139", "10001"], "string"),
        (["007", "008"], "string"),
        (["true", "False", "TRUE"], "boolean"),
        (["yes", "no"], "string"),
        (["2024-01-31", "2024-02-01 12:30"], "date"),
        (["31/12/2024", "01/02/2024"], "string"),  # not a date with the month first
        (["2024-01-31", "soon"], "string"),
        (["a", "b"], "string"),
    ],
)
def test_the_kind_is_that_of_nearly_all_values(values, kind):
    assert kind_of(Counter(values), ".", "", False) == kind


def test_the_notation_of_numbers_and_dates_counts():
    assert kind_of(Counter(["1.234,5"]), ",", ".", False) == "number"
    assert kind_of(Counter(["31/12/2024"]), ".", "", True) == "date"
