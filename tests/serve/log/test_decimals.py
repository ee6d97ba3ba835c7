"""Decimals: what is found gives back each value to the bit, and nothing is found that would not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.log.decimals import MAX_EXPONENT, MIN_VALUES, from_decimals, to_decimals

LIMIT = 2.0**31


def written(mantissas, exponent):
    """Numbers as a reader gets them from text."""
    return np.array([float(f"{m}e-{exponent}") for m in mantissas])


def same(one, other):
    return one.tobytes() == other.tobytes()


@given(
    mantissas=st.lists(st.integers(-(2**31) + 1, 2**31 - 1), min_size=1, max_size=20),
    exponent=st.integers(0, MAX_EXPONENT),
)
def test_numbers_of_few_digits_are_given_back(mantissas, exponent):
    values = np.resize(written(mantissas, exponent), MIN_VALUES)
    found = to_decimals(values)
    assert found is not None
    assert found[0] <= exponent
    assert found[1].dtype == np.int32
    assert same(from_decimals(found[1], found[0]), values)


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_any_numbers_are_given_back_or_left_alone(values):
    values = np.resize(np.array(values), MIN_VALUES)
    found = to_decimals(values)
    assert found is None or same(from_decimals(found[1], found[0]), values)


@pytest.mark.parametrize(
    "odd", [-0.0, 1 / 3, np.nextafter(0.5, 1), 1e-10, LIMIT, -LIMIT, 5e-324, 1e300, np.inf, np.nan]
)
@pytest.mark.parametrize("place", [0, 1, 1001])
def test_one_other_number_is_enough_for_none(odd, place):
    values = np.round(np.random.default_rng(0).normal(size=4 * MIN_VALUES), 4)
    assert to_decimals(values)[0] == 4
    values[place] = odd
    assert to_decimals(values) is None


def test_the_exponent_is_found_if_few_values_need_it():
    values = np.ones(10 * MIN_VALUES)
    values[13] = 0.125
    exponent, mantissas = to_decimals(values)
    assert exponent == 3
    assert same(from_decimals(mantissas, exponent), values)


def test_few_values_are_left_alone():
    assert to_decimals(np.ones(MIN_VALUES - 1)) is None
