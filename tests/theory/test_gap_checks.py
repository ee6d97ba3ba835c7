"""What certificates of duality gaps share: costs against weights, and values against claims."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.theory.gap_checks import (
    Value,
    check_costs,
    check_gap,
    exact_sum,
    gap_shown,
    relative,
    rounded,
    subtract,
    within,
)


def test_costs_are_those_of_the_weights_or_taken_on_trust():
    costs = np.array([0.5, 1.0])
    assert check_costs(None, 2.0, 3, 3, None)[1].status == "holds"
    assert check_costs(costs, 0.5, 2, 2, None)[1].status == "on trust"
    assert check_costs(costs, 0.5, 2, 2, [1.0, 2.0])[1].status == "holds"
    assert check_costs(costs, 0.5, 2, 2, [1.0, 2.1])[1].row == 1


def test_costs_of_other_rows_fail():
    for costs, rows, examples in ((np.ones(2), 3, 2), (np.array([-1.0, 1.0]), 2, 2), (np.ones(2), 2, 1)):
        assert check_costs(costs, 1.0, rows, examples, None)[0] is None


def claim(primal, dual, tol=1e-3):
    gap = (primal - dual) / primal
    return SimpleNamespace(primal=primal, dual=dual, tol=tol, relative_gap=gap, converged=gap <= tol, iterations=3)


def statuses(claimed, primal, dual):
    return {check.claim: check.status for check in check_gap(claimed, primal, dual)}


def test_true_claims_hold_and_better_ones_fail():
    primal, dual = Value(10.0, 10.0, 1e-14), Value(9.995, 30.0, 1e-14)
    found = statuses(claim(10.0, 9.995), primal, dual)
    assert found == {"primal": "holds", "dual": "holds", "gap": "holds", "converged": "holds", "iterations": "on trust"}
    assert statuses(claim(9.999, 9.995), primal, dual)["primal"] == "fails"
    assert statuses(claim(10.0, 9.999), primal, dual)["dual"] == "fails"
    assert statuses(claim(10.001, 9.99), primal, dual)["primal"] == "holds"  # a weaker claim is true as well


def test_rounding_that_could_hide_the_difference_leaves_a_claim_open():
    assert within("dual", 1.0, 1.0, 0.0, slack=0.1, decisive=0.01).status == "open"
    assert within("dual", 1.0, np.nan, np.nan, slack=0.1, decisive=0.01).status == "fails"


def test_quotients_and_fractions_beyond_floats():
    assert relative(1.0, 0.0) == 0.0
    assert rounded(Fraction(10) ** 400) == np.inf
    assert rounded(-(Fraction(10) ** 400)) == -np.inf


def test_costs_that_have_an_infinite_sum_are_no_error():
    assert check_costs(None, 1.7e308, 3, 3, None)[1].status == "holds"
    assert check_costs(None, 1.7e308, 3, 3, 2.0)[1].status == "fails"


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_the_error_of_a_difference_is_exact(a, b):
    found, lost = subtract(np.array([a]), np.array([b]))
    assert abs(Fraction(a) - Fraction(b) - Fraction(float(found[0]))) == Fraction(float(lost[0]))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5))
def test_a_sum_is_correctly_rounded_even_if_a_part_of_it_overflows(values):
    assert exact_sum(np.array(values)) == rounded(sum(map(Fraction, values), Fraction(0)))


@pytest.mark.parametrize(
    ("gap", "shown"), [(1.23456e-5, "1.23e-05"), (0.0, "0"), (-9.6e-16, "0"), (-0.5, "-0.5"), (np.nan, "nan")]
)
def test_a_gap_that_is_negative_by_rounding_is_shown_as_0(gap, shown):
    assert gap_shown(gap) == shown
