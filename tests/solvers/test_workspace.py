"""The buffers of a solver, filled as plain NumPy would."""

import numpy as np
import pytest

from binary_problems import SIGNS, WEIGHTS, X, problem_of, training_set
from novikoff.solvers.workspace import Workspace


@pytest.mark.parametrize("threads", [1, 2])
def test_margins_norms_and_imbalance_are_those_of_numpy(threads):
    work = Workspace(problem_of(data=training_set(weights=WEIGHTS)), threads)
    scale, v = work.problem.scale, np.array([1.0, -2.0, 0.5, 0.25, 3.0])
    work.compute_margins(v)
    np.testing.assert_allclose(work.margins, SIGNS * (scale * X @ v[:-1] + v[-1]), rtol=1e-13)
    np.testing.assert_allclose(work.squared_norms(), scale**2 * np.sum(X**2, axis=1), rtol=1e-13)
    work.alpha[:] = np.random.default_rng(0).random(60)
    assert work.imbalance() == pytest.approx(np.sum(SIGNS * WEIGHTS * work.alpha))


def test_an_intercept_that_is_not_there_has_no_part_in_the_margins():
    work = Workspace(problem_of(intercept="none"), 1)
    work.compute_margins(np.array([0.0, 0.0, 0.0, 0.0, 7.0]))
    assert not work.margins.any()


def test_buffers_of_the_wrong_length_are_refused():
    work = Workspace(problem_of(), 1)
    with pytest.raises(ValueError, match="one entry per column and one for the intercept"):
        work.compute_margins(np.zeros(4))
    with pytest.raises(ValueError, match="one entry per row"):
        work.kernel.margins(np.zeros(5), np.zeros(3))
