"""What rows show of a model of an online learner: nothing false is proven, nothing true is refuted."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
import rational
from certified import change
from novikoff.theory.certificate import Duals
from novikoff.theory.online_checks import OnlineChecks

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

TIMESTAMPS = np.array([[1700000000.0, 1.0], [1700000000.0, -1.0]])
UP_DOWN = np.array([1, 0])


def statuses(certificate, X, y, weights=None, **options):
    return {check.claim: check.status for check in certificate.verify(X, y, weights, **options).checks}


def checks_of(certificate, X, y, exact=False):
    evidence = certificate.evidence
    return OnlineChecks(evidence, X, evidence.signs(y), np.ones(len(y)), exact)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_bound_below_the_margin_of_timestamps_is_refuted(sparse, exact):
    """The plane (0, 1) has the margin 1; the bound claims 0.00995, less than a billionth of the rows' length."""
    model = nk.Perceptron(fit_intercept=False, shuffle=False).fit(TIMESTAMPS, UP_DOWN)
    X = sp.csr_array(TIMESTAMPS) if sparse else TIMESTAMPS
    claim = "no separator has a larger margin"
    assert statuses(model.certificate_, X, UP_DOWN, exact=exact)[claim] == "holds"
    forged = change(model.certificate_, margin_upper_bound=0.00995)
    assert statuses(forged, X, UP_DOWN, exact=exact)[claim] == "fails"


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200])
def test_tiny_weights_separate_what_they_separate(tiny):
    X, y = np.array([[0.5, 0.25], [-0.5, 0.25], [0.25, 0.5]]), np.array([1, 0, 1])
    certificate = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_
    right = change(certificate, separates=True, _weights=np.array([tiny, 0.0]), _duals=None)
    wrong = change(certificate, separates=True, _weights=np.array([0.0, tiny]), _duals=None)
    for exact in (False, True):
        assert statuses(right, X, y, exact=exact)["separates"] == "holds"
        assert statuses(wrong, X, y, exact=exact)["separates"] == "fails"


