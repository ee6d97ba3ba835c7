"""Labels that are asked for, docs/theory.md Q, in fractions and over all coins. Each test names its statement."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory import selective_bounds as bounds
from reference.selective import counted_runs, dot, runs
from share import share_of
from streams import SLACK, streams


def problems(count, seed, rounds=7):
    """Small integers with labels of a plane, random labels, and an adversary."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        X = [[Fraction(int(value)) for value in row] for row in rng.integers(-2, 3, size=(rounds, 2))]
        w = [Fraction(int(value)) for value in rng.integers(-2, 3, size=2)]
        y = [1 if dot(w, x) >= 0 else -1 for x in X] if k % 3 == 0 else rng.choice([-1, 1], size=rounds).tolist()
        yield X, (lambda score: 1 if score <= 0 else -1) if k % 3 == 2 else y, w


def limit(X, b, w, gamma, loss):
    """The bound in fractions."""
    square = max(dot(x, x) for x in X)
    return (1 + square / (2 * b)) * loss / gamma + dot(w, w) * (2 * b + square) ** 2 / (8 * b * gamma**2)


@pytest.mark.parametrize("b", [Fraction(1, 4), Fraction(2)])
def test_Q1_Q2_the_bound_holds_for_every_run_and_in_expectation_and_the_count_is_unbiased(b):
    for X, y, w in problems(24, 51):
        for gamma in (Fraction(1, 2), Fraction(1), Fraction(3)):
            total = mistakes = counted = expected = Fraction(0)
            for probability, wrong, count, rows in runs(X, y, b):
                loss = sum((max(Fraction(0), gamma - sign * dot(w, X[t])) for t, sign in rows), Fraction(0))
                assert count <= limit(X, b, w, gamma, loss)
                total, mistakes = total + probability, mistakes + probability * wrong
                counted, expected = counted + probability * count, expected + probability * loss
            assert total == 1
            assert mistakes == counted
            assert mistakes <= limit(X, b, w, gamma, expected)


def expectations(runs):
    """The sum of the probabilities, and the expectations of the other numbers."""
    every = [(run[0], *(run[0] * number for number in run[1:])) for run in runs]
    return [sum(column, Fraction(0)) for column in zip(*every, strict=True)]


@pytest.mark.parametrize("budget", [1, 2, 4])
def test_Q2_the_count_is_unbiased_for_the_mistakes_up_to_the_last_label_of_the_budget(budget):
    for X, y, _ in problems(24, 53):
        if not callable(y):
            total, mistakes, estimate, lack = expectations(counted_runs(X, y, Fraction(1, 2), budget))
            assert (total, lack) == (1, 0)
            assert mistakes == estimate


def test_Q4_the_mistakes_lie_between_the_estimates_without_and_with_the_missing_label():
    strict = 0
    for k, (X, y, _) in enumerate(problems(24, 54)):
        if callable(y):
            continue
        for is_given in (lambda t, k=k: t != k % 7, lambda t, y=y: y[t] > 0):  # it may depend on the label
            total, mistakes, estimate, lack = expectations(counted_runs(X, y, Fraction(1, 2), 5, is_given))
            assert total == 1
            assert estimate <= mistakes <= estimate + lack
            strict += estimate < mistakes < estimate + lack
    assert strict > 5


@pytest.mark.slow
def test_Q1_the_weighted_count_of_1e5_runs_stays_below_the_bound():
    for rng, X, y in streams(share_of(100_000), 52, 10):
        v, count, rows, signs, b = np.zeros(X.shape[1]), 0.0, [], [], 10.0 ** rng.integers(-2, 3)
        for t, x in enumerate(X):
            score = v @ x
            sign = y(score) if callable(y) else y[t]
            chance = bounds.asking_probability(score, b)
            if sign * score <= 0 and rng.random() < chance:
                v, count = v + sign * x, count + 1 / chance
                rows, signs = [*rows, t], [*signs, sign]
        w, radius = rng.normal(size=X.shape[1]), np.linalg.norm(X, axis=1).max()
        for gamma in (0.1, 1.0):
            loss = np.maximum(0.0, gamma - np.array(signs) * (X[rows] @ w)).sum()
            assert count <= bounds.selective_perceptron(radius, b, np.linalg.norm(w), gamma, loss) * SLACK


def test_Q1_the_function_is_the_bound_in_fractions():
    X, b, w = [[Fraction(3), Fraction(4)]], Fraction(1, 2), [Fraction(1), Fraction(2)]
    exact = limit(X, b, w, Fraction(1, 3), Fraction(7))
    assert bounds.selective_perceptron(5.0, 0.5, np.sqrt(5.0), 1 / 3, 7.0) == pytest.approx(float(exact))
    assert bounds.asking_probability(0.0, 0.5) == 1.0


def test_Q3_half_the_squared_radius_is_the_best_b_on_separable_data_and_gives_novikoffs_bound():
    def at(b):
        return bounds.selective_perceptron(2.0, b, 1.0, 0.5, 0.0)

    assert at(2.0) == pytest.approx((2.0 / 0.5) ** 2)
    assert all(at(2.0) <= at(b) for b in np.geomspace(0.01, 100, 50))
