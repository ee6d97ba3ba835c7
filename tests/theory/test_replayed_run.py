"""The state of a repeated run: sums that carry their errors, distances that enclose the truth, and the proof."""

import math
from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.forgetting import Forgetting
from novikoff.theory.geometry import Geometry
from novikoff.theory.replay import replay
from novikoff.theory.replayed_run import CarriedSum, Replay, squared_distance


def test_a_carried_sum_is_exact_where_a_plain_one_is_not():
    total, terms = CarriedSum(), [1e16, 1.0, -1e16, 1.0, 2.0**-40]
    for term in terms:
        total.add(term)
    assert Fraction(total.value()) == sum(map(Fraction, terms))
    assert sum(terms) != total.value()


def test_the_squared_distance_encloses_the_truth():
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, other = rng.normal(size=4), rng.normal(size=4)
        found = squared_distance(one[:3], one[3], other[:3], other[3])
        truth = sum((Fraction(p) - Fraction(q)) ** 2 for p, q in zip(one.tolist(), other.tolist(), strict=True))
        assert Fraction(found.low) <= truth <= Fraction(found.high)
    assert squared_distance(one[:3], 1.0, one[:3], 1.0).high == 0
    assert squared_distance(np.array([np.nan]), 0.0, np.zeros(1), 0.0).high == np.inf


def test_a_run_has_the_counts_and_weights_of_its_learner():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.choice([-1.0, 1.0], size=40)
    model = nk.Perceptron().partial_fit(X, y)
    rule = model.record_.problems[0].run.rule
    again = replay(X, y, np.ones(40), rule.implementation(), rule.geometry, [np.arange(40)])
    assert (again.updates, again.examples, again.visits) == (model.certificate_.updates, 40.0, 40)
    assert again.distance(model.coef_[0], model.intercept_[0]).high <= again.rounding**2
    assert again.check_bound("bound", 1e9).status == "holds"
    assert again.check_bound("bound", 0.0).status == "fails"


EPS, SMALLEST, TINY = 2.0**-52, 5e-324, 2.0**-1022


def state(**changes):
    """The state of a run with numbers that are powers of two, so that nothing is rounded."""
    fields = {"bias": 8.0, "scale": 1.0, "steps": 4.0, "steps_error": 0.25, "rounding": 0.5, "updates": 3}
    found = Replay(np.array([1.0, -2.0]), **(fields | changes))
    found.squared_length, found.squared_length_error = CarriedSum(64.0, 4.0), 1.0
    return found


def test_shrinking_moves_a_power_of_two_into_the_stored_numbers():
    run, unit = state(), 2.0**-32
    run.shrink(unit)  # the least factor that is kept as it is
    assert (run.scale, run.bias, run.proof.exponent) == (unit, 8.0, 0)
    run.shrink(0.5)
    assert (run.scale, run.proof.exponent) == (0.5, -32)
    assert run.weights.tolist() == [unit, -2 * unit]
    assert (run.bias, run.steps, run.steps_error) == (8 * unit, 4 * unit, 0.25 * unit)
    assert (run.squared_length.sum, run.squared_length.carry) == (64 * unit * unit, 4 * unit * unit)
    assert run.squared_length_error == unit * unit + TINY
    assert run.rounding == 0.5 * unit + 3 * SMALLEST
    run.shrink(2.0**-100)
    assert (run.scale, run.proof.exponent) == (2.0**-5, -128)


def test_what_underflows_when_numbers_are_moved_is_counted():
    run = state(rounding=0.0)
    run.squared_length_error = 0.0
    run.shrink(2.0**-33)
    assert (run.rounding, run.squared_length_error) == (3 * SMALLEST, TINY)


def test_finished_weights_are_multiplied_by_their_factor_and_so_are_their_errors():
    run = state(scale=0.25, forgetting=Forgetting(0.5))
    before = run.largest_length()
    run.finish()
    assert (run.weights.tolist(), run.bias, run.steps, run.steps_error) == ([0.25, -0.5], 2.0, 1.0, 0.0625)
    assert run.scale == 1.0
    assert run.rounding == pytest.approx(0.25 * (0.5 + 4 * EPS * before), rel=1e-15)
    tiny = Replay(np.zeros(2), scale=0.25, forgetting=Forgetting(0.5))
    tiny.finish()
    assert tiny.rounding == 2 * SMALLEST
    kept = state(scale=0.25)
    kept.finish()  # nothing is forgotten, so there is no factor
    assert (kept.weights.tolist(), kept.scale) == ([1.0, -2.0], 0.25)


def test_bounds_on_steps_and_lengths_allow_for_their_roundings():
    run = state(longest=2.0, least_longest=1.0)
    roundings = 2 * 11 * EPS * 4.0
    assert run.remembered_between() == (4.0 - roundings, 4.0 + 2 * roundings + 0.25)
    assert state(steps=0.0, steps_error=0.0).remembered_between() == (0.0, 0.0)
    assert state(updates=2**60).remembered_between()[0] == 0.0
    assert run.longest_between() == (1.0 - 8 * EPS, 2.0 + 16 * EPS)
    assert run.largest_length() == math.sqrt(69.0)
    run.squared_length = CarriedSum(-1.0)
    assert run.largest_length() == 1.0