def test_rows_in_doubt_are_open_and_decided_exactly():
    X, y = np.array([[0.1, 0.2, 0.3], [-1.0, -1.0, -1.0]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_
    for weights, decided in (([1.0, 1.0, -1.0], "holds"), ([-1.0, -1.0, 1.0], "fails")):
        X[1] = -X[0] if decided == "fails" else [-1.0, -1.0, 0.0]
        forged = change(certificate, separates=True, _weights=np.array(weights), _duals=None)
        truth = all(margin > 0 for margin in rational.margins(X, [1, -1], forged.evidence))
        assert truth == (decided == "holds")
        assert statuses(forged, X, y)["separates"] == "open"
        assert statuses(forged, X, y, exact=True)["separates"] == decided


def test_bounds_are_decided_to_the_last_digit():
    """The next double below the exact bound is refuted, and the next one above it is confirmed, with ``exact``."""
    random = np.random.default_rng(4)
    for delta in (0.0, 0.7):
        X, y = random.standard_normal((20, 3)), np.arange(20) % 2
        certificate = nk.Perceptron(max_iter=5, slack_feature=delta).fit(X, y).certificate_
        square = rational.squared_ratio(X, certificate.evidence.signs(y), certificate.evidence)
        near = float(square) ** 0.5
        for claimed in (np.nextafter(near, 0), near, np.nextafter(near, 1)):
            checks = checks_of(certificate, X, y, exact=True)
            expected = "holds" if rational.Fraction(float(claimed)) ** 2 >= square else "fails"
            assert checks.margin_upper_bound("bound", float(claimed)).status == expected
            assert checks_of(certificate, X, y).margin_upper_bound("bound", float(claimed)).status == "open"


@pytest.mark.parametrize("normalize", [False, True])
def test_lower_bounds_are_decided_to_the_last_digits(normalize):
    random = np.random.default_rng(5)
    X = random.standard_normal((20, 3))
    y = (X[:, 0] > 0).astype(int)
    certificate = nk.MarginPerceptron(epsilon=0.5, max_iter=1000, normalize=normalize).fit(X, y).certificate_
    checks = checks_of(certificate, X, y, exact=True)
    u = np.hstack([X, np.ones((20, 1))])
    u = u / np.linalg.norm(u, axis=1)[:, None] if normalize else u
    v = np.append(certificate.evidence.weights, certificate.evidence.intercept)
    margin = (certificate.evidence.signs(y) * (u @ v)).min() / np.linalg.norm(v)
    assert checks.margin_lower_bound("bound", margin * (1 - 1e-14)).status == "holds"
    assert checks.margin_lower_bound("bound", margin * (1 + 1e-14)).status == "fails"
    assert checks.margin_lower_bound("bound", margin).status in ("holds", "fails")


def test_weights_at_the_limit_of_rounding_are_decided_exactly():
    X, y = np.array([[0.1, 3.0], [0.7, -1.0]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False, max_iter=3, shuffle=False).fit(X, y).certificate_
    found = set()
    for moved in range(0, 200):
        weights = certificate.evidence.weights.copy()
        weights[1] += moved * np.spacing(weights[1])
        forged = replace(certificate, evidence=replace(certificate.evidence, weights=weights))
        quick, sure = (checks_of(forged, X, y, exact).weights(certificate.updates).status for exact in (False, True))
        assert sure in ("holds", "fails")
        assert quick in (sure, "open")
        found.add(sure)
    assert found == {"holds", "fails"}


def test_sums_agree_to_their_roundings_only():
    random = np.random.default_rng(6)
    X, y = random.standard_normal((200, 3)), np.arange(200) % 2
    certificate = nk.Perceptron(max_iter=3).fit(X, y).certificate_
    for name in ("radius", "energy", "examples", "positives"):
        for factor in (1 + 1e-11, 1 - 1e-11):
            forged = replace(certificate, **{name: getattr(certificate, name) * factor})
            assert not forged.verify(X, y), name


def test_a_sum_of_squares_beyond_all_doubles_is_infinite():
    X, y = np.full((3, 2), 9e153) * [[1.0], [-1.0], [1.0]], np.array([1, 0, 1])
    certificate = nk.Perceptron(fit_intercept=False, max_iter=2).fit(X, y).certificate_
    assert certificate.energy == np.inf
    assert statuses(certificate, X, y)["sum of squares"] == "holds"
    assert statuses(certificate, X / 10, y)["sum of squares"] == "fails"


def test_duals_that_underflow_prove_nothing():
    X, y = np.array([[1.0, 0.2], [-1.0, 0.2]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_
    duals = Duals(np.arange(2), np.full(2, 5e-324))
    forged = change(certificate, _duals=duals, _weights=np.array([1e-323, 0.0]), margin_upper_bound=0.9)
    for exact in (False, True):
        assert statuses(forged, X, y, exact=exact)["no separator has a larger margin"] == "fails"
        honest = replace(forged, margin_upper_bound=1.01)
        assert statuses(honest, X, y, exact=exact)["no separator has a larger margin"] == "holds"


def test_a_certain_lower_bound_on_all_margins():
    X, y = np.array([[0.1, 0.2, 0.3], [-1.0, 0.0, 0.0]]), np.array([1, 0])
    evidence = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_.evidence
    for weights, sign in (([1.0, 1.0, -1.0], 1), ([1.0, 1.0, -1.0000000000000002], -1), ([1.0, 0.0, 0.0], 1)):
        model = replace(evidence, weights=np.array(weights), duals=None)
        least = OnlineChecks(model, X, np.array([1.0, -1.0]), np.ones(2), exact=True).least_margin()
        assert np.sign(least) == sign
        assert rational.Fraction(least) <= min(rational.margins(X, [1, -1], model))


def test_with_private_features_the_rows_that_are_right_without_them_are_counted():
    """XOR: with a private feature each, all four rows are on their side; without these, the weights are 0."""
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    model = nk.Perceptron(slack_feature=1.0).fit(X, y)
    assert model.score(X, y) == 0.5
    words = "4 rows, each on its right side in the space with a private feature for each; without these, 0 of 4"
    (check,) = [check for check in model.certificate_.verify(X, y).checks if check.claim == "separates"]
    assert (check.status, check.detail) == ("holds", words)


def test_the_rows_that_are_right_without_private_features_are_those_of_the_scores():
    random = np.random.default_rng(8)
    X = random.normal(size=(60, 3))
    y = (X[:, 0] + random.normal(size=60) > 0).astype(int)
    model = nk.Perceptron(slack_feature=2.0, max_iter=20_000).fit(X, y)
    right = np.count_nonzero(np.where(y == 1, 1, -1) * model.decision_function(X) > 0)
    assert 30 < right < 60
    (check,) = [check for check in model.certificate_.verify(X, y).checks if check.claim == "separates"]
    assert check.detail.endswith(f"; without these, {right} of 60")
    apart = y == (X[:, 0] > 0)
    plain = nk.Perceptron().fit(X[apart], y[apart]).certificate_
    (check,) = [check for check in plain.verify(X[apart], y[apart]).checks if check.claim == "separates"]
    assert check.detail == f"{np.count_nonzero(apart)} rows, each on its right side"
