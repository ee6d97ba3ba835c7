"""Dual numbers that may bound the optimum, and those that may not."""

import numpy as np
import pytest

from novikoff.theory.certificate import Duals
from novikoff.theory.feasible import allowed

SIGNS, LIMITS = np.array([1.0, 1.0, -1.0]), np.array([1.0, 1.0, 2.0])


def test_duals_within_their_limits_are_returned_for_all_rows():
    check, a = allowed(Duals(np.array([0, 2]), np.array([0.5, 1.5])), SIGNS, LIMITS, balanced=False)
    assert check.status == "holds"
    assert a.tolist() == [0.5, 0.0, 1.5]


def test_the_heavier_class_is_scaled_down_by_what_rounding_left():
    check, a = allowed(Duals(np.arange(3), np.array([0.5, 0.5, 1.0 + 1e-12])), SIGNS, LIMITS, balanced=True)
    assert check.status == "holds"
    assert a[2] == 1.0


@pytest.mark.parametrize(
    ("rows", "weights", "balanced"),
    [
        ([0, 0], [0.5, 0.5], False),  # a row twice
        ([0], [0.5, 0.5], False),  # more weights than rows
        ([3], [0.5], False),  # a row that does not exist
        ([-1], [0.5], False),
        ([0], [-0.1], False),
        ([0], [1.1], False),  # above its limit
        ([0], [np.nan], False),
        ([0], [np.inf], False),
        ([0, 2], [0.5, 0.6], True),  # not balanced
    ],
)
def test_other_duals_are_not_allowed(rows, weights, balanced):
    check, a = allowed(Duals(np.array(rows), np.array(weights)), SIGNS, LIMITS, balanced=balanced)
    assert check.status == "fails"
    assert a is None


@pytest.mark.parametrize("weights", [[1.7e308] * 4, [1.2e308, 0, 1.1e308, 0]])
def test_sums_that_overflow_fail_without_an_error(weights):
    signs, duals = np.array([1.0, 1.0, -1.0, -1.0]), Duals(np.arange(4), np.array(weights))
    assert allowed(duals, signs, np.full(4, np.finfo(float).max), balanced=True)[0].status == "fails"
