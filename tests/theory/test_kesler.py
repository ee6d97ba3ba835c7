"""The certificate of classes that are learned together: what it claims, and what refutes it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory import Margin

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(3).standard_normal((60, 3))
U = np.random.default_rng(4).standard_normal((4, 3))
Y = np.argmax(X @ U.T + 0.3 * np.random.default_rng(5).standard_normal((60, 4)), axis=1)
LEARNERS = [nk.MulticlassPerceptron, nk.MulticlassPassiveAggressiveI, nk.MulticlassPassiveAggressiveII]


class Forged:
    """A model whose certificate, and record, say something else."""

    def __init__(self, forged, /, **fields):
        self.certificate_ = replace(forged.certificate_, **fields)
        self.record_ = replace(forged.record_, joint=self.certificate_)


def failures(model, **fields):
    return [check.claim for check in nk.verify(Forged(model, **fields), X, Y, exact=True).failures]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_stream_and_a_fit_are_verified(learner):
    for model in (
        learner().partial_fit(X, Y),
        learner(max_iter=4).fit(X, Y),
        learner().partial_fit(sp.csr_array(X), Y),
    ):
        found = nk.verify(model, X, Y)
        assert found
        status = {check.claim: check.status for check in found.checks}
        for claim in ("run", "mistakes of the run", "updates of the run", "bound of the run"):
            assert status[claim] == "holds"


@pytest.mark.parametrize("learner", LEARNERS)
def test_counts_and_bounds_that_are_changed_are_refuted(learner):
    model = learner().partial_fit(X, Y)
    told = model.certificate_
    assert failures(model) == []
    assert failures(model, mistakes=told.mistakes + 1) == ["mistakes of the run"]
    assert failures(model, updates=told.updates - 1) == ["updates of the run"]
    assert failures(model, margin_upper_bound=told.margin_upper_bound * (1 - 1e-9)) == ["bound of the run"]
    assert failures(model, examples=told.examples + 1) == ["examples"]
    assert failures(model, radius=told.radius * (1 + 1e-9)) == ["radius"]
    assert failures(model, energy=told.energy * (1 + 1e-9)) == ["sum of squares"]
    assert failures(model, counts=told.counts[::-1]) == ["examples of each class"]
    assert failures(model, passes=2) != []
    assert failures(model, rule="multiclass perceptron", parameter=9.0) != []


@pytest.mark.parametrize("learner", LEARNERS)
def test_weights_that_are_changed_are_refuted(learner):
    model = learner().partial_fit(X, Y)
    told = model.certificate_.model
    weights = told.weights.copy()
    weights[1, 2] += 1e-9
    forged = Forged(model, model=replace(told, weights=weights))
    problems = [replace(p, weights=w) for p, w in zip(forged.record_.problems, weights, strict=True)]
    forged.record_ = replace(forged.record_, problems=tuple(problems))
    assert [check.claim for check in nk.verify(forged, X, Y).failures] == ["run"]


def test_models_that_no_run_can_have_are_refuted():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    told = certificate.model
    for changed in (
        replace(certificate, model=replace(told, weights=told.weights[:2])),
        replace(certificate, model=replace(told, biases=told.biases * np.nan)),
        replace(certificate, model=replace(told, classes=[0, 0, 1, 2])),
        replace(certificate, model=replace(told, geometry=nk.theory.Geometry(fit_intercept=False))),
        replace(certificate, model=replace(told, geometry=nk.theory.Geometry(slack_feature=1.0))),
        replace(certificate, model=replace(told, geometry=nk.theory.Geometry(scale="running"))),
        replace(certificate, updates=-1),
        replace(certificate, updates=10**6),
        replace(certificate, mistakes=-1.0),
        replace(certificate, mistakes=61.0),
    ):
        assert changed.verify(X, Y).failures


def test_other_data_are_refuted():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert certificate.verify(X, Y)
    for rows, labels in (
        (X[1:], Y[1:]),
        (X, np.maximum(Y, 1)),
        (1.5 * X, Y),
        (X[:, :2], Y),
        (X, Y + 1),
        (np.nan * X, Y),
    ):
        assert certificate.verify(rows, labels).failures


def test_labels_in_another_order_are_refuted_by_the_repeated_run():
    model = nk.MulticlassPerceptron().partial_fit(X, Y)
    assert model.certificate_.verify(X, Y[::-1])
    assert nk.verify(model, X, Y[::-1]).failures


def test_weights_of_rows_are_counted_and_verified():
    weights = np.linspace(0.0, 2.5, 60)
    model = nk.MulticlassPassiveAggressiveII(C=0.3).partial_fit(X, Y, sample_weight=weights)
    assert nk.verify(model, X, Y, weights)
    assert nk.verify(model, X, Y).failures


def test_the_bound_takes_a_number_and_not_the_margin_of_a_binary_problem():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert certificate.bound(0.5) == pytest.approx(2 * (certificate.radius / 0.5) ** 2)
    assert certificate.bound(0.0) == math.inf
    with pytest.raises(nk.InvalidInputError, match="binary problem"):
        certificate.bound(Margin(0.5, intercept="penalized"))


def test_a_comparator_must_have_weights_for_all_classes():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    with pytest.raises(nk.InvalidInputError, match="4 rows of 3 weights"):
        certificate.comparator_bound(X, Y, U[:2])
    again = nk.MulticlassPerceptron(warm_start=True, max_iter=2).fit(X, Y).fit(X, Y).certificate_
    with pytest.raises(nk.InvalidInputError, match="several fits"):
        again.comparator_bound(X, Y, U)


def test_the_comparator_of_length_zero_allows_every_mistake():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert certificate.comparator_bound(X, Y, 0 * U) == pytest.approx(len(Y))


def test_before_any_update_no_bound_is_claimed():
    model = nk.MulticlassPerceptron().partial_fit(X[:3], [0, 0, 0])
    assert model.certificate_.margin_upper_bound == math.inf
    assert model.certificate_.model.length() == 0.0
    assert nk.verify(model, X[:3], [0, 0, 0])


def test_it_says_what_it_claims():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert dict(certificate.claims())["mistakes"] == f"{certificate.mistakes:g} in 60 examples"
    assert "of 4 classes" in certificate.explain()
    nk.testing.check_certificate(nk.MulticlassPerceptron().partial_fit(X, Y > 0).certificate_, X, Y > 0)
