"""Every kind of certificate passes the public checks, and a broken one fails the check that is about it."""

import dataclasses
import json

import numpy as np
import pytest

import novikoff as nk
from joint_machines import certify
from mixed import Mixed
from novikoff.testing import certificate_checks, check_certificate
from novikoff.theory import CERTIFICATES, Support
from novikoff.theory.verification import Check, Verification

rng = np.random.default_rng(3)
X = rng.normal(size=(40, 3))
y = np.where(X @ [1.0, -2.0, 0.5] > 0.5, "yes", "no")
X += np.outer(np.where(y == "yes", 0.4, -0.4), [1.0, -2.0, 0.5])
noisy = np.where(rng.random(40) < 0.1, "yes", y)
weights = rng.integers(1, 4, 40).astype(float)

MADE = {
    "joint gap": (certify(X, noisy), noisy, None),
    "gap": (nk.LinearSVM().fit(X, noisy).certificate_, noisy, None),
    "gap, squared hinge": (nk.LinearSVM(loss="squared_hinge").fit(X, noisy).certificate_, noisy, None),
    "gap, weights": (nk.LinearSVM().fit(X, noisy, weights).certificate_, noisy, weights),
    "hulls": (nk.HardMarginSVM().fit(X, y).certificate_, y, None),
    "hulls, penalised intercept": (nk.HardMarginSVM(penalized_intercept=True).fit(X, y).certificate_, y, None),
    "mistakes": (nk.Perceptron().fit(X, y).certificate_, y, None),
    "mistakes, one pass": (nk.Perceptron(max_iter=1).fit(X, noisy).certificate_, noisy, None),
    "mistakes of partitions": (Mixed(nk.Perceptron(), 3).fit(X, y).certificate_, y, None),
    "mistakes of partitions, weights": (
        Mixed(nk.PassiveAggressiveI(max_iter=5)).fit(X, noisy, weights).certificate_,
        noisy,
        weights,
    ),
    "mistakes of a stream": (nk.PassiveAggressiveI().partial_fit(X, noisy).certificate_, noisy, None),
    "moving target": (nk.Perceptron(half_life=5.0).partial_fit(X, noisy).certificate_, noisy, None),
    "second order": (nk.AROW().fit(X, noisy).certificate_, noisy, None),
    "mistakes of all classes": (nk.MulticlassPerceptron().fit(X, y).certificate_, y, None),
    "mistakes of all classes, weights": (
        nk.MulticlassPassiveAggressiveI().partial_fit(X, noisy, sample_weight=weights).certificate_,
        noisy,
        weights,
    ),
    "sum of all classes": (
        nk.MulticlassAROW().partial_fit(X, noisy, sample_weight=weights).certificate_,
        noisy,
        weights,
    ),
    "margin": (nk.MarginPerceptron().fit(X, y).certificate_, y, None),
    "tracker": (nk.Tracker().fit(X, noisy).certificate_, noisy, None),
    "separability": (nk.separability(X, y), y, None),
    "separability, overlap": (nk.separability(X, noisy), noisy, None),
}


@pytest.mark.parametrize("name", MADE)
def test_certificates_pass_all_checks(name):
    certificate, labels, sample_weight = MADE[name]
    check_certificate(certificate, X, labels, sample_weight)


def test_every_kind_is_checked():
    assert {type(certificate).__name__ for certificate, _, _ in MADE.values()} == set(CERTIFICATES), "add one to MADE"


# ---- broken certificates -------------------------------------------------------------------------------------------

Hull = type(MADE["hulls"][0])


def answer(status, exactly=None):
    """A method that answers all questions with a status, and those in exact arithmetic with another one."""

    def verify(self, X, y, sample_weight=None, exact=False):
        return Verification((Check("margin", exactly or status if exact else status, ""),))

    return verify


BROKEN = {  # by check: what a certificate overrides that does not pass it
    "is_a_registered_frozen_dataclass": {},
    "verifies_on_its_data": {"verify": answer("open")},
    "verifies_exactly": {"verify": answer("holds", exactly="fails")},
    "fails_on_altered_data": {"verify": answer("holds")},
    "says_what_it_claims": {"claims": lambda self: []},
    "speaks_of_a_plane_and_parameters": {"plane": lambda self: (np.zeros(1), 0.0)},
    "support_belongs_to_the_data": {"support": lambda self, X, y: Support(np.array([10_000]))},
    "can_be_written": {"to_json": lambda self: json.dumps({"kind": "Broken"})},
}


def test_every_check_has_a_broken_certificate():
    assert set(BROKEN) == {name for name, _ in certificate_checks()}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_certificate_fails_its_check(name):
    whole = MADE["hulls"][0]
    broken = type("Broken", (Hull,), BROKEN[name])(
        **{field.name: getattr(whole, field.name) for field in dataclasses.fields(whole)}
    )
    with pytest.raises(AssertionError):
        dict(certificate_checks())[name](broken, X, y)
