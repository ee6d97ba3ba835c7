"""Batches and single examples for all members of a tracker."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import TRACKERS
from novikoff.data.batch import Batch
from novikoff.errors import InvalidInputError
from novikoff.online import _tracker_learning
from novikoff.testing._online_learner import learned, make_stream

X, Y = make_stream(3)


@pytest.mark.parametrize("name", TRACKERS)
def test_mistakes_are_those_of_the_predictions_before_learning(name):
    tracker = TRACKERS[name]()
    predicted = tracker.predict_then_learn(X, Y)
    assert predicted[0] is None
    assert tracker.certificate_.mistakes == np.count_nonzero(predicted != Y)
    for learner, claimed in zip(tracker.learners_, tracker.certificate_.members, strict=True):
        alone = type(learner)(**learner.get_params())
        assert claimed.mistakes == np.count_nonzero(alone.predict_then_learn(X, Y) != Y)


def test_weights_are_copies_in_rows_of_every_kind(monkeypatch):
    import pandas as pd

    monkeypatch.setattr(_tracker_learning, "BLOCK", 7)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0, 3.25], len(Y))
    copies, amounts = np.repeat(np.arange(len(Y)), np.ceil(weights).astype(int)), []
    for weight in weights:
        amounts += [1.0] * int(weight) + [weight % 1] * int(weight % 1 > 0)
    expected = nk.Tracker().partial_fit(X[copies], Y[copies], sample_weight=amounts)
    frame = pd.DataFrame(X, columns=list("abcd"))
    batch = Batch(X, Y, weights)
    for rows in (X, X.tolist(), frame, sp.csr_array(X)):
        found = nk.Tracker().partial_fit(rows, Y, sample_weight=weights)
        if not sp.issparse(rows):
            assert learned(found, rows) == learned(expected, X)
        assert found.certificate_.examples == expected.certificate_.examples
    assert learned(nk.Tracker().partial_fit(batch), X) == learned(expected, X)
    predicted = nk.Tracker().predict_then_learn(X, Y, sample_weight=weights)
    assert len(predicted) == len(Y)


def test_a_label_of_weight_zero_before_the_first_example_is_absent():
    for labels in (np.array(["a", "b", "a"]), np.array([True, False, True])):
        rows = [[1.0], [-1.0], [2.0]]
        expected = nk.Tracker().partial_fit(rows[1:], labels[1:], classes=np.unique(labels))
        found = nk.Tracker().partial_fit(rows, labels, classes=np.unique(labels), sample_weight=[0, 1, 1])
        assert found.certificate_.to_json() == expected.certificate_.to_json()


def test_bad_rows_and_labels_have_no_effect():
    tracker = nk.Tracker().partial_fit(X, Y)
    before = learned(tracker, X)
    bad = X.copy()
    bad[-1, 0] = np.nan
    calls = [
        lambda: tracker.partial_fit(bad, Y),
        lambda: tracker.partial_fit(bad, Y, sample_weight=np.full(len(Y), 2.0)),
        lambda: tracker.partial_fit(X, Y[:-1]),
        lambda: tracker.partial_fit(X, Y, sample_weight=-np.ones(len(Y))),
        lambda: tracker.partial_fit(X, Y, sample_weight="heavy"),
        lambda: tracker.partial_fit(X, Y, sample_weight=np.full(len(Y), 1e9)),
        lambda: tracker.partial_fit(X[:, :2], Y),
        lambda: tracker.learn_one(bad[-1], 0),
        lambda: tracker.learn_one(X[0], None),
        lambda: tracker.learn_one(X[0], 0, 1e12),
        lambda: tracker.partial_fit(X, ["text"] * len(Y)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"\w"):
            call()
        assert learned(tracker, X) == before
    assert learned(tracker.partial_fit(X, Y), X) == learned(nk.Tracker().partial_fit(X, Y).partial_fit(X, Y), X)


def test_a_first_batch_that_is_refused_leaves_nothing():
    tracker = nk.Tracker()
    with pytest.raises(ValueError, match="NaN"):
        tracker.partial_fit([[np.nan]], [1])
    assert not hasattr(tracker, "learners_")
    assert not hasattr(tracker, "n_features_in_")
    tracker.partial_fit([[1.0]], [1])
    assert tracker.predict([[2.0]]).tolist() == [1]


def test_after_an_interrupt_between_members_learning_is_refused(monkeypatch):
    tracker = nk.Tracker().partial_fit(X, Y)

    def interrupted(steps):
        next(steps[0]).run()
        raise KeyboardInterrupt

    monkeypatch.setattr(_tracker_learning, "in_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tracker.partial_fit(X, Y)
    with pytest.raises(InvalidInputError, match="only some of its members had learned"):
        tracker.learn_one(X[0], 0)
    monkeypatch.undo()
    tracker.fit(X, Y).learn_one(X[0], 0)


@pytest.mark.parametrize(
    ("learners", "words"),
    [
        ([], "a list of at least one online learner"),
        (nk.Perceptron(), "a list of at least one online learner"),
        ([nk.Perceptron], "must be online learners"),
        ([nk.LinearSVM()], "must be online learners"),
        ([nk.Perceptron(class_weight="balanced")], "must not have class_weight"),
        ([nk.Perceptron(classes=[0, 1]), nk.Perceptron()], "must all have the same classes"),
        ([nk.PassiveAggressiveI(C=-1)], "C must be a positive number"),
    ],
)
def test_wrong_learners_are_refused(learners, words):
    with pytest.raises(InvalidInputError, match=words):
        nk.Tracker(learners).partial_fit([[1.0]], [0])


def test_given_learners_do_not_change():
    given = [nk.Perceptron(), nk.PassiveAggressiveI()]
    tracker = nk.Tracker(given).partial_fit(X, Y)
    assert not any(hasattr(learner, "classes_") for learner in given)
    assert tracker.learners is given


def test_the_default_does_not_depend_on_the_units_of_the_columns():
    random = np.random.default_rng(4)
    rows = random.normal(size=(300, 3))
    labels = (rows @ [1.0, -2.0, 0.5] > 0).astype(int)
    units = np.array([1e-6, 1.0, 1e9])
    expected, found = (
        nk.Tracker().predict_then_learn(rows, labels),
        nk.Tracker().predict_then_learn(rows * units, labels),
    )
    assert np.mean(expected == found) > 0.99
    assert np.mean(found == labels) > 0.85


@pytest.mark.parametrize("declared", [False, True])
def test_scores_are_those_of_the_leader_of_their_time(declared):
    classes = np.unique(Y).tolist() if declared else None
    members = [nk.Perceptron(classes=classes), nk.PassiveAggressiveI(scale="running", classes=classes)]
    weights = np.arange(len(Y)) % 4 / 2
    batch, single = nk.Tracker(members, decay=0.9), nk.Tracker(members, decay=0.9)
    runs, leaders = batch.score_then_learn(X, Y, weights), set()
    found = [(labels, score) for labels, scores in runs for score in scores.tolist()]
    for i, label in enumerate(Y.tolist()):
        known, score = [], single.score_one(X[i])
        if hasattr(single, "classes_"):
            known = single.classes_.tolist()
            leaders.add(single.leader_)
        assert found[i] == (known, list(score.values()) if isinstance(score, dict) else score)
        single.learn_one(X[i], label, weights[i])
    assert learned(batch, X) == learned(single, X)
    assert leaders == {0, 1}


@pytest.mark.parametrize("weights", [[1.0, 0.5, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.5, 2.5, 1.0, 3.0]])
def test_a_batch_of_a_stream_has_its_own_weights(weights):
    X, y = sp.csr_array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [0.0, -3.0]]), np.array([1, 1, 0, 0])
    as_batch, as_arrays = nk.Tracker(), nk.Tracker()
    found = as_batch.predict_then_learn(Batch(X, y, np.array(weights)))
    assert found.tolist() == as_arrays.predict_then_learn(X, y, np.array(weights)).tolist()
    assert learned(as_batch, X.toarray()) == learned(as_arrays, X.toarray())
