"""The certificate of AROW of several classes: what it proves of all weights, and forgeries."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from certified import with_certificate
from novikoff.theory import KeslerSumCertificate
from novikoff.theory.kesler_sum import KeslerSum
from share import share_of
from streams import SLACK

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(3).standard_normal((60, 3))
U = np.random.default_rng(4).standard_normal((4, 3))
Y = np.argmax(X @ U.T + 0.3 * np.random.default_rng(5).standard_normal((60, 4)), axis=1)


def stream(**parameters):
    return nk.MulticlassAROW(**parameters).partial_fit(X, Y)


def loss_of(x, own, u):
    return max(0.0, 1.0 - (u[own] @ x - np.delete(u, own, axis=0) @ x).min())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("parameters", [{}, {"r": 0.1, "floor": 0.2}, {"normalize": True}, {"fit_intercept": False}])
def test_streams_and_fits_verify(form, parameters):
    thin = np.where(np.abs(X) < 0.5, 0.0, X)
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.5], len(Y))
    for model, own in (
        (nk.MulticlassAROW(**parameters).partial_fit(form(thin), Y, sample_weight=weights), weights),
        (nk.MulticlassAROW(max_iter=3, **parameters).fit(form(thin), Y), None),
    ):
        found = nk.verify(model, form(thin), Y, own)
        assert found, found
        status = {check.claim: check.status for check in found.checks}
        for claim in ("run", "mistakes", "updates", "bound", "sum of examples", "weight of the sum", "v'A^-1 v"):
            assert status["run" if claim == "run" else f"{claim} of the run"] == "holds"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_L5_random_and_adversarial_streams_refute_no_bound(part):
    """With those of tests/theory/test_kesler_bounds.py, 1e5 streams."""
    for seed in range(share_of(16_000)):
        random = np.random.default_rng([part, seed])
        rows, model, updates = random.normal(size=(9, 2)) * 10.0 ** random.integers(-3, 4), nk.MulticlassAROW(), []
        for x in rows:
            own = int(random.integers(3))
            if seed % 2 and len(updates) > 3:  # a class that the learner does not expect
                scores = np.atleast_1d(model.decision_function(x[None])[0])
                own = int(model.classes_[int(np.argmin(scores)) if len(scores) > 1 else int(scores[0] < 0)])
            before = model._learner.tally(0)["steps"] if updates else 0.0
            model.partial_fit(x[None], [own])
            updates.append((x, own, model._learner.tally(0)["steps"] - before))
        certificate = model.certificate_
        labels = [int(label) for label in certificate.labels()]
        assert certificate.mistakes <= certificate.sum.added
        shape = (len(labels), 3)
        sums = np.column_stack([certificate.sum.weights, certificate.sum.biases])
        for u in (random.normal(size=shape) * 10.0 ** random.uniform(-4, 2), 10.0 ** random.uniform(-8, 0) * sums):
            if len(labels) > 1:
                loss = sum(n * loss_of(np.append(x, 1.0), labels.index(own), u) for x, own, n in updates)
                assert certificate.hinge_loss_bound(u[:, :-1], u[:, -1]) <= loss * SLACK + 1e-12


def test_L5_no_weights_have_a_smaller_loss_than_is_proven():
    for seed in range(5):
        random = np.random.default_rng(seed)
        model, counts = nk.MulticlassAROW(r=10.0 ** random.uniform(-1, 1), fit_intercept=False), np.zeros(60)
        for i, (x, label) in enumerate(zip(X, Y.tolist(), strict=True)):
            before = model._learner.tally(0)["steps"] if i else 0.0
            model.learn_one(x, label)
            counts[i] = model._learner.tally(0)["steps"] - before
        certificate = model.certificate_
        assert counts.sum() == certificate.sum.added > certificate.mistakes
        solved = certificate.sum.variances * certificate.sum.weights
        for u in [random.normal(size=(4, 3)) * 10.0 ** random.uniform(-2, 1) for _ in range(20)] + [0.1 * solved]:
            loss = sum(n * loss_of(x, label, u) for n, x, label in zip(counts, X, Y, strict=True))
            assert certificate.hinge_loss_bound(u) <= loss + 1e-9
            assert certificate.mistakes <= certificate.comparator_bound(X, Y, u) + 1e-9
        assert certificate.hinge_loss_bound(0 * solved) == certificate.sum.added
        assert certificate.hinge_loss_bound(1e-3 * solved) > 0


def test_the_bound_by_a_margin_holds_for_classes_that_are_apart():
    labels = np.argmax(X @ U.T, axis=1)
    rows = X + 0.4 * (U[labels] - U.mean(axis=0))
    leads = [(U[c] - np.delete(U, c, axis=0)) @ x for x, c in zip(rows, labels, strict=True)]
    margin = float(np.min(leads)) / np.linalg.norm(U)
    certificate = nk.MulticlassAROW(fit_intercept=False).partial_fit(rows, labels).certificate_
    assert 0 < margin <= certificate.margin_upper_bound
    assert certificate.mistakes <= certificate.sum.added <= certificate.bound(margin) * SLACK
    assert certificate.bound(0.0) == math.inf
    with pytest.raises(nk.InvalidInputError, match="binary problem"):
        certificate.bound(nk.theory.Margin(0.5, intercept="penalized"))


POSSIBLE = {
    "nothing was added": lambda s: {"added": 0.0, "square": 0.0},
    "less than one was added": lambda s: {"added": 0.5, "square": 0.5},
    "variances of 0 and below 1": lambda s: {"variances": np.where(np.eye(4, 3) > 0, 0.0, 0.5)},
    "bias variances below 1": lambda s: {"bias_variances": np.full(4, 5e-324)},
}


def test_a_sum_fits_if_the_matrix_is_positive_and_all_numbers_are_finite():
    own = stream().certificate_.sum
    assert own.fits((4, 3))
    assert not own.fits((3, 4))
    for name, changes in POSSIBLE.items():
        assert replace(own, **changes(own)).fits((4, 3)), name
    impossible = [{"variances": np.where(np.eye(4, 3) > 0, -5e-324, own.variances)}, {"added": -5e-324}]
    impossible += [{"square": -5e-324}, {"bias_variances": np.array([0.0, 1.0, 1.0, 1.0])}]
    assert not any(replace(own, **changes).fits((4, 3)) for changes in impossible)


def test_the_product_is_that_of_both_norms_and_a_little_above_it():
    """u'Au = 2^2 / 4 + 3^2 / 1 + 1^2 / 0.5 = 12, where a variance of 0 stands for 1, and v'A^-1 v = 3."""
    own = KeslerSum(np.zeros((1, 2)), np.zeros(1), np.array([[4.0, 0.0]]), np.array([0.5]), 8.0, 3.0)
    product = own.product(np.array([[2.0, 3.0]]), np.array([1.0]))
    assert 6.0 <= product <= 6.0 * (1 + 64 * 2.0**-52)


def test_the_bounds_are_those_of_the_sum():
    certificate = stream().certificate_
    own, margin = certificate.sum, 0.25
    assert certificate.bound(margin) == pytest.approx(certificate.margin_upper_bound * own.added / margin)
    assert certificate.bound(4.0) == pytest.approx(certificate.margin_upper_bound * own.added / 4)
    assert certificate.bound(-1.0) == certificate.bound(0.0) == math.inf
    assert certificate.bound(5e-324) > 0
    assert certificate.hinge_loss_bound(1e9 * U) == 0.0
    assert certificate.hinge_loss_bound(0 * U) == own.added
    nothing = np.zeros((4, 3))
    assert certificate.comparator_bound(X, Y, nothing) == len(Y)  # each example has a loss of 1


def test_the_weight_of_the_sum_lies_between_the_mistakes_and_the_examples():
    model = stream()
    told = model.certificate_
    for added, failed in ((told.mistakes, False), (told.examples, False), (told.mistakes - 1, True)):
        found = replace(told, sum=replace(told.sum, added=added)).verify(X, Y)
        assert ([check.claim for check in found.failures] == ["weight of the sum"]) == failed
    beyond = replace(told, sum=replace(told.sum, added=told.examples * (1 + 1e-9)))
    assert [check.claim for check in beyond.verify(X, Y).failures] == ["weight of the sum"]


@pytest.mark.parametrize("part", ["weights", "biases"])
def test_a_class_without_an_update_has_nothing_in_the_sum(part):
    model = nk.MulticlassAROW().partial_fit(X[:3], [0, 0, 0])
    own = model.certificate_.sum
    changed = replace(own, **{part: getattr(own, part) + 1.0})
    forged = with_certificate(model, replace(model.certificate_, sum=changed))
    failed = nk.verify(forged, X[:3], [0, 0, 0]).failures
    assert [check.claim for check in failed] == ["sum of examples of the run"]


def test_weights_of_another_shape_are_refused():
    with pytest.raises(nk.InvalidInputError, match="4 rows of 3 weights"):
        stream().certificate_.hinge_loss_bound(U[:2])


def test_words_say_what_is_claimed_and_what_is_not():
    certificate = stream().certificate_
    assert isinstance(certificate, KeslerSumCertificate)
    assert "full matrix" in certificate.explain()
    assert dict(certificate.claims())["sum of examples"].startswith(f"{certificate.sum.added:g} added")
    nk.testing.check_certificate(certificate, X, Y)
