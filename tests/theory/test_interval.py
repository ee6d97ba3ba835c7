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


def test_a_quotient_by_what_may_be_0_is_not_bounded():
    assert Interval(1.0, 2.0).over(Interval(0.0, 1.0)) == Interval(0.0, math.inf)


@pytest.mark.parametrize("ends", [(1.0, 2.0), (-0.5, 0.25)])
def test_the_enclosure_has_the_same_ends(ends):
    found = Interval(*ends).enclosure()
    assert (found.low, found.high) == ends


def test_an_end_that_is_not_a_number_is_unbounded():
    found = Interval(math.nan, math.inf).enclosure()
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_stated_bounds_are_a_width_outside():
    found = Interval(1.0, 1.5)
    assert (found.stated_low(), found.stated_high()) == (pytest.approx(0.495), pytest.approx(2.005))


@given(st.lists(numbers, min_size=2, max_size=2).map(sorted), st.lists(numbers, min_size=2, max_size=2).map(sorted))
def test_operations_on_intervals_enclose_those_on_their_ends(one, other):
    x, y = Interval(*one), Interval(*other)
    for a in map(Fraction, one):
        assert encloses(x.half(), a / 2)
        assert encloses(x.square(), a * a)
        for b in map(Fraction, other):
            assert encloses(x + y, a + b)
            assert encloses(x - y, a - b)
            assert encloses(x.widened(abs(float(b))), a - abs(b))
            assert encloses(x.widened(abs(float(b))), a + abs(b))


@given(st.lists(lengths, min_size=2, max_size=2).map(sorted), st.lists(lengths, min_size=2, max_size=2).map(sorted))
def test_products_and_quotients_of_intervals_enclose_those_of_their_ends(one, other):
    x, y = Interval(*one), Interval(*other)
    for a in map(Fraction, one):
        for b in map(Fraction, other):
            assert encloses(x.times(y), a * b)
            assert b == 0 or encloses(x.over(y), a / b)
        assert Fraction(x.root().low) ** 2 <= a <= Fraction(x.root().high) ** 2


def test_results_are_a_last_digit_away_from_the_exact_ones():
    x, y = Interval(1.0, 2.0), Interval(0.5, 0.75)

    def around(low, high):
        return Interval(math.nextafter(low, -math.inf), math.nextafter(high, math.inf))

    assert x + y == around(1.5, 2.75)
    assert x - y == around(0.25, 1.5)
    assert x.times(y) == around(0.5, 1.5)
    assert x.over(y) == around(1 / 0.75, 4.0)
    assert x.half() == around(0.5, 1.0)
    assert x.square() == around(1.0, 4.0)
    assert Interval(-2.0, -1.0).square() == around(1.0, 4.0)
    assert Interval(0.25, 4.0).root() == around(0.5, 2.0)
    assert x.widened(0.25) == around(0.75, 2.25)


def test_what_is_at_least_0_remains_so():
    zero, smallest = Interval(0.0, 0.0), Interval(5e-324, 1.0)
    assert [zero.times(zero).low, zero.square().low, zero.root().low, zero.over(smallest).low] == [0.0] * 4
    assert Interval(-5e-324, 0.0).root().high == 5e-324  # a rounded difference of equal values
    assert Interval(-1.0, 0.0).square().low == Interval(0.0, 1.0).square().low == 0.0
    assert smallest.times(smallest).low == smallest.square().low == 0.0
    assert Interval(0.5, 0.5).over(smallest).high == math.inf
