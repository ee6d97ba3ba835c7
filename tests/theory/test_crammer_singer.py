"""Certificates of joint machines, docs/theory.md J: true ones are accepted, and no claim can be bettered unnoticed."""

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from certified import change, failed
from joint_machines import INTERCEPTS, certify, noisy_classes
from novikoff.solvers.circulation import balanced
from novikoff.theory import CrammerSingerCertificate, JointModel, enclosed_sums, geometry
from novikoff.theory.joint_duals import JointDuals
from novikoff.theory.joint_values import JointMargin
from reference import crammer_singer
from strategies import seeds

each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


@given(seed=seeds, intercept=st.sampled_from(INTERCEPTS), classes=st.integers(2, 5), weighted=st.booleans())
def test_J2_no_model_is_below_a_feasible_dual(seed, intercept, classes, weighted):
    rng = np.random.default_rng(seed)
    X, y = noisy_classes(seed, classes=classes)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    costs = rng.choice([0.5, 2.0], len(y)) if weighted else np.ones(len(y))
    betas = crammer_singer.random_duals(rng, codes, costs, classes)
    if intercept == "free":
        betas = balanced(betas, codes)
    W, b = rng.normal(size=(classes, 4)) * rng.choice([0.01, 1.0]), rng.normal(size=classes) * (intercept != "none")
    penalized = intercept == "penalized"
    bound = crammer_singer.dual(betas, X, codes, penalized)
    assert bound <= crammer_singer.primal(W, b, X, codes, costs, penalized) * (1 + 1e-12)


@each_intercept
@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_solution_is_verified_and_its_values_are_those_of_the_reference(intercept, classes, weighted):
    X, y = noisy_classes(classes, classes=classes)
    weights = np.random.default_rng(1).integers(0, 3, len(y)) + 0.5 if weighted else None
    certificate = certify(X, y, C=0.3, intercept=intercept, weights=weights)
    model, codes = certificate.model, certificate.model.codes(y)
    costs = 0.3 * (np.ones(len(y)) if weights is None else weights)
    penalized, betas = intercept == "penalized", model.duals.dense(len(y), classes)
    found = crammer_singer.primal(model.weights, model.biases, X, codes, costs, penalized)
    assert certificate.primal == pytest.approx(found, rel=1e-9)
    assert certificate.dual == pytest.approx(crammer_singer.dual(betas, X, codes, penalized), rel=1e-9)
    assert certificate.converged
    assert certificate.relative_gap <= 1e-6
    verification = certificate.verify(X, y, weights)
    assert verification, str(verification)
    assert certificate.verify(X, y, weights, exact=True)
    assert certificate.verify(sp.csr_array(X), y, weights)


def without_weights(X, biases, *, C=1.0, primal=0.0, weights=None):
    """A certificate of weights 0 and of no duals, which claims that the objective is ``primal`` and the bound 0."""
    nothing = JointDuals(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0))
    weights = np.zeros((len(biases), X.shape[1])) if weights is None else weights
    model = JointModel(weights, np.array(biases), ["ash", "birch", "cedar"][: len(biases)], nothing)
    return CrammerSingerCertificate("free", C, 1e-3, primal, 0.0, 1, len(X), model)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    "biases",
    [
        [1e17, 1e17, 1e17],
        [-1e300, -1e300, -1e300],
        [1e17, -1e17, 3.0],
        [2.0**53, 2.0**53, 2.0**53 + 2],
        [1.7e308, -1.7e308, 0.0],  # their difference overflows
    ],
)
def test_huge_biases_do_not_hide_a_loss(biases, exact):
    X, y = noisy_classes(3)
    assert not without_weights(X, biases).verify(X, y, exact=exact)
    assert not without_weights(np.zeros_like(X), biases).verify(np.zeros_like(X), y, exact=exact)


def test_the_rounding_error_of_a_difference_of_biases_is_counted():
    X, y = np.ones((4, 1)), np.array(["ash"] * 4)
    certificate = without_weights(X, [1.0, 2.0**-60])  # the loss is 2^-60, and 0 in floating point
    assert "primal" in failed(certificate.verify(X, y, exact=True))
    assert not certificate.verify(X, y)
    assert without_weights(X, [0.5, -0.5]).verify(X, y)  # no error, and no loss


def test_products_that_underflow_do_not_hide_a_loss():
    X, y = np.full((4, 1), 1e-200), np.array(["ash"] * 4)
    certificate = without_weights(X, [0.5, -0.5], C=1e308, weights=np.array([[-1e-200], [1e-200]]))
    assert "primal" in failed(certificate.verify(X, y, exact=True))
    assert not certificate.verify(X, y)


@pytest.mark.parametrize("exact", [False, True])
def test_costs_near_the_largest_float_fail_without_an_error(exact):
    X, y = noisy_classes(3)
    rows = np.concatenate([np.flatnonzero(y == label)[:2] for label in ("ash", "birch")])
    duals = JointDuals(rows, np.array([1, 1, 0, 0], np.int32), np.full(4, 1.7e308))
    certificate = change(without_weights(X, [0.0, 0.0, 0.0], C=1.7e308, primal=1.7e308), _duals=duals)
    assert not certificate.verify(X, y, exact=exact)


