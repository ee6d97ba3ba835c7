"""What certificates say of new examples, docs/theory.md G: the condition is stated, and on it the number holds."""

import numpy as np
import pytest
from hypothesis import given, settings

import novikoff as nk
from machines import INTERCEPTS
from strategies import make_separable, seeds

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def left_out_mistakes(make, X, y):
    """How many rows are called wrong by the machine of all others."""
    rows = np.arange(len(y))
    return sum(make().fit(X[rows != row], y[rows != row]).predict(X[[row]])[0] != y[row] for row in rows)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@settings(max_examples=8)
@given(seed=seeds)
def test_G2_no_more_rows_are_mistaken_when_left_out_than_are_in_the_support(intercept, seed):
    rng = np.random.default_rng(seed)
    data = make_separable(rng, int(rng.integers(6, 25)), int(rng.integers(1, 5)), 0.3, intercept=intercept != "none")
    y = data.y
    if min(np.sum(y > 0), np.sum(y < 0)) < 2:
        return
    make = lambda: nk.HardMarginSVM(**INTERCEPTS[intercept])  # noqa: E731  (it is named where it is used)
    certificate = make().fit(data.X, y).certificate_
    bound = certificate.leave_one_out_bound
    if bound is not None:
        share = len(certificate.model.duals.rows) / len(y)
        assert share <= bound <= np.nextafter(share, 1.0)  # rounded up
        assert left_out_mistakes(make, data.X, y) <= bound * len(y) + 1e-9


def test_G2_says_what_it_rests_on():
    data = make_separable(np.random.default_rng(0), 100, 3, 0.5, intercept=True)
    certificate = nk.HardMarginSVM().fit(data.X, data.y).certificate_
    said = certificate.generalization
    assert said.bound == certificate.leave_one_out_bound < 0.1
    assert "independent draws from one distribution" in said.statement
    assert str(said).startswith(f"{said.bound:.4g}: if")


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_G1_the_vote_errs_no_more_than_twice_the_share_of_mistakes_on_average(noise):
    """Over 200 samples; the expectation is what is bounded, and both sides are means with an error of some 0.01."""
    rng = np.random.default_rng(0)
    w = np.array([1.0, -2.0, 0.5])
    bounds, errors = [], []
    for _ in range(200):
        X = rng.normal(size=(41, 3))
        y = np.where((X @ w > 0) ^ (rng.random(41) < noise), 1, -1)
        if len(set(y[:40].tolist())) < 2:
            continue
        model = nk.VotedPerceptron(max_iter=1, shuffle=False).fit(X[:40], y[:40])
        bounds.append(model.certificate_.generalization.bound)
        errors.append(model.predict(X[40:])[0] != y[40])
    assert np.mean(errors) <= np.mean(bounds)


def test_G1_says_what_it_rests_on():
    data = make_separable(np.random.default_rng(0), 1000, 3, 0.5, intercept=True)
    said = nk.Perceptron(max_iter=1).fit(data.X, data.y).certificate_.generalization
    assert "independent draws from one distribution" in said.statement
    assert "vote" in said.statement
    assert 0 < said.bound < 1
    stream = nk.Perceptron().partial_fit(data.X, data.y, classes=[-1, 1]).certificate_
    assert stream.generalization.bound == 2 * stream.mistakes / 1000
