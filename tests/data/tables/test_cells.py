"""What is a number, and how numbers are written."""

import pytest

from novikoff.data.tables.cells import is_number, not_numbers, number_convention


@pytest.mark.parametrize("text", ["0", "-1", "+1.5", ".5", "5.", "1e3", "-2.5E-10", "007"])
def test_digits_with_sign_point_and_exponent_are_a_number(text):
    assert is_number(text)
    assert not_numbers([text], ".", "") == []


@pytest.mark.parametrize("text", ["", "-", ".", "1,5", "1e", "0x10", "1 2", "one", "\u0661", "12.05.2020", "5\n"])
def test_other_text_is_not_a_number(text):
    assert not is_number(text)
    assert not_numbers(["1", text, "2"], ".", "") == [text]


def test_groups_of_thousands_have_three_digits():
    assert is_number("1,234,567.5", thousands=",")
    assert is_number("1.234,5", ",", ".")
    assert is_number("1234", thousands=",")
    assert not is_number("1,23", thousands=",")
    assert not is_number("1234,567", thousands=",")


@pytest.mark.parametrize(
    ("column", "delimiter", "convention"),
    [
        (["1.5", "2"], ";", (".", "")),
        (["1,5", "2"], ";", (",", "")),
        (["1,5", "2"], "\t", (",", "")),
        (["1,234.5", "2"], ";", (".", ",")),
        (["1,234", "2,345"], ",", (".", ",")),
        (["1.234,5", "2"], ";", (",", ".")),
        (["1 234,5", "2"], ";", (",", " ")),
        (["1'234.5", "2"], ";", (".", "'")),
        (["1,5", "two"], ";", (".", "")),  # not a column of numbers
        (["0,125", "1,234"], ";", (",", "")),
        ([], ";", (".", "")),
    ],
)
def test_the_notation_is_the_one_with_which_most_fields_are_numbers(column, delimiter, convention):
    assert number_convention([column, ["word"]], delimiter, None) == convention


def test_a_decimal_point_that_is_given_is_kept():
    assert number_convention([["1.5", "2.5"]], ";", ",") == (",", "")
    assert number_convention([["1.500", "2.500"]], ";", ",") == (",", ".")
    assert number_convention([["1,5", "2,5"]], ",", ",") == (",", "")
    assert number_convention([["1,500", "2,500"]], ";", ".") == (".", ",")
