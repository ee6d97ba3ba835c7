"""Certificates of learners with a full matrix: what they prove of every plane, and forgeries."""

import dataclasses
import math

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._verify.runs import check_run
from novikoff.theory import FullMatrixCertificate, second_order_bounds
from share import share_of
from theory.test_second_order import hinge_loss, noisy

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
LEARNERS = {
    "AROW": lambda: nk.AROW(full=True),
    "AROW, small r": lambda: nk.AROW(r=0.01, full=True),
    "second-order perceptron": lambda: nk.SecondOrderPerceptron(full=True),
    "second-order perceptron, small a": lambda: nk.SecondOrderPerceptron(a=0.01, full=True),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_no_plane_has_a_smaller_loss_than_is_proven(name):
    for seed in range(5):
        X, y = noisy(seed)
        certificate = LEARNERS[name]().set_params(max_iter=2, shuffle=False).fit(X, y).certificate_
        counts, random = certificate.sum.duals.dense(len(y)), np.random.default_rng(seed)
        assert math.isclose(counts.sum(), certificate.added)
        solved = np.append(certificate.evidence.weights, certificate.evidence.intercept)
        directions = [random.normal(size=4) * 10.0 ** random.uniform(-2, 1) for _ in range(40)]
        for u in [*directions, *(t * solved for t in (0.1, 0.5, 1, 2))]:
            loss = hinge_loss(X, y, u[:-1], u[-1], counts)
            assert certificate.hinge_loss_bound(u[:-1], u[-1]) <= loss + 1e-9
            assert certificate.added <= certificate.comparator_bound(X, y, u[:-1], u[-1]) + 1e-9
            assert certificate.mistakes <= certificate.closed_bound(X, y, u[:-1], u[-1]) + 1e-9


@pytest.mark.parametrize("name", LEARNERS)
def test_numbers_are_those_of_the_sums_over_the_updates(name):
    X, y = noisy(2)
    certificate = LEARNERS[name]().fit(X, y).certificate_
    counts, u = certificate.sum.duals.dense(len(y)), np.array([0.3, -0.2, 0.1, 0.4])
    rows = np.repeat(np.column_stack([X, np.ones(len(y))]), counts.astype(int), axis=0)
    sums = second_order_bounds.sums_of(rows, np.repeat(y, counts.astype(int)), u, certificate.parameter)
    assert certificate.sum_square == pytest.approx(sums.model, rel=1e-9)
    assert certificate.log_det == pytest.approx(sums.log_det, rel=1e-9)
    assert certificate._matrix().square(u[[3, 0, 1, 2]]).outer_high() == pytest.approx(sums.comparator, rel=1e-9)
    assert certificate.residual < 1e-9 * np.linalg.norm(certificate.sum.weights)
    assert certificate.sum_square <= certificate.log_det + certificate.corrections < math.inf
    assert "AROW" in name or certificate.corrections == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_random_and_adversarial_streams_refute_no_bound(name):
    for seed in range(share_of(100_000) // len(LEARNERS)):
        random = np.random.default_rng(seed)
        X, y = noisy(seed, rows=12, columns=2, scale=10.0 ** random.integers(-3, 4))
        model, counts = LEARNERS[name](), np.zeros(12)
        for i, x in enumerate(X):
            if seed % 2 and i > 1:  # the label that the learner does not expect
                y[i] = -1 if model.score_one(x) > 0 else 1
            before = model._learner.tally(0)["steps"] if i else 0.0
            model.partial_fit(x[None], y[i : i + 1], classes=[-1, 1])
            counts[i] = model._learner.tally(0)["steps"] - before
        certificate = model.certificate_
        assert certificate.log_det < math.inf
        weights = np.append(certificate.evidence.weights, certificate.evidence.intercept)
        for u in (random.normal(size=3) * 10.0 ** random.uniform(-4, 2), random.uniform(0, 2) * weights):
            loss = hinge_loss(X, y, u[:-1], u[-1], counts)
            assert certificate.hinge_loss_bound(u[:-1], u[-1]) <= loss * (1 + 1e-12) + 1e-12
            closed = certificate.closed_bound(X, y, u[:-1], u[-1])
            assert certificate.mistakes <= closed * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", LEARNERS)
def test_streams_and_fits_verify(name, form):
    X, y = noisy(3)
    X[np.abs(X) < 0.5] = 0
    X = np.column_stack([X, np.zeros(len(y))])
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.5], len(y))
    for model in (LEARNERS[name]().partial_fit(form(X), y, sample_weight=weights), LEARNERS[name]().fit(form(X), y)):
        own = weights if model._is_stream else None
        found = nk.verify(model, form(X), y, own)
        assert found, found
        assert {"run", "w'Aw", "log det(A/a)"} <= {check.claim for check in found.checks}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("more", [{"scale": "running"}, {"normalize": True}, {"fit_intercept": False}], ids=repr)
