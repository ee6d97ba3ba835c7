"""The configurations of LinearSVM that its tests run over, and the assertions that every fit must pass."""

import itertools
import re
import warnings
from functools import partial

import pytest
from hypothesis import settings
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk

LOSSES = ("hinge", "squared_hinge")
INTERCEPTS = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
MACHINES = {
    f"{loss}, {intercept}": partial(nk.LinearSVM, loss=loss, **parameters)
    for loss, (intercept, parameters) in itertools.product(LOSSES, INTERCEPTS.items())
}
SLOW_MACHINES = ("hinge, none", "squared_hinge, penalized")  # each loss and each intercept is in another one, too
fewer_examples = settings(max_examples=settings().max_examples // 3)  # for properties that fit several models
each_machine = pytest.mark.parametrize(
    "make",
    [pytest.param(m, id=k, marks=pytest.mark.slow if k in SLOW_MACHINES else ()) for k, m in MACHINES.items()],
)


def certificates(model):
    """The certificates as a list, for two classes and for more."""
    return [model.certificate_] if len(model.classes_) == 2 else model.certificate_


def assert_proven(model, X, y, sample_weight=None):
    """The gap is at most ``tol``, and the certificate verifies."""
    for certificate in certificates(model):
        assert certificate.relative_gap <= certificate.tol == model.tol
        verification = certificate.verify(X, y, sample_weight)
        assert verification, str(verification)


def fit_and_listen(model, X, y, sample_weight=None):
    """Fit, and return the messages of the warnings, which must be ConvergenceWarnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight)
    for warning in heard:
        assert warning.category is ConvergenceWarning, warning
    return [str(warning.message) for warning in heard]


def assert_says_how_far_it_came(message, model):
    """The warning of a fit that did not converge names the class, the gap, tol and a remedy."""
    widest = max(certificates(model), key=lambda certificate: certificate.relative_gap)
    assert message.startswith("LinearSVM: ")
    shown = re.search(r"at most ([0-9.e+-]+), above", message)
    assert widest.relative_gap <= float(shown.group(1)) <= 1.01 * widest.relative_gap
    assert f"tol={model.tol:g}" in message
    assert "max_iter" in message or "rounding errors" in message
