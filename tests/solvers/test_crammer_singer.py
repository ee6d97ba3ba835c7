"""The joint machine: its gap is proven, it equals LIBLINEAR's, and its result depends on data, seed and start alone."""

import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from binary_problems import training_set
from joint_machines import INTERCEPTS, certify, noisy_classes, solve
from machines import fewer_examples
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.solver import solve as solve_binary
from reference import crammer_singer
from strategies import seeds

each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def liblinear(X, y, C, intercept, weights=None):
    model = LinearSVC(
        multi_class="crammer_singer", C=C, tol=1e-10, fit_intercept=intercept != "none", intercept_scaling=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, weights)


@pytest.mark.parametrize("intercept", ["penalized", "none"])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [3, 6])
def test_it_equals_liblinear(intercept, C, weighted, classes):
    X, y = noisy_classes(classes, rows=90, classes=classes)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    ours, theirs = (
        solve(X, y, C=C, intercept=intercept, tol=1e-9, weights=weights),
        liblinear(X, y, C, intercept, weights),
    )
    codes = np.searchsorted(theirs.classes_, y)
    b = np.broadcast_to(theirs.intercept_, classes).astype(float)
    found = crammer_singer.primal(theirs.coef_, b, X, codes, C * weights, intercept == "penalized")
    assert ours.primal == pytest.approx(found, rel=1e-6)
    assert ours.relative_gap <= 1e-9
    np.testing.assert_allclose(ours.weights, theirs.coef_, atol=2e-3 * np.abs(theirs.coef_).max())


@each_intercept
def test_two_classes_are_the_binary_machine_with_half_its_weights(intercept):
    """w_1 = -w_0 = w / 2, so that f_1 - f_0 = w.x + b, and |w_0|^2 + |w_1|^2 = |w|^2 / 2."""
    X, y = noisy_classes(1, classes=2)
    joint = solve(X, y, C=0.35, intercept=intercept, tol=1e-8)
    table, objective = training_set(X, y).table, Objective(0.7, LOSSES["hinge"], intercept, 1e-10)
    binary = solve_binary(Problem(table, 1, objective), SolverOptions(100_000, 1, 0))
    assert joint.primal == pytest.approx(binary.primal / 2, rel=1e-7)
    np.testing.assert_allclose(joint.weights[1] - joint.weights[0], binary.weights, rtol=1e-2, atol=1e-4)


@fewer_examples
@given(
    seed=seeds,
    intercept=st.sampled_from(INTERCEPTS),
    classes=st.integers(2, 6),
    C=st.sampled_from([0.01, 1.0, 10.0]),
    weighted=st.booleans(),
)
def test_the_gap_is_reached_and_verified(seed, intercept, classes, C, weighted):
    X, y = noisy_classes(seed, rows=30, columns=3, classes=classes)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)) * 0.5 if weighted else None
    certificate = certify(X, y, C=C, intercept=intercept, tol=1e-3, weights=weights)
    assert certificate.converged
    verification = certificate.verify(X, y, weights)
    assert verification, str(verification)


@pytest.mark.parametrize("intercept", ["free", "none"])  # a penalised intercept has a size of its own
@pytest.mark.parametrize("size", [1e-140, 1e-8, 1e8, 1e140])
def test_huge_and_tiny_rows_are_scaled(intercept, size):
    X, y = noisy_classes(2)
    plain, scaled = solve(X, y, intercept=intercept), solve(size * X, y, C=1 / size / size, intercept=intercept)
    assert scaled.primal * size * size == pytest.approx(plain.primal, rel=1e-5)
    assert scaled.relative_gap <= 1e-6
    np.testing.assert_allclose(scaled.weights * size, plain.weights, atol=1e-2)


@each_intercept
def test_a_row_twice_is_a_row_of_weight_2_and_a_row_of_weight_0_is_absent(intercept):
    X, y = noisy_classes(5)
    weights = np.ones(len(y))
    weights[10:20], weights[30] = 2.0, 0.0
    copies = np.repeat(np.arange(len(y)), weights.astype(int))
    weighed = solve(X, y, intercept=intercept, weights=weights)
    repeated = solve(X[copies], y[copies], intercept=intercept)
    assert weighed.primal == pytest.approx(repeated.primal, rel=2e-6)
    assert 30 not in weighed.duals.rows


