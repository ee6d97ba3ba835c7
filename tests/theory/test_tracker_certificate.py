"""The certificate of a mixture: its claims hold, and altered ones are refuted."""

import dataclasses
from collections import deque

import numpy as np
import pytest

import novikoff as nk
from learners import TRACKERS
from novikoff.testing import check_certificate
from novikoff.testing._online_learner import make_separable, make_stream
from novikoff.theory import mixture_bounds, tracker_certificate
from novikoff.theory.tracker_certificate import _open_if
from novikoff.theory.verification import Check

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


@pytest.mark.slow
@pytest.mark.parametrize("vote", ["majority", "share"])
def test_a_delay_that_is_too_long_leaves_no_bound(vote):
    X = np.random.default_rng(1).normal(size=(500, 1))
    y = (X[:, 0] > 0).astype(int)
    model = nk.Tracker(vote=vote, beta=0.1, decay=1.0)
    list(nk.evaluate.progressive(model, [(X, y)], delay=400))
    assert model.certificate_.bound == np.inf
    assert "none, because the delay is too long" in dict(model.certificate_.claims()).values()
    assert model.certificate_.verify(X, y)


TWO_ROWS, TWO_LABELS, UNIT = np.array([[1.0], [-1.0]]), np.array([1, 0]), 2.0**-52


def worked(vote="leader", count=1, /, **fields):
    """A mixture of perceptrons after two examples."""
    certificate = nk.Tracker([nk.Perceptron()] * count, vote=vote).partial_fit(TWO_ROWS, TWO_LABELS).certificate_
    return dataclasses.replace(certificate, **fields)


def statuses(certificate, **options):
    return {check.claim: check.status for check in certificate.verify(TWO_ROWS, TWO_LABELS, **options).checks}


def test_the_bound_allows_for_the_roundings_of_all_rounds_and_no_more():
    """A bound of 1 with 4 (1 + 64) roundings for each of 6 + 4 rounds, and as many of 1 for each of 6."""
    member = dataclasses.replace(worked().members[0], decayed_mistakes=1.0)
    for units, status in ((260 * 16, "holds"), (260 * 16 + 1, "fails")):
        one = worked(rounds=6, decayed_mistakes=1 + units * UNIT)
        one = dataclasses.replace(one, members=(member,))
        assert one.bound == 1.0
        assert one._check_bound().status == status


@pytest.mark.parametrize("vote", ["majority", "share"])
def test_the_bound_of_votes_allows_for_the_roundings_of_a_total_weight(vote):
    certificate = worked(vote, 2, rounds=1000, beta=0.1)
    if vote == "majority":
        progress = mixture_bounds.majority_progress(0.1, 2, 0, certificate.decay)
    else:
        progress = mixture_bounds.share_progress(0.1, certificate.share, 0)
    each = 4 * 66 * UNIT
    for more, status in ((0.99, "holds"), (1.01, "fails")):
        made = certificate.bound + more * each * (1004 * certificate.bound + 1000 / progress)
        fields = {"mistakes": made, "decayed_mistakes": 0.0} if vote == "share" else {"decayed_mistakes": made}
        assert dataclasses.replace(certificate, **fields)._check_bound().status == status


@pytest.mark.parametrize(
    ("vote", "members", "fields", "claim"),
    [
        ("leader", 1, {"decay": 1.0}, None),
        ("leader", 1, {"decay": 0.0}, "decay"),
        ("leader", 1, {"beta": 0.0}, "beta"),
        ("leader", 1, {"beta": 1.0}, "beta"),
        ("leader", 1, {"share": 0.0}, "share"),
        ("leader", 1, {"share": 1.0}, "share"),
        ("leader", 1, {"share": 0.75}, None),
        ("share", 2, {"share": 0.5}, None),
        ("share", 2, {"share": 0.51}, "share"),
        ("leader", 1, {"vote": "share"}, "members"),
        ("leader", 1, {"members": ()}, "members"),
        ("leader", 1, {"sequences": (0.0,)}, "sequences"),
        ("share", 2, {"sequences": (0.0,)}, "sequences"),
        ("leader", 1, {"mistakes": 0.0, "decayed_mistakes": 0}, None),
        ("leader", 1, {"mistakes": -1.0}, "counts"),
        ("leader", 1, {"examples": float("inf")}, "counts"),
        ("leader", 1, {"rounds": -1}, "counts"),
        ("leader", 1, {"rounds": 0}, None),
        ("leader", 1, {"delay": 1}, None),
        ("leader", 1, {"delay": 2}, "delay"),
        ("leader", 1, {"delay": -1}, "delay"),
        ("leader", 1, {"rounds": 0, "delay": 1}, "delay"),
        ("leader", 1, {"classes": (), "class_examples": ()}, "classes"),
        ("leader", 1, {"classes": (1, 1)}, "classes"),
        ("leader", 1, {"class_examples": (1.0,)}, "classes"),
    ],
)
def test_numbers_that_no_mixture_can_have_are_named(vote, members, fields, claim):
    found = worked(vote, members, **fields)._impossible()
    assert (found.claim if found else None) == claim


