"""Repeated scores of classes that are learned together, against those that the learner gave."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.theory.kesler_replay import Update
from novikoff.theory.kesler_scores import KeslerScores, joint_scores_of
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
    values, tolerances, _ = joint_scores_of(X, X, Y, ONES, rule, 5, True)
    assert not values[4].any()
    assert not tolerances[4].any()
    assert tolerances[2, 20:].all()


def test_of_two_declared_classes_the_last_has_the_difference():
    two = (Y > 1).astype(np.int64)
    model = nk.MulticlassAROW().partial_fit(X, two, classes=[0, 1])
    rule = model.record_.problems[0].run.rule
    values, tolerances, _ = joint_scores_of(X, X, two, ONES, rule, 2, True)
    assert not values[0].any()
    expected = nk.MulticlassAROW(classes=[0, 1]).score_then_learn(X, two)
    assert np.allclose(values[1, 1:], expected[-1][1], rtol=1e-9, atol=1e-9)
    assert (tolerances[1, 3:] > 0).all()  # the classes of the first rows are equal


def test_the_tolerance_of_a_score_is_that_of_its_terms():
    rows = np.array([[1.0, 2.0], [3.0, -1.0], [5.0, 5.0]])
    scores = KeslerScores(rows, 3)
    weights, biases = np.array([[1.0, -1.0], [0.5, 0.25], [0.0, 0.0]]), np.array([0.5, -1.0, 0.0])
    run = SimpleNamespace(visits=0, columns=None, made=[], weights=weights, biases=biases, rounding=1e-14)
    scores.before(run, 1.0)
    assert scores.tolerances.tolist() == np.zeros((3, 3)).tolist()  # no update has been made
    first = rows[0]
    assert scores.values[:, 0].tolist() == (weights @ first + biases).tolist()
    run.made, run.visits = [Update(0, 0, 1, 1.0)], 1
    scores.before(run, 1.0)
    row = rows[1]
    sizes = np.abs(weights) @ np.abs(row) + np.abs(biases)
    expected = 4 * (2 + 8) * 2.0**-52 * sizes + 2 * 1e-14 * math.sqrt(row @ row + 1)
    expected[2] = 0.0  # an update changed the other two
    assert scores.tolerances[:, 1] == pytest.approx(expected, rel=1e-12, abs=0)
    assert scores.values[:, 1].tolist() == (weights @ row + biases).tolist()
    for _ in range(2):  # rows that were learned after the last one was predicted
        scores.before(run, 1.0)


def test_two_labels_that_are_known_share_one_score_until_the_third_is_met():
    """Row k + 1 is the first that is predicted with the class of row k."""
    codes = np.array([2, 2, 0, 0, 1, 1, 2, 0])
    rows = np.random.default_rng(5).normal(size=(8, 2))
    rule = nk.MulticlassPerceptron().partial_fit(rows, codes).record_.problems[0].run.rule
    plain, wide, _ = joint_scores_of(rows, rows, codes, np.ones(8), rule, 3, True)
    values, tolerances, _ = joint_scores_of(rows, rows, codes, np.ones(8), rule, 3, False)
    plain[2, 3:5] -= plain[0, 3:5]
    wide[2, 3:5] += wide[0, 3:5]
    plain[0, 3:5] = wide[0, 3:5] = 0.0
    assert values.tolist() == plain.tolist()
    assert tolerances.tolist() == wide.tolist()
    assert np.any(values[2, 3:5])
    two = np.where(codes == 1, 0, codes)  # the third is never met
    plain, _, _ = joint_scores_of(rows, rows, two, np.ones(8), rule, 3, True)
    values, _, _ = joint_scores_of(rows, rows, two, np.ones(8), rule, 3, False)
    assert values[2, 3:].tolist() == (plain[2, 3:] - plain[0, 3:]).tolist()
    assert not values[0, 3:].any()
