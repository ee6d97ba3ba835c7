"""One round in one partition, and the mean of several."""

import numpy as np
import pytest

from novikoff.online.mixing import Outcome, Start, counted_as, learn_part
from novikoff.theory.rules import Rule
from reference.mixing import one_pass

rng = np.random.default_rng(6)
X = rng.normal(size=(15, 3))
CODES = (X @ [1.0, 2.0, -1.0] > 0.3).astype(np.int32)


def outcome(mistakes, updates, weights, **more):
    return Outcome(float(mistakes), updates, [float(mistakes)], True, np.array(weights, dtype=float), 1.0, **more)


NOTHING = Outcome(0.0, 0, [0.0])


def test_weights_are_mixed_in_proportion_to_mistakes():
    found = outcome(3, 3, [1.0, 0.0]) + outcome(1, 1, [5.0, 4.0])
    assert found.weights.tolist() == [2.0, 1.0]
    assert (found.mistakes, found.updates, found.each) == (4.0, 4, [3.0, 1.0])


def test_a_single_share_is_taken_without_rounding():
    weights = [0.1, 1 / 3, 1e-300]
    for found in (outcome(7, 7, weights) + NOTHING, NOTHING + outcome(7, 7, weights)):
        assert found.weights.tolist() == weights
        assert sorted(found.each) == [0.0, 7.0]


@pytest.mark.parametrize("turned", [False, True])
def test_updates_count_only_if_nobody_made_a_mistake(turned):
    quiet, busy = outcome(0, 9, [1.0]), outcome(0, 3, [5.0])
    pair = (busy, quiet) if turned else (quiet, busy)
    assert (pair[0] + pair[1]).weights.tolist() == [2.0]
    mistaken = outcome(2, 2, [8.0])
    assert (pair[0] + pair[1] + mistaken).weights.tolist() == [8.0]
    assert (mistaken + pair[0] + pair[1]).weights.tolist() == [8.0]


def test_nothing_to_mix_remains_nothing():
    found = NOTHING + NOTHING
    assert found.weights is None
    assert found.average is None


def test_sums_of_examples_and_averages_are_added():
    first = outcome(
        1, 1, [1.0], examples=2.0, positives=1.0, energy=3.0, squared_radius=4.0, average=np.array([1.0, 2.0])
    )
    second = outcome(1, 1, [1.0], examples=3.0, energy=1.0, squared_radius=2.0, average=np.array([3.0, 5.0]))
    found = first + second
    assert (found.examples, found.positives, found.energy, found.squared_radius) == (5.0, 1.0, 4.0, 4.0)
    assert found.average.tolist() == [4.0, 7.0]


@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive"])
def test_a_pass_starts_with_the_given_weights(rule):
    start = Start(1, np.array([0.5, -0.5, 0.25]), -0.125)
    (found, duals), *_ = learn_part("test", Rule(rule), [start], X, CODES, None, None)
    signs = np.where(CODES == 1, 1, -1)
    U = np.hstack([X, np.ones((15, 1))])
    variant = "perceptron" if rule == "perceptron" else "PA"
    v, mistakes, updates, _ = one_pass(U, signs, np.append(start.weights, start.bias), variant)
    assert (found.mistakes, found.updates) == (mistakes, updates)
    assert np.allclose(np.append(found.weights, found.bias), v, rtol=1e-13)
    steps = duals.dense(15)
    assert np.allclose(start.weights + (steps * signs) @ X, found.weights)
    assert found.examples == 15


def test_the_average_is_the_sum_over_the_examples_of_the_pass():
    start = Start(1, np.array([0.5, -0.5, 0.25]), -0.125)
    ((found, _),) = learn_part("test", Rule("perceptron", keep="average"), [start], X, CODES, None, None)
    U = np.hstack([X, np.ones((15, 1))])
    *_, total = one_pass(U, np.where(CODES == 1, 1, -1), np.append(start.weights, start.bias))
    assert np.allclose(found.average, total, rtol=1e-13)


def test_all_problems_visit_the_rows_in_one_order():
    starts = [Start(code, np.zeros(3), 0.0) for code in (1, 1)]
    first, second = learn_part("test", Rule("perceptron"), starts, X, CODES, None, 5)
    assert np.array_equal(first[0].weights, second[0].weights)
    other = learn_part("test", Rule("perceptron"), starts[:1], X, CODES, None, 6)
    assert not np.array_equal(first[0].weights, other[0][0].weights)


def test_totals_are_split_into_whole_examples_and_a_rest():
    assert counted_as(3.25) == type(counted_as(0.0))(3, 0.25)
