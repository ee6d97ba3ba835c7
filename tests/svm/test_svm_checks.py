"""scikit-learn's checks of an estimator, all of them, on every loss and every intercept."""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from machines import MACHINES

THROUGH_THE_ORIGIN = "it wants nearly all rows in one class, which no plane through the origin can do"


def expected_failures(estimator):
    return {} if estimator.fit_intercept else {"check_class_weight_classifiers": THROUGH_THE_ORIGIN}


@parametrize_with_checks(
    [make(tol=1e-6) for make in MACHINES.values()] + [nk.LinearSVM(tol=1e-6, lam=0.01)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_the_machine(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__:
        # Seven digits of the scores are compared: gaps go by the square of those.
        estimator = clone(estimator).set_params(tol=1e-14 if estimator.loss == "squared_hinge" else 1e-12)
    check(estimator)
