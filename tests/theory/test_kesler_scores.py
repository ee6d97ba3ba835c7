"""Repeated scores of classes that are learned together, against those that the learner gave."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.theory.kesler_scores import joint_scores_of
from novikoff.theory.mixture_replay import scores_of

RNG = np.random.default_rng(2)
X = RNG.normal(size=(80, 3)) * [1e-2, 1.0, 1e3] + [0.0, 4.0, 0.0]
Y = np.argmax(X / [1e-2, 1.0, 1e3] @ RNG.normal(size=(3, 4)), axis=1)
Y[:6] = [2, 2, 0, 2, 0, 1]  # classes that appear one after the other, not in their order
ONES = np.ones(len(Y))
LEARNERS = [
    nk.MulticlassPerceptron(),
    nk.MulticlassPassiveAggressiveI(normalize=True),
    nk.MulticlassPassiveAggressiveII(scale="running"),
    nk.MulticlassAROW(scale="centred"),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_scores_are_those_that_the_learner_gave(learner):
    """While two classes are known, one score decides, and the learner gives that."""
    learner = clone(learner)
    runs = learner.score_then_learn(X, Y)
    rule = learner.record_.problems[0].run.rule
    found = scores_of(X, Y, ONES, rule, 4)
    begin = 0
    for labels, scores in runs:
        rows = slice(begin, begin + len(scores))
        expected = np.atleast_2d(scores.T)
        own = found.values[labels[-len(expected) :], rows] if labels else np.zeros((1, len(scores)))
        assert np.allclose(own, expected, rtol=1e-9, atol=1e-9)
        begin += len(scores)
    assert begin == len(Y)


def test_classes_without_an_update_have_scores_that_are_exact():
    rule = nk.MulticlassPerceptron().partial_fit(X, Y).record_.problems[0].run.rule
    values, tolerances, _ = joint_scores_of(X, X, Y, ONES, rule, 5, True, 0)
    assert not values[4].any()
    assert not tolerances[4].any()
    assert tolerances[2, 20:].all()


def test_the_first_rows_of_a_late_stream_have_no_scores():
    rule = nk.MulticlassPerceptron().partial_fit(X, Y).record_.problems[0].run.rule
    now, late = (joint_scores_of(X, X, Y, ONES, rule, 4, True, delay)[0] for delay in (0, 7))
    assert not late[:, :7].any()
    assert not np.array_equal(now[:, 7:], late[:, 7:])


def test_of_two_declared_classes_the_last_has_the_difference():
    two = (Y > 1).astype(np.int64)
    model = nk.MulticlassAROW().partial_fit(X, two, classes=[0, 1])
    rule = model.record_.problems[0].run.rule
    values, tolerances, _ = joint_scores_of(X, X, two, ONES, rule, 2, True, 0)
    assert not values[0].any()
    expected = nk.MulticlassAROW(classes=[0, 1]).score_then_learn(X, two)
    assert np.allclose(values[1, 1:], expected[-1][1], rtol=1e-9, atol=1e-9)
    assert (tolerances[1, 3:] > 0).all()  # the classes of the first rows are equal
