"""Repeated runs with a full matrix: how far two computations may differ."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.theory.full_matrix_rules import REFRESH, FullArowRule, FullSecondOrderPerceptronRule
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


@pytest.mark.parametrize("size", [1.0, 1e7, 1e9, 1e30, 1e60])
@pytest.mark.parametrize("learner", [nk.AROW(full=True), nk.SecondOrderPerceptron(full=True)], ids=repr)
def test_runs_on_large_values_are_repeated(learner, size):
    X, y = size * np.array([[1.0, 0.5], [-1.5, 0.25], [1.0, -1.0]]), [1, 0, 1]
    model = clone(learner).set_params(fit_intercept=False).partial_fit(X, y)
    found = nk.verify(model, X, y)
    assert found, str(found)
    assert "run" in {check.claim for check in found.checks if check.status == "holds"}


@pytest.mark.parametrize("size", [1e6, 1e9, 1e30])
def test_equal_columns_of_large_values_refute_no_honest_run(size):
    """Rounding makes the matrix singular: its entries are all the same."""
    X, y = np.full((4, 2), size) * [[1], [-1], [2], [-1]], [1, 0, 1, 0]
    model = nk.SecondOrderPerceptron(full=True, fit_intercept=False).partial_fit(X, y)
    assert not nk.verify(model, X, y).failures


def test_the_inverse_of_a_singular_matrix_is_that_of_one_with_eigenvalues_of_a():
    found = FullArowRule(0.5)._inverse(np.full((2, 2), 1e18))
    np.testing.assert_allclose(found, [[1.0, -1.0], [-1.0, 1.0]], rtol=1e-12)
    assert FullArowRule(0.5)._inverse(np.diag([4.0, 0.5])).tolist() == [[0.25, 0.0], [0.0, 2.0]]


def test_the_inverse_is_computed_anew_after_the_determinant_grew_too_much():
    """A column with a = 1 and values s has the determinant 1 + s^2 after one update, and 1 + 2 s^2 after two."""
    for square, anew in ((2.0**26 - 2, False), (2.0**26, True)):
        rule = FullArowRule(1.0)
        state = rule.start(1) | {"inverse": np.array([[1.0 + 1e-12]])}
        rule.learn(state, example([np.sqrt(square)]))
        assert (state["growth"] == 1.0) is anew
        assert bool(state["inverse"] == 1 / state["matrix"]) is anew
    state = rule.start(1)
    for _ in range(2):
        rule.learn(state, example([8.0]))
    assert state["growth"] == pytest.approx(1 + 2 * 64)


def test_an_example_that_would_overflow_enters_the_sum_alone():
    rule, u = FullArowRule(1.0), np.array([1e150, 1.0])
    state = rule.start(2)
    outcome = rule.learn(state, Example(np.arange(2), u, RuleInput(1.0, 0.0, 1e300, 1.0, 0.0, 0.0), True))
    assert outcome.enters_sum
    assert not state["weights"].any()
    np.testing.assert_array_equal(state["sum"], u)


def example(u, y=1.0, *, weight=1.0, score=0.0, columns=None):
    u = np.array(u)
    given = RuleInput(y, score, float(u @ u), weight, 0.0, 0.0)
    return Example(np.arange(len(u)) if columns is None else np.array(columns), u, given, y * score <= 0)


def test_weights_are_the_solution_for_the_sum_of_all_updates():
    """With a = 4 and u = 2 e_1, then u = (1, 2) of weight 1/2: A = [[8.5, 1], [1, 6]] and v = (1.5, -1)."""
    rule = FullSecondOrderPerceptronRule(4.0)
    state = rule.start(2)
    assert (state["updates"], state["rounding"]) == (0, 0.0)
    assert state["matrix"].tolist() == [[4.0, 0.0], [0.0, 4.0]]
    assert state["inverse"].tolist() == [[0.25, 0.0], [0.0, 0.25]]
    rule.learn(state, example([2.0], columns=[0]))
    assert (state["weights"].tolist(), state["sum"].tolist()) == ([0.25, 0.0], [2.0, 0.0])
    outcome = rule.learn(state, example([1.0, 2.0], -1.0, weight=0.5))
    assert (outcome.enters_sum, outcome.changes, state["updates"]) == (True, True, 2)
    np.testing.assert_array_equal(state["matrix"], [[8.5, 1.0], [1.0, 6.0]])
    np.testing.assert_allclose(state["inverse"], np.array([[6.0, -1.0], [-1.0, 8.5]]) / 50, rtol=1e-15)
    np.testing.assert_array_equal(state["sum"], [1.5, -1.0])
    np.testing.assert_allclose(state["weights"], [10 / 50, -10 / 50], rtol=1e-15)


def test_the_allowance_is_that_of_the_condition_and_of_the_number_of_updates():
    """It bounds the error of the weights times the roots of the diagonal (4, 1) of the matrix."""
    rule, state = FullSecondOrderPerceptronRule(1.0), {"weights": np.array([2.0, 3.0]), "updates": 9}
    state |= {"matrix": np.array([[4.0, 0.0], [0.0, 1.0]]), "inverse": np.array([[0.5, 0.0], [0.0, -1.0]])}
    condition, length = 2 * (0.5 * 4 + 1.0 * 1), np.sqrt(4 * 2.0**2 + 1 * 3.0**2)
    assert rule._rounding(state) == pytest.approx(64 * (2 + 8 + 3) * 2.0**-52 * condition * length, rel=1e-14)
    state["rounding"] = 0.25
    assert rule.score_rounding(state, example([6.0, 4.0]), 7.0) == 2 * 0.25 * np.sqrt(6.0**2 / 4 + 4.0**2 / 1)
    assert rule.score_rounding(state, example([6.0], columns=[0]), 7.0) == 2 * 0.25 * 3.0


def test_both_rules_have_a_matrix():
    assert FullArowRule.has_matrix
    assert FullSecondOrderPerceptronRule.has_matrix


def test_the_error_of_the_weights_is_that_in_the_column_with_the_least_diagonal():
    rule = FullSecondOrderPerceptronRule(4.0)
    state = rule.start(2)
    outcome = rule.learn(state, example([2.0], columns=[0]))
    assert state["rounding"] > 0
    assert outcome.rounding == state["rounding"] / 2


def test_weights_that_overflow_may_differ_by_anything():
    rule, state = FullSecondOrderPerceptronRule(1.0), {"matrix": np.eye(2), "inverse": np.eye(2), "updates": 1}
    for weights in ([np.inf, 1.0], [np.nan, 1.0], [np.inf, np.nan]):
        assert rule._rounding(state | {"weights": np.array(weights)}) == np.inf


def test_arow_learns_from_margins_below_1_and_the_perceptron_from_mistakes():
    for rule, limit in ((FullArowRule(1.0), 1.0), (FullSecondOrderPerceptronRule(1.0), 0.0)):
        state = rule.start(1)
        assert rule.needed_margin(state, example([1.0])) == limit
        outcome = rule.learn(state, example([1.0], score=np.nextafter(limit, 2)))
        assert (outcome.enters_sum, outcome.changes, state["updates"]) == (False, False, 0)
        assert rule.learn(state, example([1.0], score=np.nextafter(limit, -2))).enters_sum
    assert not FullArowRule(1.0).learn(FullArowRule(1.0).start(1), example([1.0], score=1.0)).enters_sum


def test_the_inverse_is_computed_anew_after_some_updates_only():
    rule = FullArowRule(1.0)
    for updates in range(REFRESH - 2, REFRESH + 2):
        state = rule.start(1) | {"updates": updates, "inverse": np.array([[1.0 + 1e-9]])}
        rule.learn(state, example([1.0]))
        assert bool(state["inverse"][0, 0] == 0.5) is (updates + 1 == REFRESH)
        assert state["inverse"][0, 0] == pytest.approx(0.5, rel=1e-8)


@pytest.mark.parametrize(
    ("a", "largest"), [(1.0, 1e140), (1e-20, 1e130), (1e20, 1e150), (1e-293, 10 ** (-26 / 3)), (1e-286, 1e-4)]
)
def test_a_matrix_is_safe_up_to_a_trace(a, largest):
    """T^2 / a and T^1.5 / a are below 1e280, for the trace T of what the matrix has beside the other entries a."""
    rule = FullArowRule(a)
    assert rule._is_safe(largest * (1 - 1e-9), 1)
    assert not rule._is_safe(largest * (1 + 1e-9), 1)
    others = 10**150 + 1
    assert a != 1 or rule._is_safe(1e150 + 0.9e140, others)


def test_an_example_that_would_overflow_changes_nothing_but_could_later():
    rule = FullArowRule(1.0)
    state = rule.start(1) | {"rounding": 0.125}
    outcome = rule.learn(state, example([1e75]))
    assert (outcome.enters_sum, outcome.changes, outcome.rounding, state["updates"]) == (True, True, 0.125, 0)
    small = rule.learn(state, example([1e75], weight=1e-148))
    assert small.rounding != 0.125
    assert state["updates"] == 1
