"""How bounds are shown: never tighter than they are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
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


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("make", [nk.HardMarginSVM, nk.LinearSVM, nk.Perceptron, nk.MarginPerceptron])
def test_no_row_is_left_out_because_of_a_weight_that_is_none(make, weight):
    X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1]
    certificate = make().fit(X, y).certificate_
    assert certificate.verify(X, y, [1.0] * 4)
    failures = certificate.verify([*X, [9.0, 9.0]], [*y, 0], [1.0] * 4 + [weight]).failures
    assert [(check.claim, check.detail) for check in failures] == [("data", "some weights are negative or not finite")]
