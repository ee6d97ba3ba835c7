import numpy as np
import pytest

import novikoff as nk
from novikoff._estimators import ConvergenceWarning
from novikoff.distributed.outcome import fit_outcome
from novikoff.errors import InvalidInputError

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(60, 3))
Y = X[:, 0] + RANDOM.normal(size=60) > 0


def test_rounds_bytes_and_data_are_known():
    found = fit_outcome(nk.LinearSVM(C=1.0), X, Y, on="local:3")
    assert found.engine == "local"
    assert found.survey.rows == [20, 20, 20]
    assert found.rounds > found.estimator.n_iter_ > 0
    assert found.bytes_sent > X.nbytes / 8


def test_a_warning_does_not_undo_the_fit():
    model = nk.LinearSVM(C=100.0, loss="hinge", tol=1e-9, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="LinearSVM: after"):
        fit_outcome(model, X, Y, on="local")
    assert not model.certificate_.converged
    other = nk.LinearSVM(C=100.0, loss="hinge", tol=1e-9, max_iter=2)
    with pytest.raises(ConvergenceWarning):
        fit_outcome(other, X, Y, on="local")  # warnings are errors here
    assert np.array_equal(other.coef_, model.coef_)


def test_an_estimator_without_a_plan_is_refused():
    with pytest.raises(InvalidInputError, match="LinearSVMCV cannot be fitted in rounds"):
        fit_outcome(nk.LinearSVMCV(), X, Y, on="local")


def test_options_of_files_are_refused_for_arrays():
    with pytest.raises(InvalidInputError, match="hashing is an option of files"):
        fit_outcome(nk.LinearSVM(), X, Y, on="local", hashing=nk.Hashing())
