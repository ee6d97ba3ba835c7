"""scikit-learn's checks of LinearSVM: one configuration, and all others in the slow tier."""

import warnings

import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from machines import MACHINES

THROUGH_THE_ORIGIN = "it wants nearly all rows in one class, which no hyperplane through the origin can do"
DEFAULT = "squared_hinge, free"


def expected_failures(estimator):
    return {} if estimator.fit_intercept else {"check_class_weight_classifiers": THROUGH_THE_ORIGIN}


@parametrize_with_checks(
    [
        MACHINES[DEFAULT](tol=1e-6),
        MACHINES["hinge, penalized"](tol=1e-4, C=0.1, multi_class="crammer_singer"),
    ]
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__:
        # Seven digits of the scores are compared; the gap is quadratic in them.
        estimator = clone(estimator).set_params(tol=1e-14 if estimator.loss == "squared_hinge" else 1e-12)
    with warnings.catch_warnings():
        if "class_weight" in check.func.__name__:  # it allows 1,000 steps for weights of 1,000 and 0.0001
            warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        *(make(tol=1e-6) for name, make in MACHINES.items() if name != DEFAULT),
        nk.LinearSVM(tol=1e-6, lam=0.01),
        nk.LinearSVM(tol=1e-6, multi_class="ovr"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_every_configuration(estimator, check):
    test_scikit_learn_accepts_the_estimator(estimator, check)
