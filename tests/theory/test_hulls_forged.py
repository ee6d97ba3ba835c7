"""Forged certificates of hard margins: no false claim is proven, no true one is refuted, and exact decides all."""

import dataclasses
import warnings
from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.certificate import Duals
from novikoff.theory.hull_bounds import HullSolution
from reference.hull_bounds import truth, values
from share import share_of

OPTIONS = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
FACTORS = [
    1.0,
    *(1 + sign * 10.0**-k for sign in (1, -1) for k in (16, 15, 12, 8, 3)),
    0.5,
    2.0,
    1e-300,
    1e300,
    0.0,
    -1.0,
]


def signed_square(number):
    return number * abs(number)


def true_claims(certificate, X, y):
    """Which claims are true, in fractions."""
    model, d = certificate.model, X.shape[1]
    signs, everywhere = np.where(y == model.positive, 1.0, -1.0), np.ones(len(y), bool)
    a = model.duals.dense(len(y))
    solution = HullSolution(X, signs, everywhere, model.weights, model.bias, a, certificate.intercept)
    smallest, norm, radius, distance = truth(solution)
    lower, upper, claimed = (
        Fraction(number)
        for number in (certificate.margin_lower_bound, certificate.margin_upper_bound, certificate.radius)
    )
    k, tiny = (d + 8) * Fraction(1, 2**52), (d + 8) * Fraction(1, 2**1074)
    least, most = (claimed - tiny) / (1 + k), (claimed + tiny) / (1 - k)
    return {
        "lower bound": norm > 0 and signed_square(smallest) >= signed_square(lower) * norm,
        "upper bound": distance is not None and upper >= 0 and distance <= upper * upper,
        "radius": claimed >= 0 and max(least, Fraction(0)) ** 2 <= radius <= most * most,
        "lower below upper bound": lower <= upper,
    }


def check_statuses(certificate, X, y):
    true = true_claims(certificate, X, y)
    for exact in (False, True):
        found = {check.claim: check.status for check in certificate.verify(X, y, exact=exact).checks}
        if "radius" not in found:  # what was given cannot be the duals of anything
            assert not np.all(certificate.model.duals.weights >= 0)
            continue
        for claim, is_true in true.items():
            expected = "holds" if is_true else "fails"
            assert found[claim] in ([expected] if exact else [expected, "open"]), (claim, exact, certificate)


def honest(rng):
    """A fitted certificate of tiny separable data of some scale, with columns of mixed scales or not."""
    intercept = str(rng.choice(list(OPTIONS)))
    n, d = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    scale = 10.0 ** rng.uniform(-130, 130)
    direction = rng.normal(size=d)
    X = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 4)))
    scores = X @ direction + (0.0 if intercept == "none" else rng.normal())
    y = np.where(scores > np.median(scores) if intercept != "none" else scores > 0, 1, 0)
    mixed = [1.0, 10.0 ** rng.uniform(-5, 0, size=d), 10.0 ** rng.uniform(-250, 0, size=d)][int(rng.integers(3))]
    X = X * scale * mixed
    if len(np.unique(y)) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return nk.HardMarginSVM(**OPTIONS[intercept]).fit(X, y).certificate_, X, y
        except (nk.NotSeparableError, nk.InvalidInputError):  # the latter for rows that are too short
            return None


def times(number, factor):
    return float(np.clip(number * factor, -1e308, 1e308))


def forged(rng, certificate, X, y):
    """The certificate with one number, or all of a kind, replaced."""
    model, factor = certificate.model, float(rng.choice(FACTORS))
    weights, duals = model.weights.copy(), model.duals.weights.copy()
    some, one = int(rng.integers(len(weights))), int(rng.integers(len(duals)))
    kind = int(rng.integers(9))
    with np.errstate(all="ignore"):
        if kind == 0:
            return dataclasses.replace(certificate, margin_lower_bound=times(certificate.margin_lower_bound, factor))
        if kind == 1:
            return dataclasses.replace(certificate, margin_upper_bound=times(certificate.margin_upper_bound, factor))
        if kind == 2:
            return dataclasses.replace(certificate, radius=times(certificate.radius, factor))
        if kind == 3:
            weights[some] *= factor
        elif kind == 4:
            weights = weights * 0 + rng.choice([5e-324, -5e-324, 1e-310, 1e308])
        elif kind == 5:
            weights = values(rng, len(weights))
        elif kind == 6:
            duals[one] *= factor
        elif kind == 7:
            duals = duals * 0 + rng.choice([5e-324, 1e-310, 1e308])
        else:
            duals = np.abs(values(rng, len(duals)))
    if not (np.all(np.isfinite(weights)) and np.all(np.isfinite(duals))):
        return certificate
    bias = model.bias if rng.random() < 0.7 or certificate.intercept == "none" else float(values(rng, 1)[0])
    return dataclasses.replace(
        certificate, model=dataclasses.replace(model, weights=weights, bias=bias, duals=Duals(model.duals.rows, duals))
    )


def check_one(seed, forgeries):
    rng = np.random.default_rng(seed)
    found = honest(rng)
    if found is None:
        return
    certificate, X, y = found
    if not np.isfinite(certificate.margin_lower_bound + certificate.margin_upper_bound):
        return  # nothing is claimed
    verification = certificate.verify(X, y)
    assert all(check.status in ("holds", "on trust") for check in verification.checks), str(verification)
    assert all(true_claims(certificate, X, y).values())
    for _ in range(forgeries):
        check_statuses(forged(rng, certificate, X, y), X, y)


@pytest.mark.parametrize("seed", range(60))
def test_honest_claims_are_true_and_forged_ones_are_decided_correctly(seed):
    check_one(seed, 8)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + share_of(400), 100))
def test_many_honest_and_forged_claims(first):
    for seed in range(first, first + 100):
        check_one(seed, 10)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200, 1e300])
@pytest.mark.parametrize("intercept", OPTIONS)
def test_duals_whose_products_underflow_prove_nothing_false(intercept, tiny, exact):
    X, y = np.array([[0.2], [-0.2]]), np.array([1, 0])
    certificate = nk.HardMarginSVM(**OPTIONS[intercept]).fit(X, y).certificate_
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


@pytest.mark.parametrize("claimed", [np.nan, np.inf])
@pytest.mark.parametrize("field", ["margin_lower_bound", "radius"])
def test_numbers_that_are_not_finite_fail(field, claimed):
    X, y = np.array([[0.25], [-0.25]]), np.array([1, 0])
    certificate = nk.HardMarginSVM().fit(X, y).certificate_
    assert dataclasses.replace(certificate, **{field: claimed}).verify(X, y).failures
    assert dataclasses.replace(certificate, margin_upper_bound=np.nan).verify(X, y).failures
