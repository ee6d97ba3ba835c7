"""Certificates of the largest margin, docs/theory.md E: true ones are accepted, and no claim can be bettered."""

import dataclasses
import math
import tracemalloc
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from certified import change, separable_data
from novikoff.theory import HullCertificate, geometry, hulls
from novikoff.theory.certificate import Duals
from novikoff.theory.svm_model import SvmModel
from reference import hard_margin
from strategies import make_separable, seeds

INTERCEPTS = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def data_for(intercept, seed=0, **parameters):
    if intercept != "none":
        return separable_data(seed, **parameters)
    data = make_separable(np.random.default_rng(seed), 50, 4, 0.1, intercept=False)
    return data.X, data.y


def certify(intercept, X, y, **parameters):
    return nk.HardMarginSVM(**INTERCEPTS[intercept], **parameters).fit(X, y).certificate_


def other_duals(certificate, weights=None, rows=None):
    duals = certificate.model.duals
    return Duals(duals.rows if rows is None else rows, duals.weights if weights is None else weights)


@each_intercept
@given(seed=seeds, rows=st.integers(4, 30), scale=st.sampled_from([1e-90, 1e-3, 1.0, 1e90]))
def test_the_bounds_hold_the_largest_margin_between_them(intercept, seed, rows, scale):
    if intercept == "penalized":
        scale = 1.0  # (x, 1) is another thing in other units
    data = make_separable(np.random.default_rng(seed), rows, 3, 0.05, intercept=intercept != "none")
    best = hard_margin.margin(data.X, data.y, intercept) * scale
    certificate = certify(intercept, scale * data.X, data.y)
    assert certificate.margin_lower_bound <= best * (1 + 1e-10)
    assert certificate.margin_upper_bound >= best * (1 - 1e-10)
    verification = certificate.verify(scale * data.X, data.y)
    assert verification, str(verification)


def test_duals_of_either_class_may_be_scaled():
    """The bound is of the duals with the heavier class scaled down, so that both classes have the same sum."""
    X, y = data_for("free")
    certificate = certify("free", X + 50.0, y)  # far away, so that what is out of balance would count
    for factor in (1 - 1e-10, 1 - 1e-6, 1e-3, 1e200, 1e-200):
        tip = np.where(y[certificate.model.duals.rows] > 0, 1.0, factor)
        tipped = change(certificate, _duals=other_duals(certificate, tip * certificate.model.duals.weights))
        verification = tipped.verify(X + 50.0, y)
        assert verification, str(verification)
        less = change(tipped, margin_upper_bound=tipped.margin_upper_bound * (1 - 1e-6))
        assert "upper bound" in [check.claim for check in less.verify(X + 50.0, y).failures]


def test_a_check_that_rounding_leaves_open_is_not_held(monkeypatch):
    monkeypatch.setattr(hulls, "SMALL_WORK", 0)
    X, y = data_for("none")
    certificate = certify("none", X, y)
    w = certificate.model.weights
    exact = float((y * (X @ w)).min() / np.linalg.norm(w))
    verification = change(certificate, margin_lower_bound=exact).verify(X, y)
    assert not verification
    assert [check.status for check in verification.checks if check.claim == "lower bound"] == ["open"]


@cache
def large_table():
    X = np.random.default_rng(0).normal(size=(15_000, 100)).astype(np.float32)
    X[np.abs(X[:, 0]) < 2, 0] += 2
    y = np.where(X[:, 0] > 0, 1, -1)
    return X, y, nk.HardMarginSVM(tol=0.5).fit(X, y).certificate_


