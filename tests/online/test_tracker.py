"""The tracker as a classifier: who predicts, scores, threads, and what it is for."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.testing._online_learner import learned, make_stream

X, Y = make_stream(3)


def drifting(rows=2000, columns=5, seed=0):
    """A stream in which labels repeat each other for a while, and then follow the rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    y = (X @ random.normal(size=columns) > 0).astype(int)
    y[rows // 2 :] = (X[rows // 2 :] @ random.normal(size=columns) > 0).astype(int)
    return X, y


def test_among_equal_members_the_first_leads():
    tracker = nk.Tracker([nk.Perceptron(), nk.Perceptron(), nk.Perceptron()]).partial_fit(X, Y)
    assert tracker.leader_ == 0


def test_the_tracker_follows_a_change_that_the_average_does_not():
    X, y = drifting()
    learners = [nk.AveragedPerceptron(), nk.PassiveAggressiveI(C=0.01)]
    tracker = nk.Tracker(learners, decay=0.99)
    mistakes = np.count_nonzero(tracker.predict_then_learn(X, y) != y)
    alone = [np.count_nonzero(learner.predict_then_learn(X, y) != y) for learner in learners]
    assert mistakes < min(alone) + 20
    assert mistakes < max(alone) - 100


def test_a_late_label_changes_no_weight():
    order = np.argsort(Y == 2, kind="stable")
    late = nk.Tracker().partial_fit(X[order], Y[order])
    declared = nk.Tracker().partial_fit(X[order], Y[order], classes=[0, 1, 2])
    for one, other in zip(late.learners_, declared.learners_, strict=True):
        assert learned(one, X) == learned(other, X)


def test_fit_forgets_and_needs_two_classes():
    tracker = nk.Tracker().partial_fit(X[::-1], Y[::-1])
    assert learned(tracker.fit(X, Y), X) == learned(nk.Tracker().fit(X, Y), X)
    with pytest.raises(ValueError, match="at least two classes"):
        tracker.fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="only zeros"):
        tracker.fit(X, Y, sample_weight=np.zeros(len(X)))
    assert tracker.n_iter_ == 1


def test_dicts_with_new_names_widen_all_members():
    tracker = nk.Tracker()
    for name, label in [("a", 0), ("b", 1), ("a", 0), ("c", 1)]:
        tracker.learn_one({name: 1.0}, label)
    assert tracker.n_features_in_ == 3
    assert all(learner.n_features_in_ == 3 for learner in tracker.learners_)
    assert tracker.predict_one({"c": 1.0}) == 1
    assert set(tracker.weights_) <= {"a", "b", "c"}


def test_a_snapshot_does_not_change_while_the_tracker_learns():
    tracker = nk.Tracker().partial_fit(X, Y)
    before, copy = learned(tracker, X), tracker.snapshot()
    tracker.partial_fit(X, Y)
    assert learned(copy, X) == before
    assert learned(copy.partial_fit(X, Y), X) == learned(tracker, X)


def test_progressive_evaluation_takes_a_tracker():
    X, y = drifting(400)
    *_, last = nk.evaluate.progressive(nk.Tracker(), [(X[:150], y[:150]), (X[150:], y[150:])])
    assert last.mistakes == np.count_nonzero(nk.Tracker().predict_then_learn(X, y) != y)
