"""Small binary problems for the tests of the solvers."""

import itertools

import numpy as np
import pytest

import novikoff as nk
from machines import INTERCEPTS
from machines import LOSSES as LOSS_NAMES
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.training_set import validate_training_set

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
SIGNS = np.where(X[:, 0] + RNG.normal(size=60) > 0.2, 1.0, -1.0)
WEIGHTS = RNG.integers(0, 3, 60) + 0.5
each_problem = pytest.mark.parametrize(("loss", "intercept"), list(itertools.product(LOSS_NAMES, INTERCEPTS)))


def training_set(X=X, y=SIGNS, weights=None):
    return validate_training_set(nk.LinearSVM(), "test", X, y, weights, None)


def problem_of(C=1.0, loss="hinge", intercept="free", tol=1e-6, data=None):
    return Problem((data or training_set()).table, 1, Objective(C, LOSSES[loss], intercept, tol))


def objective(w, b, C=1.0, loss="hinge", intercept="free", weights=1.0, X=X, signs=SIGNS):
    """The primal objective in the units of the user."""
    slack = np.maximum(0, 1 - signs * (X @ w + b))
    loss = np.sum(weights * (slack if loss == "hinge" else slack**2))
    return 0.5 * (w @ w + (b * b if intercept == "penalized" else 0.0)) + C * loss