@pytest.mark.parametrize("sparse", [False, True])
def test_a_check_does_not_copy_a_large_table(sparse, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 1 << 20)  # as if the table were four times as large
    X, y, certificate = large_table()
    table = sp.csr_array(X) if sparse else X
    whole = geometry.BLOCK_ENTRIES * 8 if not sparse else 3 * geometry.BLOCK_ENTRIES * 8
    tracemalloc.start()
    assert certificate.verify(table, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * whole + 10 * 8 * len(y)


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_bounds_that_rounding_leaves_open_are_decided_exactly(intercept):
    """A claim of just what is found is open to floating point; in whole numbers it is true or it is not."""
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(20, 3)) + 4, rng.normal(size=(20, 3)) - 4])
    y = np.repeat([1, 0], 20)
    options = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
    certificate = nk.HardMarginSVM(**options[intercept]).fit(X, y).certificate_
    assert certificate.verify(X, y, exact=True)
    lower, upper = certificate.margin_lower_bound, certificate.margin_upper_bound
    seen = set()
    for step in np.concatenate([np.arange(-40, 41) * 2.0**-52, [1e-3]]):
        tight = dataclasses.replace(certificate, margin_lower_bound=lower * (1 + 1e-15 + step))
        checks = {check.claim: check.status for check in tight.verify(X, y, exact=True).checks}
        assert checks["lower bound"] in ("holds", "fails")
        seen.add(checks["lower bound"])
        tight = dataclasses.replace(certificate, margin_upper_bound=upper * (1 - 1e-15 - step))
        checks = {check.claim: check.status for check in tight.verify(X, y, exact=True).checks}
        assert checks["upper bound"] in ("holds", "fails")
        seen.add(checks["upper bound"])
    assert seen == {"holds", "fails"}


POINTS, LABELS = np.array([[1.0], [-1.0], [3.0]]), np.array([1, 0, 1])


def worked(lower=1.0, upper=1.0, examples=3, tol=0.0, radius=3.0, intercept="free", bias=0.0):
    """The plane x = 0 between the points 1 and -1, whose duals prove that no margin is above 1."""
    model = SvmModel(np.array([1.0]), bias, 1, Duals(np.array([0, 1]), np.array([0.5, 0.5])))
    return HullCertificate(lower, upper, examples, intercept, tol, 7, radius, model)


def statuses(certificate, X=POINTS, y=LABELS, sample_weight=None, exact=False):
    checks = certificate.verify(X, y, sample_weight, exact=exact).checks
    return {check.claim: check.status for check in checks}


@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("exact", [False, True])
def test_claims_that_are_just_attained_hold_and_the_next_float_fails(intercept, exact):
    up, down = math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0)
    assert set(statuses(worked(intercept=intercept), exact=exact).values()) == {"holds", "on trust"}
    assert statuses(worked(up, up, intercept=intercept), exact=exact)["lower bound"] == "fails"
    assert statuses(worked(down, down, intercept=intercept), exact=exact)["upper bound"] == "fails"
    found = statuses(worked(up, 1.0, intercept=intercept), exact=exact)
    assert (found["lower bound"], found["lower below upper bound"]) == ("fails", "fails")
    (failed,) = worked(up, 2.0, intercept=intercept).verify(POINTS, LABELS).failures
    assert failed.row in (0, 1)
    assert statuses(worked(radius=3 * (1 + 8 * 2.0**-52)))["radius"] == "holds"
    assert statuses(worked(radius=3 * (1 + 11 * 2.0**-52)))["radius"] == "fails"


def test_bounds_that_are_infinite_claim_nothing():
    found = statuses(worked(-math.inf, math.inf))
    assert (found["lower bound"], found["upper bound"]) == ("on trust", "on trust")
    assert worked(-math.inf, math.inf).relative_gap == worked(-math.inf, 1.0).relative_gap == math.inf
    assert dict(worked(-math.inf, math.inf).claims())["relative gap"] == "at most inf, above the requested 0"
    assert worked(1.0, math.inf).relative_gap == 1.0
    assert worked(0.0, 0.0).relative_gap == 1.0


def test_rows_of_weight_zero_are_neither_counted_nor_supported():
    assert set(statuses(worked(examples=2, radius=1.0), sample_weight=[2.0, 0.5, 0.0]).values()) == {
        "holds",
        "on trust",
    }
    assert statuses(worked(examples=2), sample_weight=[2.0, 0.0, 0.5]) == {"feasible duals": "fails"}
    assert statuses(worked(examples=0), sample_weight=np.zeros(3)) == {"examples": "fails"}


@pytest.mark.parametrize("field", [{"_costs": np.ones(3)}, {"_negative": 0}])
def test_a_hard_margin_has_neither_costs_nor_a_negative_label(field):
    assert statuses(change(worked(), **field)) == {"problem": "fails"}


