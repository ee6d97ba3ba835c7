"""The record and the file of a tracker."""

import dataclasses

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.errors import InvalidInputError
from novikoff.online._tracker_record import check_state, described, learners_from
from novikoff.testing._online_learner import make_stream

X, Y = make_stream(3)


def test_a_file_keeps_the_parameters_of_the_learners():
    given = [nk.PassiveAggressiveI(C=0.25, fit_intercept=False), nk.Perceptron(tie="positive")]
    again = nk.loads(nk.dumps(nk.Tracker(given, decay=0.5).partial_fit(X, Y)))
    assert [repr(learner) for learner in again.learners] == [repr(learner) for learner in given]
    assert [repr(learner) for learner in again.learners_] == [repr(learner) for learner in given]
    assert again.decay == 0.5
    assert nk.loads(nk.dumps(nk.Tracker().partial_fit(X, Y))).learners is None


def test_names_of_columns_come_back():
    tracker = nk.Tracker()
    for name, label in [("a", 0), ("b", 1), ("a", 0), ("c", 1)]:
        tracker.learn_one({name: 1.0}, label)
    again = nk.loads(nk.dumps(tracker))
    assert again.weights_ == tracker.weights_
    assert again.predict_one({"b": 2.0}) == tracker.predict_one({"b": 2.0})


def test_learners_become_plain_values_and_back():
    given = [nk.MarginPerceptron(margin=0.5), nk.AveragedPerceptron()]
    assert [repr(learner) for learner in learners_from(described(given))] == [repr(learner) for learner in given]
    assert learners_from(described(None)) is None
    with pytest.raises(InvalidInputError, match="is not an online learner"):
        learners_from([["LinearSVM", {}]])


def test_the_record_has_those_of_the_members_and_the_weights_that_predict():
    tracker = nk.Tracker().partial_fit(X, Y)
    record, leader = tracker.record_, tracker.learners_[tracker.leader_]
    assert [member.learner for member in record.members] == [type(learner).__name__ for learner in tracker.learners_]
    assert record.certificates == [record.joint]
    np.testing.assert_array_equal([problem.weights for problem in record.problems], leader.coef_)
    assert all(problem.has_linear_score for problem in record.problems)


@pytest.mark.parametrize("labels", [Y, Y > 0, np.zeros(len(Y))], ids=["three classes", "two classes", "one class"])
def test_the_weights_of_a_leader_that_learns_classes_together_are_those_that_decide(labels):
    tracker = nk.Tracker([nk.MulticlassAROW(scale="running"), nk.MulticlassPerceptron()], decay=1.0)
    record = tracker.partial_fit(X, labels).record_
    assert not record.strategy.is_joint
    np.testing.assert_array_equal([problem.weights for problem in record.problems], tracker.coef_)
    np.testing.assert_array_equal([problem.intercept for problem in record.problems], tracker.intercept_)
    assert [problem.positive for problem in record.problems] == record.strategy.positives
    assert nk.verify(tracker, X, labels)
    assert tracker.certificate_.class_examples == tuple(np.unique(labels, return_counts=True)[1].tolist())


@pytest.mark.parametrize(
    ("place", "change", "words"),
    [
        ("counts", {"decayed": np.zeros(2)}, "there must be 3 numbers"),
        ("counts", {"whole": -np.ones(3)}, "none of them negative"),
        ("counts", {"rounds": -1}, "at least 0"),
        (None, {"decay": 2.0}, "decay must be"),
    ],
)
def test_states_that_no_tracker_has_are_refused(place, change, words):
    record = nk.Tracker().partial_fit(X, Y).record_
    if place is not None:
        change = {place: dataclasses.replace(getattr(record.state, place), **change)}
    state = dataclasses.replace(record.state, **change)
    bad = dataclasses.replace(record, make_state=lambda: state)
    with pytest.raises(InvalidInputError, match=words):
        check_state(bad)
    with pytest.raises(InvalidInputError, match=words):
        nk.Tracker.from_record(bad)
    with pytest.raises(InvalidInputError, match=words):
        nk.Tracker.check_record(bad)


def test_members_of_different_streams_are_refused():
    one, other = nk.Tracker().partial_fit(X, Y).record_, nk.Tracker().partial_fit(X, Y, classes=[0, 1, 2]).record_
    members = (one.state.members[0], *other.state.members[1:])
    state = dataclasses.replace(one.state, members=members)
    with pytest.raises(InvalidInputError, match="the same stream"):
        nk.Tracker.from_record(dataclasses.replace(one, make_state=lambda: state))


def test_a_clone_has_clones_of_the_learners():
    tracker = nk.Tracker([nk.Perceptron(), nk.PassiveAggressiveI(C=0.5)]).partial_fit(X, Y)
    copy = clone(tracker)
    assert repr(copy) == repr(tracker)
    assert copy.learners[0] is not tracker.learners[0]
    assert not hasattr(copy, "learners_")
    assert copy.set_params(decay=0.5).get_params()["decay"] == 0.5
