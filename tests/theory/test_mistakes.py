"""Mistake certificates: no claim can be bettered without being caught."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from certified import change, overlapping_data, separable_data
from novikoff.theory import Geometry, bounds
from strategies import separable

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


@given(data=separable())
def test_a_stream_is_accepted_with_the_bound_on_trust(data):
    model = nk.Perceptron(fit_intercept=data.intercept).partial_fit(data.X, data.y, classes=[-1.0, 1.0])
    verification = model.certificate_.verify(data.X, data.y)
    assert verification, str(verification)
    assert any(check.status == "on trust" for check in verification.checks)
    assert data.margin <= model.certificate_.margin_upper_bound


def test_the_claims_mean_what_numpy_finds():
    X, y = separable_data()
    model = nk.Perceptron().fit(X, y)
    certificate = model.certificate_
    U = np.hstack([X, np.ones((len(X), 1))])
    assert certificate.radius == pytest.approx(np.linalg.norm(U, axis=1).max())
    assert certificate.examples == model.n_iter_ * len(y)
    assert certificate.positives == model.n_iter_ * (y > 0).sum()
    assert certificate.energy == pytest.approx(model.n_iter_ * (U**2).sum())
    assert certificate.separates
    v = np.append(model.coef_, model.intercept_)
    np.testing.assert_allclose(v, (certificate.evidence.duals.dense(len(y)) * y) @ U)
    assert certificate.evidence.duals.weights.sum() == certificate.mistakes
    assert certificate.margin_upper_bound == pytest.approx(np.linalg.norm(v) / certificate.mistakes)


def test_verify_refuses_a_count_above_the_theorem():
    X, y = separable_data(gap=2.0)
    certificate = nk.PassiveAggressive(max_iter=30).fit(X, y).certificate_
    assert certificate.separates
    lie = change(certificate, mistakes=certificate.examples)
    assert not lie.verify(X, y)


def test_verify_refuses_a_claim_to_separate_and_names_the_row():
    X, y = overlapping_data()
    certificate = nk.Perceptron(max_iter=30).fit(X, y).certificate_
    assert not certificate.separates
    verification = change(certificate, separates=True).verify(X, y)
    assert not verification
    (failure,) = (check for check in verification.failures if check.claim == "separates")
    v = certificate.evidence
    assert y[failure.row] * (v.weights @ X[failure.row] + v.intercept) <= 0


def test_comparator_bound_is_for_perceptrons_only():
    X, y = separable_data()
    with pytest.raises(ValueError, match="perceptron"):
        nk.PassiveAggressive().fit(X, y).certificate_.comparator_bound(X, y, [1.0] * 4)


def test_comparator_bound_needs_the_number_of_passes():
    X, y = separable_data()
    certificate = nk.Perceptron(warm_start=True).fit(X, y).fit(X, y).certificate_
    assert certificate.passes == 0
    with pytest.raises(nk.InvalidInputError, match=r"the number of passes is not known\. Fit it once"):
        certificate.comparator_bound(X, y, np.ones(X.shape[1]))


def test_comparator_bound_of_a_learner_without_intercept_does_not_depend_on_one():
    X, y = separable_data()
    certificate = nk.Perceptron(fit_intercept=False, max_iter=1).fit(X, y).certificate_
    assert certificate.comparator_bound(X, y, np.ones(4), 3.0) == certificate.comparator_bound(X, y, np.ones(4))


def test_rows_too_close_for_floating_point_are_decided_exactly():
    """The weights cancel but for the last bit of one value, which is what tells the row's side."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False, max_iter=10).fit(X, y).certificate_
    close = X.copy()
    close[0] = [1.0 + 2**-52, 1.0]  # w = (1, -1): exactly 2^-52
    moved = replace(certificate, evidence=replace(certificate.evidence, weights=np.array([1.0, -1.0]), duals=None))
    statuses = [check.status for check in moved.verify(close, y).checks if check.claim == "separates"]
    assert statuses == ["open"]
    exactly = [check.status for check in moved.verify(close, y, exact=True).checks if check.claim == "separates"]
    assert exactly == ["holds"]
    beyond = close.copy()
    beyond[0] = [1.0, 1.0 + 2**-52]
    exactly = [check.status for check in moved.verify(beyond, y, exact=True).checks if check.claim == "separates"]
    assert exactly == ["fails"]


