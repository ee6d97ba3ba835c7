"""What certificates with a sum of examples share."""

import dataclasses
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.columns import Columns
from novikoff.theory.enclosed_sums import Enclosed
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.lifted import Combined
from novikoff.theory.second_order import compare_sum, sum_check

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
LEARNERS = [nk.AROW(), nk.SoftConfidenceWeighted(), nk.NormalizedAdaptive()]
X, Y = np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, -1.0], [0.5, -2.0]]), [1, 0, 1, 0]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_bound_by_a_margin_is_the_length_of_the_sum_divided_by_it(learner):
    certificate = learner.fit(X, Y).certificate_
    assert certificate.mistakes <= certificate.added
    length = np.linalg.norm(np.append(certificate.sum.weights, certificate.sum.intercept))
    assert certificate.bound(0.5) == pytest.approx(2 * length)
    assert certificate.bound(0.0) == math.inf


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_loss_of_a_plane_needs_the_number_of_passes(learner):
    model = learner.fit(X, Y)
    model.partial_fit(X, Y)
    with pytest.raises(nk.InvalidInputError, match="several fits"):
        model.certificate_.comparator_bound(X, Y, [1.0, 0.0])


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_plane_without_loss_bounds_the_updates_by_the_product_alone(learner):
    certificate = learner.fit(X, Y).certificate_
    plane = np.array([10.0, 1.0])  # scores of 12, -9.5, 19 and 3, of which the last has a loss of 4
    assert certificate.comparator_bound(X, Y, plane) == pytest.approx(
        4 * certificate.passes + certificate._product(plane, 0)
    )
    assert certificate.support(X, Y).rows is None or len(certificate.support(X, Y).rows) == 0


UNIT, ONE = 2.0**-52, Enclosure.exactly(1)


def total_of(intercept=ONE, weights=0.0):
    """An enclosed sum over two columns, whose intercept and weights are sums of one term."""
    columns = Enclosed(np.full(2, weights), np.zeros(2), 0)
    return Combined(columns, columns, intercept, ONE, Enclosure.exactly(0), Fraction(4))


def test_a_sum_may_differ_by_two_roundings_of_each_update_and_one_of_each_column():
    """With 5 updates and 2 columns by 2 * 5 + 2 + 16 roundings."""
    for units, status in ((28, "holds"), (-28, "holds"), (29, "fails"), (-29, "fails")):
        assert compare_sum(np.zeros(2), 1 + units * UNIT, total_of(), None, 5) == status
    far = np.array([0.0, 1.0])
    assert compare_sum(far, 1.0, total_of(), None, 5) == "fails"
    assert compare_sum(np.ones(2), 1.0, total_of(weights=1.0), None, 5) == "holds"


def test_a_sum_is_open_if_its_enclosure_is_too_wide():
    wide = Enclosure(Fraction(1, 2), Fraction(3, 2))
    assert compare_sum(np.zeros(2), 1.0, total_of(wide), None, 5) == "open"
    assert compare_sum(np.zeros(2), 2.0, total_of(wide), None, 5) == "fails"


def test_a_stored_sum_has_no_entries_in_columns_that_do_not_occur():
    columns = Columns(np.array([1, 3]), 4)
    for entries, status in (([0.0, 1.0, 0.0, 1.0], "holds"), ([0.5, 1.0, 0.0, 1.0], "fails")):
        assert compare_sum(np.array(entries), 1.0, total_of(weights=1.0), columns, 5) == status


def test_the_check_of_a_sum_says_what_failed():
    assert "not the sum" in sum_check("fails", 3).detail
    assert "3 examples" in sum_check("holds", 3).detail
    assert sum_check("open", 3).status == "open"


def changed(learner, X=X, Y=Y, **fields):
    return dataclasses.replace(learner.fit(X, Y).certificate_, **fields)


def statuses_of(certificate, exact=False, X=X, Y=Y):
    return {check.claim: check.status for check in certificate.verify(X, Y, exact=exact).checks}


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_weight_of_a_sum_may_differ_by_its_rounding_errors(learner):
    made = learner.fit(X, Y).certificate_
    for units, status in ((made.updates + 4, "holds"), (made.updates + 5, "fails")):
        claimed = Fraction(made.added) * (1 + Fraction(units, 2**52))
        nearest = float(claimed)
        below = nearest if Fraction(nearest) <= claimed else math.nextafter(nearest, 0.0)
        claimed = below if status == "holds" else math.nextafter(below, math.inf)
        assert statuses_of(dataclasses.replace(made, added=claimed))["weight of the sum"] == status


