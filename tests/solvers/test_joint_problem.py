"""The joint machine as its solver sees it."""

import numpy as np
import pytest

from binary_problems import training_set
from joint_machines import noisy_classes
from novikoff.solvers.joint_problem import JointProblem
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective
from reference import crammer_singer


def problem_of(intercept, weights=None, C=2.0):
    X, y = noisy_classes()
    return JointProblem(training_set(X, y, weights).table, 3, Objective(C, LOSSES["hinge"], intercept, 1e-4))


@pytest.mark.parametrize(("intercept", "kappa"), [("free", 0.0), ("penalized", 0.5), ("none", 0.0)])
def test_weights_and_penalised_intercepts_are_regularised(intercept, kappa):
    problem = problem_of(intercept)
    v = np.random.default_rng(0).normal(size=(5, 3))
    expected = 0.5 * problem.lam * np.sum(v[:-1] ** 2) + 0.5 * kappa * np.sum(v[-1] ** 2)
    assert problem.regularization(v) == pytest.approx(expected)
    assert (problem.has_intercept, problem.has_free_intercept) == (intercept != "none", intercept == "free")
    assert (problem.rows, problem.columns) == (60, 4)
    assert problem.with_cost(1.0).lam == 2 * problem.lam


@pytest.mark.parametrize("weights", [None, np.where(np.arange(60) < 3, 50.0, 1.0)])
def test_the_best_point_without_weights_has_the_objective_it_states(weights):
    problem = problem_of("free", weights)
    v, value = problem.best_without_weights()
    X, _ = noisy_classes()
    found = crammer_singer.primal(np.zeros((3, 4)), v[-1], X, problem.table.codes, problem.costs())
    assert value == pytest.approx(found)
