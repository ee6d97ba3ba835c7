"""scikit-learn's checks of an estimator, all of them, on every loss and every intercept."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from machines import MACHINES


@parametrize_with_checks([make(tol=1e-12) for make in MACHINES.values()] + [nk.LinearSVM(tol=1e-12, lam=0.01)])
def test_scikit_learn_accepts_the_machine(estimator, check):
    check(estimator)
