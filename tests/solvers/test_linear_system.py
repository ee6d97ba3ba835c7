"""The linear system of a Newton step: its matrix as the kernel forms it, and its threads."""

import numpy as np
import pytest

from novikoff.solvers.linear_system import MIN_BLAS_COLUMNS
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.running_gram import BLOCK_ROWS
from novikoff.solvers.training_set import validate_training_set
from novikoff.solvers.workspace import Workspace
from novikoff.svm.soft_margin import LinearSVM

RNG = np.random.default_rng(0)
ROWS = 2 * BLOCK_ROWS + 7
X = 3 * RNG.normal(size=(ROWS, MIN_BLAS_COLUMNS + 9))
y = np.arange(ROWS) % 2


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, np.float32, lambda X: X[:, ::-1]])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("weights", [None, RNG.random(ROWS) + 0.5])
def test_the_matrix_is_the_sum_of_the_outer_products_of_the_free_rows(layout, intercept, weights):
    rows = layout(X)
    data = validate_training_set(LinearSVM(), "test", rows, y, weights, None)
    problem = Problem(data.table, 1, Objective(1.0, LOSSES["hinge"], intercept, 1e-4))
    free = np.flatnonzero(RNG.random(ROWS) < 0.9)
    u = np.column_stack([problem.scale * rows[free].astype(float), np.full(len(free), float(intercept != "none"))])
    theta = (np.ones(ROWS) if weights is None else weights)[free] / 0.25
    expected = np.tril(u.T @ (theta[:, np.newaxis] * u))
    found = np.empty(expected.shape)
    Workspace(problem, threads=2).kernel.gram(free, 0.25, found)
    np.testing.assert_allclose(np.tril(found), expected, rtol=1e-12, atol=1e-12 * expected.max())


def test_dense_rows_with_many_columns_have_the_same_bits_for_any_number_of_threads():
    labels = X[:, :9].sum(axis=1) + 9 * RNG.normal(size=ROWS) > 0
    models = [LinearSVM(C=10.0, tol=1e-6, n_jobs=jobs).fit(X, labels) for jobs in (1, 2)]
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()
    assert all(model.certificate_.converged and model.certificate_.verify(X, labels) for model in models)
