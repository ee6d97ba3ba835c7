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


class Unregistered(Hull):
    pass


class NeverVerifies(Hull):
    def verify(self, *args, **kwargs):
        return Verification((Check("margin", "open", "not decided"),))


class AlwaysVerifies(Hull):
    def verify(self, *args, **kwargs):
        return Verification((Check("margin", "holds", "of course"),))


class RefutedExactly(Hull):
    def verify(self, X, y, sample_weight=None, exact=False):
        return Verification((Check("margin", "fails" if exact else "holds", ""),))


class SaysNothing(Hull):
    def claims(self):
        return []


class OtherPlane(Hull):
    def plane(self):
        return np.zeros(1), 0.0


class OtherSupport(Hull):
    def support(self, X, y):
        return Support(np.array([10_000]))


class ForgetsFields(Hull):
    def to_json(self):
        return json.dumps({"kind": "ForgetsFields"})


BROKEN = {
    "is_a_registered_frozen_dataclass": Unregistered,
    "verifies_on_its_data": NeverVerifies,
    "verifies_exactly": RefutedExactly,
    "fails_on_altered_data": AlwaysVerifies,
    "says_what_it_claims": SaysNothing,
    "speaks_of_a_plane_and_parameters": OtherPlane,
    "support_belongs_to_the_data": OtherSupport,
    "can_be_written": ForgetsFields,
}


def test_every_check_has_a_broken_certificate():
    assert set(BROKEN) == {name for name, _ in certificate_checks()}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_certificate_fails_its_check(name):
    whole = MADE["hulls"][0]
    broken = BROKEN[name](**{field.name: getattr(whole, field.name) for field in dataclasses.fields(whole)})
    with pytest.raises(AssertionError):
        dict(certificate_checks())[name](broken, X, y)
