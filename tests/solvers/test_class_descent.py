"""Coordinate descent for all one-vs-rest problems in one pass."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.solvers import class_descent
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import validate_training_set

CLASSES = 5


def sample(rows=2500, columns=900, zeros=0.0):
    random = np.random.default_rng(0)
    y = random.integers(0, CLASSES, rows)
    X = random.normal(size=(CLASSES, columns))[y] * 0.1 + random.normal(size=(rows, columns))
    X[random.random(X.shape) < zeros] = 0.0
    return X.astype(np.float32), y


def problems_of(X, y, C=1e-4, loss="hinge", intercept="penalized", tol=1e-4, weights=None):
    table = validate_training_set(nk.LinearSVM(), "test", X, y, weights, None).table
    objective = Objective(C, LOSSES[loss], intercept, tol)
    return [Problem(table, code, objective) for code in range(CLASSES)]


def objective_of(problem, X, y, solution, weights=1.0):
    signs = np.where(y == problem.positive, 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * (X.astype(float) @ solution.weights + solution.bias))
    losses = slack if problem.loss.name == "hinge" else slack**2
    half = 0.5 * (solution.weights @ solution.weights + solution.bias**2)
    return half + problem.objective.C * np.sum(weights * losses)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("intercept", ["penalized", "none"])
@pytest.mark.parametrize("zeros", [0.0, 0.8])
def test_every_class_is_solved_and_its_bounds_are_those_of_its_point(loss, intercept, zeros):
    X, y = sample(zeros=zeros)
    weights = np.linspace(0.5, 2.0, len(y))
    problems = problems_of(X, y, loss=loss, intercept=intercept, weights=weights)
    assert class_descent.supports(problems)
    options = SolverOptions(1000, 1, 0)
    for problem, found in zip(problems, class_descent.descend(problems, [options] * CLASSES), strict=True):
        solution = class_descent.finish(problem, options, found)
        assert solution.relative_gap <= 1e-4
        assert solution.history[-1].method == class_descent.METHOD
        assert solution.primal == pytest.approx(objective_of(problem, X, y, solution, weights), rel=1e-9)
        signs = np.where(y == problem.positive, 1.0, -1.0)
        a = solution.duals
        assert np.all(a >= 0)
        assert loss == "squared_hinge" or np.all(a <= problem.objective.C * weights)
        dual = a.sum() - 0.5 * np.sum((X.astype(float).T @ (a * signs)) ** 2)
        dual -= 0.5 * (a @ signs) ** 2 if intercept == "penalized" else 0.0
        dual -= np.sum(a * a / (4 * problem.objective.C * weights)) if loss == "squared_hinge" else 0.0
        assert solution.dual == pytest.approx(dual, rel=1e-9)
        assert solution.dual <= dual * (1 + 1e-12)


@pytest.mark.slow
def test_a_class_that_leaves_is_solved_by_another_method_with_all_steps_in_its_history():
    X, y = sample()
    problems = problems_of(X, y, C=1.0, loss="squared_hinge")
    options = SolverOptions(2, 1, 0)
    found = class_descent.descend(problems, [options] * CLASSES)
    assert [one.progress.steps for one in found] == [2] * CLASSES
    solution = class_descent.finish(problems[0], SolverOptions(1000, 1, 0), found[0])
    assert solution.relative_gap <= 1e-4
    steps = [entry.step for entry in solution.history]
    assert steps == sorted(steps)
    assert solution.steps == steps[-1] > 2
    assert {entry.method for entry in solution.history} > {class_descent.METHOD}
    stopped = class_descent.finish(problems[0], options, found[0])
    assert stopped.steps == 2
    assert stopped.relative_gap > 1e-4


def test_cancelled_passes_end():
    X, y = sample()
    options = SolverOptions(1000, 1, 0)
    options.cancelled.set()
    found = class_descent.descend(problems_of(X, y), [options] * CLASSES)
    assert [one.progress.steps for one in found] == [0] * CLASSES


def test_what_it_does_not_support():
    X, y = sample()
    assert not class_descent.supports(problems_of(X, y, intercept="free"))
    assert not class_descent.supports(problems_of(X, y)[:2])
    assert class_descent.supports(problems_of(X, y) * (X.shape[1] // 2 // CLASSES))
    assert not class_descent.supports(problems_of(X, y) * X.shape[1])
    assert not class_descent.supports(problems_of(X[:2001, :100], y[:2001]))
    assert not class_descent.supports(problems_of(X, y, C=1e12))


@pytest.mark.parametrize("count", [3, 12, 13, 25, 100])
def test_groups_have_every_problem_once_and_at_most_twelve(count):
    groups = class_descent.groups(count)
    assert [k for group in groups for k in group] == list(range(count))
    assert max(map(len, groups)) <= 12


def test_machines_have_the_same_bits_for_every_number_of_threads_and_verify():
    X, y = sample(zeros=0.5)
    models = [nk.LinearSVM(C=1e-4, multi_class="ovr", penalized_intercept=True, n_jobs=n).fit(X, y) for n in (1, 2, 3)]
    assert len({model.coef_.tobytes() + model.intercept_.tobytes() for model in models}) == 1
    assert all(certificate.converged for certificate in models[0].certificate_)
    assert all(class_descent.METHOD in history["method"] for history in models[0].history_)
    assert nk.verify(models[0], X, y)
