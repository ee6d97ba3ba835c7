"""Repeated runs of second-order learners."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.theory.replay import replay
from novikoff.theory.second_order_replay import entries, learn_second_order, rounding_after
from novikoff.theory.second_order_rules import Outcome

LEARNERS = [
    nk.AROW(),
    nk.NormalizedAdaptive(),
    nk.SoftConfidenceWeighted(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_repeated_run_agrees_within_its_allowance(learner):
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(80, 4)) * 10.0 ** random.integers(-4, 5, 4)
        y = np.where(random.normal(size=80) + X[:, 0] / np.abs(X[:, 0]).max() * 4 > 0, 1, 0)
        weights = random.choice([0.5, 1.0, 3.0], 80)
        model = clone(learner).partial_fit(X, y, classes=[0, 1], sample_weight=weights)
        rule = model.record_.problems[0].run.rule
        run = replay(X, np.where(y == 1, 1.0, -1.0), weights, rule.implementation(), rule.geometry, [np.arange(80)])
        certificate = model.certificate_
        assert run.updates == certificate.updates
        assert sum(run.mistaken) == pytest.approx(certificate.mistakes)
        gap = np.linalg.norm(np.append(run.weights - model.coef_[0], run.bias - model.intercept_[0]))
        assert gap <= run.rounding / 10 <= 1e-6 * (1 + np.abs(model.coef_).max())


def test_a_row_of_zeros_is_counted_and_changes_nothing():
    X, y = np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 0.5]]), np.array([1, 0, 0])
    model = nk.AROW(fit_intercept=False).partial_fit(X, y, sample_weight=[1, 2.5, 1])
    assert nk.verify(model, X, y, [1, 2.5, 1])


def test_the_rounding_of_weights_grows_by_that_of_the_update():
    outcome, weights = Outcome(True, True, sensitivity=2.0, growth=3.0), np.array([1.0, -5.0, 2.0])
    local = (3 + 16) * 2.0**-52 * (2 * (1 + 4) + 5)
    assert rounding_after(outcome, 1e-14, 4.0, weights) == pytest.approx(3e-14 + 256 * local, rel=1e-12, abs=0)


def test_entries_are_those_that_are_not_0_each_once():
    columns, values = entries(5, (np.array([2, 0, 2, 1, 3]), np.array([1.0, 3.0, 2.0, 1.0, 0.0]), 0.5, 1.0))
    assert (columns.tolist(), values.tolist()) == ([0, 1, 2, 4], [1.5, 0.5, 1.5, 0.5])
    columns, values = entries(3, (np.array([0, 0]), np.array([1.0, -1.0]), 2.0, 0.0))
    assert (columns.tolist(), values.tolist()) == ([], [])


def learned(weights, weight=1.0, norm2=2.0, score_rounding=0.0, changes=True, needed=100.0):
    """What a run records of one example u = (1, 1), of a rule that needs a margin and changes no weights."""
    made = []
    run = SimpleNamespace(state={"weights": np.array([*weights, 0.0])}, steps=7.0, rounding=0.0, doubtful=None)
    run.enter_sum = lambda *given: made.append(("sum", *given))
    run.count = lambda *given: made.append(("count", *given))

    def learn(state, example):
        made.append(("learn", example.given.weight, example.given.steps))
        return Outcome(True, changes)

    rule = SimpleNamespace(
        is_mistake=lambda y, score: y * score <= 0,
        needed_margin=lambda state, example: needed,
        score_rounding=lambda state, example, rounding: score_rounding,
        learn=learn,
    )
    learn_second_order(run, rule, 3, (np.arange(2), np.ones(2), 1.0, 0.0), norm2, 1.0, weight)
    return run.doubtful, made


@pytest.mark.parametrize("score_rounding", [0.0, 100 * 2.0**-52])
def test_a_score_is_doubtful_within_its_rounding(score_rounding):
    """Four times k + 8 last digits of the sum of two terms of size 1, and the rounding of the weights."""
    limit, digit = 80 * 2.0**-52 + score_rounding, 2.0**-52
    for score, doubtful in ((limit - digit, 3), (limit + digit, None), (-limit + digit, 3), (-limit - digit, None)):
        assert learned((1.0, -1.0 + score), score_rounding=score_rounding)[0] == doubtful


def test_a_margin_is_doubtful_within_the_rounding_of_what_is_needed():
    found = [learned((1.0, 1.0), score_rounding=0.125, needed=2.0 + away)[0] for away in (-0.13, -0.12, 0.12, 0.13)]
    assert found == [None, 3, 3, None]


def test_an_example_is_learned_once_for_each_copy_and_last_for_the_fraction():
    one, rest = [("learn", 1.0, 7.0), ("sum", 3, 1.0, 1), ("count", 1.0, True)], ("count", 0.5, True)
    assert learned((-1.0, -1.0), 2.5)[1] == [*one, *one, ("learn", 0.5, 7.0), ("sum", 3, 0.5, 1), rest]
    assert learned((-1.0, -1.0), 1.0)[1] == one
    right = [("learn", 1.0, 7.0), ("sum", 3, 1.0, 1), ("count", 1.0, False)]
    assert learned((1.0, 1.0), 2.5, changes=False)[1] == [*right, ("count", 1.5, False)]
    assert learned((1.0, 1.0), 1.0, changes=False)[1] == right
    assert learned((1.0, 1.0), 0.5, changes=False)[1] == [
        ("learn", 0.5, 7.0),
        ("sum", 3, 0.5, 1),
        ("count", 0.5, False),
    ]


def test_a_row_of_length_0_counts_all_its_copies_at_once():
    assert learned((-1.0, -1.0), 2.5, norm2=0.0)[1] == [("sum", 3, 2.5, 3), ("count", 2.5, True)]
    assert learned((-1.0, -1.0), 2.0, norm2=0.0)[1] == [("sum", 3, 2.0, 2), ("count", 2.0, True)]
    assert learned((1.0, 1.0), 2.5, norm2=0.0)[1] == [("count", 2.5, False)]
