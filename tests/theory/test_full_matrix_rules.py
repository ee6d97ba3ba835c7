"""Repeated runs with a full matrix: how far two computations may differ."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.full_matrix_rules import REFRESH, FullArowRule
from novikoff.theory.replay import replay
from novikoff.theory.rules import RuleInput
from novikoff.theory.second_order_rules import Example


@pytest.mark.parametrize("depends", [False, True])
def test_the_allowance_covers_columns_that_nearly_depend_on_each_other(depends):
    random = np.random.default_rng(1)
    X = random.normal(size=(3 * REFRESH, 5)) * [1, 1e3, 1e-3, 1, 1]
    y = np.where(X[:, 0] + random.normal(size=len(X)) > 0, 1, 0)
    if depends:
        X[:, 4] = X[:, 1] + 1e-4 * X[:, 4]
    model = nk.AROW(r=0.1, full=True).partial_fit(X, y, classes=[0, 1])
    rule = model.record_.problems[0].run.rule
    run = replay(X, 2.0 * y - 1, np.ones(len(y)), rule.implementation(), rule.geometry, [np.arange(len(y))])
    gap = np.linalg.norm(np.append(run.weights - model.coef_[0], run.bias - model.intercept_[0]))
    assert run.updates == model.certificate_.updates > REFRESH
    assert gap <= run.rounding / 10


def test_the_inverse_is_that_of_the_matrix():
    random, rule = np.random.default_rng(0), FullArowRule(0.5)
    state = rule.start(4)
    for _ in range(REFRESH + 50):
        u, y = random.normal(size=4), float(random.choice([-1, 1]))
        score = float(u @ state["weights"])
        rule.learn(state, Example(np.arange(4), u, RuleInput(y, score, float(u @ u), 1.0, 0.0, 0.0), y * score <= 0))
    np.testing.assert_allclose(state["matrix"] @ state["inverse"], np.eye(4), atol=1e-10)
    np.testing.assert_allclose(state["matrix"] @ state["weights"], state["sum"], atol=1e-10)


def test_an_example_that_would_overflow_enters_the_sum_alone():
    rule, u = FullArowRule(1.0), np.array([1e150, 1.0])
    state = rule.start(2)
    outcome = rule.learn(state, Example(np.arange(2), u, RuleInput(1.0, 0.0, 1e300, 1.0, 0.0, 0.0), True))
    assert outcome.enters_sum
    assert not state["weights"].any()
    np.testing.assert_array_equal(state["sum"], u)
