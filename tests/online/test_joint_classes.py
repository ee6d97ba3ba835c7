"""The labels of a learner whose classes are learned together."""

import pickle

import numpy as np

import novikoff._core as _core
from novikoff.online._joint_classes import JointClasses


def kernel():
    return _core.OnlineLearner("perceptron", 0.0, True, False, 0.0, "mistake", "joint", 0)


def test_columns_are_in_the_order_of_the_labels_and_problems_in_that_of_codes():
    classes, held = JointClasses.of(None), kernel()
    for label in ("m", "z", "a", "q"):
        classes = classes.with_class(label, held)
    assert classes.labels == ["m", "z", "a", "q"]
    assert classes.problems == [2, 0, 3, 1]
    assert classes.problem_count == held.problems == 4
    assert classes.strategy.classes.tolist() == ["a", "m", "q", "z"]


def test_a_class_that_was_not_published_is_replaced():
    classes, held = JointClasses.of(None), kernel()
    classes.with_class("lost", held)
    assert classes.with_class("kept", held).labels == ["kept"]
    assert held.problems == 1


def test_the_largest_score_decides_and_of_two_equal_ones_the_last():
    two = JointClasses(["b", "a"])
    assert [two.decide_one(scores) for scores in ([0.0, 0.0], [1.0, 0.0], [0.0, 1.0])] == ["b", "a", "b"]
    three = JointClasses([3, 1, 2])
    assert [three.decide_one(scores) for scores in ([0.0, 0.0, 0.0], [0.0, 1.0, 1.0])] == [1, 2]
    for classes in (two, three):
        for scores in np.array(np.meshgrid(*[[0.0, 1.0]] * classes.count)).reshape(classes.count, -1).T:
            assert classes.decide(scores[:, None])[0] == classes.decide_one(scores.tolist())


def test_classes_survive_pickling():
    classes = pickle.loads(pickle.dumps(JointClasses([3, 1, 2])))
    assert type(classes) is JointClasses
    assert classes.problems == [1, 2, 0]


def test_saved_problems_may_be_in_any_order_but_must_be_complete():
    classes = JointClasses([3, 1, 2])
    assert classes.are_problems_of([2, 0, 1])
    assert not classes.are_problems_of([0, 1])
    assert not classes.are_problems_of([0, 1, 1])
