"""The fast path of single examples: when there is one, and that it does the same."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.online._fast_path import FastPath
from snapshots import learned

X = np.random.default_rng(0).normal(size=(60, 3))
DICTS = [dict(enumerate(row.tolist())) for row in X]


WEIGHTS = [None, {0: 0.5, 1: 1.0}, {1: 0}, {0: np.float32(0.5)}, "balanced"]


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("rows", [X, DICTS], ids=["rows", "dicts"])
def test_it_learns_and_predicts_the_same(make_streaming, classes, weight, rows):
    fast, plain = (make_streaming(class_weight=weight) for _ in range(2))
    for k, x in enumerate(rows):
        fast.learn_one(x, k * k % classes)
        vars(plain).pop("_fast_path", None)
        plain.learn_one(x, k * k % classes)
        vars(plain).pop("_fast_path", None)
        expected = plain.predict_one(x), plain.score_one(x)
        vars(plain).pop("_fast_path", None)
        assert (fast.predict_one(x), fast.score_one(x)) == fast.predict_and_score_one(x) == expected
        assert plain.predict_and_score_one(x) == expected
    assert fast._fast_path.may_learn
    assert learned(fast) == learned(plain)


def test_an_example_that_is_refused_is_not_counted_in_the_balance():
    model = nk.PassiveAggressiveI(class_weight="balanced")
    for k, x in enumerate(DICTS[:20]):
        model.learn_one(x, k % 2)
    for x, y in (({"a": float("nan")}, 0), ({"a": "text"}, 1), ({"a": 1e200}, 2), ({"a": 1.0}, None)):
        with pytest.raises((nk.InvalidInputError, TypeError)):
            model.learn_one(x, y)
    assert nk.loads(nk.dumps(model)).record_.state.balance.tolist() == [10.0, 10.0]


@pytest.mark.parametrize("weight", ["even", {0: -1.0}, {0: float("nan")}, {0: "a"}, {0: 1e-40}, 3.0])
def test_bad_class_weights_are_refused_by_the_fast_path_too(weight):
    model = nk.PassiveAggressiveI().partial_fit(X, np.arange(60) % 2)
    model.set_params(class_weight=weight)
    with pytest.raises(nk.InvalidInputError, match=r"weights? must be"):
        model.learn_one(X[0], 0)


def test_a_class_weight_dict_that_is_changed_later_is_used():
    weights = {0: 1.0}
    model = nk.PassiveAggressiveI(class_weight=weights)
    for k, x in enumerate(DICTS[:20]):
        model.learn_one(x, k % 2)
    weights[0] = 0.0
    before = model.certificate_.examples
    model.learn_one(DICTS[20], 0)
    assert model.certificate_.examples == before


def test_class_weights_that_are_set_later_are_used():
    model = nk.PassiveAggressiveI()
    for k, x in enumerate(DICTS[:20]):
        model.learn_one(x, k % 2)
    assert model._fast_path.may_learn
    other = model.snapshot()
    model.set_params(class_weight={0: 0.0, 1: 1.0})
    before = nk.dumps(model)
    model.learn_one(DICTS[20], 0)
    assert model.coef_.tolist() == nk.loads(before).coef_.tolist()
    other.learn_one(DICTS[20], 0)
    assert other.certificate_.examples == model.certificate_.examples + 1


def test_it_does_not_learn_after_fit_whose_outcome_would_not_hold_any_more():
    model = nk.Perceptron().fit(X, X[:, 0] > 0)
    model.predict_one(X[0])
    assert isinstance(model._fast_path, FastPath)
    assert not model._fast_path.may_learn
    assert model.stopped_ == "converged"
    model.learn_one(X[0], True)
    assert not hasattr(model, "stopped_")
    assert model._fast_path.may_learn


def test_it_is_no_part_of_copies_and_pickles():
    model = nk.Perceptron().partial_fit(X, X[:, 0] > 0)
    assert model._fast_path is not None
    assert "_fast_path" not in model.__getstate__()
    assert model.snapshot()._fast_path is None
