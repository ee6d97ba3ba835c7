"""The repeated run of a selective perceptron."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from novikoff.theory.geometry import Geometry
from novikoff.theory.replay import replay
from novikoff.theory.selective_replay import Asking
from novikoff.theory.selective_rules import SelectiveRule, coin
from reference.selective import selective_perceptron

rng = np.random.default_rng(62)
X = rng.normal(size=(80, 3))
SIGNS = np.where(X[:, 0] + 0.3 * rng.normal(size=80) > 0, 1.0, -1.0)


def repeated(rule, X=X, signs=SIGNS, copies=None, **geometry):
    copies = np.ones(len(signs)) if copies is None else copies
    return replay(X, signs, copies, rule, Geometry(**{"fit_intercept": False} | geometry), [np.arange(len(signs))])


@pytest.mark.parametrize("budget", [None, 9])
def test_a_repeated_run_follows_the_definition(budget):
    rule = SelectiveRule(0.4, extra=3.0, budget=budget)
    run, coins = repeated(rule), [coin(3, t) for t in range(80)]
    asked, _, count, v = selective_perceptron(X, SIGNS, 0.4, coins, budget or np.inf)
    assert np.allclose(run.weights, v)
    assert sum(run.asking.asked) == len(asked)
    assert sum(run.asking.positives) == (SIGNS[asked] > 0).sum()
    assert sum(run.asking.estimate) == pytest.approx(count)
    assert bool(run.asking.unanswered) == (budget is not None)
    assert sum(run.asking.complete) == (80 if budget is None else asked[-1] + 1)
    assert run.examples == 80
    assert run.doubtful is None
    assert run.asking.estimate_error < 1e-10


def test_copies_have_coins_of_their_own():
    copies = rng.integers(0, 4, size=80).astype(float)
    index = np.repeat(np.arange(80), copies.astype(int))
    whole, apart = repeated(SelectiveRule(0.4), copies=copies), repeated(SelectiveRule(0.4), X[index], SIGNS[index])
    assert np.array_equal(whole.weights, apart.weights)
    assert whole.asking == apart.asking


def test_a_score_at_the_limit_of_a_coin_is_doubtful():
    rule = SelectiveRule(0.5, extra=8.0)
    for t in range(1, 50):
        limit = rule.asking_score(t)
        if not 0.01 < limit < 100:
            continue
        rows = np.array([[1.0]] + [[0.0]] * (t - 1) + [[limit]])  # the first makes v = 1, zeros change nothing
        run = repeated(rule, rows, np.ones(t + 1))
        assert run.doubtful == t
        assert repeated(rule, rows * (1 + 1e-9), np.ones(t + 1)).doubtful is None


def test_rows_of_zeros_are_asked_for_and_counted():
    run = repeated(SelectiveRule(0.5), np.zeros((4, 2)), np.ones(4))
    assert (sum(run.asking.asked), run.updates, sum(run.asking.estimate)) == (4, 4, 4)
    assert not run.weights.any()


def test_the_complete_examples_end_with_the_last_label_of_the_budget():
    asking, rule = Asking(), SelectiveRule(1.0, budget=1)
    assert asking.throw(rule, 0.0, 1.0, 1.0)
    assert asking.complete == [1.0]
    assert not asking.throw(rule, 1e300, 1.0, 1.0)  # its coin does not ask
    assert not asking.throw(rule, 0.0, 1.0, 0.5)
    assert (asking.asked, asking.unanswered, asking.complete) == ([1.0], [0.5], [1.0])


@dataclass(frozen=True)
class Thrown(SelectiveRule):
    """A rule whose coins have been thrown."""

    asking: tuple[bool, ...] = ()

    def asks(self, score, n):
        return self.asking[n]


@pytest.mark.parametrize("budget", [None, 1, 2, 5])
def test_Q2_over_all_coins_the_estimate_has_the_mean_of_the_mistakes_in_the_complete_examples(budget):
    """Every prediction is wrong, and each label is asked for with probability 1/2."""
    estimate = mistakes = 0.0
    for coins in itertools.product((False, True), repeat=7):
        asking, rule = Asking(), Thrown(1.0, budget=budget, asking=coins)
        for _ in coins:
            if asking.throw(rule, -1.0, 1.0, 1.0):
                asking.count_mistake(rule, -1.0, 1.0, 0.0)
        estimate, mistakes = estimate + sum(asking.estimate), mistakes + sum(asking.complete)
    assert estimate == mistakes
    assert (mistakes == 7 * 2**7) == (budget is None)


def test_an_example_of_length_1_is_added_and_a_fraction_of_it_by_that_fraction():
    run = repeated(SelectiveRule(1e9), np.array([[1.0]]), np.ones(1), np.array([0.5]))
    assert (run.weights.tolist(), run.updates, run.examples) == ([0.5], 1, 0.5)
    zeros = repeated(SelectiveRule(1e9), np.zeros((1, 1)), -np.ones(1), np.array([2.5]))
    assert (zeros.asking.coins, zeros.asking.complete, zeros.asking.asked) == (3, [1.0, 1.0, 0.5], [1.0, 1.0, 0.5])
    assert (zeros.asking.positives, zeros.examples, zeros.visits) == ([], 2.5, 3)
    assert Asking().coins == 0


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_rows_scaled_to_length_1_are_learned_as_such(fit_intercept):
    lengths = np.sqrt((X**2).sum(axis=1) + fit_intercept)
    columns = [X, np.ones((80, 1))] if fit_intercept else [X]
    unit = np.hstack(columns) / lengths[:, None]
    found, plain = (
        repeated(SelectiveRule(0.4), normalize=True, fit_intercept=fit_intercept),
        repeated(SelectiveRule(0.4), unit),
    )
    weights = np.append(found.weights, found.bias) if fit_intercept else found.weights
    np.testing.assert_allclose(weights, plain.weights)
    assert (found.updates, found.asking.asked) == (plain.updates, plain.asking.asked)
