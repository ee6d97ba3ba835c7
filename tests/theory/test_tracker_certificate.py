"""The certificate of a mixture: its claims hold, and altered ones are refuted."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from learners import TRACKERS
from novikoff.testing._online_learner import make_separable, make_stream
from novikoff.theory import tracker_certificate
from novikoff.theory.tracker_certificate import _open_if
from novikoff.theory.verification import Check

X, Y, _ = make_separable()
WEIGHTS = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 2.0], len(Y))


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("name", TRACKERS)
def test_models_verify_on_their_stream_and_not_on_another(name, classes):
    X, y = make_stream(3)
    y = np.minimum(y, classes - 1)
    model = TRACKERS[name]().partial_fit(X, y)
    assert not nk.verify(model, X, y).failures
    assert not nk.verify(model, X, (y + 1) % 3)
    assert not nk.verify(model, X[::-1], y[::-1]) or classes == 1


def test_the_bound_is_that_of_the_theorem_and_holds():
    certificate = nk.Tracker([nk.Perceptron(), nk.PassiveAggressiveI()]).partial_fit(X, Y).certificate_
    best = min(member.decayed_mistakes for member in certificate.members)
    assert certificate.decayed_mistakes <= certificate.bound == nk.theory.mixture_bounds.fewest_mistakes(best, 2)
    assert "was predicted before its label was seen" in certificate.explain()
    assert [name for name, _ in certificate.claims()][-2:] == ["member 1", "member 2"]


def test_parameters_that_were_set_later_are_found():
    model = nk.Tracker().partial_fit(X, Y).set_params(decay=0.5)
    assert "parameters" in [check.claim for check in nk.verify(model, X, Y).failures]


TWO_ROWS, TWO_LABELS, UNIT = np.array([[1.0], [-1.0]]), np.array([1, 0]), 2.0**-52


def worked(count=1, /, **fields):
    """A mixture of perceptrons after two examples."""
    certificate = nk.Tracker([nk.Perceptron()] * count).partial_fit(TWO_ROWS, TWO_LABELS).certificate_
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


@pytest.mark.parametrize(
    ("fields", "claim"),
    [
        ({"decay": 1.0}, None),
        ({"decay": 0.0}, "decay"),
        ({"members": ()}, "members"),
        ({"mistakes": 0.0, "decayed_mistakes": 0}, None),
        ({"mistakes": -1.0}, "counts"),
        ({"examples": float("inf")}, "counts"),
        ({"rounds": -1}, "counts"),
        ({"rounds": 0}, None),
        ({"classes": (), "class_examples": ()}, "classes"),
        ({"classes": (1, 1)}, "classes"),
        ({"class_examples": (1.0,)}, "classes"),
    ],
)
def test_numbers_that_no_mixture_can_have_are_named(fields, claim):
    found = worked(**fields)._impossible()
    assert (found.claim if found else None) == claim


def test_counts_agree_up_to_the_roundings_of_their_sums():
    honest = worked(2)
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
    certificate = worked(2)
    assert certificate.fitted() == {"leader_": 0}
    one, two = certificate.members
    worse = dataclasses.replace(certificate, members=(dataclasses.replace(one, decayed_mistakes=9.0), two))
    assert worse.fitted() == {"leader_": 1}
