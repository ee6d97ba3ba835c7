"""How bounds are shown: never tighter than they are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.theory.certificate import above, below


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False, min_value=-1e300, max_value=1e300))
def test_a_shown_bound_is_no_tighter_than_the_number_and_close_to_it(number):
    low, high = float(below(number)), float(above(number))
    assert low <= number <= high
    assert high - low <= 3e-5 * abs(number)


@pytest.mark.parametrize("show", [below, above])
def test_what_has_six_digits_is_shown_as_it_is(show):
    assert [show(x) for x in (0.0, 1.5, -2.25, 123456.0)] == ["0", "1.5", "-2.25", "123456"]
    assert show(math.inf) == "inf"
