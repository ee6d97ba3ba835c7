"""Which multiclass strategy is used."""

import numpy as np
import pytest

import novikoff as nk
from binary_problems import training_set
from novikoff.svm._multiclass_choice import choose_strategy

X = np.random.default_rng(0).normal(size=(60, 4))


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
