"""Which multiclass strategy is used."""

import numpy as np
import pytest

import novikoff as nk
from binary_problems import training_set
from novikoff.svm._multiclass_choice import auto_strategy, check_multi_class, choose_strategy

X = np.random.default_rng(0).normal(size=(60, 4))


def test_pairs_are_chosen_as_long_as_their_weights_are_few():
    assert auto_strategy(2, 100, 10, False) == "ovr"
    for classes, features in [(3, 10), (50, 1000), (20, 60_000)]:
        assert auto_strategy(classes, 100, features, False) == "ovo"
    for classes, features in [(51, 10), (50, 100_000)]:
        assert auto_strategy(classes, 100, features, False) == "ovr"


def test_sparse_rows_with_more_columns_than_rows_are_one_vs_rest():
    assert auto_strategy(20, 1000, 1000, True) == "ovo"
    assert auto_strategy(20, 1000, 1001, True) == "ovr"


@pytest.mark.parametrize("name", ["auto", "ovr", "ovo"])
def test_two_classes_make_one_problem(name):
    strategy = choose_strategy(name, training_set())
    assert (strategy.name, len(strategy.pairs)) == ("ovr", 1)
    y = np.where(X[:, 0] > 0, "a", "b")
    one, other = (nk.LinearSVM(multi_class=multi_class).fit(X, y) for multi_class in (name, "ovr"))
    assert one.coef_.tobytes() == other.coef_.tobytes()


def test_the_strategy_knows_the_weights_of_the_classes():
    weights = np.arange(60.0)
    y = np.arange(60) % 3
    strategy = choose_strategy("ovo", training_set(X, y, weights))
    assert strategy.counts.tolist() == [weights[y == k].sum() for k in range(3)]


def test_an_unknown_strategy_is_refused():
    with pytest.raises(nk.InvalidInputError, match="multi_class must be"):
        nk.LinearSVM(multi_class="ovx").fit(X, np.arange(60) % 3)


def test_the_joint_machine_has_the_hinge_only():
    with pytest.raises(nk.InvalidInputError, match=r'minimises the hinge loss only\. Use loss="hinge"'):
        check_multi_class("LinearSVM", nk.LinearSVM(multi_class="crammer_singer", loss="squared_hinge"))
