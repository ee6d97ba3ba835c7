"""A run of classes that are learned together, repeated: the reference, ties, rounding, and the proof of its bound."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.geometry import Geometry
from novikoff.theory.kesler_replay import KeslerReplay, Update, _doubt, replay_jointly
from novikoff.theory.lifted import LiftedRows
from novikoff.theory.replayed_run import EPS, SMALLEST, TINY, CarriedSum
from novikoff.theory.rules import Rule, RuleInput
from reference.kesler import kesler, multiclass, multiclass_arow

RNG = np.random.default_rng(7)
X = RNG.integers(-2, 3, (80, 4)) * 1.0
CODES = np.argmax(X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(80, 3)), axis=1)
CODES[:3] = [0, 1, 2]  # classes appear in the order of their codes
PERCEPTRON = Rule("multiclass perceptron").implementation()


def repeated(X=X, codes=CODES, classes=3, copies=None, rule=PERCEPTRON, geometry=None, passes=1):
    copies = np.ones(X.shape[0]) if copies is None else copies
    geometry = Geometry(fit_intercept=False) if geometry is None else geometry
    return replay_jointly(X, codes, classes, copies, rule, geometry, [np.arange(X.shape[0])] * passes)


def test_a_run_is_that_of_the_reference():
    wrong, _, w = multiclass(X, CODES, 3, lambda loss, square: 1.0)
    run = repeated()
    assert run.weights.tolist() == w.tolist()
    assert sum(run.mistaken) == run.updates == wrong.sum()
    assert run.squared_length.value() == pytest.approx(np.sum(w * w))
    assert run.met == [0, 1, 2]


@pytest.mark.parametrize("floor", [0.0, 0.3])
def test_a_second_order_run_is_that_of_the_reference(floor):
    updates, Z, w, s = multiclass_arow(X, CODES, 3, 0.7, floor)
    run = repeated(rule=Rule("multiclass arow", 0.7, extra=floor).implementation())
    np.testing.assert_allclose(run.weights, w, rtol=1e-9)
    np.testing.assert_allclose(run.state["variances"].reshape(3, -1)[:, :-1], s, rtol=1e-9)
    assert run.updates == run.steps == run.used == len(updates)
    assert sum(run.mistaken) == sum(mistake for *_, mistake in updates)
    sums = Z.sum(axis=0).reshape(3, -1)
    for k, block in run.blocks(len(run.made)):
        assert np.ldexp(block.weights.middle, block.weights.exponent).tolist() == sums[k].tolist()
    bound = np.linalg.norm(sums) / len(updates)
    assert run.check_bound("bound", bound * (1 + 1e-9)).status == "holds"
    assert run.check_bound("bound", bound * (1 - 1e-9)).status == "fails"


def test_sparse_rows_without_some_columns_are_repeated_as_dense_ones():
    wide = sp.csr_array(np.hstack([np.zeros((80, 3)), X, np.zeros((80, 50))]))
    run, expected = repeated(wide), repeated().weights
    assert run.weights.tolist() == expected.tolist()
    claimed = np.hstack([np.zeros((3, 3)), expected, np.zeros((3, 50))])
    assert run.distance(claimed, np.zeros(3)).high == 0
    claimed[1, 0] = 0.5  # in a column that does not occur
    assert run.distance(claimed, np.zeros(3)).low > 0


def test_a_weight_is_that_many_copies():
    copies = RNG.integers(0, 4, 80) * 1.0
    index = np.repeat(np.arange(80), copies.astype(int))
    run, expected = repeated(copies=copies), repeated(X[index], CODES[index])
    assert run.weights.tolist() == expected.weights.tolist()
    assert (sum(run.mistaken), run.updates) == (sum(expected.mistaken), expected.updates)


def test_the_bound_is_the_length_of_a_mean_of_kesler_vectors():
    run = repeated()
    some = run.made[: run.used]
    total = sum(update.step * kesler(X[update.row], update.own, update.rival, 3) for update in some)
    bound = np.linalg.norm(total) / sum(update.step for update in some)
    assert bound == pytest.approx(run.least)
    assert run.check_bound("bound", bound * (1 + 1e-9)).status == "holds"
    assert run.check_bound("bound", bound * (1 - 1e-9)).status == "fails"


def test_passes_add_up_in_the_proof():
    run = repeated(passes=3)
    assert run.check_bound("bound", run.least * (1 + 1e-9)).status == "holds"
    assert run.check_bound("bound", run.least * (1 - 1e-3)).status == "fails"


def test_a_tie_goes_to_the_class_that_occurred_first():
    rows, codes = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]), np.array([2, 0, 1, 1])
    run = repeated(rows, codes)
    assert run.met == [2, 0, 1]
    assert run.made[-1].rival == 2


def test_a_lead_within_rounding_of_the_threshold_is_doubtful_and_one_of_exactly_zero_is_not():
    rows = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.2, -0.7]])  # 0.03 + 0.04 - 0.07
    assert repeated(rows[:2], np.array([0, 1])).doubtful is None
    assert repeated(rows, np.array([0, 1, 0])).doubtful == 2


def test_a_row_of_zeros_is_counted_and_changes_nothing():
    run = repeated(np.zeros((3, 2)), np.array([0, 1, 1]))
    assert (sum(run.mistaken), run.updates, run.steps) == (2.0, 2, 2.0)
    assert not run.weights.any()


AROW = Rule("multiclass arow", 0.7).implementation()
PA = Rule("multiclass passive-aggressive I", 0.05).implementation()


def empty(X=X, classes=3):
    """A run that has seen nothing."""
    return KeslerReplay(np.zeros((classes, X.shape[1])), np.zeros(classes), LiftedRows(X, Geometry(False)), None)


def test_a_run_without_examples_has_done_nothing():
    run = empty()
    assert (run.visits, run.updates, run.steps, run.used, run.least) == (0, 0, 0.0, 0, math.inf)
    assert (run.rounding, run.squared_length_error, run.largest_length(), run.doubtful) == (0.0, 0.0, 0.0, None)
    assert run.distance(np.zeros((3, 4)), np.zeros(3)).high == 0
    assert run.check_bound("bound", 1.0).status == "open"


def test_a_worked_run_of_three_examples():
    """z = (-1, 1) in the blocks of the classes 0 and 1, then the third row is led by its class by 4."""
    run = repeated(np.array([[2.0], [1.0], [2.0]]), np.array([0, 1, 1]), classes=2)
    assert run.weights.tolist() == [[-1.0], [1.0]]
    assert (run.visits, run.updates, run.steps, run.mistaken, run.used) == (3, 1, 1.0, [1.0], 1)
    assert run.made == [Update(1, 1, 0, 1.0)]
    assert run.squared_length.value() == 2.0
    assert run.least == pytest.approx(math.sqrt(2), rel=1e-14)
    assert run.check_bound("bound", math.sqrt(2) * (1 + 1e-14)).status == "holds"
    assert run.check_bound("bound", math.sqrt(2) * (1 - 1e-14)).status == "fails"
    assert 0 < run.rounding < 1e-13
    assert 0 < run.squared_length_error < 1e-13


def test_a_step_lengthens_the_weights_and_the_bounds_on_their_rounding():
    """|v| = 3, v.z = 1, |z| = 2 and a step of 2, which is 4 long: |v + 2 z|^2 = 9 + 4 + 16."""
    run = empty()
    run.squared_length = CarriedSum(9.0)
    run.lengthen(2.0, 1.0, 4.0, 2)
    assert run.squared_length.value() == 29.0
    assert run.squared_length_error == 10 * EPS * 4 * (2 * 3 + 4)
    assert run.rounding == 4 * 10 * EPS * (3 + 2 * 4)
    run.squared_length, run.squared_length_error, run.rounding = CarriedSum(9.0), 7.0, 0.5
    run.lengthen(2.0, -1.0, 4.0, 2)  # |v| is at most 4 by now
    assert run.squared_length.value() == 21.0
    assert run.squared_length_error - 7 - 2 * 4 * 0.5 == pytest.approx(10 * EPS * 4 * (2 * 4 + 4), rel=0.05, abs=0.0)
    assert run.rounding == 0.5 + 4 * 10 * EPS * (4 + 2 * 4)
    run = empty()
    run.lengthen(1e-200, 0.0, 1e-300, 3)
    assert (run.squared_length_error, run.rounding) == (TINY, 3 * SMALLEST)
    run.squared_length = CarriedSum(-1.0)
    assert run.largest_length() == math.sqrt(TINY)


def test_the_least_ratio_of_length_and_steps_is_remembered():
    run = empty()
    for square, used in ((4.0, 1), (9.0, 2), (81.0, 2), (9.0, 4)):
        run.squared_length = CarriedSum(square)
        run.note(Update(0, 0, 1, 1.0))
        assert run.used == used
    assert (run.least, run.steps, run.updates) == (0.75, 4.0, 4)
    run.note(Update(0, 0, 1, 2.0), 3)
    assert (run.least, run.steps, run.updates, run.used) == (0.5, 6.0, 7, 5)
    run.squared_length = CarriedSum(16 * 1.5**2)
    run.note(Update(0, 0, 1, 6.0))
    assert run.used == 5  # a ratio of 0.5 is not less


def test_weights_and_lengths_are_within_their_bounds_of_those_in_fractions():
    rows, codes = X * RNG.normal(size=X.shape) / 3, CODES
    run = repeated(rows, codes, rule=PA, passes=2)
    assert run.doubtful is None
    blocks = [[Fraction(0)] * 4 for _ in range(3)]
    for update in run.made:
        for j, value in enumerate(rows[update.row].tolist()):
            blocks[update.own][j] += Fraction(update.step) * Fraction(value)
            blocks[update.rival][j] -= Fraction(update.step) * Fraction(value)
    square = sum(value * value for block in blocks for value in block)
    assert abs(Fraction(run.squared_length.value()) - square) <= Fraction(run.squared_length_error) < 1e-11
    gap = sum(
        (Fraction(a) - b) ** 2
        for own, block in zip(run.weights.tolist(), blocks, strict=True)
        for a, b in zip(own, block, strict=True)
    )
    assert gap <= Fraction(run.rounding) ** 2 < 1e-22


@pytest.mark.parametrize("rule", [PERCEPTRON, PA, AROW], ids=["perceptron", "PA-I", "AROW"])
def test_an_intercept_is_the_weight_of_a_column_of_ones(rule):
    run, wide = repeated(rule=rule, geometry=Geometry()), repeated(np.hstack([X, np.ones((80, 1))]), rule=rule)
    np.testing.assert_allclose(np.column_stack([run.weights, run.biases]), wide.weights, rtol=1e-12, atol=1e-15)
    assert (run.mistaken, run.updates, run.visits) == (wide.mistaken, wide.updates, wide.visits)
    assert run.biases.any()
    assert run.distance(run.weights, run.biases).high == 0
    assert run.distance(run.weights, run.biases + np.array([0.0, 3.0, 4.0])).low == pytest.approx(25)
    assert not wide.biases.any()


@pytest.mark.parametrize("rule", [PERCEPTRON, PA, AROW], ids=["perceptron", "PA-I", "AROW"])
@pytest.mark.parametrize("intercept", [True, False])
def test_rows_of_unit_length_are_those_that_were_scaled_before(rule, intercept):
    U = np.hstack([X * 0.3, np.ones((80, 1)) * intercept])
    lengths = np.linalg.norm(U, axis=1, keepdims=True)
    run = repeated(X * 0.3, rule=rule, geometry=Geometry(intercept, normalize=True))
    scaled = repeated(U / np.where(lengths > 0, lengths, 1.0), rule=rule)
    np.testing.assert_allclose(np.column_stack([run.weights, run.biases]), scaled.weights, rtol=1e-9, atol=1e-12)
    assert run.updates == scaled.updates
    if rule is not AROW:
        assert run.squared_length.value() == pytest.approx(np.sum(scaled.weights**2))


def test_steps_are_those_of_the_loss_and_the_squared_length_of_z():
    _, updates, w = multiclass(X, CODES, 3, lambda loss, square: min(0.05, loss / (square or 1e-9)), threshold=1 - 1e-9)
    run = repeated(rule=PA)
    np.testing.assert_allclose(run.weights, w, rtol=1e-9)
    made = [(row, own, step) for row, own, step in updates if step and X[row].any()]
    assert [(update.row, update.own) for update in run.made] == [(row, own) for row, own, _ in made]
    assert [update.step for update in run.made] == pytest.approx([step for *_, step in made])


@pytest.mark.parametrize("rule", [PERCEPTRON, PA, AROW], ids=["perceptron", "PA-I", "AROW"])
def test_a_fraction_of_a_weight_is_a_last_copy_of_less_weight(rule):
    some, codes = X[:12], CODES[:12]
    weights = np.array([2.5, 0.5, 1.0, 0.0, 3.25, 1.0, 0.75, 2.0, 1.0, 1.5, 2.25, 1.0])
    parts = [(i, part) for i, weight in enumerate(weights) for part in [1.0] * int(weight) + [weight % 1] if part]
    index = np.array([i for i, _ in parts])
    run = repeated(some, codes, copies=weights, rule=rule)
    expected = repeated(some[index], codes[index], copies=np.array([part for _, part in parts]), rule=rule)
    np.testing.assert_array_equal(run.weights, expected.weights)
    assert sum(run.mistaken) == sum(expected.mistaken)
    assert (run.updates, run.steps) == (expected.updates, expected.steps)


@pytest.mark.parametrize("weight", [0.5, 1.0, 1.5, 2.5])
def test_each_copy_of_a_row_makes_its_own_step(weight):
    """Steps of at most 0.05 times the weight of a copy, after each of which the lead is still below 1."""
    run = repeated(np.array([[1.0], [1.0]]), np.array([0, 1]), classes=2, copies=np.array([1.0, weight]), rule=PA)
    assert run.steps == pytest.approx(0.05 * weight)
    assert (run.updates, run.visits) == (math.ceil(weight), 1 + math.ceil(weight))
    assert run.weights.tolist() == pytest.approx(np.array([[-0.05 * weight], [0.05 * weight]]))


@pytest.mark.parametrize("rule", [PERCEPTRON, AROW], ids=["perceptron", "AROW"])
def test_all_copies_of_a_row_of_zeros_are_counted_at_once(rule):
    run = repeated(np.zeros((2, 2)), np.array([0, 1]), copies=np.array([1.0, 2.5]), rule=rule)
    assert (run.mistaken, run.updates, run.steps, run.visits, run.used) == ([2.5], 3, 2.5, 2, 1)
    assert run.made == [Update(1, 1, 0, 2.5)]
    assert run.check_bound("bound", 0.0).status == "holds"


def test_the_state_of_a_run_is_shown_before_every_example_that_counts():
    seen, copies = [], np.array([1.0, 0.0, 1.0])
    for geometry in (Geometry(), Geometry(False)):
        replay_jointly(
            X[:3], CODES[:3], 3, copies, PERCEPTRON, geometry, [np.arange(3)], lambda *shown: seen.append(shown)
        )
    assert [constant for _, constant in seen] == [1.0, 1.0, 0.0, 0.0]
    assert seen[0][0].visits == 2


@pytest.mark.parametrize("limit", [64 * EPS, 64 * EPS + 0.25])
def test_a_decision_is_doubtful_below_the_sum_of_both_rounding_errors(limit):
    """4 (0 + 8) roundings of scores of size 1 each, and twice the rounding of weights times |z| = 2."""
    moved = (limit - 64 * EPS) / 4
    rule = Rule("multiclass passive-aggressive I", 1.0).implementation()
    below = math.nextafter(limit, 0.0)

    def doubt(lead, third=-9.0, rule=PERCEPTRON, before=None):
        run = empty()
        run.rounding, run.doubtful = moved, before
        scores = np.array([lead, 0.0, third])
        _doubt(run, rule, 5, RuleInput(1.0, lead, 4.0, 1.0, 0.0, 0.0), scores, np.ones(3), (0, 1), [1, 2], 0)
        return run.doubtful

    for sign in (-1, 1):
        assert (doubt(sign * limit), doubt(sign * below)) == (None, 5)
    assert doubt(below, before=3) == 3
    assert (doubt(9.0, -limit), doubt(9.0, -below)) == (None, 5)  # which class is strongest
    assert (doubt(9.0, rule=rule), doubt(1.0, rule=rule), doubt(1 + limit * 2, rule=rule)) == (None, 5, None)


def test_a_proof_needs_finite_steps_and_takes_the_better_of_two_sums():
    run = repeated()
    assert run.used < len(run.made)
    run.made.append(Update(0, 0, 1, math.inf))
    run.used = 0
    assert run.check_bound("bound", 1e9).status == "open"
    run = repeated(np.array([[1.0], [2.0], [-2.0]]), np.array([0, 1, 1]), classes=2)
    assert (run.used, len(run.made)) == (2, 2)
    assert run.check_bound("bound", 1e-12).status == "holds"  # 2 z - 2 z
    run.used = 1
    assert run.check_bound("bound", 1e-12).status == "holds"
    run.made.append(Update(1, 1, 0, 1.0))  # now only the first two add up to 0
    assert run.check_bound("bound", 1e-12).status == "fails"
    run.used = 2
    assert run.check_bound("bound", 1e-12).status == "holds"
