"""Headers and the names of columns."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.delimited.header import has_header, unique_names
from novikoff.data.tables.cells import is_number


def found(first, *rows, expected=None, missing=("?",)):
    columns = [
        Counter(value for value in column if value and value not in missing) for column in zip(*rows, strict=True)
    ]
    return has_header(first, columns, is_number, frozenset(missing), expected)


def test_words_above_numbers_are_a_header():
    assert found(["age", "job"], ["1", "clerk"], ["2", "cook"])
    assert found(["", "job"], ["1", "clerk"], ["2", "cook"])  # an index without a name
    assert not found(["3", "clerk"], ["1", "clerk"], ["2", "cook"])
    assert not found(["?", "clerk"], ["1", "clerk"], ["2", "cook"])


def test_numbers_that_count_the_columns_are_names_besides_a_word():
    assert found(["label", "0", "1", "2"], ["1", "0.5", "7", "8"], ["0", "1.5", "7", "9"])
    assert found(["label", "1", "2"], ["1", "0.5", "7"], ["0", "1.5", "7"])
    assert not found(["label", "5", "2"], ["1", "0.5", "7"], ["0", "1.5", "7"])
    assert not found(["0", "1", "2"], ["1", "0.5", "7"], ["0", "1.5", "7"])


def test_a_word_that_occurs_again_in_its_column_is_a_value():
    assert not found(["ham", "some words"], ["ham", "other words"], ["spam", "label"])


def test_a_word_that_does_not_occur_among_values_that_do_is_a_name():
    rows = [["ham", f"text {i}"] for i in range(10)] + [["spam", f"text {i}"] for i in range(10)]
    assert found(["kind of", "what it says?"], *rows)


def test_without_evidence_names_look_like_names():
    assert found(["first", "second"], ["any", "thing"])
    assert found(["text"], ["A long text with a full stop at its end, which is not a name of a column."])
    assert not found(["same", "same"], ["any", "thing"])
    assert not found(["What?", "No!"], ["any", "thing"])


def test_one_record_is_a_header_unless_it_has_a_number():
    assert found(["a", "b"])
    assert not found(["a", "1"])


def test_expected_names_decide():
    assert found(["a", "b"], ["a", "b"], expected=["a", "b", "c"])
    assert not found(["a", "b"], ["c", "d"], expected=["x", "y"])
    assert found(["a", "b"], ["1", "2"], expected=["x", "y"])  # words above numbers are still a header
    assert not found(["1", "2"], ["1", "2"], expected=["x", "y"])


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        (["a", "a", "a"], ["a", "a.2", "a.3"]),
        (["a", "a", "a.2"], ["a", "a.3", "a.2"]),
        (["", " b ", ""], ["x1", "b", "x3"]),
        (["x2", ""], ["x2", "x2.2"]),
        (["\ufeffid", "y"], ["id", "y"]),
    ],
)
def test_names_are_unique_and_not_empty(fields, names):
    assert unique_names(fields) == tuple(names)


def test_many_columns_of_one_name_take_no_time():
    assert unique_names(["a"] * 100_000)[-1] == "a.100000"


@given(st.lists(st.sampled_from(["", "a", "a.2", "a.3", "x1", "x2", "x1.2"]), max_size=8))
def test_names_are_unique_whatever_the_header_says(fields):
    names = unique_names(fields)
    assert len(set(names)) == len(names) == len(fields)
    assert all(names)
