import warnings

import numpy as np
import pytest

import novikoff as nk
from novikoff.errors import InvalidInputError
from novikoff.svm.partitioned import requested, set_solutions

X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([0, 0, 1, 1])


def test_parameters_are_those_of_fit():
    settings, has_default_cost, name = requested("t", nk.LinearSVM(C=2.5, tol=1e-3, loss="hinge", multi_class="ovr"))
    assert (settings.objective.C, settings.objective.tol, settings.objective.loss.name) == (2.5, 1e-3, "hinge")
    assert (has_default_cost, name) == (False, "ovr")
    assert requested("t", nk.LinearSVM())[1]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"probability": True}, "probability=True is not supported"),
        ({"multi_class": "crammer_singer", "loss": "hinge"}, "crammer_singer"),
        ({"tol": 0}, "tol must be"),
        ({"C": -1.0}, "C must be"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(parameters, words):
    with pytest.raises(InvalidInputError, match=words):
        requested("t", nk.LinearSVM(**parameters))


@pytest.mark.parametrize("tol", [1e-6, 1e-300])
def test_attributes_are_those_of_fit(tol):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = nk.LinearSVM(C=1.0, tol=tol).fit(X, Y)
    certificate, model = fitted.certificate_, nk.LinearSVM(C=1.0, tol=tol)
    warning = set_solutions(
        "t", model, fitted.record_.strategy, [certificate], Y.astype(np.int32), [[(0.0, 1, 1.0, 0.5, 0.5, "t")]], 2
    )
    assert (warning is None) == certificate.converged
    assert np.array_equal(model.coef_, fitted.coef_)
    assert np.array_equal(model.support_, fitted.support_)
    assert np.array_equal(model.dual_coef_, fitted.dual_coef_)
    assert np.array_equal(model.predict(X), fitted.predict(X))
    assert nk.verify(model, X, Y)
