"""Reading a learner while others change it: classes and kernel of one moment, and copies that stand alone."""

import copy
import pickle
import threading

import numpy as np
import pytest

import novikoff as nk
from novikoff._moments import changing
from novikoff.data.rows import as_rows
from novikoff.online import _moment
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


def test_a_view_whose_kernel_has_another_class_is_read_again():
    model = nk.Perceptron().partial_fit(X[:30], Y[:30])
    views = []

    def reader(view):
        views.append(view)
        if len(views) == 1:  # another thread adds a class after the view was taken
            model.learn_one(X[0], 3)
        return view._classes.count

    view, count = _moment.read(model, reader)
    assert (count, view._classes.count, len(views)) == (4, 4, 2)


def test_a_class_that_is_never_published_does_not_keep_readers_waiting():
    model = nk.Perceptron().partial_fit(X[:30], Y[:30])
    model._learner.add_problem(3, 0)  # as if learning had been interrupted just then
    assert model.decision_function(X).shape == (60, 3)
    assert nk.loads(nk.dumps(model)).classes_.tolist() == [0, 1, 2]
    model.learn_one(X[0], 3)
    assert model.classes_.tolist() == [0, 1, 2, 3]


def in_another_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join(30)
    return found[0]


@pytest.mark.parametrize("names", [None, ["a", "b", "c"]])
def test_dicts_are_predicted_while_others_learn_and_the_columns_have_no_names_yet(names):
    rows = X
    if names is not None:
        import pandas as pd

        rows = pd.DataFrame(X, columns=names)
    model = nk.AveragedPerceptron(max_iter=3, n_iter_no_change=None)
    with pytest.warns(nk.NotHaltedWarning):
        model.fit(rows, Y)
    x = dict(zip(names or range(3), X[5].tolist(), strict=True)) | {"unknown": 4.0}
    with changing(model):
        label, scores = in_another_thread(lambda: (model.predict_one(x), model.score_one(x)))
        assert not model._by_name
    assert (label, scores) == (model.predict_one(x), model.score_one(x))
    assert model._by_name


def test_a_batch_names_the_columns_if_dicts_were_predicted_meanwhile():
    model = nk.Perceptron().partial_fit(X, Y)
    x = dict(enumerate(X[0].tolist()))
    with changing(model):
        label = in_another_thread(lambda: model.predict_one(x))
    assert label == model.snapshot().predict_one(x)
    assert not model._by_name
    model.partial_fit(X, Y)
    assert model._fast_path.by_name
    assert learned(model, X) == learned(nk.Perceptron().partial_fit(X, Y).partial_fit(X, Y), X)


def test_bad_dicts_are_refused_while_others_learn():
    model = nk.Perceptron().partial_fit(X, Y)

    def refusal(x):
        with pytest.raises(nk.InvalidInputError) as caught:
            model.predict_one(x)
        return str(caught.value)

    with changing(model):
        assert "feature 0 must be a number" in in_another_thread(lambda: refusal({0: "text"}))
        assert "feature 0 must be finite" in in_another_thread(lambda: refusal({0: float("nan")}))
        assert "squared norm" in in_another_thread(lambda: refusal({0: 1e300}))


def test_a_progress_function_may_save_the_model_from_any_thread():
    model, saved = nk.Perceptron(n_jobs=2, max_iter=2, n_iter_no_change=None).partial_fit(X, Y), []
    model.watch(lambda *_: saved.append(nk.dumps(model)))
    before = nk.dumps(model)
    with pytest.warns(nk.NotHaltedWarning):
        model.fit(X, Y)
    assert saved
    assert set(saved) == {before}
    assert nk.dumps(model) != before


def test_an_example_that_arrives_during_a_warm_fit_is_learned_after_it():
    model = nk.Perceptron(warm_start=True, max_iter=1, n_iter_no_change=None).partial_fit(X, Y)
    fast, arrived, threads = model._fast_path, threading.Event(), []
    assert fast.may_learn

    def tell(*_):
        if not threads:
            threads.append(threading.Thread(target=lambda: (model.learn_one(X[0], 0), arrived.set())))
            threads[0].start()
            assert not arrived.wait(0.05)

    model.watch(tell).fit(X, Y)
    threads[0].join(30)
    assert model.certificate_[0].examples == 121
    with pytest.raises(RuntimeError):
        fast.kernel.learn_row(as_rows("", X[:1]), 0, 1.0)


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


@pytest.mark.parametrize("read", [lambda model: model.decision_function(X), lambda model: model.snapshot()])
def test_a_class_that_was_not_published_is_removed_by_the_next_reader(read):
    model = with_leftover()
    read(model)
    assert model._learner.problems == 4
    assert model.snapshot()._learner.problems == 4


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
