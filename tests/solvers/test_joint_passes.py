"""Passes over the rows of a joint machine: they raise the dual objective, in either precision and for every layout."""

import numpy as np
import pytest

from binary_problems import training_set
from joint_machines import INTERCEPTS, noisy_classes
from novikoff.solvers.joint_passes import JointPasses
from novikoff.solvers.joint_problem import JointProblem
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import SolverOptions
from reference import crammer_singer


def passes_of(intercept="none", sparse=False, C=1.0, classes=3):
    X, y = noisy_classes(classes, classes=classes)
    if sparse:
        X[np.random.default_rng(0).random(X.shape) < 0.7] = 0.0
    data = training_set(X, y)
    problem = JointProblem(data.table, classes, Objective(C, LOSSES["hinge"], intercept, 1e-4))
    passes = JointPasses(problem, SolverOptions(max_iter=100, threads=1, seed=0))
    passes.begin(None)
    return X, data.codes, problem, passes


@pytest.mark.parametrize("intercept", ["penalized", "none"])
@pytest.mark.parametrize("is_double", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_every_pass_raises_the_dual_objective_until_the_gap_is_gone(intercept, is_double, sparse, classes):
    X, codes, problem, passes = passes_of(intercept, sparse, classes=classes)
    if is_double:
        passes.use_double_precision()
    before, tolerance = 0.0, 1e-9 if is_double else 1e-5
    for _ in range(600):
        gap = passes.make()
        now = passes.dual_objective()
        assert now >= before - tolerance * abs(before)
        before = now
        np.testing.assert_allclose(passes.alpha.sum(axis=1), 1.0, rtol=1e-9)
        assert passes.alpha.min() >= 0
    assert gap <= 0.02 * before
    point = passes.last()
    weights, b, betas = point[:-1].T * problem.scale, point[-1], passes.alpha.copy()
    betas[np.arange(len(codes)), codes] = 0.0
    penalized = intercept == "penalized"
    assert before == pytest.approx(crammer_singer.dual(betas, X, codes, penalized), rel=1e-4)
    np.testing.assert_allclose(weights, crammer_singer.coefficients(betas, codes).T @ X, atol=1e-9)
    margins = np.empty(len(codes))
    passes.survey(point, margins)
    found = crammer_singer.primal(weights, b, X, codes, np.ones(len(codes)), penalized)
    regularization = problem.regularization(point)
    assert regularization + np.maximum(0.0, 1.0 - margins).sum() == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_another_cost_keeps_the_masses_and_plain_steps_converge(intercept):
    _, _, problem, passes = passes_of(intercept)
    passes.make()
    masses, curvature = passes.alpha.copy(), passes.mean_curvature()
    passes.set_cost(problem.with_cost(2.0))
    np.testing.assert_array_equal(passes.alpha, masses)
    assert passes.mean_curvature() == pytest.approx(2 * curvature)
    passes.use_plain_steps()
    first = passes.make()
    for _ in range(200):
        gap = passes.make()
    assert gap < 0.1 * first


def test_the_mean_is_that_of_the_points_after_each_pass():
    _, _, _, passes = passes_of()
    passes.use_double_precision()
    points = []
    for _ in range(3):
        passes.make()
        points.append(passes.last())
    np.testing.assert_allclose(passes.mean(), np.mean(points, axis=0), atol=1e-12)
    assert passes.visits > 0
    passes.activate()
    assert passes.visits == 0
