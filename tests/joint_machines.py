"""Small problems of several classes for the tests of the joint machine, and its certificate for a solution."""

import numpy as np

from binary_problems import training_set
from novikoff.solvers.crammer_singer import solve_joint
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import SolverOptions
from novikoff.svm._joint import certify_joint

INTERCEPTS = ("free", "penalized", "none")


def noisy_classes(seed=0, rows=60, columns=4, classes=3):
    """Data of several classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    scores = X @ rng.normal(size=(columns, classes)) + 0.3 * rng.normal(size=classes) + rng.normal(size=(rows, classes))
    codes = scores.argmax(axis=1)
    codes[:classes] = np.arange(classes)
    return X, np.array(["ash", "birch", "cedar", "dogwood", "elm", "fir"])[codes]


def solve(X, y, *, C=1.0, intercept="free", tol=1e-6, weights=None, start=None, **options):
    """The solution of the solver."""
    options = SolverOptions(**{"max_iter": 100_000, "threads": 1, "seed": 0, **options})
    return solve_joint(training_set(X, y, weights), Objective(C, LOSSES["hinge"], intercept, tol), options, start)


def certify(X, y, *, C=1.0, intercept="free", tol=1e-6, weights=None, **options):
    """The certificate of a solution."""
    solution = solve(X, y, C=C, intercept=intercept, tol=tol, weights=weights, **options)
    return certify_joint(training_set(X, y, weights), Objective(C, LOSSES["hinge"], intercept, tol), solution)
