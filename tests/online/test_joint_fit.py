"""Passes over classes that are learned together: when they end, and what is said about it."""

import warnings

import numpy as np
import pytest

import novikoff as nk

RNG = np.random.default_rng(8)
X = RNG.normal(size=(50, 3))
RANDOM = RNG.integers(0, 3, 50)


def caught(model):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, RANDOM)
    return [entry.message for entry in found]


@pytest.mark.parametrize(("max_iter", "reason"), [(3, "max_iter"), (500, "no progress")])
def test_a_perceptron_that_does_not_converge_says_why(max_iter, reason):
    model = nk.MulticlassPerceptron(max_iter=max_iter)
    (message,) = caught(model)
    assert isinstance(message, nk.NotHaltedWarning)
    assert message.reason == model.stopped_ == reason
    assert model.n_iter_ < 500


def test_one_pass_and_a_passive_aggressive_learner_promise_nothing():
    assert caught(nk.MulticlassPerceptron(max_iter=1)) == []
    assert caught(nk.MulticlassPassiveAggressiveI()) == []


def test_without_a_limit_on_patience_all_passes_are_made():
    model = nk.MulticlassPerceptron(max_iter=60, n_iter_no_change=None)
    caught(model)
    assert (model.n_iter_, model.stopped_) == (60, "max_iter")


def test_progress_is_told_after_every_pass():
    told = []
    model = nk.MulticlassPerceptron(max_iter=2).watch(lambda message, fraction: told.append((message, fraction)))
    caught(model)
    assert [fraction for _, fraction in told] == [0.5, 1.0, 1.0]
    assert told[0][0].startswith("pass 1, ")
    assert told[-1][0] == "stopped after 2 passes: max_iter was reached"
