"""Problems solved over the products of their rows: the gap holds for the rows, at every C, loss and intercept."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from binary_problems import each_problem, problem_of, training_set
from machines import assert_proven
from novikoff.solvers import products
from novikoff.solvers.bounds import bounds_at, stretch
from novikoff.solvers.solver import Progress, SolverOptions
from novikoff.solvers.workspace import Workspace
from wide_problems import wide


def run(problem, max_iter=10_000, alpha=None):
    work, progress = Workspace(problem, 1), Progress(problem, SolverOptions(max_iter, 1, 0))
    if alpha is not None:
        work.alpha[:] = alpha
    return products.minimize(work, progress)[0], work, progress


def over(problem):
    return products.product_problem(problem, 1)


@each_problem
@pytest.mark.parametrize("C", [1e-4, 0.01, 1.0, 1e4])
def test_the_gap_over_products_is_that_of_the_rows(C, loss, intercept):
    problem = problem_of(C, loss, intercept, tol=1e-9, data=training_set(*wide()))
    v, work, _ = run(problem)
    work.compute_margins(v)
    assert bounds_at(work, stretch(work, v)).relative_gap <= 1e-9
    assert np.all((work.alpha >= 0) & (work.alpha <= problem.loss.top))


@each_problem
def test_rows_with_weights_and_rows_of_weight_0(loss, intercept):
    X, y = wide()
    weights = np.random.default_rng(4).integers(0, 3, len(y)).astype(float)
    weights[:2] = 0.25, 0.0
    problem = problem_of(0.3, loss, intercept, tol=1e-8, data=training_set(X, y, weights))
    v, work, _ = run(problem)
    work.compute_margins(v)
    assert bounds_at(work, stretch(work, v)).relative_gap <= 1e-8
    assert not work.alpha[weights == 0].any()


def test_rows_that_occur_twice_and_rows_of_zeros():
    X, y = wide(10)
    X, y = np.vstack([X, X, np.zeros((2, X.shape[1]))]), np.concatenate([y, y, [1, -1]])
    assert_proven(nk.LinearSVM(C=1.0, loss="hinge", tol=1e-8).fit(X, y), X, y)


def test_the_scores_are_those_of_the_weights():
    problem = problem_of(0.1, "hinge", "penalized", data=training_set(*wide()))
    found = over(problem).solve(np.zeros(problem.rows), 1e-9, 10**6)
    v, work, _ = run(problem, alpha=found.alpha)
    work.compute_margins(v)
    np.testing.assert_allclose(problem.signs() * found.scores, work.margins, rtol=1e-4, atol=1e-6)


def test_half_of_the_steps_are_left_to_other_methods():
    problem = problem_of(1.0, "hinge", tol=1e-12, data=training_set(*wide()))
    _, _, progress = run(problem, max_iter=4)
    assert progress.steps == 2


def test_few_rows_of_many_columns_are_solved_by_products_and_others_are_not():
    assert products.descent_work(problem_of(data=training_set(*wide()))) == 0
    assert products.descent_work(problem_of(data=training_set(*wide(500, 600)))) > 500
    assert products.descent_work(problem_of()) == np.inf


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_all_classes_share_the_products_and_are_proven(make, multi_class):
    X, _ = wide(60)
    y = np.arange(60) % 3
    X = make(X + y[:, np.newaxis])
    one, two = (nk.LinearSVM(multi_class=multi_class, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert_proven(one, X, y)
    assert np.array_equal(one.coef_, two.coef_)
    assert one.n_iter_ < 100


@each_problem
def test_equal_rows_of_both_classes_get_a_newton_step_in_time(loss, intercept):
    data = training_set(np.full((2, 1), 100.0), np.array([1, -1]))
    _, _, progress = run(problem_of(1.0, loss, intercept, data=data), max_iter=100)
    assert progress.history[-1].gap <= 1e-6
