"""The matrix of the free rows, as rows are added and removed."""

import numpy as np
import pytest

from novikoff.solvers.linear_system import MIN_BLAS_COLUMNS
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.running_gram import BLOCK_ROWS, MIN_SHARE_OF_PEAK, RunningGram
from novikoff.solvers.training_set import validate_training_set
from novikoff.solvers.workspace import Workspace
from novikoff.svm.soft_margin import LinearSVM

RNG = np.random.default_rng(0)
ROWS = 2 * BLOCK_ROWS + 7
X, WIDE = (3 * RNG.normal(size=(ROWS, columns)) for columns in (9, MIN_BLAS_COLUMNS + 9))
y = np.arange(ROWS) % 2


def problem_of(rows, weights=None, intercept="free"):
    data = validate_training_set(LinearSVM(), "test", rows, y, weights, None)
    return Problem(data.table, 1, Objective(1.0, LOSSES["hinge"], intercept, 1e-4))


def expected_of(problem, rows, some, weights=None):
    u = np.column_stack([problem.scale * rows[some].astype(float), np.full(len(some), float(problem.has_intercept))])
    costs = np.ones(ROWS) if weights is None else weights
    return u.T @ (costs[some][:, np.newaxis] * u)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, np.float32, lambda X: X[:, ::-1]])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("weights", [None, RNG.random(ROWS) + 0.5])
def test_the_matrix_is_the_sum_of_the_outer_products_of_the_rows(layout, intercept, weights):
    rows = layout(X)
    problem = problem_of(rows, weights, intercept)
    gram = RunningGram(problem, problem.table.dense)
    for share in (0.9, 0.8, 0.95, 0.3):  # drawn anew, so that many rows change, and some are added and others removed
        some = np.flatnonzero(RNG.random(ROWS) < share)
        gram.move_to(some)
        expected = expected_of(problem, rows, some, weights)
        np.testing.assert_allclose(gram.matrix, expected, rtol=1e-12, atol=1e-12 * expected.max())


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, np.float32, lambda X: X[:, ::-1]])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("weights", [None, RNG.random(ROWS) + 0.5])
def test_the_kernel_forms_the_same_matrix_for_the_system_of_a_newton_step(layout, intercept, weights):
    rows = layout(WIDE)
    problem, some = problem_of(rows, weights, intercept), np.flatnonzero(RNG.random(ROWS) < 0.9)
    expected = np.tril(expected_of(problem, rows, some, weights)) / 0.25
    found = np.empty(expected.shape)
    Workspace(problem, threads=2).kernel.gram(some, 0.25, found)
    np.testing.assert_allclose(np.tril(found), expected, rtol=1e-12, atol=1e-12 * expected.max())


def test_dense_rows_with_many_columns_have_the_same_bits_for_any_number_of_threads():
    labels = WIDE[:, :9].sum(axis=1) + 9 * RNG.normal(size=ROWS) > 0
    models = [LinearSVM(C=10.0, tol=1e-6, n_jobs=jobs).fit(WIDE, labels) for jobs in (1, 2)]
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()
    assert all(model.certificate_.converged and model.certificate_.verify(WIDE, labels) for model in models)


def test_a_small_rest_of_many_rows_is_summed_afresh():
    rows = X * np.where(np.arange(ROWS) < ROWS * MIN_SHARE_OF_PEAK / 2, 1e-3, 1e3)[:, np.newaxis]
    problem = problem_of(rows)
    gram, few = RunningGram(problem, problem.table.dense), np.arange(int(ROWS * MIN_SHARE_OF_PEAK / 2))
    gram.move_to(np.arange(ROWS))
    gram.move_to(few)
    np.testing.assert_allclose(gram.matrix, expected_of(problem, rows, few), rtol=1e-12, atol=1e-18)


def test_no_rows_give_a_matrix_of_zeros():
    problem = problem_of(X)
    gram = RunningGram(problem, problem.table.dense)
    gram.move_to(np.arange(50))
    gram.move_to(np.arange(0))
    assert not gram.matrix.any()