def test_with_private_features_the_words_say_in_which_space_the_rows_are_separated():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    private = nk.Perceptron(slack_feature=1.0).fit(X, y).certificate_
    claims = dict(private.claims())
    assert claims["separates"] == "with private features, but perhaps not without: the last pass made no mistake"
    assert claims["geometry"] == "a private feature of 1 for each example"
    assert "in the space in which each example has a private feature of its own" in private.explain()
    plain = nk.Perceptron().fit(X[:3], y[:3]).certificate_
    assert dict(plain.claims())["separates"] == "yes: the last pass made no mistake"
    assert "private" not in plain.explain()


def test_the_mistakes_of_one_pass_bound_the_error_on_new_examples():
    X, y = overlapping_data()
    certificate = nk.Perceptron().partial_fit(X, y).certificate_
    assert certificate.generalization.bound == min(1.0, 2 * certificate.mistakes / 50)
    assert change(certificate, mistakes=10.0).generalization.bound == 0.4
    assert change(certificate, mistakes=40.0).generalization.bound == 1.0
    assert change(certificate, mistakes=1.0, examples=2.0).generalization.bound == 1.0
    none = [{"passes": 2}, {"passes": 0}, {"examples": 1.0}, {"_geometry": Geometry(slack_feature=0.5)}]
    assert all(change(certificate, **changes).generalization is None for changes in none)
    for model in (nk.PassiveAggressive(), nk.Perceptron(scale="running")):
        assert model.partial_fit(X, y).certificate_.generalization is None


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_comparator_bound_is_that_of_the_margins_of_a_plane_of_any_length(fit_intercept):
    X, y = overlapping_data()
    certificate = nk.Perceptron(fit_intercept=fit_intercept, max_iter=3).fit(X, y).certificate_
    w, b = np.array([1.0, -2.0, 3.0, 0.5]), 0.5 * fit_intercept
    margins = y * (X @ w + b) / np.sqrt(w @ w + b * b)
    expected = bounds.freund_schapire(certificate.radius, margins, None, certificate.passes)
    assert certificate.comparator_bound(X, y, w, b) == pytest.approx(expected)
    assert certificate.comparator_bound(X, y, 4 * w, 4 * b) == pytest.approx(expected)
    assert certificate.mistakes <= expected


def test_of_several_fits_the_number_of_passes_is_not_known():
    model = nk.Perceptron().fit(*separable_data())
    several = replace(model.record_.problems[0].run, passes=None)
    assert change(model.certificate_, passes=0).check_learned(several)[0].status == "holds"
    assert model.certificate_.check_learned(several)[0].status == "fails"


def test_bound_curves_are_the_theorems_for_the_rows_so_far():
    X, y = separable_data(gap=0.5)
    certificate = nk.Perceptron().fit(X, y).certificate_
    v = certificate.evidence
    counts = np.array([1, 10, 50])
    lengths = np.sqrt((X**2).sum(axis=1) + 1)
    margins = y * (X @ v.weights + v.intercept) / np.sqrt(v.weights @ v.weights + v.intercept**2)
    expected = [(lengths[:count].max() / margins.min()) ** 2 for count in counts]
    found = certificate.bound_curves(X, y, v.weights, v.intercept, counts)
    np.testing.assert_allclose(found[certificate.online_rule.bound_name], expected)
    assert certificate.bound_curves(X[:, :3], y, v.weights, v.intercept, counts) == {}
    assert certificate.bound_curves(X, y, 0 * v.weights, v.intercept, counts) == {}
    private = change(certificate, _geometry=replace(v.geometry, slack_feature=1.0))
    assert private.bound_curves(X, y, v.weights, v.intercept, counts) == {}
    wrong = certificate.bound_curves(X, y, -v.weights, -v.intercept, counts)
    assert certificate.online_rule.bound_name not in wrong