def test_J4_duals_out_of_balance_by_one_unit_in_the_last_place_fail():
    X, y = noisy_classes(3)
    good = certify(X, y)
    values = good.model.duals.values.copy()
    values[0] = np.nextafter(values[0], 0.0)
    assert failed(change(good, _duals=dataclasses.replace(good.model.duals, values=values)).verify(X, y)) == {
        "feasible duals"
    }
    assert change(good, intercept="penalized").verify(X, y).failures  # the claims were of another problem


@each_intercept
def test_sums_of_a_row_above_its_cost_are_scaled_down(intercept):
    X, y = noisy_classes(3)
    good = certify(X, y, intercept=intercept, tol=1e-4)
    for factor in (2.0, 8.0):  # the sums of classes remain 0
        raised = dataclasses.replace(good.model.duals, values=good.model.duals.values * factor)
        for exact in (False, True):
            found = change(good, dual=good.dual * (1 - 1e-5), _duals=raised).verify(X, y, exact=exact)
            assert found, str(found)  # D(t beta) is that of the duals before
            assert failed(change(good, dual=good.dual * (1 + 1e-5), _duals=raised).verify(X, y, exact=exact)) >= {
                "dual"
            }


def test_the_support_is_named_and_the_claims_say_what_was_solved():
    X, y = noisy_classes(3)
    certificate = certify(X, y, C=2.0, intercept="penalized")
    assert certificate.support(X, y).rows.tolist() == np.unique(certificate.model.duals.rows).tolist()
    assert len(certificate.support(X[::-1], y).rows) == 0
    assert certificate.plane() is None
    assert certificate.stated() == {"intercept": "penalized", "tol": 1e-6, "C": 2.0, "loss": "hinge"}
    assert "3 classes" in dict(certificate.claims())["problem"]
    assert "no model is below" in certificate.explain()
    assert "was not reached" in change(certificate, tol=1e-12).explain()
    assert json.loads(certificate.to_json())["model"]["classes"] == ["ash", "birch", "cedar"]


def test_rows_without_a_cost_may_have_any_label():
    X, y = noisy_classes(3)
    weights = np.ones(len(y))
    weights[5] = 0.0
    certificate = certify(X, y, weights=weights)
    altered = y.copy()
    altered[5] = "zelkova"
    assert certificate.verify(X, altered, weights)
    assert certificate.verify(X, altered, weights, exact=True)


def test_a_dual_of_a_row_with_an_unknown_label_fails_without_an_error():
    X, y = noisy_classes(3)
    weights = np.ones(len(y))
    weights[0] = 0.0
    good, altered = certify(X, y, weights=weights), y.copy()
    altered[0] = "zelkova"
    duals = good.model.duals
    duals = JointDuals(np.append(0, duals.rows), np.append(np.int32(1), duals.classes), np.append(0.0, duals.values))
    found = change(good, _duals=duals).verify(X, altered, weights)
    assert failed(found) == {"feasible duals"}
    assert found.failures[0].row == 0


def test_the_values_do_not_depend_on_the_size_of_the_blocks(monkeypatch):
    X, y = noisy_classes(3)
    certificate = certify(X, y)
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 100)  # 8 rows of 3 classes
    monkeypatch.setattr(enclosed_sums, "CACHED_ENTRIES", 100)
    assert certificate.verify(X, y)
    assert certificate.verify(sp.csr_array(X), y)


PAIR, NAMES = np.array([[2.0, 0.0], [0.0, 2.0]]), np.array(["ash", "birch"])
SUMS = np.array([[1.0, -0.5], [-1.0, 0.5]])  # of the rows of PAIR with the duals 1/2 and 1/4


def of_a_pair(weights=SUMS, biases=(0.25, -0.25), gap=0.0, intercept="penalized", rows=(0, 1), costs=None):
    duals = JointDuals(np.array(rows), np.array([1, 0], np.int32), np.array([0.5, 0.25]))
    model = JointModel(np.asarray(weights), np.array(biases), ["ash", "birch"], duals, costs)
    return CrammerSingerCertificate(intercept, 1.0, 1e-3, 3.0 + gap, 3.0, 1, 2, model)


def supports(certificate, X=PAIR, y=NAMES):
    return certificate.support(X, y).rows.tolist() == [0, 1]


def test_weights_may_be_as_far_from_the_sum_of_the_support_vectors_as_the_gap_allows():
    """|v - w|^2 <= 2 g, and v and w are the same if the gap is 0, up to one millionth of their lengths."""
    for gap, distance in ((0.5, 1.0), (8.0, 4.0)):
        for factor, near in ((0.999, True), (1.001, False)):
            assert supports(of_a_pair(SUMS + np.array([[factor * distance, 0.0], [0.0, 0.0]]), gap=gap)) is near
    length = 2 * np.sqrt(2.5 + 0.125)
    for factor, near in ((0.999, True), (1.001, False)):
        moved = SUMS + np.array([[0.0, 1e-6 * factor * length], [0.0, 0.0]])
        assert supports(of_a_pair(moved)) is near
        assert supports(of_a_pair(moved, gap=-1.0)) is near  # a gap below 0 is one of 0


