"""How several classes become weight vectors, and scores become labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff._multiclass import (
    BATCH_STRATEGIES,
    STRATEGIES,
    CrammerSinger,
    Kesler,
    OneVsOne,
    OneVsRest,
    auto_strategy,
    side_name,
    sides,
    strategy_of_classes,
)
from strategies import seeds

TWO, THREE = OneVsRest(np.array(["no", "yes"])), OneVsRest(np.array([1, 5, 7]))


def test_two_classes_are_one_problem_and_more_are_one_per_class():
    assert (TWO.is_binary, TWO.positives, TWO.positive_codes) == (True, ["yes"], [1])
    assert (THREE.is_binary, THREE.positives, THREE.positive_codes) == (False, [1, 5, 7], [0, 1, 2])
    assert TWO.combine(np.zeros((4, 1))).shape == (4,)
    assert THREE.combine(np.zeros((4, 3))).shape == (4, 3)


def test_a_score_of_zero_goes_to_the_positive_class():
    assert TWO.choose(np.array([-1.0, -0.0, 0.0, 2.0])).tolist() == ["no", "yes", "yes", "yes"]


def test_the_largest_score_decides_and_a_tie_goes_to_the_first_class():
    scores = np.array([[0.0, 1.0, -1.0], [2.0, 2.0, 1.0], [-3.0, -2.0, -2.0]])
    assert THREE.choose(scores).tolist() == [5, 1, 5]


def test_a_fitted_attribute_is_one_value_for_two_classes_and_a_list_for_more():
    assert TWO.per_problem(["a"]) == "a"
    assert THREE.per_problem(["a", "b", "c"]) == ["a", "b", "c"]
    assert TWO.as_list("a") == ["a"]
    assert THREE.as_list(["a", "b", "c"]) == ["a", "b", "c"]
    assert THREE.as_list(["a", "b"]) == ["a", "b", None]
    assert (TWO.as_list(None), THREE.as_list(None)) == ([None], [None] * 3)


LABELS = np.array(["a", "b", "c"])


def test_one_vs_one_has_a_problem_for_each_pair_with_the_later_class_positive():
    strategy = OneVsOne(LABELS)
    assert strategy.pairs == [(1, 0), (2, 0), (2, 1)]
    assert strategy.positives == ["b", "c", "c"]


@given(st.integers(3, 9), seeds)
def test_votes_are_counted_as_one_pair_after_the_other(classes, seed):
    strategy = OneVsOne(np.arange(classes))
    scores = np.random.default_rng(seed).integers(-2, 3, size=(20, len(strategy.pairs))).astype(float)
    votes, sums = np.zeros((20, classes)), np.zeros((20, classes))
    for (positive, negative), own in zip(strategy.pairs, scores.T, strict=True):
        votes[:, positive] += 0.5 + 0.5 * np.sign(own)
        votes[:, negative] += 0.5 - 0.5 * np.sign(own)
        sums[:, positive] += own
        sums[:, negative] -= own
    assert strategy.combine(scores).tolist() == (votes + sums / (3 * (np.abs(sums) + 1))).tolist()


@given(st.permutations(range(5)), seeds)
def test_the_order_of_the_classes_decides_nothing(order, seed):
    """The same scores, with the classes in another order: pairs whose order is reversed have the other sign."""
    order, counts = np.array(order), np.array([3.0, 5.0, 4.0, 2.0, 6.0])
    score = np.triu(np.random.default_rng(seed).integers(-1, 2, size=(5, 5)), 1)
    score = score - score.T  # score[i, j] of class i against class j
    first, second = OneVsOne(np.arange(5), counts), OneVsOne(order, counts[order])  # labels in two orders
    pairs = [tuple(zip(*strategy.pairs, strict=True)) for strategy in (first, second)]
    decisions = first.combine(score[pairs[0]][None].astype(float))
    moved = second.combine(score[order][:, order][pairs[1]][None].astype(float))
    assert moved[0].tolist() == decisions[0, order].tolist()
    assert first.choose(decisions).tolist() == second.choose(moved).tolist()


def test_scores_that_overflow_still_have_an_order():
    decisions = OneVsOne(LABELS).combine(np.array([[1e308, 1e308, 1e308], [1e308, -1e308, 1e308]]))
    assert np.isfinite(decisions).all()
    assert OneVsOne(LABELS).choose(decisions).tolist() == ["c", "a"]


def test_weight_vectors_are_named_after_their_labels():
    assert sides(THREE) == [(1, None), (5, None), (7, None)]
    assert sides(OneVsOne(LABELS)) == [("b", "a"), ("c", "a"), ("c", "b")]
    assert [side_name(*side) for side in (sides(THREE)[0], sides(OneVsOne(LABELS))[0])] == ["1", "b against a"]


@pytest.mark.parametrize("strategy", list(STRATEGIES.values()))
def test_exact_ties_go_to_the_most_frequent_class(strategy):
    frequent = strategy(LABELS, np.array([2.0, 7.0, 3.0]))
    scores = np.zeros((1, len(frequent.pairs)))
    assert frequent.choose(frequent.combine(scores)).tolist() == ["b"]


@pytest.mark.parametrize(("counts", "label"), [([3.0, 2.0], "no"), ([2.0, 3.0], "yes"), ([2.0, 2.0], "yes")])
def test_a_score_of_zero_goes_to_the_more_frequent_of_two_classes(counts, label):
    strategy = OneVsRest(np.array(["no", "yes"]), np.array(counts))
    assert strategy.choose(np.array([0.0])).tolist() == [label]


def test_two_classes_of_a_joint_problem_have_one_decision():
    strategy = CrammerSinger(np.array(["no", "yes"]))
    decisions = strategy.combine(np.array([[1.0, 3.0], [2.0, -1.0]]))
    assert decisions.tolist() == [2.0, -3.0]
    assert strategy.choose(decisions).tolist() == ["yes", "no"]


def test_pairs_are_chosen_as_long_as_their_weights_are_few():
    assert auto_strategy(2, 100, 10, False) == "ovr"
    for classes, features in [(3, 10), (50, 1000), (20, 60_000)]:
        assert auto_strategy(classes, 100, features, False) == "ovo"
    for classes, features in [(51, 10), (50, 100_000)]:
        assert auto_strategy(classes, 100, features, False) == "ovr"


def test_sparse_rows_with_more_columns_than_rows_are_one_vs_rest():
    assert auto_strategy(20, 1000, 1000, True) == "ovo"
    assert auto_strategy(20, 1000, 1001, True) == "ovr"


def test_one_vs_one_of_two_classes_is_one_vs_rest():
    assert [strategy_of_classes(name, 2) for name in STRATEGIES] == ["ovr", "ovr", "crammer_singer", "kesler"]
    assert [strategy_of_classes(name, 3) for name in STRATEGIES] == list(STRATEGIES)


def test_classes_that_are_learned_together_show_one_score_for_one_or_two_of_them():
    scores = np.array([[1.0, 3.0], [2.0, 2.0], [5.0, 0.0]])
    assert Kesler(np.array(["a", "b"])).combine(scores).tolist() == [2.0, 0.0, -5.0]
    assert Kesler(np.array(["a", "b"])).choose(np.array([2.0, 0.0, -5.0])).tolist() == ["b", "b", "a"]
    assert Kesler(np.array(["a"])).combine(scores[:, :1]).tolist() == [1.0, 2.0, 5.0]
    assert Kesler(np.array(["a"])).choose(np.array([1.0, -1.0])).tolist() == ["a", "a"]
    assert Kesler(np.array([1, 2, 3])).is_joint
    assert not Kesler(np.array([1, 2, 3])).is_binary
    assert "kesler" not in BATCH_STRATEGIES