def test_rows_that_are_seen_in_another_form_verify(name, more):
    X, y = noisy(4)
    X = X * [1.0, 1e6, 1e-6]
    for model in (LEARNERS[name]().set_params(**more).partial_fit(X, y), LEARNERS[name]().set_params(**more).fit(X, y)):
        assert nk.verify(model, X, y)


FORGERIES = {
    "sum_square": lambda c: {"sum_square": 0.9 * c.sum_square},
    "residual": lambda c: {"residual": 0.0},
    "log_det": lambda c: {"log_det": 0.999 * c.log_det},
    "added": lambda c: {"added": c.added + 1},
    "updates": lambda c: {"updates": c.updates + 1},
    "mistakes": lambda c: {"mistakes": c.mistakes + 1},
    "margin_upper_bound": lambda c: {"margin_upper_bound": 0.5 * c.margin_upper_bound},
    "gains": lambda c: {"gains": -c.gains},
    "smaller gains": lambda c: {"gains": 0.9 * c.gains},
    "intercept_gain": lambda c: {"intercept_gain": c.intercept_gain + 1},
    "factor": lambda c: {"factor": 1.01 * c.factor},
    "short factor": lambda c: {"factor": c.factor[:-1]},
    "parameter": lambda c: {"parameter": 2 * c.parameter},
    "weights": lambda c: {"evidence": dataclasses.replace(c.evidence, weights=c.evidence.weights + 1e-4)},
    "sum": lambda c: {"sum": dataclasses.replace(c.sum, weights=c.sum.weights + 1e-3)},
    "examples": lambda c: {"examples": c.examples + 1},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_claims_are_refuted(forgery):
    X, y = noisy(5)
    for model in (nk.AROW(full=True).fit(X, y), nk.AROW(full=True).partial_fit(X, y)):
        certificate = model.certificate_
        forged = dataclasses.replace(certificate, **FORGERIES[forgery](certificate))
        run = model.record_.problems[0].run
        problem = dataclasses.replace(model.record_.problems[0], certificate=forged)
        checks = [*forged.verify(X, y).checks, *check_run(problem, run, forged, X, y, np.ones(len(y)), False)]
        is_rounding = forgery == "residual"  # of which floating point cannot show that it is not 0
        assert {"open" if is_rounding else "fails"} <= {check.status for check in checks}, forgery


def test_an_example_too_long_for_the_matrix_costs_the_bound_and_not_the_truth():
    X, y = np.array([[1.0], [2.0], [-1e150], [1.5]]), [1, 1, 1, 1]
    certificate = nk.SecondOrderPerceptron(full=True).partial_fit(X, y, classes=[0, 1]).certificate_
    assert certificate.residual > 1e149
    assert certificate.hinge_loss_bound([1.0]) == 0
    assert certificate.verify(X, y)


def test_a_plane_of_another_length_is_refused():
    certificate = nk.AROW(full=True).partial_fit([[1.0], [-1.0]], [1, 0]).certificate_
    with pytest.raises(nk.InvalidInputError, match="coef"):
        certificate.hinge_loss_bound([1.0, 2.0])
    assert isinstance(certificate, FullMatrixCertificate)


def test_words_name_the_bound_of_the_paper():
    certificate = nk.AROW(full=True).partial_fit([[1.0], [-1.0], [2.0]], [1, 0, 1]).certificate_
    assert "log det(A/a) + U" in certificate.explain()
    assert dict(certificate.claims())["sum of examples"].startswith("2 added")
