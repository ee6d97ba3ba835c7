"""Labels that come late, docs/theory.md P. Each test names the statement it could refute."""

import numpy as np
import pytest

from novikoff.theory import delay_bounds as bounds
from reference.delayed import delayed_perceptron
from strategies import make_separable
from streams import SLACK, few_and_many, streams

DELAYS = (0, 1, 2, 5)


def separable(count, seed, rows_each):
    """Separable streams with their radius and a margin, half of them with the hardest row repeated."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        data = make_separable(rng, rows_each, 3, float(rng.choice([0.05, 0.5])), intercept=False)
        rows = np.argsort(data.y * (data.X @ data.w)).repeat(2) if k % 2 else np.arange(rows_each)
        yield data.X[rows], data.y[rows], data.radius, data.margin


@few_and_many(40, 10_000)
@pytest.mark.parametrize("delay", DELAYS)
def test_P1_served_mistakes_that_are_learned_stay_below_the_bound(delay, count, rows_each):
    for X, y, radius, margin in separable(count, 31, rows_each):
        wrong, rows, behind, v, _ = delayed_perceptron(X, y, delay)
        assert len(rows) == wrong.sum()
        assert behind.max(initial=0) <= delay
        assert v @ v <= radius**2 * (len(rows) + 2 * behind.sum()) * SLACK
        total = bounds.delayed_perceptron_total(radius, margin, behind.sum())
        assert wrong.sum() <= total * SLACK
        assert total <= bounds.delayed_perceptron(radius, margin, behind.max(initial=0)) * SLACK


def test_P1_the_bound_without_delay_fails_if_labels_come_late():
    """The same example again and again: until its first label comes, every prediction is an abstention."""
    wrong, *_ = delayed_perceptron(np.ones((10, 1)), np.ones(10), 4)
    assert wrong.sum() == 5 > bounds.delayed_perceptron(1.0, 1.0, 0)
    assert wrong.sum() <= bounds.delayed_perceptron_total(1.0, 1.0, 0 + 1 + 2 + 3 + 4)


@few_and_many(40, 10_000)
@pytest.mark.parametrize("delay", DELAYS)
def test_P2_updates_decided_at_learning_time_keep_novikoffs_bound_and_served_mistakes_another(delay, count, rows_each):
    for X, y, radius, margin in separable(count, 32, rows_each):
        wrong, rows, *_ = delayed_perceptron(X, y, delay, decide="learned")
        assert len(rows) <= (radius / margin) ** 2 * SLACK
        assert wrong.sum() <= bounds.served_mistakes(len(rows), delay)


def test_P1_the_bounds_are_the_solutions_of_their_inequalities():
    assert bounds.delayed_perceptron(3.0, 0.5, 4) == 9 * 36.0
    for radius, margin, total in ((3.0, 0.5, 7.0), (0.25, 0.125, 0.5), (2.0, 3.0, 11.0), (1.0, 0.5, 0.0)):
        most = bounds.delayed_perceptron_total(radius, margin, total)
        assert margin**2 * most**2 == pytest.approx(radius**2 * (most + 2 * total))
    assert bounds.served_mistakes(3, 4) == 15
    assert bounds.ServedMistakes(9, 3, 5, 2, 4).bound == 3 + 4 * (5 + 2)


def test_P2_is_attained_by_one_example_repeated():
    wrong, rows, *_ = delayed_perceptron(np.ones((10, 1)), np.ones(10), 4, decide="learned")
    assert wrong.sum() == bounds.served_mistakes(len(rows), 4) == 5


@few_and_many(40, 10_000)
@pytest.mark.parametrize("decide", ["served", "learned"])
def test_P3_the_bound_on_the_margin_and_that_of_any_comparator_hold_unchanged(decide, count, rows_each):
    for rng, X, y in streams(count, 33, rows_each):
        _, rows, _, v, labels = delayed_perceptron(X, y, 3, decide=decide)
        u = rng.normal(size=X.shape[1])
        loss = np.maximum(0.0, 1.0 - labels[rows] * (X[rows] @ u)).sum()
        assert np.allclose(v, labels[rows] @ X[rows])
        assert len(rows) <= (loss + np.linalg.norm(u) * np.linalg.norm(v)) * SLACK
    for X, y, _, margin in separable(count, 34, rows_each):
        _, rows, _, v, _ = delayed_perceptron(X, y, 3, decide=decide)
        assert margin <= np.linalg.norm(v) / len(rows) * SLACK


def test_a_margin_that_is_not_positive_bounds_nothing():
    assert bounds.delayed_perceptron(1.0, 0.0, 2) == np.inf
    assert bounds.delayed_perceptron_total(1.0, 0.0, 2) == np.inf


@few_and_many(40, 10_000)
@pytest.mark.parametrize("delay", DELAYS)
def test_P2_served_mistakes_are_those_at_learning_and_some_for_each_update(delay, count, rows_each):
    for _, X, y in streams(count, 35, rows_each):
        wrong, rows, *_ = delayed_perceptron(X, y, delay, decide="learned")
        late = bounds.ServedMistakes(int(wrong.sum()), len(rows), len(rows), 2, delay)
        assert late.served <= late.bound
        assert f"{late.bound:,}" in late.explain()
