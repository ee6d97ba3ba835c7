"""docs/theory.md, B: what a stream proves by itself. Each test names the statement it could refute."""

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from strategies import separable, ties

SUMS = {
    "perceptron": nk.Perceptron,
    "margin auto": nk.MarginPerceptron,
    "margin fixed": lambda **kw: nk.MarginPerceptron(margin=0.1, **kw),
}
sums = pytest.mark.parametrize("sum_of_examples", SUMS.values(), ids=SUMS.keys())


def vector(model):
    """v = (w, b), or w where there is no intercept."""
    w = model.coef_.ravel()
    return np.append(w, model.intercept_) if model.fit_intercept else w


def one_pass(model, X, y):
    return model.set_params(shuffle=False, max_iter=1).fit(X, y)


def started(model, X, y):
    """The model after the first example, the classes declared."""
    return model.partial_fit(X[:1], y[:1], classes=[-1.0, 1.0])


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
        assert data.margin <= after <= before
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
    assert 0 <= model.certificate_.margin_upper_bound <= 1e-15  # 0, but for the rounding that must be allowed for
    assert not model.certificate_.separates
