"""Second-order learners, docs/theory.md L. Each test names the statement it could refute."""

import numpy as np
import pytest

from novikoff.theory import second_order_bounds as bounds
from reference.second_order import arow, second_order_perceptron
from streams import SLACK, comparators, few_and_many, streams


def best_plane(X, y):
    """A plane with a small loss: regularised least squares, stretched to a smallest margin of 1 where it separates."""
    u = np.linalg.solve(X.T @ X + 1e-6 * np.eye(X.shape[1]), X.T @ y)
    least = (y * (X @ u)).min(initial=np.inf)
    return u / least if 0 < least < np.inf else u


@few_and_many(60, 14_300)
@pytest.mark.parametrize("diagonal", [False, True])
def test_L1_updates_of_any_kind_stay_below_both_forms_of_the_product(diagonal, count, rows_each):
    for rng, X, y in streams(count, 1, rows_each):
        signs = np.where(rng.random(len(X)) < 0.5, 1.0, -1.0) if callable(y) else y
        chosen = rng.random(len(X)) < 0.7  # nothing is said of why an update was made
        for u in [*comparators(rng, X.shape[1]), best_plane(X[chosen], signs[chosen])]:
            sums = bounds.sums_of(X[chosen], signs[chosen], u, a=0.5, diagonal=diagonal)
            assert sums.updates <= bounds.updates_bound(sums.loss, sums.comparator, sums.model) * SLACK


def test_L1_is_attained_where_the_comparator_is_the_model_and_all_scores_are_equal():
    X, y = np.eye(4), np.ones(4)
    sums = bounds.sums_of(X, y, np.ones(4), a=1.0)
    assert bounds.updates_bound(sums.loss, sums.comparator, sums.model) == pytest.approx(sums.updates)


@few_and_many(40, 14_300)
@pytest.mark.parametrize(("diagonal", "after"), [(False, True), (False, False), (True, True)])
def test_L2_L4_mistakes_stay_below_the_bound_with_the_logarithm(diagonal, after, count, rows_each):
    for rng, X, y in streams(count, 2, rows_each):
        rows, signs = second_order_perceptron(X, y, 0.5, diagonal=diagonal, after=after)
        for u in [*comparators(rng, X.shape[1]), best_plane(X[rows], signs)]:
            sums = bounds.sums_of(X[rows], signs, u, a=0.5, diagonal=diagonal)
            assert sums.model <= sums.log_det * SLACK + 1e-12
            assert sums.updates <= bounds.second_order_perceptron(sums.loss, sums.comparator, sums.log_det) * SLACK


def test_L2_both_full_matrices_make_the_same_predictions():
    for _, X, y in streams(20, 3):
        before = second_order_perceptron(X, y, 0.5, after=False)
        after = second_order_perceptron(X, y, 0.5, after=True)
        assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_L2_the_form_grows_by_one_less_the_squared_loss_over_one_plus_the_variance():
    for _, X, y in streams(20, 4):
        signs = np.ones(len(X)) if callable(y) else y
        A, v = 0.5 * np.eye(X.shape[1]), np.zeros(X.shape[1])
        for x, sign in zip(X, signs, strict=True):
            q, score, before = x @ np.linalg.solve(A, x), x @ np.linalg.solve(A, v), v @ np.linalg.solve(A, v)
            A, v = A + np.outer(x, x), v + sign * x
            expected = before + 1 - (1 - sign * score) ** 2 / (1 + q)
            assert v @ np.linalg.solve(A, v) == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_L2_the_logarithm_is_not_a_bound_if_examples_with_a_right_score_are_learned_too():
    sums = bounds.sums_of(np.ones((20, 1)), np.ones(20), [1.0], a=1.0)
    assert sums.model > 6 * sums.log_det


@few_and_many(40, 14_300)
def test_L3_arow_is_the_plane_of_its_updates_and_keeps_its_bound(count, rows_each):
    r = 0.5
    for rng, X, y in streams(count, 5, rows_each):
        rows, signs, wrong, mean, covariance = arow(X, y, r)
        A = r * np.eye(X.shape[1]) + X[rows].T @ X[rows]
        assert np.allclose(r * np.linalg.inv(A), covariance, rtol=1e-5, atol=1e-7)
        assert np.allclose(np.linalg.solve(A, signs @ X[rows]), mean, rtol=1e-4, atol=1e-5)
        for u in [*comparators(rng, X.shape[1]), best_plane(X[rows], signs)]:
            sums = bounds.sums_of(X[rows], signs, u, r)
            assert sums.model <= (sums.log_det + (~wrong).sum()) * SLACK
            assert wrong.sum() <= bounds.arow(sums.loss, sums.comparator, sums.log_det, (~wrong).sum()) + 1e-9


