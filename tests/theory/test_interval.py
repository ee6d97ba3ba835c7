"""Enclosures of floats that are rounded outwards, compared with fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.theory.interval import Interval

numbers = st.floats(min_value=-1e120, max_value=1e120)
lengths = st.floats(min_value=0.0, max_value=1e120)


def encloses(found, truth):
    return found.low <= truth <= found.high


@given(numbers, numbers)
def test_operations_enclose_the_exact_result(a, b):
    x, y = Interval(a, a), Interval(b, b)
    assert encloses(x + y, Fraction(a) + Fraction(b))
    assert encloses(x - y, Fraction(a) - Fraction(b))
    assert encloses(x.half(), Fraction(a) / 2)
    assert encloses(x.square(), Fraction(a) ** 2)
    assert encloses(x.widened(abs(b)), Fraction(a) + Fraction(abs(b)))


@given(lengths, lengths)
def test_operations_on_values_of_at_least_0_enclose_the_exact_result(a, b):
    x, y = Interval(a, a), Interval(b, b)
    assert encloses(x.times(y), Fraction(a) * Fraction(b))
    root = x.root()
    assert Fraction(root.low) ** 2 <= Fraction(a) <= Fraction(root.high) ** 2
    if b > 0:
        assert encloses(x.over(y), Fraction(a) / Fraction(b))


def test_a_quotient_by_what_may_be_0_is_not_bounded():
    assert Interval(1.0, 2.0).over(Interval(0.0, 1.0)) == Interval(0.0, math.inf)


def test_the_square_of_values_around_0_begins_at_0():
    found = Interval(-2.0, 1.0).square()
    assert found.low == 0
    assert encloses(found, 4)


@pytest.mark.parametrize("ends", [(1.0, 2.0), (-0.5, 0.25)])
def test_the_enclosure_has_the_same_ends(ends):
    found = Interval(*ends).enclosure()
    assert (found.low, found.high) == ends


def test_an_end_that_is_not_a_number_is_unbounded():
    found = Interval(math.nan, math.inf).enclosure()
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_stated_bounds_are_a_width_outside():
    found = Interval(1.0, 1.5)
    assert found.stated_low() <= 0.5
    assert found.stated_high() >= 2.0
