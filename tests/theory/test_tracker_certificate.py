"""The certificate of a mixture: its claims hold, and altered ones are refuted."""

import dataclasses
from collections import deque

import numpy as np
import pytest

import novikoff as nk
from learners import TRACKERS
from novikoff.testing import check_certificate
from novikoff.testing._online_learner import make_separable, make_stream

X, Y, _ = make_separable()
WEIGHTS = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 2.0], len(Y))


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", TRACKERS)
def test_certificates_keep_their_contract(name, weights):
    certificate = TRACKERS[name]().partial_fit(X, Y, sample_weight=weights).certificate_
    check_certificate(certificate, X, Y, weights)


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("name", TRACKERS)
def test_models_verify_on_their_stream_and_not_on_another(name, classes):
    X, y = make_stream(3)
    y = np.minimum(y, classes - 1)
    model = TRACKERS[name]().partial_fit(X, y)
    assert not nk.verify(model, X, y).failures
    assert not nk.verify(model, X, (y + 1) % 3)
    assert not nk.verify(model, X[::-1], y[::-1]) or classes == 1


CHANGES = {
    "mistakes": lambda c: {"mistakes": c.mistakes - 1},
    "decayed mistakes": lambda c: {"decayed_mistakes": c.decayed_mistakes * 0.99},
    "examples": lambda c: {"examples": c.examples + 1},
    "rounds": lambda c: {"rounds": c.rounds + 1},
    "decay": lambda c: {"decay": 0.5},
    "an impossible decay": lambda c: {"decay": 1.5},
    "an impossible share": lambda c: {"share": 1.0},
    "an impossible vote": lambda c: {"vote": "all"},
    "no members": lambda c: {"members": ()},
    "classes": lambda c: {"classes": c.classes[::-1]},
    "frequencies": lambda c: {"class_examples": c.class_examples[::-1]},
    "more classes": lambda c: {"classes": (*c.classes, 9), "class_examples": (*c.class_examples, 0.0)},
    "a member": lambda c: {"members": (dataclasses.replace(c.members[0], mistakes=0.0), *c.members[1:])},
    "a share": lambda c: {
        "members": (dataclasses.replace(c.members[0], share=0.99 * c.members[0].share), *c.members[1:])
    },
    "a rule": lambda c: {
        "members": (dataclasses.replace(c.members[0], rule=nk.Perceptron(tie="positive")._rule()), *c.members[1:])
    },
    "an unknown rule": lambda c: {
        "members": (dataclasses.replace(c.members[0], rule=nk.theory.rules.Rule("guess")), *c.members[1:])
    },
    "NaN": lambda c: {"mistakes": float("nan")},
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("vote", ["leader", "share"])
def test_altered_claims_are_refuted(vote, change):
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 3))
    y = (X @ [1.0, 2.0, -1.0] + random.normal(size=60) > 0.3).astype(int)
    honest = nk.Tracker(vote=vote, decay=0.9).partial_fit(X, y).certificate_
    assert honest.verify(X, y)
    if change == "decay" and vote == "share":
        return
    assert not dataclasses.replace(honest, **CHANGES[change](honest)).verify(X, y)


def test_better_sequences_are_refuted():
    certificate = nk.Tracker(vote="share").partial_fit(X, Y).certificate_
    low = tuple(count / 2 for count in certificate.sequences)
    assert not dataclasses.replace(certificate, sequences=low).verify(X, Y)


@pytest.mark.parametrize("vote", ["leader", "majority", "share"])
def test_the_bound_is_that_of_the_theorem_and_holds(vote):
    certificate = nk.Tracker([nk.Perceptron(), nk.PassiveAggressiveI()], vote=vote).partial_fit(X, Y).certificate_
    bounds, best = nk.theory.mixture_bounds, min(member.decayed_mistakes for member in certificate.members)
    if vote == "leader":
        assert certificate.bound == bounds.fewest_mistakes(best, 2)
    elif vote == "majority":
        assert certificate.bound == bounds.weighted_majority(best, 2, 0.5)
    else:
        fewest = certificate.sequences[0]
        assert certificate.bound <= bounds.fixed_share(fewest, 0, certificate.rounds, 2, 0.5, 0.001)
    made = certificate.mistakes if vote == "share" else certificate.decayed_mistakes
    assert made <= certificate.bound
    assert "was predicted before its label was seen" in certificate.explain()


