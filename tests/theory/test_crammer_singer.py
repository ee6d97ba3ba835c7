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


def forge(duals, **fields):
    return dataclasses.replace(duals, **fields)


@each_intercept
def test_duals_that_are_not_feasible_fail(intercept):
    X, y = noisy_classes(3)
    good = certify(X, y, intercept=intercept)
    duals, codes = good.model.duals, good.model.codes(y)
    forged = {
        "negative": forge(duals, values=-duals.values),
        "above the cost": forge(duals, values=duals.values + 1.1),
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
    assert failed(change(good, examples=59).verify(X, y)) == {"costs"}


def test_sums_of_a_row_above_its_cost_by_rounding_are_scaled_down():
    X, y = noisy_classes(3)
    good = certify(X, y, intercept="none", tol=1e-4)
    values = good.model.duals.values * (1 + 1e-12)
    assert change(good, _duals=forge(good.model.duals, values=values)).verify(X, y)
    assert change(good, _duals=forge(good.model.duals, values=values)).verify(X, y, exact=True)


def test_the_support_is_named_and_the_claims_say_what_was_solved():
    X, y = noisy_classes(3)
    certificate = certify(X, y, C=2.0, intercept="penalized")
    assert certificate.support(X, y).rows.tolist() == np.unique(certificate.model.duals.rows).tolist()
    assert len(certificate.support(X[::-1], y).rows) == 0
    assert certificate.plane() is None
    assert certificate.stated() == {"intercept": "penalized", "tol": 1e-6, "C": 2.0}
    assert "3 classes" in dict(certificate.claims())["problem"]
    assert "no model is below" in certificate.explain()
    assert "more iterations" in change(certificate, tol=1e-12).explain()
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
