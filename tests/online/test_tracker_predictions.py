"""Predictions and scores of the leader, and of a vote."""

import numpy as np
import pytest

import novikoff as nk
from learners import TRACKERS
from novikoff.testing._online_learner import make_stream

X, Y = make_stream(3)


def test_the_leader_has_the_fewest_decayed_mistakes_and_predicts():
    tracker = nk.Tracker(decay=0.9).partial_fit(X, Y)
    counts = [member.decayed_mistakes for member in tracker.certificate_.members]
    assert tracker.leader_ == int(np.argmin(counts))
    leader = tracker.learners_[tracker.leader_]
    np.testing.assert_array_equal(tracker.predict(X), leader.predict(X))
    np.testing.assert_array_equal(tracker.decision_function(X), leader.decision_function(X))
    np.testing.assert_array_equal(tracker.coef_, leader.coef_)
    np.testing.assert_array_equal(tracker.intercept_, leader.intercept_)
    assert tracker.score_one(X[0]) == leader.score_one(X[0])
    assert tracker.predict_one(X[0]) == leader.predict_one(X[0])
    assert tracker.weights_ == leader.weights_


@pytest.mark.parametrize("vote", ["majority", "share"])
@pytest.mark.parametrize("classes", [2, 3])
def test_votes_decide_and_scores_are_fractions_of_them(vote, classes):
    X, y = make_stream(classes)
    tracker = nk.Tracker(vote=vote).partial_fit(X, y)
    scores, predicted = tracker.decision_function(X), tracker.predict(X)
    if classes == 2:
        assert np.all(np.abs(scores) <= 1)
        np.testing.assert_array_equal(predicted[scores != 0], (scores > 0).astype(int)[scores != 0])
        assert tracker.score_one(X[3]) == scores[3]
    else:
        np.testing.assert_allclose(scores.sum(axis=1), 1)
        assert np.all(scores[np.arange(len(y)), predicted] == scores.max(axis=1))
        assert list(tracker.score_one(X[3]).values()) == scores[3].tolist()
    assert [tracker.predict_one(x) for x in X] == predicted.tolist()
    assert not hasattr(tracker, "coef_")
    assert not hasattr(tracker, "intercept_")


@pytest.mark.parametrize("name", TRACKERS)
def test_before_the_first_example_nothing_is_predicted(name):
    tracker = TRACKERS[name]()
    assert tracker.predict_one({"a": 1.0}) is None
    assert tracker.score_one({"a": 1.0}) == 0.0
    for attribute in ("classes_", "coef_", "leader_", "certificate_", "record_", "n_iter_", "n_features_in_"):
        assert not hasattr(tracker, attribute)
    with pytest.raises(ValueError, match="not fitted"):
        tracker.predict([[1.0]])
    tracker.learn_one({"a": 1.0}, "yes")
    assert tracker.predict_one({"b": 1.0}) == "yes"
    assert tracker.classes_.tolist() == ["yes"]
    assert tracker.certificate_.mistakes == 1
