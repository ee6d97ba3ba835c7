"""Certificates of joint machines, docs/theory.md J: true ones are accepted, and no claim can be bettered unnoticed."""

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from joint_machines import INTERCEPTS, certify, noisy_classes
from novikoff.solvers.circulation import balanced
from novikoff.testing import check_certificate
from novikoff.theory import CrammerSingerCertificate, JointModel, enclosed_sums, geometry
from novikoff.theory.joint_duals import JointDuals
from reference import crammer_singer
from strategies import seeds

each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def change(certificate, **fields):
    """The certificate with other claims; those of its model are named by a leading underscore."""
    model = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    own = {name: value for name, value in fields.items() if not name.startswith("_")}
    return dataclasses.replace(certificate, model=dataclasses.replace(certificate.model, **model), **own)


def failed(verification):
    return {check.claim for check in verification.failures}


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


@each_intercept
def test_the_contract_of_certificates_holds(intercept):
    X, y = noisy_classes(4, rows=41, classes=2)
    check_certificate(certify(X, y, C=0.5, intercept=intercept), X, y)
    weights = np.linspace(0.5, 2.0, len(y))
    check_certificate(certify(X, y, C=0.5, intercept=intercept, weights=weights), X, y, weights)


@each_intercept
@pytest.mark.parametrize("exact", [False, True])
def test_forged_values_fail(intercept, exact):
    X, y = noisy_classes(3)
    good = certify(X, y, intercept=intercept)
    assert failed(change(good, primal=good.primal * (1 - 1e-5)).verify(X, y, exact=exact)) >= {"primal"}
    assert failed(change(good, dual=good.dual * (1 + 1e-5)).verify(X, y, exact=exact)) >= {"dual"}
    raised = change(good, dual=good.primal * (1 + 1e-6))
    assert "dual" in failed(raised.verify(X, y, exact=exact))
    assert failed(change(good, _weights=1.01 * good.model.weights).verify(X, y, exact=exact)) >= {"primal"}
    more = JointDuals(good.model.duals.rows, good.model.duals.classes, 0.99 * good.model.duals.values)
    assert not change(good, _duals=more).verify(X, y, exact=exact)


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


def forge(duals, **fields):
    return dataclasses.replace(duals, **fields)


@each_intercept
def test_duals_that_are_not_feasible_fail(intercept):
    X, y = noisy_classes(3)
    good = certify(X, y, intercept=intercept)
    duals, codes = good.model.duals, good.model.codes(y)
    forged = {
        "negative": forge(duals, values=-duals.values),
        "infinite": forge(duals, values=np.where(np.arange(len(duals.values)) == 0, np.inf, duals.values)),
        "twice": forge(
            duals,
            rows=np.append(duals.rows, duals.rows[-1:]),
            classes=np.append(duals.classes, duals.classes[-1:]),
            values=np.append(duals.values, 0.0),
        ),
        "outside": forge(duals, rows=duals.rows + len(y)),
        "unknown class": forge(duals, classes=duals.classes + np.int32(3)),
        "own class": forge(duals, classes=codes[duals.rows].astype(np.int32)),
        "shapes": forge(duals, values=duals.values[1:]),
    }
    for name, other in forged.items():
        assert failed(change(good, _duals=other).verify(X, y)) == {"feasible duals"}, name


def test_J4_duals_out_of_balance_by_one_unit_in_the_last_place_fail():
    X, y = noisy_classes(3)
    good = certify(X, y)
    values = good.model.duals.values.copy()
    values[0] = np.nextafter(values[0], 0.0)
    assert failed(change(good, _duals=forge(good.model.duals, values=values)).verify(X, y)) == {"feasible duals"}
    assert change(good, intercept="penalized").verify(X, y).failures  # the claims were of another problem


def test_data_and_models_that_do_not_fit_fail_without_an_error():
    X, y = noisy_classes(3)
    good = certify(X, y, intercept="none")
    assert failed(good.verify(X, np.where(np.arange(len(y)) == 7, "zelkova", y))) == {"data"}
    assert failed(good.verify(X[:, :3], y)) == {"data"}
    assert failed(good.verify(X, y, np.full(len(y), 2.0))) == {"costs"}
    assert failed(change(good, intercept="odd").verify(X, y)) == {"problem"}
    assert failed(change(good, _biases=np.ones(3)).verify(X, y)) == {"model"}
    assert failed(change(good, _weights=good.model.weights[:2]).verify(X, y)) == {"model"}
    assert failed(change(good, _weights=np.nan * good.model.weights).verify(X, y)) == {"model"}
    assert failed(change(good, _biases=np.zeros((3, 1))).verify(X, y)) == {"model"}
    assert failed(change(good, _classes=["ash", "birch", "ash"]).verify(X, y)) == {"model"}
    assert failed(change(good, examples=59).verify(X, y)) == {"costs"}


@each_intercept
def test_sums_of_a_row_above_its_cost_are_scaled_down(intercept):
    X, y = noisy_classes(3)
    good = certify(X, y, intercept=intercept, tol=1e-4)
    for factor in (2.0, 8.0):  # the sums of classes remain 0
        raised = forge(good.model.duals, values=good.model.duals.values * factor)
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
