"""docs/theory.md, B: what a stream proves by itself. Each test names the statement it could refute."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone

import novikoff as nk
import rational
from statements import one_pass, started, vector
from strategies import separable, ties

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

SUMS = {
    "perceptron": nk.Perceptron,
    "margin auto": nk.MarginPerceptron,
    "margin fixed": lambda **kw: nk.MarginPerceptron(margin=0.1, **kw),
}
sums = pytest.mark.parametrize("sum_of_examples", SUMS.values(), ids=SUMS.keys())


@pytest.mark.filterwarnings("ignore:.*passes were not enough")
@sums
@given(data=separable())
def test_B_no_separator_of_the_stream_has_a_margin_above_the_reported_bound(data, sum_of_examples):
    model = sum_of_examples(fit_intercept=data.intercept).partial_fit(data.X, data.y, classes=[-1.0, 1.0])
    assert data.margin <= model.certificate_.margin_upper_bound
    fitted = sum_of_examples(fit_intercept=data.intercept, max_iter=200).fit(data.X, data.y)
    assert data.margin <= fitted.certificate_.margin_upper_bound


@given(data=separable())
def test_B_the_perceptrons_bound_is_at_most_R_over_root_M(data):
    certificate = one_pass(nk.Perceptron(fit_intercept=data.intercept), data.X, data.y).certificate_
    assert certificate.margin_upper_bound <= certificate.radius / np.sqrt(certificate.updates) * (1 + 1e-8)


@sums
@given(data=ties())
def test_B_the_bound_is_the_smallest_length_over_updates_so_far_and_only_falls(data, sum_of_examples):
    X, y = data
    model, smallest = started(sum_of_examples(), X, y), np.inf
    for x, label in [(X[0], y[0]), *zip(X[1:], y[1:], strict=True)]:
        if model.certificate_.updates > 0:
            smallest = min(smallest, np.linalg.norm(vector(model)) / model.certificate_.updates)
            bound = model.certificate_.margin_upper_bound
            assert smallest <= bound <= smallest * (1 + 1e-8) + 1e-7 * model.certificate_.radius  # rounding counted in
        model.learn_one(x, label)


@given(data=separable())
def test_B_the_bound_of_a_prefix_bounds_the_whole(data):
    model = started(nk.Perceptron(fit_intercept=data.intercept), data.X, data.y)
    before = model.certificate_.margin_upper_bound
    for x, label in zip(data.X[1:], data.y[1:], strict=True):
        model.learn_one(x, label)
        after = model.certificate_.margin_upper_bound
        assert (
            data.margin <= after <= before + 1e-12 * model.certificate_.radius
        )  # the allowance for rounding grows with the stream
        before = after


@pytest.mark.parametrize("tiny", [1e-6, 1e-9, 1e-12])
@sums
def test_B_holds_where_the_best_margin_is_lost_in_the_rounding_of_squares(tiny, sum_of_examples):
    """The separator (0, 1) has the margin ``tiny``, and the sum of both examples is (0, 2 tiny)."""
    X, y = np.array([[1.0, tiny], [1.0, -tiny]]), [1, 0]
    stream = sum_of_examples(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    assert tiny <= stream.certificate_.margin_upper_bound
    certificate = sum_of_examples(fit_intercept=False, shuffle=False, max_iter=1).fit(X, y).certificate_
    assert tiny <= certificate.margin_upper_bound
    assert not certificate.verify(X, np.array(y)).failures


def test_B_says_at_once_that_contradicting_labels_have_no_separator():
    model = nk.Perceptron(max_iter=2, shuffle=False).fit([[1.0], [1.0]], [1, 0])
    assert 0 <= model.certificate_.margin_upper_bound <= 1e-13  # 0, but for the rounding that must be allowed for
    assert not model.certificate_.separates


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        ([[1, 1], [1, -1], [2, -3], [3, 0]], [0, 0, 1, 0]),
        ([[-1, -2, 1], [0, 3, 0], [-2, -3, 3], [2, -2, -3], [1, 2, 1]], [1, 0, 1, 1, 0]),
        ([[2, 1, -2], [3, 0, 0], [-3, 1, -2], [2, -1, 0]], [1, 1, 0, 1]),
    ],
)
def test_a_score_of_zero_that_rounding_makes_positive_is_not_a_separation(rows, labels):
    """Balanced weights such as 2/3 are rounded, so that the score of a row is some 1e-16 in floating point."""
    X, y = np.array(rows, dtype=float), np.array(labels)
    model = nk.Perceptron(class_weight="balanced", max_iter=30, shuffle=False).fit(X, y)
    certificate = model.certificate_
    assert model.stopped_ == "converged"
    assert min(rational.margins(X, certificate.evidence.signs(y), certificate.evidence)) <= 0
    assert not certificate.separates
    weights = np.where(y == 1, len(y) / (2 * y.sum()), len(y) / (2 * (1 - y).sum()))
    assert nk.verify(model, X, y)
    assert "fails" in [c.status for c in replace(certificate, separates=True).verify(X, y, weights, exact=True).checks]


LEARNERS = [
    nk.Perceptron(),
    nk.Perceptron(slack_feature=0.3),
    nk.MarginPerceptron(epsilon=0.3),
    nk.MarginPerceptron(margin=0.01, normalize=True),
    nk.PassiveAggressive(),
    nk.PassiveAggressiveI(C=0.01),
    nk.PassiveAggressiveII(C=1e4),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("exponent", [-115, -60, -5, 0, 7, 60, 145])
@pytest.mark.parametrize("model", LEARNERS, ids=str)
def test_claims_are_confirmed_at_every_scale(model, exponent, stream):
    random = np.random.default_rng(7)
    X = random.standard_normal((40, 3)) * 10.0**exponent
    y, weights = (X[:, 0] > 0).astype(int), random.random(40) * 3
    model = clone(model).set_params(class_weight="balanced", max_iter=20)
    model = model.partial_fit(X, y, sample_weight=weights) if stream else model.fit(X, y, sample_weight=weights)
    found = nk.verify(model, X, y, weights)
    assert not [check for check in found.checks if check.status in ("fails", "open")], found


def test_steps_whose_squares_underflow_prove_no_false_bound():
    """Rows of length 1e126 are learned with steps of 1e-253."""
    random = np.random.default_rng(8)
    X = random.standard_normal((30, 3)) * 1e126
    y = (X[:, 0] > 0).astype(int)
    bound = nk.PassiveAggressive().partial_fit(X, y).certificate_.margin_upper_bound
    assert bound >= np.abs(X[:, 0]).min()  # the margin of the plane x_0 = 0