def test_no_intercept_has_no_bias_and_no_data_have_another_label():
    assert statuses(worked(intercept="none", bias=5e-324)) == {"model": "fails"}
    assert statuses(worked(), y=np.array([2, 0, 2])) == {"data": "fails"}
    assert statuses(worked(), X=POINTS * np.nan) == {"data": "fails"}
    nothing = change(worked(), _duals=Duals(np.arange(2), np.zeros(2)))
    assert statuses(nothing)["upper bound"] == "fails"


def test_a_machine_converges_if_it_separates_with_the_requested_gap():
    assert worked(1.0, 2.0).relative_gap == 0.5
    assert worked(1.0, 2.0, tol=0.5).converged
    assert not worked(1.0, 2.0, tol=math.nextafter(0.5, 0.0)).converged
    assert not worked(0.0, 2.0, tol=1.0).converged
    assert Fraction(worked(1.0, 3.0).relative_gap) > Fraction(2, 3)
    assert dict(worked(1.0, 2.0, tol=0.5).claims())["relative gap"] == "at most 0.5, within the requested 0.5"
    assert dict(worked(1.0, 2.0, tol=0.4).claims())["relative gap"] == "at most 0.5, above the requested 0.4"


def test_margins_have_the_geometry_of_the_problem_unless_it_is_unknown():
    assert worked().margin_upper_bound.intercept == "free"
    assert type(worked(intercept="some").margin_upper_bound) is float
    assert math.isnan(worked(lower=math.nan).margin_lower_bound)


@given(st.floats(0.0, 0.05), st.floats(-0.01, 0.2), st.floats(0.5, 4.0), st.sampled_from([1e-100, 1.0, 1e100]))
def test_leave_one_out_is_bounded_where_directions_are_near(short, tol, radius, unit):
    """2 L + W - 2 U > 2 R times the sum of both chords, with W = (1 - tol) L the margin without a row."""
    lower, upper = (1 - short) * 3, 3.0
    without = (1 - tol) * lower
    if tol < 0 or not 0 < without <= lower <= upper:
        assert worked(lower * unit, upper * unit, tol=tol, radius=radius * unit).leave_one_out_bound is None
        return
    chords = math.sqrt(2 * (1 - without / upper)) + math.sqrt(2 * (1 - lower / upper))
    excess = 2 * lower + without - 2 * upper - 2 * radius * chords
    if abs(excess) > 1e-9:
        found = worked(lower * unit, upper * unit, tol=tol, radius=radius * unit).leave_one_out_bound
        assert (found is not None) == (excess > 0)


@pytest.mark.parametrize(
    ("margin", "tol", "least", "unit"),
    [
        (1.0, 2.0**-5, 31 / 16 - 17 * 2.0**-52, 2.0**-52),  # 31/32 = 2 R 1/4, and 9 roundings of R are 17.4 units
        (160 * 5e-324, 2.0**-5, 301 * 5e-324, 5e-324),  # 310 units less the 9 that may have been lost
    ],
)
def test_the_roundings_of_the_radius_count_against_a_leave_one_out_bound(margin, tol, least, unit):
    assert worked(margin, margin, tol=tol, radius=least).leave_one_out_bound is None
    found = worked(margin, margin, tol=tol, radius=least - unit).leave_one_out_bound
    assert (
        found == math.nextafter(2 / 3, 1.0) or Fraction(2, 3) <= Fraction(found) < Fraction(2, 3) + Fraction(2) ** -52
    )


def test_a_leave_one_out_bound_needs_finite_margins_and_a_machine_without_the_row():
    assert worked().leave_one_out_bound is not None
    for other in (worked(tol=1.0), worked(tol=math.inf), worked(tol=-0.5), worked(1.5), worked(upper=math.inf)):
        assert other.leave_one_out_bound is None
        assert other.generalization is None
    found = worked().generalization
    assert found.bound == worked().leave_one_out_bound
    assert "a machine learned from 2 of them" in found.statement
    assert "2 support vectors in 3; and if each of these examples is left out once, at most 2 are" in found.statement
    one = change(worked(), _duals=Duals(np.array([0]), np.ones(1)))
    assert "at most 1 is mistaken" in one.generalization.statement


