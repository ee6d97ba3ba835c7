"""A run of classes that are learned together, repeated: the reference, ties, rounding, and the proof of its bound."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.geometry import Geometry
from novikoff.theory.kesler_replay import replay_jointly
from novikoff.theory.rules import Rule
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
