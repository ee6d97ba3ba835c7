"""How bounds are shown: never tighter than they are."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory.certificate import Certificate, Duals, above, below, misfit, percent_below
from novikoff.theory.verification import Verification


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


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (Fraction(-1, 9), "0 %"),
        (Fraction(0), "0 %"),
        (Fraction(1, 10**7 + 1), "9.99999e-06 %"),
        (Fraction(1, 10**7), "0.00001 %"),
        (Fraction(1, 1001), "0.09 %"),
        (Fraction(1, 1000), "0.1 %"),
        (Fraction(1, 3), "33.3 %"),
        (Fraction(1, 2), "50.0 %"),
        (Fraction(999, 1000), "99.9 %"),
        (1 - Fraction(1, 1001), "99.90 %"),
        (1 - Fraction(1, 10**6), "99.9999 %"),
        (1 - Fraction(1, 10**7), "99.99999 %"),
        (1 - Fraction(1, 10**9), "99.99999 %"),
        (Fraction(1), "100 %"),
        (Fraction(2), "100 %"),
    ],
)
def test_a_share_in_percent_is_rounded_down_but_not_to_0_or_100(fraction, text):
    assert percent_below(fraction) == text


def test_duals_are_the_entries_that_are_not_0():
    duals = Duals.of(np.array([0.0, 2.0, 0.0, 1.0]))
    assert (duals.rows.tolist(), duals.weights.tolist()) == ([1, 3], [2.0, 1.0])
    assert [duals.dense(rows).tolist() for rows in (3, 4, 5)] == [[0, 2, 0], [0, 2, 0, 1], [0, 2, 0, 1, 0]]


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_data_that_do_not_fit_are_named(layout):
    X, y = layout(np.array([[1.0, 2.0], [3.0, 4.0]])), [0, 1]

    def found(X, y, weights=None, columns=2):
        check = misfit(X, y, weights, columns)
        return check and (check.claim, check.status, check.detail)

    for weights in (None, [1.0, 0.5], [0.0, 1.0], 2.0, 0.0):
        assert found(X, y, weights) is None
    assert found(X, y, [1.0]) == ("data", "fails", "2 rows, but weights of shape (1,)")
    for bad in (-5e-324, math.inf, math.nan):
        assert found(X, y, [1.0, bad]) == ("data", "fails", "some weights are negative or not finite")
    assert found(X, [0]) == ("data", "fails", "2 rows, but 1 label")
    assert found(X, y, columns=3) == ("data", "fails", "the model has 3 features, the data 2")
    assert found(layout(np.zeros((0, 2))), []) == ("data", "fails", "there are no rows")
    assert found(np.zeros(2), y) == ("data", "fails", "X must have two dimensions, but its shape is (2,)")
    for bad in (math.inf, math.nan):
        other = layout(np.array([[1.0, 2.0], [bad, 4.0]]))
        assert found(other, y) == ("data", "fails", "NaN or infinity among the values")
        assert misfit(other, y, None, 2, check_values=False) is None


class Smallest(Certificate):
    """A certificate with nothing but what every one must have."""

    def claims(self):
        return [("mistakes", "none"), ("rows", "4")]

    def verify(self, X, y, sample_weight=None, exact=False):
        return Verification(())


def test_a_certificate_claims_nothing_that_its_kind_does_not_state():
    found = Smallest()
    assert found.explain() == "The model claims: mistakes: none; rows: 4."
    assert (str(found), repr(found)) == ("Smallest: mistakes none; rows 4", "<Smallest: mistakes none; rows 4>")
    assert not found.needs_replay
    nothing = (found.plane(), found.planes(), found.labels(), found.row_coefficients([]), found.band())
    assert nothing == (None,) * 5
    assert (found.stated(), found.fitted(), found.fitted_from_rows([], [])) == ({}, {}, {})
    assert (found.check_learned(None), found.check_replay(None), found.generalization) == ([], [], None)
    assert found.support([], []).rows.tolist() == []