def test_parameters_that_were_set_later_are_found():
    model = nk.Tracker().partial_fit(X, Y).set_params(decay=0.5)
    assert "parameters" in [check.claim for check in nk.verify(model, X, Y).failures]


def test_altered_shares_of_a_model_are_refuted():
    model = nk.Tracker([nk.Perceptron(), nk.PassiveAggressiveI()], vote="share").partial_fit(X, Y)
    assert nk.verify(model, X, Y)
    model._counts = dataclasses.replace(model._counts, shares=model._counts.shares * [1.01, 1.0])
    failures = nk.verify(model, X, Y).failures
    assert {check.claim for check in failures} >= {"share of member 1", "share of member 2"}


def run_late(model, X, y, delay, weights=None):
    """Serve rows, and learn each when so many further ones were served."""
    waiting = deque()
    for t in range(len(y) + delay):
        if t < len(y):
            waiting.append((t, model.serve_one(X[t])))
        if t >= delay:
            row, served = waiting.popleft()
            model.learn_one(X[row], y[row].item(), *(() if weights is None else (weights[row],)), served=served)
    return model


@pytest.mark.parametrize("delay", [1, 7, 200])
@pytest.mark.parametrize("name", TRACKERS)
def test_late_runs_are_repeated_and_their_bounds_hold(name, delay):
    X, y = make_stream(3)
    model = run_late(TRACKERS[name](), X, y, delay)
    certificate = model.certificate_
    assert (certificate.delay, certificate.is_constant_delay) == (min(delay, len(y) - 1), True)
    assert not nk.verify(model, X, y).failures
    made = certificate.mistakes if certificate.vote == "share" else certificate.decayed_mistakes
    assert made <= certificate.bound
    assert "Labels came late" in certificate.explain()
    assert not dataclasses.replace(certificate, mistakes=certificate.mistakes - 1).verify(X, y)
    other = dataclasses.replace(certificate, delay=max(0, certificate.delay - 1))
    changed = TRACKERS[name]().partial_fit(X, y).certificate_.mistakes != certificate.mistakes
    assert not changed or not other.verify(X, y) or delay == 200


def test_a_delay_that_was_not_is_refuted():
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    honest = nk.Tracker().partial_fit(X, y).certificate_
    late = run_late(nk.Tracker(), X, y, 20).certificate_
    assert honest.verify(X, y)
    assert late.verify(X, y)
    assert not dataclasses.replace(honest, delay=20).verify(X, y)
    assert not dataclasses.replace(late, delay=0).verify(X, y)
    assert dataclasses.replace(late, delay=80).verify(X, y).failures[0].claim == "delay"


def test_runs_whose_delay_changes_are_left_open():
    """The data do not show when a prediction was served, so that nobody but the service knows it."""
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    model = run_late(nk.Tracker(), X[:40], y[:40], 5)
    certificate = model.partial_fit(X[40:], y[40:]).certificate_
    assert (certificate.delay, certificate.is_constant_delay) == (5, False)
    found = certificate.verify(X, y)
    assert [check.claim for check in found.checks if check.status == "open"] == ["served predictions"]
    assert not found
    assert not found.failures
    high = dataclasses.replace(certificate, decayed_mistakes=2 * certificate.bound)
    assert [check.claim for check in high.verify(X, y).failures] == ["bound"]


@pytest.mark.parametrize("weights", [[1.0, 1.0, 0.0], [1.0, 2.0], [0.5, 1.0]])
def test_weights_that_make_a_delay_uneven_are_left_open(weights):
    X = np.random.default_rng(1).normal(size=(60, 3))
    y, amounts = (X[:, 0] > 0).astype(int), np.resize(weights, 60)
    model = run_late(nk.Tracker(), X, y, 4, amounts)
    found = nk.verify(model, X, y, amounts)
    assert not found.failures
    assert bool(found) == (max(weights) == 1 and min(weights) > 0)


@pytest.mark.parametrize("vote", ["majority", "share"])
def test_a_delay_that_is_too_long_leaves_no_bound(vote):
    X = np.random.default_rng(1).normal(size=(500, 1))
    y = (X[:, 0] > 0).astype(int)
    model = nk.Tracker(vote=vote, beta=0.1, decay=1.0)
    list(nk.evaluate.progressive(model, [(X, y)], delay=400))
    assert model.certificate_.bound == np.inf
    assert "none, because the delay is too long" in dict(model.certificate_.claims()).values()
    assert model.certificate_.verify(X, y)
