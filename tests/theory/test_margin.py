"""Margin certificates: no claim can be bettered without being caught."""

import pytest

import novikoff as nk
from certified import OTHER_DATA, change, separable_data
from novikoff.theory import Geometry

MARGIN_LIES = {
    "other weights": lambda c: change(c, _weights=c.evidence.weights + 1e-4),
    "longer weights": lambda c: change(c, _weights=2 * c.evidence.weights),
    "another intercept": lambda c: change(c, _intercept=c.evidence.intercept + 1e-4),
    "a larger lower bound": lambda c: change(c, margin_lower_bound=c.margin_lower_bound * (1 + 1e-6)),
    "a smaller upper bound": lambda c: change(c, margin_upper_bound=c.margin_upper_bound * (1 - 1e-6)),
    "a smaller radius": lambda c: change(c, radius=c.radius * 0.9),
    "the other label": lambda c: change(c, _positive=-1.0),
    "another geometry": lambda c: change(c, _geometry=Geometry(fit_intercept=False)),
    "without the duals, a smaller upper bound": lambda c: change(
        c, _duals=None, margin_upper_bound=c.margin_lower_bound / 2
    ),
}


@pytest.mark.parametrize("lie", MARGIN_LIES)
def test_verify_refuses_a_changed_margin_certificate(lie):
    X, y = separable_data()
    certificate = nk.MarginPerceptron(epsilon=0.2, max_iter=10**5).fit(X, y).certificate_
    assert certificate.halted
    assert certificate.verify(X, y)
    assert not MARGIN_LIES[lie](certificate).verify(X, y)


@pytest.mark.parametrize(
    "other", [name for name in OTHER_DATA if name not in ("a row less", "a row more", "one label turned")]
)
def test_a_margin_certificate_on_the_wrong_data_says_so(other):
    X, y = separable_data(gap=0.02)
    certificate = nk.MarginPerceptron(max_iter=10**5).fit(X, y).certificate_
    assert not certificate.verify(*OTHER_DATA[other](X, y))


def test_a_margin_above_0_is_a_separation_exactly():
    X, y = separable_data(gap=1.0)
    certificate = nk.MarginPerceptron(margin="auto", epsilon=0.5).fit(X, y).certificate_
    assert certificate.margin_lower_bound > 0
    assert certificate.verify(X, y, exact=True)
    turned = y.copy()
    turned[0] = -turned[0]
    assert not certificate.verify(X, turned, exact=True)
