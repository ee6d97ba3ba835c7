"""Copies of learners that stand alone, and classes that an interrupt left unpublished."""

import copy
import pickle

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.rows import as_rows
from snapshots import learned

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.arange(60) % 3


def test_a_snapshot_stands_alone(make_streaming):
    model = make_streaming().partial_fit(X[:30], Y[:30])
    before = learned(model, X)
    copied = model.snapshot()
    model.partial_fit(X[30:], Y[30:])
    assert learned(copied, X) == before
    copied.partial_fit(X[30:], Y[30:])
    assert learned(copied, X) == learned(model, X)


@pytest.mark.parametrize("way", [lambda m: m.snapshot(), lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_a_copy_goes_on_like_the_model_and_may_get_other_classes(way):
    model = nk.Perceptron()
    for k in range(5):
        model.learn_one({"a": 1.0, str(k): 1.0}, k)
    copied = way(model)
    copied.learn_one({"b": 1.0}, 9)
    model.learn_one({"c": 1.0}, 7)
    assert copied.classes_.tolist() == [0, 1, 2, 3, 4, 9]
    assert model.classes_.tolist() == [0, 1, 2, 3, 4, 7]
    assert model.predict_one({"c": 1.0}) == 7
    assert copied.predict_one({"b": 1.0}) == 9


def test_a_snapshot_of_a_learner_that_knows_nothing_knows_nothing(make_streaming):
    assert make_streaming().snapshot().predict_one({"a": 1.0}) is None


def test_a_batch_names_the_columns_if_dicts_were_predicted():
    model = nk.Perceptron().partial_fit(X, Y)
    x = dict(enumerate(X[0].tolist()))
    assert model.predict_one(x) == model.snapshot().predict_one(x)
    assert not model._by_name
    model.partial_fit(X, Y)
    assert model._fast_path.by_name
    assert learned(model, X) == learned(nk.Perceptron().partial_fit(X, Y).partial_fit(X, Y), X)


def test_a_warm_fit_that_fails_leaves_a_learner_that_learns():
    model = nk.Perceptron(warm_start=True).partial_fit(X, Y)
    with pytest.raises(nk.InvalidInputError):
        model.fit(X, Y[:-1])
    model.learn_one(X[0], 0)
    assert model.certificate_[0].examples == 61


def with_leftover():
    """A learner in whose kernel a fourth class was added and learned, but not published."""
    model = nk.Perceptron().partial_fit(X, Y)
    model._learner.add_problem(3, 0)
    model._learner.learn_row(as_rows("", X[:1]), 3, 1.0)
    assert model._learner.problems == 5
    return model


def test_a_class_that_was_not_published_is_not_copied():
    assert with_leftover().snapshot()._learner.problems == 4


@pytest.mark.parametrize("cls", [nk.Perceptron, nk.MulticlassPerceptron])
def test_the_balance_does_not_have_the_examples_of_a_class_that_was_not_published(cls):
    model = cls(class_weight="balanced").partial_fit(X, Y)
    expected = model.record_.state.balance.tolist()
    if cls is nk.Perceptron:
        model._learner.add_problem(3, 0)
    else:
        model._learner.add_problem(3)
    model._learner.learn_row(as_rows("", X[:1]), 3, 1.0, balanced=True)
    model.learn_one(X[1], 9)
    assert model.record_.state.balance.tolist() == [*expected, 1.0]


@pytest.mark.parametrize("learn", [lambda m: m.learn_one(X[1], 9), lambda m: m.partial_fit(X[1:2], [9])])
def test_the_next_class_does_not_have_the_examples_of_one_that_was_not_published(learn):
    model = with_leftover()
    learn(model)
    assert model._learner.problems == 5
    assert model._learner.tally(4)["positives"] == 1