@each_intercept
def test_rows_of_zeros_are_verified(intercept):
    X, y = noisy_classes(6)
    X[:10] = 0.0
    for rows in (X, np.zeros_like(X)):
        certificate = certify(rows, y, intercept=intercept)
        assert certificate.converged
        verification = certificate.verify(rows, y)
        assert verification, str(verification)


def test_without_any_information_the_loss_of_every_row_is_1():
    _, y = noisy_classes(6)
    assert solve(np.zeros((len(y), 2)), y, intercept="none", C=3.0).primal == pytest.approx(3.0 * len(y))


@each_intercept
def test_wide_sparse_rows_are_solved_in_the_columns_that_occur(intercept):
    rng = np.random.default_rng(0)
    X = sp.random_array((80, 400), density=0.02, rng=rng, format="csr")
    wide = sp.csr_array((X.data, X.indices * 1000, X.indptr), shape=(80, 400_000))
    y = rng.integers(0, 4, 80)
    narrow, found = certify(X, y, intercept=intercept), certify(wide, y, intercept=intercept)
    assert found.primal == narrow.primal
    assert found.model.weights.shape == (4, 400_000)
    assert found.verify(wide, y)


@each_intercept
def test_dense_sparse_and_single_precision_rows_agree(intercept):
    X, y = noisy_classes(7)
    X[X < 0.3] = 0.0
    X = X.astype(np.float32).astype(np.float64)
    dense, sparse, single = (solve(rows, y, intercept=intercept) for rows in (X, sp.csr_array(X), X.astype(np.float32)))
    assert dense.primal == pytest.approx(sparse.primal, rel=2e-6)
    assert single.primal == dense.primal


@each_intercept
def test_the_result_depends_on_data_and_seed_alone(intercept):
    X, y = noisy_classes(8)
    one, two, other = (solve(X, y, intercept=intercept, threads=t, seed=s) for t, s in ((1, 0), (2, 0), (1, 1)))
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.duals.values, two.duals.values)
    assert one.primal == pytest.approx(other.primal, rel=1e-6)


@each_intercept
def test_a_start_at_the_end_needs_no_step_and_one_nearby_fewer(intercept):
    X, y = noisy_classes(9, rows=200)
    first = solve(X, y, intercept=intercept, tol=1e-5)
    again = solve(X, y, intercept=intercept, tol=1e-4, start=first.end)
    assert again.steps == 0
    assert again.relative_gap <= 1e-4
    nearby = solve(X, y, C=1.1, intercept=intercept, start=first.end)
    assert nearby.relative_gap <= 1e-6


def test_a_limit_or_a_cancellation_returns_the_best_point():
    X, y = noisy_classes(10, rows=200)
    stopped = solve(X, y, max_iter=1, tol=1e-9)
    assert stopped.steps == 1
    assert stopped.relative_gap > 1e-9
    certificate = certify(X, y, max_iter=2, tol=1e-9)
    assert not certificate.converged
    assert certificate.verify(X, y)
    cancelled = threading.Event()
    cancelled.set()
    assert solve(X, y, cancelled=cancelled).steps == 0


def test_progress_is_reported_and_kept():
    X, y = noisy_classes(11)
    heard = []
    solution = solve(X, y, say=lambda message, share: heard.append((message, share)))
    assert len(heard) == len(solution.history)
    assert heard[-1][1] == 1.0
    assert solution.history[-1].primal == solution.primal
    assert solution.history[-1].dual == solution.dual


@each_intercept
def test_separable_rows_with_a_huge_cost_have_no_loss(intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * 0.2 + np.eye(3)[np.arange(40) % 3] * 4
    certificate = certify(X, np.arange(40) % 3, C=1e6, intercept=intercept, tol=1e-4)
    assert certificate.converged
    assert certificate.verify(X, np.arange(40) % 3)
