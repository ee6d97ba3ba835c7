"""Plain values as JSON: what is written is read back, and ambiguous JSON is refused."""

import functools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff._json import from_text, plain_from_tree, plain_to_tree, to_text
from novikoff._json import plain as shown
from snapshots import plain

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN)
def test_plain_values_are_read_back(value):
    assert plain(plain_from_tree(from_text(to_text(plain_to_tree(value))))) == plain(value)


def test_the_order_of_a_dict_is_kept():
    value = {"b": 1, "a": 2}
    assert list(plain_from_tree(plain_to_tree(value))) == ["b", "a"]


@pytest.mark.parametrize("array", [np.array([1.5, 2.0]), np.array([[1], [2]]), np.array(["a"]), np.array([True])])
def test_arrays_among_plain_values_become_lists(array):
    assert plain_from_tree(plain_to_tree(array)) == array.tolist()


@pytest.mark.parametrize(
    "value", [len, math.nan, {1, 2}, b"x", np.array([object()])], ids=lambda value: type(value).__name__
)
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        plain_to_tree([value])


def test_long_arrays_of_zeros_are_shown_by_their_other_entries():
    array = np.zeros(1000)
    array[[3, 5, 999]] = 0.5, -0.0, np.inf
    assert shown(array) == {"length": 1000, "indices": [3, 5, 999], "values": [0.5, -0.0, None]}
    assert math.copysign(1.0, shown(array)["values"][1]) == -1
    assert shown({"a": np.zeros(300, np.int8)}) == {"a": {"length": 300, "indices": [], "values": []}}


@pytest.mark.parametrize("array", [np.zeros(255), np.ones(300), np.zeros((300, 2)), np.zeros(300, bool)])
def test_other_arrays_are_shown_as_lists(array):
    assert shown(array) == array.tolist()


WRONG_TREES = {
    "an unknown tag": {"set": [1]},
    "two tags": {"tuple": [], "dict": []},
    "an integer that is not hexadecimal": {"int": "zz"},
    "an infinity of another name": {"float": "Infinity"},
    "a dict without pairs": {"dict": [1]},
    "a dict whose key is a list": {"dict": [[[1], 2]]},
    "a number that is too large": float("1e999"),
}


@pytest.mark.parametrize("tree", WRONG_TREES.values(), ids=WRONG_TREES.keys())
def test_trees_that_stand_for_no_value_are_refused(tree):
    with pytest.raises(ValueError, match=r"."):
        plain_from_tree(tree)


def test_nesting_that_is_too_deep_is_a_recursion_error():
    with pytest.raises(RecursionError):
        plain_from_tree(functools.reduce(lambda tree, _: [tree], range(5000), 1))


BAD_JSON = ["NaN", "Infinity", '{"a": 1, "a": 2}', "[" * 100_000, "1" * 5000, "{", ""]


@pytest.mark.parametrize("text", BAD_JSON, ids=["nan", "infinity", "twice", "deep", "long", "cut", "empty"])
def test_json_that_could_mean_several_things_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        from_text(text)


def test_an_integer_of_too_many_digits_is_named_without_advice_for_programmers():
    with pytest.raises(ValueError, match=r"^an integer has too many digits$"):
        from_text(f"[1{'0' * 10_000}]")
