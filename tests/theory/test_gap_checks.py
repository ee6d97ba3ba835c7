"""What certificates of duality gaps share: costs against weights, and values against claims."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory.certificate import above
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.enclosure import UNBOUNDED, Enclosure
from novikoff.theory.gap_checks import (
    GapClaims,
    _relative,
    check_bounds,
    check_costs,
    check_gap,
    first_other_cost,
    gap_shown,
    relative_gap,
    state_bounds,
)
from strategies import few


def test_costs_are_those_of_the_weights_or_taken_on_trust():
    costs = np.array([0.5, 1.0])
    assert check_costs(None, 2.0, 3, 3, None)[1].status == "holds"
    assert check_costs(costs, 0.5, 2, 2, None)[1].status == "on trust"
    assert check_costs(costs, 0.5, 2, 2, [1.0, 2.0])[1].status == "holds"
    assert check_costs(costs, 0.5, 2, 2, [1.0, 2.1])[1].row == 1


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1.0, 1e150])
def test_costs_agree_with_products_up_to_four_roundings(scale):
    C, weight = 0.1 * scale, 0.3
    for roundings, status in ((0, "holds"), (3, "holds"), (20, "fails")):
        cost = C * weight
        for _ in range(roundings):
            cost = math.nextafter(cost, math.inf)
        assert check_costs(np.array([cost]), C, 1, int(cost > 0), [weight])[1].status == status


@pytest.mark.parametrize(
    ("C", "weight", "unit", "nearest"),
    [(1.0, 1.0, 2.0**-52, 1.0), (5e-324, 0.5, 5e-324, 0.0), (1.0, 0.0, 5e-324, 0.0), (0.5, 2.0, 2.0**-52, 1.0)],
)
def test_the_fourth_rounding_of_a_cost_is_the_last_that_agrees(C, weight, unit, nearest):
    for steps, other in ((4, None), (5, 0)):
        assert first_other_cost(np.array([nearest + steps * unit]), C, np.array([weight])) == other
    if nearest:
        assert first_other_cost(np.array([1 - 4 * unit]), C, np.array([weight])) is None
        assert first_other_cost(np.array([1.0, 1 - 4.5 * unit]), C, np.full(2, weight)) == 1


def test_rows_may_cost_nothing_but_not_infinity():
    costs, check = check_costs(np.array([0.0, 1.0]), 1.0, 2, 1, [0.0, 1.0])
    assert (costs.tolist(), check.status) == ([0.0, 1.0], "holds")
    assert check_costs(np.array([np.inf, 1.0]), 1.0, 2, 2, None)[0] is None
    assert check_costs(np.array([np.nan, 1.0]), 1.0, 2, 2, None)[0] is None


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0])
def test_weights_that_are_not_weights_fail(weight):
    assert check_costs(np.array([1.0]), 1.0, 1, 1, [weight])[1].status == "fails"


def test_costs_of_other_rows_fail():
    for costs, rows, examples in ((np.ones(2), 3, 2), (np.array([-1.0, 1.0]), 2, 2), (np.ones(2), 2, 1)):
        assert check_costs(costs, 1.0, rows, examples, None)[0] is None


def test_costs_that_have_an_infinite_sum_are_no_error():
    assert check_costs(None, 1.7e308, 3, 3, None)[1].status == "holds"
    assert check_costs(None, 1.7e308, 3, 3, 2.0)[1].status == "fails"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Claims(GapClaims):
    primal: float
    dual: float
    tol: float = 1e-3
    iterations: int = 3
    examples: int = 2

    def claims(self):
        return self._claimed("none", 1)

    def verify(self, X, y, sample_weight=None, exact=False):
        raise NotImplementedError


def between(low, high):
    return Enclosure(Fraction(low), Fraction(high))


def statuses(claimed, primal, dual):
    return {check.claim: check.status for check in check_gap(claimed, primal, dual)}


def test_true_claims_hold_and_better_ones_fail():
    primal, dual = between(9.9999, 10), between(9.995, 9.9951)
    found = statuses(Claims(10.0, 9.995), primal, dual)
    assert found == {"primal": "holds", "dual": "holds", "gap": "holds", "converged": "holds", "iterations": "on trust"}
    assert statuses(Claims(9.9998, 9.995), primal, dual)["primal"] == "fails"
    assert statuses(Claims(10.0, 9.9952), primal, dual)["dual"] == "fails"
    assert statuses(Claims(10.001, 9.99), primal, dual)["primal"] == "holds"  # a weaker claim is true as well


def test_claims_that_only_some_values_of_an_enclosure_confirm_are_open():
    found = statuses(Claims(9.99995, 9.99505), between(9.9999, 10), between(9.995, 9.9951))
    assert found == {"primal": "open", "dual": "open", "gap": "open", "converged": "holds", "iterations": "on trust"}
    assert set(statuses(Claims(10.0, 9.0), UNBOUNDED, UNBOUNDED).values()) == {"open", "on trust"}


def test_one_unit_in_the_last_place_decides():
    up, down = math.nextafter(10.0, math.inf), math.nextafter(9.995, 0.0)
    assert statuses(Claims(10.0, 9.995), between(up, up), between(down, down)) == {
        "primal": "fails",
        "dual": "fails",
        "gap": "fails",
        "converged": "holds",
        "iterations": "on trust",
    }


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["primal", "dual", "tol"])
def test_numbers_that_are_not_finite_fail(field, number):
    claimed = dataclasses.replace(Claims(10.0, 9.995), **{field: number})
    assert "fails" in statuses(claimed, between(0, 0), between(0, 0)).values()
    assert not claimed.relative_gap <= 0 or field == "tol"


def test_no_loss_and_no_bound_are_no_gap():
    assert statuses(Claims(0.0, 0.0), between(0, 0), between(0, 0))["gap"] == "holds"
    assert statuses(Claims(0.0, 0.0), between(0, 1e-9), between(0, 0))["primal"] == "open"
    assert statuses(Claims(1.0, -3.0), between(1, 1), between(-3, -3))["gap"] == "holds"  # no duals prove more: 0


def test_the_gap_of_enclosures_is_enclosed_by_the_worst_and_the_best_case():
    found = _relative(between(8, 10), between(4, 6))
    assert (found.low, found.high) == (1 - Fraction(6, 8), 1 - Fraction(4, 10))
    found = _relative(between(8, 10), between(-3, -2))  # no duals prove more: 0
    assert (found.low, found.high) == (1, 1)
    found = _relative(Enclosure(Fraction(8), math.inf), between(4, 4))
    assert (found.low, found.high) == (Fraction(1, 2), 1)
    for primal in (between(0, 10), Enclosure(-math.inf, Fraction(10))):
        found = _relative(primal, between(4, 4))
        assert (found.low, found.high) == (-math.inf, Fraction(6, 10))
    assert _relative(between(8, 10), Enclosure(Fraction(4), math.inf)).low == -math.inf
    assert _relative(between(0, 0), between(0, 0)) == _relative(between(-1, 0), between(-1, 0)) == between(0, 0)


def test_a_gap_of_just_the_requested_fraction_is_converged():
    assert Claims(2.0, 1.0, tol=0.5).converged
    assert not Claims(2.0, 1.0, tol=math.nextafter(0.5, 0.0)).converged
    assert "converged" in statuses(Claims(2.0, 1.0, tol=0.5), between(2, 2), between(1, 1))
    assert "converged" not in statuses(Claims(2.0, 1.0, tol=0.4), between(2, 2), between(1, 1))


positive = st.floats(1e-300, 1e300)


@given(positive, st.floats(-1e300, 1e300))
def test_the_relative_gap_is_rounded_up(primal, dual):
    found = relative_gap(primal, dual)
    truth = (Fraction(primal) - Fraction(dual)) / Fraction(primal)
    assert found == math.inf or Fraction(found) >= truth
    assert found == -1.7976931348623157e308 or Fraction(math.nextafter(found, -math.inf)) < truth


def test_a_gap_of_unknown_numbers_is_infinite():
    assert relative_gap(0.0, 0.0) == 0.0
    for primal, dual in ((math.nan, 0.0), (1.0, math.nan), (math.inf, 1.0), (1.0, -math.inf), (-1.0, -2.0)):
        assert relative_gap(primal, dual) == math.inf
        assert not Claims(primal, dual).converged


class Objectives:
    """Objectives whose enclosures are wide, and whose exact values are not."""

    def __init__(self, is_small):
        self.is_small = is_small

    def enclose(self, point, rows, quick=False):
        return between(9, 11), between(8, 10)

    def exact(self, point):
        return between(10, 10), between(9.9999, 9.9999)


def test_open_checks_of_small_data_are_decided_exactly():
    claimed, rows = Claims(10.0, 9.9999), Rows(np.zeros((1, 1)))
    found = {
        exact: [check_bounds(claimed, Objectives(small), None, rows, exact) for small in (0, 1)] for exact in (0, 1)
    }
    assert [[check.status for check in checks[:2]] for checks in found[0]] == [["open"] * 2, ["holds"] * 2]
    assert [[check.status for check in checks[:2]] for checks in found[1]] == [["holds"] * 2] * 2


class Accurate(Objectives):
    """Objectives that remember in which order they were asked for, and are narrow from the second time on."""

    def __init__(self, is_small, enough):
        super().__init__(is_small)
        self.asked, self.enough = [], enough

    def enclose(self, point, rows, quick=False):
        self.asked.append("quick" if quick else "slow")
        return self.exact(point) if self.asked[-1] == self.enough else super().enclose(point, rows)


@pytest.mark.parametrize(("enough", "asked"), [("quick", ["quick"]), ("slow", ["quick", "slow"])])
def test_the_quickest_bounds_that_decide_are_the_only_ones(enough, asked):
    rows = Rows(np.zeros((1, 1)))
    problem = Accurate(False, enough)
    assert {check.status for check in check_bounds(Claims(10.0, 9.9999), problem, None, rows, False)[:2]} == {"holds"}
    assert problem.asked == asked
    problem = Accurate(False, enough)
    assert state_bounds(problem, None, rows, relative_gap(10.0, 9.9999)) == (10.0, 9.9999)
    assert problem.asked == asked


def test_what_is_stated_is_confirmed_by_another_computation_of_the_same_accuracy():
    rows = Rows(np.zeros((1, 1)))
    assert state_bounds(Objectives(is_small=True), None, rows, 1e-3) == (10.0, 9.9999)
    primal, dual = state_bounds(Objectives(is_small=False), None, rows, 1e-3)
    assert (primal, dual) == (pytest.approx(13.02), pytest.approx(5.98))
    assert statuses(Claims(primal, dual), between(11, 13), between(6, 8))["gap"] == "holds"


@pytest.mark.parametrize(
    ("gap", "shown"),
    [(1.23456e-5, "1.24e-05"), (1.2301e-5, "1.24e-05"), (0.0, "0"), (1.0, "1"), (-0.5, "-0.5"), (np.inf, "inf")],
)
def test_a_gap_is_shown_rounded_up(gap, shown):
    assert gap_shown(gap) == shown
    assert dict(Claims(1.0, 0.5).claims())["relative gap"] == "at most 0.5, above the requested 0.001"


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@given(lam=st.floats(1e-3, 1e3), seed=st.integers(0, 5))
@few
def test_notes_4_the_bounds_in_lambda_enclose_the_sum_of_the_losses_and_lambda_times_the_squared_length(
    loss, lam, seed
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    y = np.where(X[:, 0] + rng.normal(size=20) > 0, 1, 0)
    y[:2] = [0, 1]
    model = nk.LinearSVM(lam=lam, loss=loss, tol=1e-3).fit(X, y)
    certificate = model.certificate_
    objective = np.sum(model.slack_ ** (1 if loss == "hinge" else 2)) + lam * np.sum(model.coef_**2)
    assert certificate.lam == pytest.approx(lam)
    assert objective <= certificate.primal_lam * (1 + 1e-12)
    assert certificate.primal_lam == pytest.approx(objective, rel=1e-9)
    assert certificate.dual_lam <= certificate.primal_lam
    assert 1 - certificate.dual_lam / certificate.primal_lam == pytest.approx(certificate.relative_gap, abs=1e-12)


def test_a_certificate_speaks_of_lambda_if_lam_was_given(tmp_path):
    X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1]
    plain, own = nk.LinearSVM(C=10.0).fit(X, y), nk.LinearSVM(lam=0.05).fit(X, y)
    assert plain.certificate_.primal == own.certificate_.primal
    assert "lambda" not in str(plain.certificate_)
    assert "lambda 0.05 (C 10)" in str(own.certificate_)
    assert f"at most {above(own.certificate_.primal_lam)} for lambda |w|^2 + the sum of the losses" in str(
        own.certificate_
    )
    assert f"at most {above(own.certificate_.primal_lam)} for lambda |w|^2" in own.certificate_.explain()
    own.save(tmp_path / "model.nvk")
    assert str(nk.load(tmp_path / "model.nvk").certificate_) == str(own.certificate_)
    joint = nk.LinearSVM(lam=0.05, loss="hinge", multi_class="crammer_singer").fit(X, y)
    assert "Crammer-Singer, 2 classes, lambda 0.05 (C 10)" in str(joint.certificate_)
    assert nk.verify(own, X, y)


def test_without_a_cost_or_a_bound_there_is_nothing_to_say_in_lambda():
    certificate = nk.LinearSVM(C=1.0).fit([[0.0], [1.0]], [0, 1]).certificate_
    assert dataclasses.replace(certificate, primal=math.inf).primal_lam == math.inf
    assert dataclasses.replace(certificate, dual=-math.inf).dual_lam == -math.inf
    free = dataclasses.replace(certificate, C=0.0)
    assert (free.lam, free.primal_lam, free.dual_lam) == (math.inf, math.inf, -math.inf)


def test_bounds_in_lambda_pay_for_the_two_roundings_of_the_cost():
    certificate = nk.LinearSVM(C=1.0).fit([[0.0], [1.0]], [0, 1]).certificate_
    one = dataclasses.replace(certificate, C=1.0, primal=1.0, dual=1.0)
    assert (one.lam, one.primal_lam, one.dual_lam) == (0.5, 1 + 2.0**-51, 1 - 2.0**-51)
    four = dataclasses.replace(certificate, C=0.25, primal=3.0, dual=3.0)
    assert four.lam == 2.0
    assert (four.primal_lam, four.dual_lam) == (12 * (1 + 2.0**-51), 12 * (1 - 2.0**-51))
