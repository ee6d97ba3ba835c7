"""The configurations of LinearSVM that its tests go through, and what every fit must show."""

import itertools
import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk

LOSSES = ("hinge", "squared_hinge")
INTERCEPTS = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
MACHINES = {
    f"{loss}, {intercept}": partial(nk.LinearSVM, loss=loss, **parameters)
    for loss, (intercept, parameters) in itertools.product(LOSSES, INTERCEPTS.items())
}


def certificates(model):
    """One per binary problem, whether there are two classes or more."""
    return [model.certificate_] if len(model.classes_) == 2 else model.certificate_


def assert_proven(model, X, y, sample_weight=None):
    """The gap is as small as was asked for, and the certificate shows it to anyone who has the data."""
    for certificate in certificates(model):
        assert certificate.relative_gap <= certificate.tol == model.tol
        verification = certificate.verify(X, y, sample_weight)
        assert verification, str(verification)


def fit_and_listen(model, X, y, sample_weight=None):
    """Fit, and return the warnings; each of them must be the one that speaks of the gap."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight)
    for warning in heard:
        assert warning.category is ConvergenceWarning, warning
    return [str(warning.message) for warning in heard]


def assert_says_how_far_it_came(message, model):
    """The warning of a fit that did not converge: where, the gap, tol, and what to do."""
    widest = max(certificates(model), key=lambda certificate: certificate.relative_gap)
    assert message.startswith("LinearSVM: ")
    assert f"{widest.relative_gap:.2g}" in message
    assert f"tol={model.tol:g}" in message
    assert "max_iter" in message


def weights_apart(model, best, gap):
    """How far the weights may lie from others within ``gap`` of the optimum: P is 1-strongly convex in w."""
    return np.linalg.norm(model - best) <= np.sqrt(2 * gap)
