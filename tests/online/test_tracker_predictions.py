"""Predictions and scores of the leader."""

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
