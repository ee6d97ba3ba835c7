"""Repeated runs of members and mixtures, against the learners and the references."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.online._mixture import MixtureCounts, Vote
from novikoff.testing._online_learner import make_stream
from novikoff.theory.mixture_replay import NOBODY, MixtureReplay, predictions_of
from reference import mixtures


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("declared", [False, True])
def test_predictions_are_those_of_the_learner(make_one_vs_rest, classes, declared):
    X, y = make_stream(classes)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)  # no score of exactly 0
    learner = make_one_vs_rest()
    if declared:
        learner.partial_fit(X[:1], y[:1], classes=np.arange(classes))
        expected = np.concatenate([[NOBODY], learner.predict_then_learn(X[1:], y[1:])])
    else:
        expected = learner.predict_then_learn(X, y)
        expected[0] = NOBODY
    rule = learner.record_.problems[0].run.rule
    found = predictions_of(X, y, np.ones(len(y)), rule, classes, declared)
    until = len(y) if found.doubtful is None else found.doubtful
    assert until > 1 or rule.keep == "votes"  # the first votes may be equally many
    assert found.codes[:until].tolist() == expected[:until].tolist()


MEMBERS = {
    "AROW": nk.AROW(),
    "AROW, scale": nk.AROW(scale="running"),
    "joint PA-I": nk.MulticlassPassiveAggressiveI(normalize=True),
    "joint AROW, scale": nk.MulticlassAROW(scale="running"),
    "SCW": nk.SoftConfidenceWeighted(),
    "adaptive": nk.NormalizedAdaptive(),
    "forget": nk.Perceptron(forget=0.1),
    "half-life": nk.PassiveAggressiveI(half_life=20.0, scale="running"),
}


@pytest.mark.parametrize("member", MEMBERS.values(), ids=MEMBERS)
def test_mixtures_of_learners_with_states_of_their_own_are_verified(member):
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(60, 3)), random.choice([0.5, 1.0, 3.0], 60)
    y = np.where(X[:, 1] > 0.5, 2, (X[:, 0] > 0).astype(int))
    model = nk.Tracker([member]).partial_fit(X, y, sample_weight=weights)
    found = nk.verify(model, X, y, sample_weight=weights)
    assert found
    held = {check.claim for check in found.checks if check.status == "holds"}
    assert {"mistakes of member 1", "mistakes of mixture"} <= held


def test_a_score_of_zero_is_doubtful():
    rule = nk.Perceptron().partial_fit([[1.0]], [1]).record_.problems[0].run.rule
    found = predictions_of(np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.ones(4), rule, 2, True)
    assert found.doubtful is not None


@pytest.mark.parametrize("vote", ["leader", "majority", "share"])
@pytest.mark.parametrize("amount", [1.0, 0.375])
def test_a_mixture_counts_what_the_kernel_counts(vote, amount):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 200)
    predictions = np.where(random.random((4, 200)) < random.random((4, 1)), y, random.integers(0, 3, (4, 200)))
    predictions[:, 0] = NOBODY
    again = MixtureReplay(4, vote, 0.97, 0.6, 0.01)
    chosen = []
    for t, label in enumerate(y.tolist()):
        own = predictions[:, t].tolist()
        chosen.append(again.choose(t, own))
        again.learn(own, chosen[-1], label, amount)
    counts, found = MixtureCounts.none(4).after(
        Vote(vote, 0.97, 0.6, 0.01), predictions.astype(np.int32), y.astype(np.int32), np.full(200, amount)
    )
    assert chosen == found.tolist()
    np.testing.assert_allclose(again.decayed, counts.decayed, rtol=1e-12)
    np.testing.assert_allclose(again.mistakes, counts.mistakes, rtol=1e-12)
    if vote == "share":
        np.testing.assert_allclose(again.fewest.ravel(), counts.fewest, rtol=1e-12)
        np.testing.assert_allclose(again.weights, counts.shares / counts.shares.max(), rtol=1e-9)


def test_ties_are_doubtful_unless_arithmetic_is_exact():
    exact, rounded = MixtureReplay(2, "majority", 1.0, 0.5, 0.1), MixtureReplay(2, "majority", 1.0, 0.3, 0.1)
    assert exact.choose(0, [4, 7]) == rounded.choose(0, [4, 7]) == 4
    assert (exact.doubtful, rounded.doubtful) == (None, 0)


@pytest.mark.parametrize("delay", [1, 4, 100])
@pytest.mark.parametrize(
    "learner",
    [
        nk.Perceptron(),
        nk.AveragedPerceptron(scale="running"),
        nk.VotedPerceptron(scale="running", normalize=True),
        nk.PassiveAggressiveI(half_life=9),
        nk.AROW(),
        nk.MulticlassPerceptron(),
        nk.MulticlassAROW(scale="running"),
        nk.MulticlassAROW(scale="centred", normalize=True),
    ],
    ids=repr,
)
def test_late_predictions_are_those_that_the_learner_served(learner, delay):
    X, y = make_stream(3)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)
    learner, served = clone(learner), []
    for t in range(len(y) + delay):
        if t < len(y):
            label = learner.predict_one(X[t])
            served.append(NOBODY if label is None else label)
        if t - delay in range(len(y)):
            learner.learn_one(X[t - delay], int(y[t - delay]))
    rule = learner.record_.problems[0].run.rule
    found = predictions_of(X, y, np.ones(len(y)), rule, 3, False, delay)
    until = len(y) if found.doubtful is None else found.doubtful
    assert until > 10 or rule.keep == "votes"
    assert found.codes[:until].tolist() == served[:until]


@pytest.mark.parametrize("vote", ["leader", "majority", "share"])
@pytest.mark.parametrize("delay", [0, 1, 7, 300])
def test_a_late_mixture_counts_what_the_reference_counts(vote, delay):
    random = np.random.default_rng([3, delay])
    y = random.integers(0, 3, 200)
    predictions = np.where(random.random((4, 200)) < random.random((4, 1)), y, random.integers(0, 3, (4, 200)))
    again = MixtureReplay(4, vote, 0.97, 0.6, 0.01)
    again.run(predictions, y, np.ones(200), delay)
    wrong, _ = mixtures.late_mixture(vote, predictions.T, y, 0.6, decay=0.97, alpha=0.01, delays=delay)
    assert again.mistakes == [*(predictions != y).sum(axis=1), wrong.sum()]