def test_a_step_enlarges_lengths_and_errors_by_what_its_roundings_can_be():
    run = Replay(np.zeros(2), average_weights=np.zeros(2))
    run.lengthen(0, 2.0, 0.0, 9.0, 4)  # |v| = 6, of a length of 0 before
    roundings = 12 * EPS
    assert run.squared_length.value() == 36.0
    assert run.squared_length_error == pytest.approx(roundings * 36 + TINY, rel=1e-15)
    assert run.rounding == pytest.approx(4 * roundings * 12, rel=1e-15)
    assert run.average_rounding == pytest.approx(8 * EPS * 12, rel=1e-15)
    assert (run.path, run.steps, run.updates, run.updates_of_pass) == (6.0, 2.0, 1, 1)
    before, error, rounding, average = 6.0, run.squared_length_error, run.rounding, run.average_rounding
    run.lengthen(1, 1.0, -5.0, 16.0, 4)  # 36 - 2 * 5 + 16
    assert run.squared_length.value() == 42.0
    added = roundings * 4 * (2 * before + 4) + 2 * 4 * rounding
    assert run.squared_length_error == pytest.approx(error + added, rel=1e-12)
    assert run.rounding == pytest.approx(rounding + 4 * roundings * (before + 8), rel=1e-12)
    assert run.average_rounding == pytest.approx(average + 8 * EPS * (6.0 + before + 8), rel=1e-12)
    assert (run.path, run.steps, run.updates) == (10.0, 3.0, 2)
    still = Replay(np.zeros(2))
    still.lengthen(0, 0.25, 0.0, 0.0, 4)
    assert (still.rounding, still.squared_length_error) == (4 * SMALLEST, TINY)


def test_a_forgetting_run_knows_its_longest_weights_from_both_sides():
    run = Replay(np.array([3.0, 0.0]), bias=4.0, scale=0.5, forgetting=Forgetting(0.5))
    run.lengthen(0, 1.0, 0.0, 25.0, 2)
    error = run.rounding + 10 * 5 * EPS
    assert run.longest == pytest.approx(0.5 * (5 + error), rel=1e-15)
    assert run.least_longest == pytest.approx(0.5 * (5 - error), rel=1e-15)
    assert run.least_longest < 2.5 < run.longest


def test_the_average_counts_each_weight_for_the_examples_that_it_survived():
    """v is 0 for 1 example, (2, 0) for 3 examples and then (2, 3), for 4."""
    run = Replay(np.zeros(2), average_weights=np.zeros(2))
    assert run.average()[1] == 0.0
    run.count(1.0, True)
    run.move(0, np.array([0]), np.array([1.0]), 2.0, 0.5)
    run.count(3.0, False)
    run.move(1, np.array([1]), np.array([-1.0]), -3.0, -1.0)
    run.count(4.0, False)
    weights, bias = run.average()
    assert weights.tolist() == [2 * 7 / 8, 3 * 4 / 8]
    assert bias == (0.5 * 7 - 1.0 * 4) / 8
    assert (run.weights.tolist(), run.bias) == ([2.0, 3.0], -0.5)
    assert (run.survived, run.mistaken, run.visits, run.examples) == ([1.0, 3.0, 4.0], [1.0], 3, 8.0)
    assert (run.moved, run.along) == ([0, 1], [2.0, -3.0])
    low, high = (float(end) for end in vars(run.average_distance(weights + np.array([3.0, 4.0]), bias)).values())
    assert low <= 25.0 <= high < 25.000001


@pytest.mark.parametrize("slack", [0.0, 0.5])
@pytest.mark.parametrize("passes", [1, 2])
def test_the_bound_of_a_run_is_proven_down_to_the_last_fraction(slack, passes):
    """Rows 1 and -1 of one column, each with a label of its own: after one update |v| = sqrt(1 + slack^2)."""
    X, signs = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    rule, geometry = (
        nk.Perceptron().fit(X, signs).record_.problems[0].run.rule.implementation(),
        Geometry(fit_intercept=False, slack_feature=slack),
    )
    orders = [np.arange(2)] * passes
    square = 1 + Fraction(slack) ** 2
    claimed = math.sqrt(square)
    above = claimed if Fraction(claimed) ** 2 >= square else math.nextafter(claimed, 2.0)
    run = replay(X, signs, np.ones(2), rule, geometry, orders, exact=True)
    assert run.check_bound("bound", above).status == "holds"
    assert run.check_bound("bound", math.nextafter(above, 0.0)).status == "fails"
    run = replay(X, signs, np.ones(2), rule, geometry, orders)
    assert run.check_bound("bound", above * (1 + 1e-12)).status == "holds"
    assert run.check_bound("bound", above * (1 - 1e-12)).status == "fails"


def test_a_run_without_updates_proves_nothing():
    X, signs = np.zeros((1, 1)), np.ones(1)
    rule = nk.Perceptron().fit([[1.0], [-1.0]], [1, -1]).record_.problems[0].run.rule.implementation()
    run = replay(X, signs, np.zeros(1), rule, Geometry(fit_intercept=False), [np.arange(1)])
    assert run.check_bound("bound", 1.0).status == "open"


def test_distances_of_equal_planes_are_0_and_those_of_infinite_ones_are_infinite():
    one = np.array([0.1, 0.2])
    assert squared_distance(one, 0.3, one, 0.3).high == 0
    for far in (np.inf, np.nan, 1e308):
        assert squared_distance(one, far, one, -1e308).low == np.inf
    found = squared_distance(one, 3.0, one, -1.0)
    assert 16 * (1 - 32 * EPS) <= found.low < 16 < found.high <= 16 * (1 + 32 * EPS)
