"""Rounds that are repeated in NumPy agree with the reference and with the kernels, and know their rounding errors."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from mixed import Mixed
from novikoff.theory import Geometry, Mixing
from novikoff.theory.mixing_replay import MixedReplay, _mix, _pass, replay_mixing
from novikoff.theory.replayed_run import EPS, SMALLEST, CarriedSum, Replay
from novikoff.theory.rules import Rule
from reference.mixing import mixing

rng = np.random.default_rng(9)
X = rng.normal(size=(21, 3))
SIGNS = np.where(X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=21) > 0, 1.0, -1.0)
SIZES = np.array([6, 0, 10, 5])
VARIANTS = {
    "perceptron": Rule("perceptron"),
    "PA": Rule("passive-aggressive"),
    "PA-I": Rule("passive-aggressive I", 0.5),
    "PA-II": Rule("passive-aggressive II", 0.5),
}


def described(rounds, shuffle=False, seed=3):
    return Mixing(SIZES, np.zeros((rounds, 4)), "mistake", seed, shuffle, 0.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_rounds_are_those_of_the_reference(variant):
    U = np.hstack([X, np.ones((21, 1))])
    ends = np.cumsum(SIZES)[:-1]
    parts = list(zip(np.split(U, ends), np.split(SIGNS, ends), strict=True))
    v, counts, average = mixing(parts, 5, variant, C=0.5)
    found = replay_mixing(X, SIGNS, np.ones(21), VARIANTS[variant].implementation(), Geometry(), described(5))
    assert np.array_equal(np.array(found.mistakes, dtype=float), counts)
    assert np.allclose(np.append(found.weights, found.bias), v, rtol=1e-12, atol=1e-13)
    mean = np.append(found.average_weights, found.average_bias) / found.average_examples
    assert np.allclose(mean, average, rtol=1e-12, atol=1e-13)
    assert found.visits == 5 * 21


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@pytest.mark.parametrize(
    "variant", [nk.Perceptron, nk.AveragedPerceptron, nk.PassiveAggressive, nk.PassiveAggressiveII]
)
@pytest.mark.parametrize("normalize", [False, True])
def test_the_kernels_are_within_the_rounding_errors_of_a_repeated_run(variant, normalize):
    weights = np.random.default_rng(2).choice([0.5, 1.0, 2.25], size=21)
    if variant not in (nk.Perceptron, nk.AveragedPerceptron):  # a second copy has a margin of exactly 1
        weights = np.minimum(weights, 0.75)
    model = Mixed(variant(max_iter=6, normalize=normalize), 3).fit(X * 1e3, SIGNS, weights)
    certificate, rule = model.certificate_, model.record_.problems[0].run.rule
    found = replay_mixing(X * 1e3, SIGNS, weights, rule.implementation(), rule.geometry, certificate.mixing)
    assert found.doubtful is None
    assert [[float(k) for k in own] for own in found.mistakes] == certificate.mixing.mistakes.tolist()
    assert found.updates == certificate.updates
    gap = found.distance(certificate.evidence.weights, certificate.evidence.intercept).root().outer_high()
    assert gap <= found.rounding < 1e-6 * np.linalg.norm(certificate.evidence.weights)
    if rule.keep == "average":
        gap = found.average_distance(model.coef_[0], model.intercept_[0]).root().outer_high()
        assert gap <= found.average_error() < 1e-6 * np.linalg.norm(model.coef_)


def test_sparse_rows_with_columns_that_do_not_occur_are_repeated_in_full_width():
    wide = sp.csr_array((X.ravel(), np.tile([5, 70, 4000], 21), np.arange(0, 64, 3)), shape=(21, 5000))
    rule = Rule("perceptron").implementation()
    one = replay_mixing(X, SIGNS, np.ones(21), rule, Geometry(), described(3, shuffle=True))
    two = replay_mixing(wide, SIGNS, np.ones(21), rule, Geometry(), described(3, shuffle=True))
    assert len(two.weights) == len(two.average_weights) == 5000
    assert np.allclose(np.asarray(two.weights)[[5, 70, 4000]], one.weights)


@pytest.mark.parametrize(("entry", "doubtful"), [(-1.0, 2), (-1.0 - 2**-52, 2), (-0.5, None)])
def test_a_score_near_zero_is_remembered_as_doubtful(entry, doubtful):
    """The third row, of negligible weight, is orthogonal to the mean of the first two, up to a rounding error."""
    rows, signs = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, entry]]), np.array([1.0, 1.0, -1.0])
    described_here = Mixing(np.array([1, 1, 1]), np.zeros((2, 3)), "mistake", 0, False, 0.0)
    rule, geometry = Rule("perceptron").implementation(), Geometry(fit_intercept=False)
    found = replay_mixing(rows, signs, np.array([1.0, 1.0, 1e-9]), rule, geometry, described_here)
    assert found.mistakes[0][:2] == [1, 1]
    assert found.doubtful == doubtful


def test_rows_whose_squares_overflow_have_unit_length_all_the_same():
    geometry = Geometry(normalize=True, fit_intercept=False)
    rule = Rule("perceptron").implementation()
    small = replay_mixing(X, SIGNS, np.ones(21), rule, geometry, described(3))
    large = replay_mixing(X * 2.0**560, SIGNS, np.ones(21), rule, geometry, described(3))
    assert np.allclose(small.weights, large.weights, rtol=1e-13)
    assert small.mistakes == large.mistakes


def part(weights, bias=0.0, **fields):
    """What one partition did in a round, with weights whose length is known exactly."""
    weights = np.array(weights)
    square = CarriedSum(float(weights @ weights) + bias * bias)
    return Replay(weights, bias, average_weights=np.zeros(len(weights)), squared_length=square, **fields)


def test_rounds_that_have_not_begun_are_at_zero():
    found = MixedReplay(np.zeros(2), average_weights=np.zeros(2))
    assert (found.bias, found.updates, found.visits, found.terms, found.doubtful) == (0.0, 0, 0, 0, None)
    assert (found.rounding, found.average_rounding, found.longest, found.average_error()) == (0.0, 0.0, 0.0, 0.0)
    assert found.average_distance(np.array([3.0, 0.0]), 4.0).low == pytest.approx(25)
    assert found.distance(np.array([3.0, 0.0]), 4.0).low == pytest.approx(25)


def test_the_common_weights_are_the_mean_by_mistakes():
    """(3 (1, 2) + (5, -2)) / 4, of which the longest is (5, -2, 4) with its intercept."""
    found = MixedReplay(np.array([9.0, 9.0]), 9.0, average_weights=np.zeros(2), updates=5, visits=7)
    one = part([1.0, 2.0], 0.0, mistaken=[1.0, 2.0], updates=2, visits=6, rounding=0.25, doubtful=8)
    two = part([5.0, -2.0], 4.0, mistaken=[1.0], updates=7, visits=9, rounding=0.5, doubtful=4)
    idle = part([70.0, 0.0], 1.0, updates=0, visits=3)
    _mix(found, [one, two, idle])
    assert (found.weights.tolist(), found.bias) == ([2.0, 1.0], 1.0)
    assert found.mistakes == [[3, 1, 0]]
    assert (found.updates, found.visits, found.doubtful) == (14, 25, 8)
    longest = math.sqrt(25 + 4 + 16)
    assert found.rounding - 0.5 == pytest.approx(2 * (3 + 8) * EPS * longest * math.sqrt(3), abs=1e-16)
    _mix(found, [part([1.0, 1.0], updates=1, doubtful=2), part([4.0, 1.0], updates=2), part([0.0, 0.0])])
    assert (found.weights.tolist(), found.bias) == ([3.0, 1.0], 0.0)  # by updates, without mistakes
    assert (found.mistakes[1], found.doubtful) == ([0, 0, 0], 8)
    _mix(found, [part([7.0, 7.0])] * 3)
    assert found.weights.tolist() == [3.0, 1.0]  # nothing was learned
    _mix(found, [part([0.0, 0.0], mistaken=[1.0], rounding=0.0)])
    assert found.rounding == 2 * SMALLEST


def test_the_average_has_a_weight_for_each_example():
    found = MixedReplay(np.zeros(1), average_weights=np.array([1.0]), average_bias=2.0, average_examples=3.0)
    one, two = part([3.0], 4.0, examples=2.0, path=7.0, rounding=0.5), part([6.0], 0.0, examples=5.0, path=1.0)
    one.average_weights, one.average_bias, one.average_rounding = np.array([4.0]), 2.0, 0.25
    _mix(found, [one, part([100.0]), two])
    assert (found.average_weights.tolist(), found.average_bias) == ([1 + 2 * (3 - 2) + 5 * 6], 2 + 2 * (4 - 1))
    assert (found.average_examples, found.terms) == (10.0, 2)
    assert (found.longest, found.average_rounding) == (12.0, 0.75)
    assert found.average_error() - 0.75 == pytest.approx(2 * 18 * EPS * 12 * math.sqrt(2), rel=1e-2, abs=0.0)
    assert found.average_distance(np.array([3.3]), 0.8).high < 1e-30
    assert found.average_distance(np.array([3.3]), 1.8).low == pytest.approx(1)


def test_a_pass_begins_with_the_length_and_the_rounding_of_the_common_weights():
    start = MixedReplay(np.array([3.0]), 4.0, rounding=0.125)
    rows = [(np.array([0]), np.array([2.0]))]
    rule = Rule("perceptron").implementation()
    run = _pass(start, rows, np.ones(1), np.ones(1), rule, Geometry(), np.arange(0))
    assert (run.weights.tolist(), run.bias, run.rounding) == ([3.0], 4.0, 0.125)
    assert run.squared_length.value() == 25.0
    assert run.squared_length_error == 9 * EPS * 25 + 2 * 5 * 0.125
    for geometry, step, square in (
        (Geometry(), [-2.0, -1.0], 1 + 9),
        (Geometry(normalize=True), [-2 / math.sqrt(5), -1 / math.sqrt(5)], 26 - 2 * 10 / math.sqrt(5)),
    ):
        run = _pass(start, rows, -np.ones(1), np.ones(1), rule, geometry, np.arange(1))
        assert [run.weights[0] - 3, run.bias - 4] == pytest.approx(step)
        assert run.squared_length.value() == pytest.approx(square)
    assert start.weights.tolist() == [3.0]


def test_rows_of_zeros_have_no_direction_of_unit_length():
    rule = Rule("perceptron").implementation()
    geometry, one = Geometry(False, normalize=True), Mixing(np.array([2]), np.zeros((1, 1)), "mistake", 0, False, 0.0)
    found = replay_mixing(np.array([[0.0], [2.0]]), np.ones(2), np.ones(2), rule, geometry, one)
    assert (found.weights.tolist(), found.updates) == ([1.0], 2)


def test_rows_of_unit_length_are_those_that_were_scaled_before():
    rule = Rule("perceptron").implementation()
    U = np.hstack([X, np.ones((21, 1))])
    for rows in (U, U * 2.0**560):
        fitted = replay_mixing(X, SIGNS, np.ones(21), rule, Geometry(normalize=True), described(3))
        scaled = U / np.linalg.norm(U, axis=1, keepdims=True)
        other = replay_mixing(scaled, SIGNS, np.ones(21), rule, Geometry(False), described(3))
        alone = replay_mixing(rows, SIGNS, np.ones(21), rule, Geometry(False, normalize=True), described(3))
        np.testing.assert_allclose([*fitted.weights, fitted.bias], other.weights, rtol=1e-12)
        np.testing.assert_allclose(alone.weights, other.weights, rtol=1e-12)


def test_orders_are_shuffled_within_each_partition_and_differ_between_rounds():
    rule = Rule("perceptron").implementation()
    plain, shuffled = (
        replay_mixing(X, SIGNS, np.ones(21), rule, Geometry(), described(4, shuffle)) for shuffle in (False, True)
    )
    assert plain.weights.tolist() != shuffled.weights.tolist()
    other = replay_mixing(X, SIGNS, np.ones(21), rule, Geometry(), described(4, True, seed=4))
    assert other.weights.tolist() != shuffled.weights.tolist()
    assert [len(own) for own in shuffled.mistakes] == [4] * 4
    assert all(own[1] == 0 for own in shuffled.mistakes)
