"""docs/notes.md: the inequalities of the proofs, along the updates of learners on data whose separator is known."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from strategies import few, seeds, separable, soft_problems

pytestmark = pytest.mark.slow

ROUNDING = 1e-9  # relative; sums of a few hundred doubles are far more exact
PASSES = 5  # enough for many updates of every kind


def steps_of(model, data):
    """Every update of a learner that cycles over the rows: v before it, the example u, its label y, and v after it."""
    found, v = [], np.zeros(data.U.shape[1])
    model.set_params(fit_intercept=data.intercept)
    for _ in range(PASSES):
        updates = len(found)
        for x, u, y in zip(data.X, data.U, data.y, strict=True):
            model.partial_fit(x[None], [y], classes=[-1.0, 1.0])
            w = model.coef_.ravel()
            after = np.append(w, model.intercept_) if data.intercept else w.copy()
            if np.any(after != v):
                found.append((v, u, y, after))
            v = after
        if len(found) == updates:
            break
    return found


def separator_of(data):
    """The known separator with unit length, and its margin."""
    v = np.append(data.w, data.b) if data.intercept else data.w
    return v / np.linalg.norm(v), data.margin


def at_most(small, large):
    """Whether small <= large, up to rounding."""
    return small <= large + ROUNDING * (1 + abs(large))


cycled = separable(max_rows=20)


# ---- the plain perceptron: notes 0, 2, 3 and 4 ---------------------------------------------------------------------


@given(data=cycled)
def test_a_mistake_has_a_score_that_is_not_on_the_side_of_its_label(data):
    assert all(y * (v @ u) <= ROUNDING * np.linalg.norm(v) for v, u, y, _ in steps_of(nk.Perceptron(), data))


@given(data=cycled)
def test_every_mistake_raises_the_projection_by_the_margin(data):
    unit, gamma = separator_of(data)
    for k, (before, _, _, after) in enumerate(steps_of(nk.Perceptron(), data), 1):
        assert at_most(before @ unit + gamma, after @ unit)
        assert at_most(k * gamma, after @ unit)


@given(data=cycled)
def test_every_mistake_raises_the_squared_length_by_at_most_that_of_the_example(data):
    for k, (before, u, _, after) in enumerate(steps_of(nk.Perceptron(), data), 1):
        assert at_most(after @ after, before @ before + u @ u)
        assert at_most(after @ after, k * data.radius**2)


@given(data=cycled)
def test_the_length_lies_between_the_projection_and_root_k_times_the_radius(data):
    unit, gamma = separator_of(data)
    for k, (_, _, _, after) in enumerate(steps_of(nk.Perceptron(), data), 1):
        chain = [k * gamma, after @ unit, np.linalg.norm(after), np.sqrt(k) * data.radius]
        assert all(map(at_most, chain, chain[1:]))


@given(data=cycled, length=st.sampled_from([0.1, 1.0, 3.0]))
def test_the_mistakes_are_below_each_term_of_the_third_part(data, length):
    unit, gamma = separator_of(data)
    star, epsilon, U = length * unit, length * gamma, data.radius
    for M, (_, _, _, w) in enumerate(steps_of(nk.Perceptron(), data), 1):
        by_length = np.linalg.norm(w) * length / epsilon
        chain = [M, w @ star / epsilon, by_length, U * np.sqrt(M) * length / epsilon]
        assert all(map(at_most, chain, chain[1:]))
        assert at_most(M, U**2 * length**2 / epsilon**2)


@given(data=cycled)
def test_an_update_brings_the_weights_closer_to_the_example(data):
    for before, u, y, after in steps_of(nk.Perceptron(), data):
        assert np.linalg.norm(after - y * u) == pytest.approx(np.linalg.norm(before))
        assert np.linalg.norm(before - y * u) > np.linalg.norm(before)


@given(data=cycled)
def test_the_margin_is_the_distance_of_the_nearest_example(data):
    unit, gamma = separator_of(data)
    feet = data.U - np.outer(data.U @ unit, unit)  # the points of the plane that are nearest to the examples
    assert np.linalg.norm(data.U - feet, axis=1).min() == pytest.approx(gamma)


@given(data=cycled)
def test_the_distance_to_a_long_separator_falls_with_every_update(data):
    unit, gamma = separator_of(data)
    star = data.radius**2 / gamma * unit
    for before, _, _, after in steps_of(nk.Perceptron(), data):
        squares = [(before - star) @ (before - star), (after - star) @ (after - star)]
        assert squares[1] == pytest.approx(after @ after + star @ star - 2 * after @ star)
        assert at_most(squares[1], squares[0] - data.radius**2)


# ---- the margin perceptron, on examples of unit length: note 1 -----------------------------------------------------


def steps_for_the_margin(data):
    return steps_of(nk.MarginPerceptron(margin=data.margin, epsilon=0.5), data)


unit_examples = separable(intercept=False, unit=True, max_rows=15)


@given(data=unit_examples)
def test_mistakes_on_unit_examples_are_at_most_one_over_the_squared_margin(data):
    assert data.margin <= 1
    assert at_most(len(steps_of(nk.Perceptron(), data)), 1 / data.margin**2)


@given(data=unit_examples)
def test_an_update_for_the_margin_raises_the_projection_by_the_margin(data):
    unit, gamma = separator_of(data)
    for M, (before, _, _, after) in enumerate(steps_for_the_margin(data), 1):
        assert at_most(before @ unit + gamma, after @ unit)
        assert at_most(M * gamma, np.linalg.norm(after))


@given(data=unit_examples)
def test_a_mistake_lengthens_the_weights_by_at_most_half_their_inverse_length(data):
    for before, _, _, after in steps_of(nk.Perceptron(), data)[1:]:
        length = np.linalg.norm(before)
        assert at_most(after @ after, length**2 + 1)
        assert length == 0 or at_most(np.linalg.norm(after), length + 1 / (2 * length))


@given(data=unit_examples)
def test_an_update_for_the_margin_lengthens_the_weights_by_half_the_margin_more(data):
    for before, u, y, after in steps_for_the_margin(data)[1:]:
        length = np.linalg.norm(before)
        assert at_most(y * (before @ u) / length, data.margin / 2)
        assert at_most(np.linalg.norm(after), length + 1 / (2 * length) + data.margin / 2)


@given(data=unit_examples)
def test_long_weights_grow_by_at_most_three_quarters_of_the_margin(data):
    for before, _, _, after in steps_for_the_margin(data):
        if np.linalg.norm(before) >= 2 / data.margin:
            assert at_most(np.linalg.norm(after), np.linalg.norm(before) + 0.75 * data.margin)


@given(data=unit_examples)
def test_the_length_after_all_updates_is_below_the_line_of_the_proof(data):
    gamma = data.margin
    for M, (before, _, _, after) in enumerate(steps_for_the_margin(data), 1):
        if np.linalg.norm(before) < 2 / gamma:
            assert at_most(np.linalg.norm(after), 2 / gamma + 1)
        assert at_most(np.linalg.norm(after), 1 + 2 / gamma + 0.75 * M * gamma)
        assert at_most(M, 4 / gamma + 8 / gamma**2)  # what the proof gives; at most 12 / gamma^2


# ---- the soft margin: note 4 ---------------------------------------------------------------------------------------


@few
@given(problem=soft_problems(), lam=st.sampled_from([0.01, 0.1, 1.0]), factor=st.sampled_from([2.0, 10.0]), seed=seeds)
def test_a_larger_lambda_gives_a_wider_margin_and_more_slack(problem, lam, factor, seed):
    X, y, _ = problem
    assume(np.any(X))
    models = [
        nk.LinearSVM(lam=value, loss="hinge", tol=1e-9, random_state=seed % 1000).fit(X, y)
        for value in (lam, factor * lam)
    ]
    slack = [np.maximum(0, 1 - y * model.decision_function(X)).sum() for model in models]
    length = [np.linalg.norm(model.coef_) for model in models]
    assert length[1] <= length[0] + 1e-3 * (1 + length[0])  # by strong convexity the error of w is the root of the gap
    assert slack[0] <= slack[1] + 1e-3 * (1 + slack[1])
