"""The registry: implementations of one contract by name."""

import math

import pytest

from novikoff._registry import Registry


@pytest.fixture
def functions():
    return Registry("function", {"square root": "math:sqrt", "absolute value": abs})


def test_an_entry_given_as_text_is_imported_on_first_use(functions):
    assert functions["square root"] is math.sqrt
    assert functions["absolute value"] is abs
    assert sorted(functions) == ["absolute value", "square root"]
    assert len(functions) == 2


def test_a_name_can_be_registered_again_for_the_same_value_only(functions):
    functions.register("absolute value", abs)
    with pytest.raises(ValueError, match="'absolute value' is already taken: function"):
        functions.register("absolute value", max)


def test_an_unknown_name_is_a_key_error_and_the_known_ones_can_be_named(functions):
    with pytest.raises(KeyError):
        functions["cube root"]
    sentence = functions.unknown("cube root")
    assert sentence == "there is no function named 'cube root'; known: absolute value, square root."
