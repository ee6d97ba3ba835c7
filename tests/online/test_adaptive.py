"""Learners with a rate for each column, against ten lines of NumPy for each of them."""

from functools import partial
from statistics import NormalDist

import numpy as np
import pytest

import novikoff as nk
from reference.adaptive import arow, normalized_adaptive, soft_confidence_weighted


def nag(U, y, learning_rate, loss):
    w, scale = normalized_adaptive(U, y, learning_rate, loss)
    return w, scale**-2


def scw(U, y, variant, C, eta):
    return soft_confidence_weighted(U, y, NormalDist().inv_cdf(eta), C, {1: "I", 2: "II"}.get(variant, variant))


REFERENCES = {nk.AROW: arow, nk.NormalizedAdaptive: nag, nk.SoftConfidenceWeighted: scw}
CASES = [
    *[partial(nk.AROW, r=r, floor=floor) for r, floor in [(1.0, 0.0), (0.1, 0.0), (1.0, 0.05), (5.0, 1.0)]],
    *[
        partial(nk.NormalizedAdaptive, learning_rate=rate, loss=loss)
        for rate, loss in [(0.5, "logistic"), (0.05, "logistic"), (0.5, "hinge"), (0.05, "squared")]
    ],
    *[
        partial(nk.SoftConfidenceWeighted, variant=variant, C=C, eta=eta)
        for variant, C, eta in [("I", 1.0, 0.9), (1, 0.1, 0.6), ("I", 10.0, 0.99), ("II", 1.0, 0.9), (2, 10.0, 0.6)]
    ],
]


def stream(rows=200):
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 4)) * np.array([1, 10, 0.1, 1])
    return X, np.where(X[:, 0] + X[:, 1] / 10 + random.normal(size=rows) / 2 > 0, 1, -1)


@pytest.mark.parametrize("make", CASES, ids=lambda make: f"{make.func.__name__} {make.keywords}")
def test_weights_and_variances_are_those_of_the_reference(make):
    X, y = stream()
    model = make().partial_fit(X, y)
    w, s = REFERENCES[make.func](np.column_stack([X, np.ones(len(X))]), y, **make.keywords)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), w, rtol=1e-7, atol=1e-9)
    certificate = model.certificate_
    found = np.append(certificate.variances, certificate.intercept_variance)
    np.testing.assert_allclose(np.where(found == 0, 1, found), s, rtol=1e-7)


def test_columns_times_powers_of_two_change_no_prediction_of_the_normalized_learner():
    X, y = stream()
    factors = np.array([2.0**40, 2.0**-30, 1.0, 2.0**7])
    plain, scaled = nk.NormalizedAdaptive(), nk.NormalizedAdaptive()
    np.testing.assert_array_equal(plain.predict_then_learn(X, y), scaled.predict_then_learn(X * factors, y))
    np.testing.assert_array_equal(plain.coef_, scaled.coef_ * factors)
    certificate = plain.certificate_
    assert certificate.sum_square == scaled.certificate_.sum_square
    assert certificate.added == certificate.mistakes == certificate.updates > 0, "every example of the sum is a mistake"
