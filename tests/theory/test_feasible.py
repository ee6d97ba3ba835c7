"""Dual numbers that may bound the optimum, and those that may not."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory.certificate import Duals
from novikoff.theory.feasible import balancing_shares, shares_of, within_limits

SIGNS, LIMITS = np.array([1.0, 1.0, -1.0]), np.array([1.0, 1.0, 2.0])


def test_limits_have_no_tolerance():
    at, above = np.array([1.0, 2.0]), np.array([np.nextafter(1.0, 2.0), 2.0])
    check, a = within_limits(Duals(np.array([0, 2]), at), 3, LIMITS)
    assert check.status == "holds"
    assert a.tolist() == [1.0, 0.0, 2.0]
    check, a = within_limits(Duals(np.array([0, 2]), above), 3, LIMITS)
    assert (check.status, check.row, a) == ("fails", 0, None)
    assert "1.0000000000000002" in check.detail


@pytest.mark.parametrize(
    ("rows", "weights"),
    [([0, 0], [0.5, 0.5]), ([0], [0.5, 0.5]), ([3], [0.5]), ([-1], [0.5]), ([0], [-5e-324]), ([0], [np.nan])],
)
def test_duals_beyond_their_rows_or_limits_are_not_allowed(rows, weights):
    check, a = within_limits(Duals(np.array(rows), np.array(weights)), 3, np.full(3, np.inf))
    assert check.status == "fails"
    assert a is None


def test_the_shares_balance_exactly():
    a = np.array([0.1, 0.2, 0.25])
    positive, negative = balancing_shares(a, SIGNS)
    assert negative == 1
    assert positive * (Fraction(0.1) + Fraction(0.2)) == Fraction(0.25)
    assert balancing_shares(np.array([0.0, 0.0, 1.0]), SIGNS) == (1, 0)
    assert shares_of(Fraction(0), Fraction(0)) == (1, 1)
