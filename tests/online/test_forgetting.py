"""Learners with ``forget`` and ``half_life``."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.online._forgetting import check_forgetting, check_large_weights
from novikoff.theory.forgetting import Forgetting
from novikoff.theory.rules import Rule
from reference.forgetting import forgetting_perceptron

LEARNERS = [nk.Perceptron, nk.PassiveAggressive, nk.PassiveAggressiveI, nk.PassiveAggressiveII]
WAYS = [{"forget": 0.2}, {"half_life": 7.0}, {"forget": 0.01, "half_life": 1.0}]

rng = np.random.default_rng(91)
X = rng.normal(size=(200, 4))
Y = np.where(X[:, 0] * np.where(np.arange(200) < 100, 1, -1) + 0.3 * X[:, 1] > 0, 1, 0)
THREE = np.argmax(X[:, :3], axis=1)


@pytest.mark.parametrize("way", WAYS)
def test_weights_are_those_of_the_definition(way):
    model = nk.Perceptron(fit_intercept=False, **way).partial_fit(X, Y)
    fade = Forgetting(**way).fade
    rows, _, path, _ = forgetting_perceptron(X, 2.0 * Y - 1, 1 - way.get("forget", 0.0), fade)
    assert model.certificate_.mistakes == len(rows)
    np.testing.assert_allclose(model.coef_[0], path[-1] * fade ** (199 - rows[-1]), rtol=1e-9)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_streams_of_every_rule_are_verified(learner, way):
    assert nk.verify(learner(**way).partial_fit(X, THREE), X, THREE)


def test_a_fit_learns_once_in_the_order_of_the_rows():
    fitted = nk.Perceptron(half_life=7.0, max_iter=50, shuffle=True).fit(X, Y)
    assert fitted.coef_.tobytes() == nk.Perceptron(half_life=7.0).partial_fit(X, Y).coef_.tobytes()
    assert fitted.n_iter_ == 1
    assert nk.verify(fitted, X, Y)
    several = nk.Perceptron(half_life=7.0).fit(X, THREE)
    assert nk.verify(several, X, THREE)
    again = nk.Perceptron(half_life=7.0, warm_start=True).fit(X[:100], Y[:100]).fit(X[100:], Y[100:])
    assert again.coef_.tobytes() == fitted.coef_.tobytes()


def test_a_learner_that_forgets_follows_a_target_that_moves():
    rows = np.random.default_rng(92).normal(size=(2000, 4))
    labels = (rows[:, 0] * np.where(np.arange(2000) < 1500, 1, -1) > 0.1).astype(int)
    steady, moving = (
        model.partial_fit(rows, labels) for model in (nk.AveragedPerceptron(), nk.Perceptron(half_life=100.0))
    )
    assert moving.score(rows[1800:], labels[1800:]) > steady.score(rows[1800:], labels[1800:]) + 0.3


def test_what_cannot_be_done_is_said_in_a_sentence():
    with pytest.raises(nk.InvalidInputError, match="weights may be at most 1,000,000 with half_life"):
        nk.Perceptron(half_life=5.0).learn_one(X[0], 1, sample_weight=1e7)
    with pytest.raises(nk.InvalidInputError, match="weights may be at most 1,000,000 with half_life"):
        nk.Perceptron(half_life=5.0).fit(X, Y, sample_weight=np.full(200, 1e7))
    with pytest.raises(nk.InvalidInputError, match='class_weight="balanced" needs all rows'):
        nk.Perceptron(half_life=5.0, class_weight="balanced").fit(X, Y)
    with pytest.raises(nk.InvalidInputError, match="a learner that forgets nothing"):
        nk.trace(nk.Perceptron(half_life=5.0), X, Y)
    with pytest.raises(nk.InvalidInputError, match="slack_feature needs a learner that forgets nothing"):
        nk.Perceptron(half_life=5.0, slack_feature=0.5).partial_fit(X, Y)
    with pytest.raises(TypeError):
        nk.AveragedPerceptron(half_life=5.0)


def test_balanced_weights_of_a_stream_are_allowed():
    model = nk.Perceptron(half_life=5.0, class_weight="balanced").partial_fit(X, Y)
    assert nk.verify(model, X, Y)


def test_weights_are_limited_only_with_a_half_life():
    check_large_weights("here", Rule("perceptron", forgetting=Forgetting(0.5)), np.array([1e9]))
    check_large_weights("here", Rule("perceptron", forgetting=Forgetting(half_life=5.0)), None)
    with pytest.raises(nk.InvalidInputError, match="one is 1e\\+09"):
        check_large_weights("here", Rule("perceptron", forgetting=Forgetting(half_life=5.0)), np.array([1.0, 1e9]))
    assert check_forgetting("here", 0, None) == Forgetting()