def test_intercepts_are_sums_of_coefficients_only_if_they_are_penalized():
    assert supports(of_a_pair())
    assert not supports(of_a_pair(biases=(0.0, 0.0)))
    for intercept in ("free", "none"):
        assert supports(of_a_pair(biases=(0.0, 0.0), intercept=intercept))
    assert supports(of_a_pair(biases=(5.0, -7.0), intercept="free"))


def test_other_data_have_no_support():
    for rows in ((-1, 1), (0, 2)):
        assert not supports(of_a_pair(rows=rows))
    for X, y in (
        (PAIR, ["ash", "oak"]),
        (PAIR, ["oak", "birch"]),
        (PAIR, ["ash"]),
        (PAIR[:1], NAMES),
        (PAIR[:, :1], NAMES),
        (PAIR[0], NAMES),
    ):
        assert len(of_a_pair().support(X, y).rows) == 0
    nothing = JointDuals(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0))
    assert len(change(of_a_pair(np.zeros((2, 2)), (0.0, 0.0)), _duals=nothing).support(PAIR, NAMES).rows) == 0


def test_losses_of_rows_are_those_of_the_definition_and_0_without_a_cost():
    """The scores of the first row are (2.25, -2.25), and those of the second (-0.75, 0.75)."""
    certificate, small = of_a_pair(), SUMS / 8
    assert certificate.fitted_from_rows(PAIR, NAMES)["slack_"].tolist() == [0.0, 0.0]
    assert certificate.fitted_from_rows(PAIR, NAMES[::-1])["slack_"].tolist() == [5.5, 2.5]
    assert of_a_pair(small, (0.0, 0.0)).fitted_from_rows(PAIR, NAMES)["slack_"].tolist() == [0.5, 0.75]
    for costs, slack in (([0.5, 0.0], [5.5, 0.0]), ([0.0, 0.25], [0.0, 2.5])):
        weighted = of_a_pair(costs=np.array(costs))
        assert weighted.fitted_from_rows(PAIR, NAMES[::-1])["slack_"].tolist() == slack


def test_claims_of_large_data_that_rounding_leaves_open_are_decided_only_on_request(monkeypatch):
    monkeypatch.setattr(JointMargin, "is_small", False)
    certificate = without_weights(np.ones((4, 1)), [1.0, 2.0**-60])
    statuses = [
        {check.claim: check.status for check in certificate.verify(np.ones((4, 1)), ["ash"] * 4, **options).checks}
        for options in ({}, {"exact": False}, {"exact": True})
    ]
    assert [found["primal"] for found in statuses] == ["open", "open", "fails"]


def test_two_classes_are_enough_and_a_cost_of_0_is_one():
    nothing = JointDuals(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0))
    free = change(of_a_pair(np.zeros((2, 2)), (0.0, 0.0)), C=0.0, primal=0.0, dual=0.0, examples=0, _duals=nothing)
    assert free.verify(PAIR, NAMES)
    for C in (-1.0, np.inf, np.nan):
        assert failed(change(free, C=C).verify(PAIR, NAMES)) == {"model"}
    alone = change(free, _weights=np.zeros((1, 2)), _biases=np.zeros(1), _classes=["ash"])
    assert failed(alone.verify(PAIR, ["ash", "ash"])) == {"model"}
    assert failed(change(free, _weights=np.zeros(2)).verify(PAIR, NAMES)) == {"model"}
    assert failed(change(free, _classes=["ash", "ash"]).verify(PAIR, NAMES)) == {"model"}
    assert failed(change(free, intercept="none", _biases=np.ones(2)).verify(PAIR, NAMES)) == {"model"}
    assert failed(free.verify(PAIR[:, :1], NAMES)) == {"data"}
    assert failed(change(free, _biases=np.array([0.0, np.nan])).verify(PAIR, NAMES)) == {"model"}


def test_the_first_row_with_an_unknown_label_is_named():
    found = of_a_pair().verify(PAIR, ["oak", "elm"])
    assert [(check.claim, check.row, "'oak'" in check.detail) for check in found.failures] == [("data", 0, True)]
    (check,) = of_a_pair().verify(np.array([[np.nan, 0.0], [0.0, 1.0]]), NAMES).checks
    assert (check.claim, check.status) == ("data", "fails")


def test_costs_of_rows_are_part_of_the_claims():
    assert "total cost" not in dict(of_a_pair().claims())["problem"]
    assert "total cost of the rows 0.75" in dict(of_a_pair(costs=np.array([0.5, 0.25])).claims())["problem"]