def test_L3_does_not_hold_for_the_diagonal_with_the_full_matrix():
    """The classes differ by (1, -1) only, and a large common part alternates: AROW's diagonal cannot see that."""
    common = 30.0 * np.where(np.arange(400) % 2, 1.0, -1.0)
    X = np.column_stack([common + 0.5, common - 0.5])  # after multiplication with the label
    for diagonal in (False, True):
        rows, signs, wrong, *_ = arow(X, np.ones(400), 0.1, diagonal=diagonal)
        sums = bounds.sums_of(X[rows], signs, [1.0, -1.0], 0.1)
        limit = bounds.arow(sums.loss, sums.comparator, sums.log_det, (~wrong).sum())
        assert sums.loss == 0
        assert (wrong.sum() <= limit) != diagonal


def test_L3_does_not_hold_for_the_diagonal_with_the_diagonal_matrix_either():
    """Rows on which u.x is 1 with signs +1, of which an adversary takes those that are mistakes, in turn."""
    rng, r = np.random.default_rng(1063), 0.01
    u = rng.normal(size=4)
    u *= 5 / np.linalg.norm(u)
    X = rng.normal(size=(80, 4))
    X = X + np.outer(1 - X @ u, u) / 25
    mean, variances, taken = np.zeros(4), np.ones(4), []
    for t in range(1500):
        mistakes = np.flatnonzero((X * mean).sum(axis=1) <= 0)
        x = X[mistakes[t % len(mistakes)]]
        mean = mean + (1 - (x * mean).sum()) / ((x * x * variances).sum() + r) * variances * x
        variances = 1 / (1 / variances + x * x / r)
        taken.append(x)
    sums = bounds.sums_of(taken, np.ones(1500), u, r, diagonal=True)
    assert 1.3 * bounds.arow(sums.loss, sums.comparator, sums.log_det, 0) < 1500
    assert bounds.updates_bound(sums.loss, sums.comparator, sums.model) >= 1500  # L1 remains valid


@few_and_many(40, 14_300)
def test_L4_with_the_diagonal_before_the_example_the_logarithm_needs_a_factor(count, rows_each):
    for rng, X, y in streams(count, 6, rows_each):
        rows, signs = second_order_perceptron(X, y, 0.5, diagonal=True, after=False)
        sums = bounds.sums_of(X[rows], signs, rng.normal(size=X.shape[1]), 0.5, diagonal=True)
        factor = bounds.diagonal_factor(float(np.abs(X).max()), 0.5)
        assert sums.model <= factor * sums.log_det * SLACK + 1e-12
        assert sums.updates <= bounds.second_order_perceptron(sums.loss, sums.comparator, factor * sums.log_det) * SLACK


def test_L4_one_step_with_the_diagonal_before_the_example_can_grow_more_than_the_logarithm():
    """c = 1: the score is 0, the first column is new and large, the other two have been seen often."""
    D, v = np.array([1.0, 1e6, 1e6]), np.array([-1 / np.sqrt(3), 500.0 * 1e3, 500.0 * 1e3])
    x = np.array([np.sqrt(3), 1.0, 1.0])
    assert x @ (v / D) <= 1e-12
    grown = ((v + x) ** 2 / (D + x * x)).sum() - (v * v / D).sum()
    assert grown > np.log1p(x * x / D).sum() + 0.1


def test_the_sums_and_bounds_of_a_worked_example():
    """v = (-2, 2), the comparator (1, 1) has the scores 3 and 3, and the second label is -1."""
    X, y, u = [[1.0, 2.0], [3.0, 0.0]], [1, -1], [1.0, 1.0]
    full, diagonal = bounds.sums_of(X, y, u, 2.0), bounds.sums_of(X, y, u, 2.0, diagonal=True)
    assert full == pytest.approx((2, 4.0, 22.0, 88 / 68, np.log(17)))
    assert diagonal == pytest.approx((2, 4.0, 18.0, 1.0, np.log(18)))
    assert bounds.updates_bound(1.0, 2.0, 8.0) == bounds.second_order_perceptron(1.0, 2.0, 8.0) == 5.0
    assert bounds.arow(1.0, 2.0, 6.0, 2) == 3.0
    assert bounds.diagonal_factor(2.0, 0.5) == pytest.approx(8 / np.log(9))
    assert bounds.diagonal_factor(0.0, 0.5) == 1.0
    assert bounds.diagonal_factor(1e-3, 1.0) == pytest.approx(1 + 0.5e-6, rel=1e-9)
