"""The kind of a column by its values."""

from collections import Counter

import pytest

from novikoff.data.delimited.kinds import counted, day_first, kind_of, missing_numbers, without_missing


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


def test_the_order_of_dates_is_that_of_the_column_that_shows_it():
    open_, clear, text = Counter(["01/02/2024"]), Counter(["25/12/2024"]), Counter(["word"])
    assert day_first([text, open_, clear]) is True
    assert day_first([text, open_]) is None
    assert day_first([Counter(["12/25/2024"]), clear]) is False


def test_missing_values_are_taken_out_of_the_counts():
    columns = counted([["1", "?"], ["", "a"], ["?", "NA"]])
    assert without_missing(columns, ("?", "NA", "null")) == ("?", "NA")
    assert columns == [Counter(["1"]), Counter(["a"])]


def test_a_dash_is_missing_only_among_numbers():
    assert missing_numbers([Counter(["1", "2", "-"])], ".", "") == ("-",)
    assert missing_numbers([Counter(["a", "-"]), Counter(["-"])], ".", "") == ()
