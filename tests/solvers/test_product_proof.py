"""Bounds over products of rows are those of the rows, with rounding counted against them."""

import dataclasses

import numpy as np
import pytest

from binary_problems import each_problem, problem_of, training_set
from novikoff.solvers.bounds import bounds_at
from novikoff.solvers.product_proof import prove
from novikoff.solvers.products import product_problem
from novikoff.solvers.workspace import Workspace


def wide(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 80)) + 0.3 * rng.normal(size=(30, 80))
    return X, np.where(X[:, 0] + 3 * rng.normal(size=30) > 0, 1, -1)


@each_problem
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_the_bounds_enclose_those_of_the_rows(C, loss, intercept):
    problem = problem_of(C, loss, intercept, tol=1e-6, data=training_set(*wide()))
    over = product_problem(problem, 1)
    found = over.solve(np.zeros(problem.rows), 1e-9, 1_000_000)
    proof = prove(problem, over, found)
    work = Workspace(problem, 1)
    work.alpha[:] = found.alpha
    t, v = over.signed(found.alpha), np.zeros(problem.columns + 1)
    work.kernel.combine(np.arange(problem.rows), t, v)
    v /= problem.lam
    v[-1] = proof.intercept
    v *= proof.factor
    work.compute_margins(v)
    bounds = bounds_at(work, v)
    assert bounds.primal * (1 - 1e-14) <= proof.primal <= bounds.primal * (1 + 1e-8)
    assert bounds.dual * (1 - 1e-8) <= proof.dual <= bounds.dual * (1 + 1e-14)
    assert proof.relative_gap <= 1e-6


@pytest.mark.parametrize("heavier", [-1, 1])
def test_classes_out_of_balance_are_counted_against_the_dual_bound(heavier):
    X, y = wide()
    problem = problem_of(1.0, "hinge", "free", tol=1e9, data=training_set(X + 100.0, y))  # so the intercept is large
    over, work = product_problem(problem, 1), Workspace(problem, 1)
    found = over.solve(np.zeros(problem.rows), 1e-6, 1_000_000)
    work.alpha[:] = found.alpha * np.where(problem.signs() == heavier, 1.0, 1 - 1e-6)
    work.compute_margins(np.zeros(problem.columns + 1))
    proof = prove(problem, over, dataclasses.replace(found, alpha=work.alpha))
    assert proof is not None
    assert proof.dual <= bounds_at(work, np.zeros(problem.columns + 1)).dual


def test_a_point_far_from_the_optimum_proves_nothing():
    problem = problem_of(1.0, "hinge", "free", tol=1e-6, data=training_set(*wide()))
    over = product_problem(problem, 1)
    assert prove(problem, over, over.solve(np.zeros(problem.rows), 1e-9, 1)) is None


def test_a_gap_below_the_rounding_errors_is_not_proven():
    problem = problem_of(1.0, "hinge", "free", tol=1e-15, data=training_set(*wide()))
    over = product_problem(problem, 1)
    assert prove(problem, over, over.solve(np.zeros(problem.rows), 0.0, 1_000_000)) is None