def test_counts_agree_up_to_the_roundings_of_their_sums():
    honest = worked("share", 2)
    assert set(statuses(honest).values()) == {"holds"}
    first = honest.members[0]
    assert (honest.examples, honest.class_examples, first.mistakes) == (2.0, (1.0, 1.0), 2.0)
    changes = {
        "examples": (4, lambda k: {"examples": 2 + 2 * k * UNIT}),
        "examples of 0": (8, lambda k: {"class_examples": (1 + k * UNIT, 1.0)}),
        "mistakes of mixture": (24, lambda k: {"mistakes": 2 + 2 * k * UNIT}),
        "mistakes of member 1": (
            24,
            lambda k: {"members": (dataclasses.replace(first, mistakes=2 + 2 * k * UNIT), honest.members[1])},
        ),
        "share of member 1": (
            4 * 66 * 6,
            lambda k: {"members": (dataclasses.replace(first, share=0.5 + 0.5 * k * UNIT), honest.members[1])},
        ),
        "best sequence with 0 changes": (
            24,
            lambda k: {"sequences": (honest.sequences[0] * (1 + k * UNIT), *honest.sequences[1:])},
        ),
    }
    for claim, (roundings, changed) in changes.items():
        assert statuses(dataclasses.replace(honest, **changed(roundings)))[claim] == "holds"
        assert statuses(dataclasses.replace(honest, **changed(roundings + 2)))[claim] in ("fails", "open")


def test_a_claim_that_rounding_may_have_decided_is_open_and_others_are_not():
    fails, holds = Check("mistakes", "fails", "claimed 1"), Check("mistakes", "holds", "claimed 1")
    assert _open_if([], fails) is fails
    assert _open_if([4, 2], holds) is holds
    assert _open_if([4, 2], fails).status == "open"
    assert "row 2 is so close" in _open_if([4, 2], fails).detail


def test_labels_must_be_those_of_the_model():
    certificate = worked()
    assert certificate._codes(np.array([1, 0, 1])).tolist() == [1, 0, 1]
    assert certificate._codes(np.array([1, 5])).detail.startswith("5 is not one")
    assert certificate._codes(np.array([1, 1])).status == "fails"
    assert dataclasses.replace(certificate, declared=True)._codes(np.array([1, 1])).tolist() == [1, 1]


def test_weights_of_as_many_examples_as_can_be_repeated_are_accepted(monkeypatch):
    monkeypatch.setattr(tracker_certificate, "MAX_COPIES", 2)
    assert worked().verify(TWO_ROWS, TWO_LABELS)
    assert statuses(worked(), sample_weight=[1.0, 1.5]) == {"data": "fails"}


def test_the_leader_is_the_first_of_the_best():
    certificate = worked("leader", 2)
    assert certificate.fitted() == {"leader_": 0}
    one, two = certificate.members
    worse = dataclasses.replace(certificate, members=(dataclasses.replace(one, decayed_mistakes=9.0), two))
    assert worse.fitted() == {"leader_": 1}


def test_fewer_changes_than_rounds_count_in_the_bound_of_shares():
    certificate = worked("share", 2)
    sequences = (50.0, *[0.0] * (len(certificate.sequences) - 1))
    one = dataclasses.replace(certificate, sequences=sequences, rounds=1)
    assert one.bound == mixture_bounds.fixed_share(50.0, 0, 1, 2, one.beta, one.share, 0)
    two = dataclasses.replace(certificate, sequences=sequences, rounds=2)
    assert two.bound == mixture_bounds.fixed_share(0.0, 1, 2, 2, one.beta, one.share, 0)
