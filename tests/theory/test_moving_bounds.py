"""Targets that move and learners that forget, docs/theory.md M. Each test names the statement it could refute."""

import itertools

import numpy as np
import pytest

from novikoff.theory import moving_bounds as bounds
from reference.forgetting import forgetting_perceptron
from streams import SLACK, contradict, few_and_many, streams


def paths(rng, X, rows, signs):
    """Sequences of comparators, one for each update: at rest, at random, turning, and the one that knows the future."""
    count, columns = len(rows), X.shape[1]
    steps = rng.normal(size=(count, columns))
    yield np.repeat(steps[:1], count, axis=0)
    yield steps
    yield np.cumsum(0.1 * steps, axis=0)
    squares = (X[rows] ** 2).sum(axis=1, keepdims=True)
    yield signs[:, None] * X[rows] / np.where(squares > 0, squares, 1.0)  # no loss at any update, unless x = 0


def losses(X, rows, signs, U):
    return np.maximum(0.0, 1.0 - signs * (X[rows] * U).sum(axis=1))


def length(V):
    return np.linalg.norm(V, axis=-1)


def runs(count, seed, rows_each, **settings):
    for rng, X, y in streams(count, seed, rows_each):
        rows, signs, path, kept = forgetting_perceptron(X, y, **settings)
        if len(rows):
            for U in paths(rng, X, rows, signs):
                yield X, rows, signs, path, kept, U


@few_and_many(60, 16_700)
def test_M1_updates_stay_below_the_bound_of_every_moving_target(count, rows_each):
    for X, rows, signs, path, _, U in runs(count, 11, rows_each):
        loss, longest, moved = losses(X, rows, signs, U).sum(), length(path).max(), length(np.diff(U, axis=0)).sum()
        last = length(U[-1])
        assert len(rows) <= bounds.moving_target(loss, longest, last, moved) * SLACK
        assert moved >= bounds.least_movement(len(rows), loss, longest, last) / SLACK - 1e-9


def test_M1_summation_by_parts_is_exact_for_a_target_that_is_always_right():
    """x = 1 with changing labels: v is 1, 0, 1, 0, ..., and the target that is always right moves by 2 each time."""
    rows, signs, path, _ = forgetting_perceptron(np.ones((9, 1)), contradict)
    assert len(rows) == 9
    assert bounds.moving_target(0.0, length(path).max(), 1.0, 2 * 8) == 17
    exact = path[-1] @ [signs[-1]] + sum(-(signs[k + 1] - signs[k]) * path[k, 0] for k in range(8))
    assert exact == 9


@few_and_many(25, 16_700)
@pytest.mark.parametrize(("keep", "fade"), [(0.9, 1.0), (1.0, 0.95), (0.5, 0.9), (0.0, 1.0)])
def test_M2_M3_both_ways_of_counting_hold_for_learners_that_forget(keep, fade, count, rows_each):
    for X, rows, signs, path, kept, U in runs(count, 12, rows_each, keep=keep, fade=fade):
        loss, longest, moves = losses(X, rows, signs, U), length(path).max(), length(np.diff(U, axis=0))
        last, forgotten = length(U[-1]), ((1 - kept) * length(U))[1:].sum()
        assert len(rows) <= bounds.moving_target(loss.sum(), longest, last, moves.sum(), forgotten) * SLACK
        remembered = np.append(np.cumprod(kept[:0:-1])[::-1], 1.0)
        limit = bounds.moving_target(remembered @ loss, longest, last, remembered[:-1] @ moves)
        assert remembered.sum() <= limit * SLACK
        assert np.allclose(remembered * signs @ X[rows], path[-1])
        assert longest <= bounds.forgetting_length(length(X).max(), keep * fade) * SLACK


def test_M2_without_its_last_term_the_bound_fails_for_a_learner_that_forgets():
    """x = 1 always has the label +1; a learner that forgets all of v at each update, and abstains, learns it again."""
    X = np.tile(np.eye(2), (20, 1))
    rows, signs, path, kept = forgetting_perceptron(X, np.ones(40), keep=0.0)
    longest, u = length(path).max(), np.ones(2)
    assert len(rows) == 40
    assert losses(X, rows, signs, np.tile(u, (40, 1))).sum() == 0
    assert len(rows) > bounds.moving_target(0.0, longest, length(u), 0.0)
    assert len(rows) <= bounds.moving_target(0.0, longest, length(u), 0.0, ((1 - kept) * length(u))[1:].sum())


@few_and_many(40, 16_700)
def test_M4_mistakes_of_the_perceptron_stay_below_the_bound_without_W(count, rows_each):
    for X, rows, signs, _, _, U in runs(count, 13, rows_each):
        loss, moved = losses(X, rows, signs, U).sum(), length(np.diff(U, axis=0)).sum()
        assert len(rows) <= bounds.moving_perceptron(length(X).max(), loss, length(U[-1]), moved) * SLACK


def test_M1_holds_without_rounding_on_all_short_streams_of_small_integers():
    """All 3^4 x 2^4 streams in one column, and three targets: here every number is an integer."""
    for x in itertools.product((-1, 0, 2), repeat=4):
        for y in itertools.product((-1.0, 1.0), repeat=4):
            rows, signs, path, _ = forgetting_perceptron(np.array(x)[:, None] * 1.0, y)
            for target in ((1, 1, 1, 1), (1, -1, 1, -1), (0, 2, 2, -1)):
                U = np.array(target, dtype=float)[:, None][rows]
                loss = losses(np.array(x)[:, None], rows, signs, U).sum()
                moved, last = np.abs(np.diff(U, axis=0)).sum(), np.abs(U[-1:]).sum()
                assert len(rows) <= bounds.moving_target(loss, np.abs(path).max(initial=0), last, moved)


def test_least_movement_without_updates_is_0():
    assert bounds.least_movement(0, 0.0, 0.0, 1.0) == 0.0
    assert bounds.least_movement(1, 0.0, 0.0, 1.0) == np.inf
    assert bounds.forgetting_length(1.0, 1.0) == np.inf
    assert bounds.least_movement(2.0, 5.0, 0.0, 1.0) == bounds.least_movement(2.0, 5.0, 4.0, 1.0) == 0.0


def test_the_bounds_of_worked_examples():
    assert bounds.moving_target(1.0, 2.0, 3.0, 0.5, 0.25) == 8.5
    assert bounds.moving_target(1.0, 2.0, 3.0, 0.5) == 8.0
    assert bounds.least_movement(8, 1.0, 2.0, 3.0) == 0.5
    assert bounds.moving_perceptron(2.0, 4.0, 1.0, 0.5) == 16.0  # the root of M = 4 + 3 sqrt(M)
    assert bounds.forgetting_length(2.0, 0.6) == 2.5
    assert bounds.forgetting_length(2.0, 0.0) == 2.0