def test_a_bound_in_the_middle_of_its_enclosure_stays_open_where_no_exact_check_exists():
    made = nk.AROW().fit(X, Y).certificate_
    lowest, highest = 0.0, made.sum_square  # a claim that fails, and one that holds
    while (between := (lowest + highest) / 2) not in (lowest, highest):
        claimed = dataclasses.replace(made, sum_square=between)
        if (status := statuses_of(claimed)["v'A^-1 v"]) == "open":
            break
        lowest, highest = (between, highest) if status == "fails" else (lowest, between)
    assert statuses_of(claimed, exact=True)["v'A^-1 v"] == "open"


def test_one_update_is_enough_to_bound_margins():
    rows, y = np.array([[1.0]]), [1]
    certificate = nk.AROW(fit_intercept=False, classes=[0, 1]).partial_fit(rows, y).certificate_
    assert certificate.updates == 1
    claims = {claim.removesuffix(" of the run") for claim in statuses_of(certificate, X=rows, Y=y)}
    assert {"v'A^-1 v", "no separator has a larger margin"} <= claims


def repeated(**fields):
    """What a repeated run may have found, as far as a certificate with known rows asks."""
    own = {"rounding": 0.5, "mistaken": [1.0], "visits": 6, "updates": 1} | fields
    return SimpleNamespace(distance=lambda weights, bias: Enclosure.exactly(Fraction(1, 4)), **own)


def test_a_repeated_run_has_the_same_weights_mistakes_and_updates_up_to_rounding():
    certificate = changed(nk.AROW(), mistakes=1.0, updates=1)
    assert [check.status for check in certificate.check_replay(repeated())] == ["holds"] * 3
    assert certificate.check_replay(repeated(rounding=0.4))[0].status == "fails"
    assert certificate.check_replay(repeated(updates=2))[2].status == "fails"
    for units, status in ((2 * 6 + 4, "holds"), (2 * 6 + 5, "fails")):
        other = dataclasses.replace(certificate, mistakes=1 + units * UNIT)
        assert other.check_replay(repeated())[1].status == status


def test_a_run_that_added_nothing_has_a_sum_of_0():
    certificate = nk.AROW().partial_fit(X, Y).certificate_
    nothing = dataclasses.replace(certificate.sum, weights=np.zeros(2), intercept=0.0)
    others = [{"intercept": 1.0}, {"weights": np.array([0.0, 1.0])}]
    for own, status in (({}, "holds"), *((other, "fails") for other in others)):
        claimed = dataclasses.replace(certificate, updates=0, sum=dataclasses.replace(nothing, **own))
        check = claimed.check_replay(repeated(updates=0))[-1]
        assert (check.claim, check.status) == ("sum of examples of the run", status)


def test_the_weight_of_the_sum_of_a_repeated_run_may_differ_by_its_rounding_errors():
    """The run added examples of weight 4, which the certificate says were 2 updates."""
    certificate = dataclasses.replace(nk.AROW().partial_fit(X, Y).certificate_, updates=2)
    run = repeated(updates=2, columns=None, proof=SimpleNamespace(total=total_of))
    run.check_bound = lambda claim, bound: sum_check("holds", 2)
    for units, status in ((2 + 4, "holds"), (2 + 5, "fails")):
        checks = dataclasses.replace(certificate, added=4 * (1 + units * UNIT)).check_replay(run)
        assert [check.status for check in checks if check.claim == "weight of the sum of the run"] == [status]


def test_loss_bounds_are_those_of_a_plane_with_its_intercept():
    """Scores of (12, -9.5, 19, 3) without an intercept; y v.u - 1 is negative for the last row alone."""
    certificate, plane = nk.AROW().fit(X, Y).certificate_, np.array([10.0, 1.0])
    assert certificate.hinge_loss_bound(plane) == 0.0
    small = plane / 1000
    assert certificate.hinge_loss_bound(small) == certificate.added - certificate._product(small, 0.0)
    assert certificate.hinge_loss_bound(small, 0.5) == certificate.added - certificate._product(small, 0.5)
    losses = certificate.comparator_bound(X, Y, plane, -2.5) - certificate._product(plane, -2.5)
    assert losses == pytest.approx(certificate.passes * 1.5)
    without = nk.AROW(fit_intercept=False).fit(X, Y).certificate_
    assert without.comparator_bound(X, Y, plane, -2.5) == without.comparator_bound(X, Y, plane)


@pytest.mark.parametrize("margin", [0.25, 2.0])
def test_the_bound_by_a_margin_has_the_weight_of_the_sum_as_a_factor(margin):
    certificate = changed(nk.AROW(), margin_upper_bound=0.75, added=6.0)
    assert certificate.bound(margin) == 0.75 * 6 / margin