def test_what_a_certificate_says_of_rows_is_in_units_of_the_weights():
    certificate = worked(0.25, 0.5)
    assert certificate.scaled_duals().weights.tolist() == [2.0, 2.0]
    rows, coefficients = certificate.row_coefficients(LABELS)
    assert (rows.tolist(), coefficients.tolist()) == ([0, 1], [[2.0, -2.0]])
    assert certificate.fitted_from_rows(POINTS, LABELS)["nearest_points_"].tolist() == [[1.0], [-1.0]]
    assert worked(intercept="none").fitted_from_rows(POINTS, LABELS) == {}
    assert certificate.band() == 1.0
    assert (certificate.labels(), certificate.fitted()) == ((1, None), {"margin_": 0.25, "n_iter_": 7})
    assert hulls.hull_points(POINTS, np.array([1.0, -1.0, 1.0]), Duals(np.array([0, 2]), np.ones(2))) is None
    mean = hulls.hull_points(POINTS, np.array([1.0, -1.0, 1.0]), Duals(np.arange(3), np.array([3.0, 2.0, 1.0])))
    assert mean.tolist() == [[1.5], [-1.0]]


def test_rows_support_a_machine_whose_weights_point_along_their_sum():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0]]), LABELS
    along = change(worked(), _weights=np.array([1.0, 0.0]))
    assert along.support(X, y).rows.tolist() == [0, 1]
    for weights in ([-1.0, 0.0], [1.0, 1.0]):
        assert not len(change(along, _weights=np.array(weights)).support(X, y).rows)
    sixth = change(along, _weights=np.array([1.0, 1.0]), margin_lower_bound=0.5)  # a cosine of 0.7 is enough
    assert sixth.support(X, y).rows.tolist() == [0, 1]
    assert not len(along.support(X[:, :1], y).rows)
    tilted = change(worked(intercept="penalized"), _bias=1.0)  # (1, 1) is not along (1, 0)
    assert not len(tilted.support(POINTS, LABELS).rows)
    assert change(tilted, intercept="free").support(POINTS, LABELS).rows.tolist() == [0, 1]


@pytest.mark.parametrize("exact", [False, True])
def test_a_claim_that_would_need_too_much_exact_work_says_so(exact, monkeypatch):
    monkeypatch.setattr(hulls, "SMALL_WORK", 0)
    monkeypatch.setattr(hulls, "MAX_EXACT_WORK", 0)
    X, y = data_for("none")
    certificate = certify("none", X, y)
    w = certificate.model.weights
    tight = change(certificate, margin_lower_bound=float((y * (X @ w)).min() / np.linalg.norm(w)))
    (open_,) = [check for check in tight.verify(X, y, exact=exact).checks if check.status == "open"]
    assert ("would have to be computed exactly" in open_.detail) == exact


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200, 1e300])
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_duals_whose_products_underflow_prove_nothing_false(intercept, tiny, exact):
    X, y = np.array([[0.2], [-0.2]]), np.array([1, 0])
    certificate = nk.HardMarginSVM(**INTERCEPTS[intercept]).fit(X, y).certificate_
    duals = Duals(np.array([0, 1]), np.full(2, tiny))
    model = dataclasses.replace(certificate.model, duals=duals)
    false = dataclasses.replace(certificate, margin_lower_bound=0.01, margin_upper_bound=0.018, model=model)
    statuses = {check.claim: check.status for check in false.verify(X, y, exact=exact).checks}
    assert statuses["upper bound"] == "fails"
    true = dataclasses.replace(false, margin_upper_bound=0.2 if intercept != "penalized" else 1.1)
    statuses = {check.claim: check.status for check in true.verify(X, y, exact=exact).checks}
    assert statuses["upper bound"] == "holds"


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e308])
def test_weights_whose_products_underflow_or_overflow_are_decided(size, exact):
    X, y = np.array([[0.25], [-0.25]]), np.array([1, 0])
    certificate = nk.HardMarginSVM().fit(X, y).certificate_
    model = dataclasses.replace(certificate.model, weights=np.array([size]), bias=0.0)
    for claimed, expected in ((0.25, "holds"), (np.nextafter(0.25, 1.0), "fails")):
        one = dataclasses.replace(certificate, margin_lower_bound=claimed, model=model)
        statuses = {check.claim: check.status for check in one.verify(X, y, exact=exact).checks}
        assert statuses["lower bound"] == expected
        wrong = dataclasses.replace(one, model=dataclasses.replace(model, weights=np.array([-size])))
        statuses = {check.claim: check.status for check in wrong.verify(X, y, exact=exact).checks}
        assert statuses["lower bound"] == "fails"
