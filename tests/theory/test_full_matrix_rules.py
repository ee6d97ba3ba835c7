"""Repeated runs with a full matrix: how far two computations may differ."""

from fractions import Fraction

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
    np.testing.assert_allclose(state["matrix"] @ inverse_of(state), np.eye(4), atol=1e-10)
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


@pytest.mark.parametrize("size", [1.0, 1e9, 1e30])
@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_the_root_is_that_of_the_inverse_whatever_the_length_of_rows(size, weight):
    """Against fractions: A and its inverse, and the weights that solve A w = v."""
    rule, random = FullArowRule(0.5), np.random.default_rng(3)
    state = rule.start(2)
    A, v = [[Fraction(1, 2), Fraction(0)], [Fraction(0), Fraction(1, 2)]], [Fraction(0), Fraction(0)]
    for y in (1.0, -1.0, 1.0):
        u = size * random.normal(size=2)
        rule.learn(state, example(u, y, weight=weight))
        exact = [Fraction(float(value)) for value in u]
        for i in range(2):
            v[i] += Fraction(y * weight) * exact[i]
            for k in range(2):
                A[i][k] += Fraction(weight) * exact[i] * exact[k]
        determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0]
        inverse = np.array([[A[1][1], -A[0][1]], [-A[1][0], A[0][0]]]) / determinant
        np.testing.assert_allclose(inverse_of(state), inverse.astype(float), rtol=1e-13)
        expected = (inverse @ np.array(v)).astype(float)
        np.testing.assert_allclose(state["weights"], expected, rtol=1e-13, atol=1e-14 * np.abs(expected).max())


def inverse_of(state):
    return state["root"] @ state["root"].T


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
    assert state["root"].tolist() == [[0.5, 0.0], [0.0, 0.5]]
    rule.learn(state, example([2.0], columns=[0]))
    assert (state["weights"].tolist(), state["sum"].tolist()) == ([0.25, 0.0], [2.0, 0.0])
    outcome = rule.learn(state, example([1.0, 2.0], -1.0, weight=0.5))
    assert (outcome.enters_sum, outcome.changes, state["updates"]) == (True, True, 2)
    np.testing.assert_array_equal(state["matrix"], [[8.5, 1.0], [1.0, 6.0]])
    np.testing.assert_allclose(inverse_of(state), np.array([[6.0, -1.0], [-1.0, 8.5]]) / 50, rtol=1e-15)
    np.testing.assert_array_equal(state["sum"], [1.5, -1.0])
    np.testing.assert_allclose(state["weights"], [10 / 50, -10 / 50], rtol=1e-15)


def test_the_allowance_is_that_of_the_condition_and_of_the_number_of_updates():
    """It bounds the error of the weights times the roots of the diagonal (4, 1) of the matrix."""
    rule, state = FullSecondOrderPerceptronRule(1.0), {"weights": np.array([2.0, 3.0]), "updates": 9}
    state |= {"matrix": np.array([[4.0, 0.0], [0.0, 1.0]]), "root": np.array([[0.5, -0.5], [0.0, 1.0]])}
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
    rule, state = FullSecondOrderPerceptronRule(1.0), {"matrix": np.eye(2), "root": np.eye(2), "updates": 1}
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


def test_the_root_and_the_weights_are_computed_anew_after_some_updates_only():
    rule = FullArowRule(1.0)
    for updates in range(REFRESH - 2, REFRESH + 2):
        state = rule.start(1) | {"updates": updates, "root": np.array([[1.0 + 1e-9]]), "weights": np.array([1e-9])}
        rule.learn(state, example([1.0]))
        assert bool(state["root"][0, 0] == 1 / np.sqrt(2)) is (updates + 1 == REFRESH)
        assert bool(state["weights"][0] == 0.5) is (updates + 1 == REFRESH)
        assert inverse_of(state)[0, 0] == pytest.approx(0.5, rel=1e-8)
        assert state["weights"][0] == pytest.approx(0.5, rel=1e-8)


def test_nothing_is_computed_anew_from_a_matrix_that_has_lost_its_digits():
    """The condition is at most 4 for two equal columns of value 1 beside a = 1, and 2^26 for values of about 2^12."""
    for u, anew in (([1.0, 1.0], True), ([1e3, 1e3], True), ([1e4, 1e4], False)):
        rule = FullArowRule(1.0)
        state = rule.start(2) | {"updates": REFRESH - 1, "weights": np.array([1e-9, 0.0])}
        rule.learn(state, example(u))
        assert bool(state["root"][1, 0] == 0) is anew  # triangular, transposed


def test_an_example_that_is_not_in_the_matrix_moves_no_weight_later():
    rule = FullArowRule(1.0)
    state = rule.start(1) | {"updates": REFRESH - 2}
    rule.learn(state, example([1e75]))
    for _ in range(2):
        rule.learn(state, example([1.0]))
    assert state["updates"] == REFRESH
    assert state["weights"][0] == pytest.approx(2 / 3)
    assert state["sum"][0] == 1e75


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
