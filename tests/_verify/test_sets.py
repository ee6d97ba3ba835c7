"""Adaptive sets are verified with their learner, and forged counts, levels and rounds are refuted."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from novikoff._verify import check_sets

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 3))
Y = np.where(X @ [1.0, -1.0, 0.5] + 0.7 * RNG.normal(size=120) > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + 0.3 * RNG.normal(size=120), [-0.5, 0.5])
LEARNERS = {
    "perceptron": nk.Perceptron,
    "average": nk.AveragedPerceptron,
    "centred": lambda: nk.PassiveAggressiveI(scale="centred"),
    "declared": lambda: nk.AROW(classes=["maybe", "no", "yes"]),
    "balanced": lambda: nk.PassiveAggressiveII(class_weight="balanced"),
    "unit length": lambda: nk.PassiveAggressiveI(normalize=True),
    "mixture": lambda: nk.Tracker([nk.Perceptron(), nk.AROW()], decay=0.9),
    "mixture of joint classes": lambda: nk.Tracker(
        [nk.MulticlassAROW(scale="centred"), nk.MulticlassPerceptron(normalize=True)], decay=0.9
    ),
}


def sets_of(make=nk.Perceptron, y=Y, weights=None, **options):
    given = {"error_rate": 0.2, "step": 0.05, "window": 25} | options
    return nk.evaluate.AdaptiveSets(make(), **given).partial_fit(X, y, weights)


@pytest.mark.parametrize("name", LEARNERS)
def test_honest_sets_are_proven(name):
    found = nk.verify(sets_of(LEARNERS[name]), X, Y)
    assert found, found
    own = {check.claim: check.status for check in found.checks if check.claim.startswith("sets: ")}
    assert own["sets: repeated errors"] == own["sets: latest rounds"] == own["sets: error share"] == "holds"


@pytest.mark.parametrize("name", ["perceptron", "mixture", "mixture of joint classes"])
def test_labels_that_come_late_and_weights_are_repeated(name):
    weights = RNG.integers(0, 3, size=120) * 0.75
    sets = sets_of(LEARNERS[name], THREE, weights)
    assert sets.skipped_ > 0
    assert nk.verify(sets, X, THREE, weights)
    assert not nk.verify(sets, X, THREE, np.where(weights == 0, 0, 1.0))


def test_classes_that_partial_fit_declares_are_no_forgery():
    learner = nk.Perceptron().partial_fit(X[:20], Y[:20], classes=["no", "yes"])
    sets = nk.evaluate.AdaptiveSets(learner, 0.2, step=0.05)
    sets.partial_fit(X[20:], Y[20:])
    assert sets.certificate_.rounds == 100
    assert nk.verify(sets, X, Y)  # the sets are those of the last rows


def test_what_cannot_be_repeated_is_open():
    for make in (nk.MulticlassPerceptron,):
        found = nk.verify(sets_of(make), X, Y)
        assert not found.failures
        assert {check.status for check in found.checks if check.claim == "sets: run"} == {"open"}


FORGED = {
    "fewer errors": {"errors": -1},
    "more errors": {"errors": 1},
    "fewer empty sets": {"empty": -1},
    "more sets of one label": {"single": 1, "labels": 1},
    "more labels": {"labels": 1},
    "fewer rounds": {"rounds": -1},
    "another first level": {"start": 0.3},
    "another step": {"step": 0.02},
    "another rate": {"error_rate": 0.05},
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_counts_and_levels_are_refuted(name):
    sets = sets_of()
    state, own = sets.state_, sets.certificate_
    change = FORGED[name]
    counts = {field: getattr(own, field) + by for field, by in change.items() if isinstance(by, int)}
    others = {field: by for field, by in change.items() if isinstance(by, float)}
    forged = dataclasses.replace(state, certificate=dataclasses.replace(own, **counts, **others))
    found = check_sets(sets.learner.record_, forged, X, Y)
    assert any(check.status == "fails" for check in found), found
    assert not any(check.status == "fails" for check in check_sets(sets.learner.record_, state, X, Y))


@pytest.mark.parametrize("change", [{"window": 24}, {"window": 0}, {"skipped": 500}, {"recent": ()}])
def test_forged_rounds_are_refuted(change):
    sets = sets_of()
    forged = dataclasses.replace(sets.state_, **change)
    assert any(check.status == "fails" for check in check_sets(sets.learner.record_, forged, X, Y))
    recent = sets.state_.recent
    nudged = dataclasses.replace(sets.state_, recent=(*recent[:-1], recent[-1] + 1e-6))
    assert any(check.status == "fails" for check in check_sets(sets.learner.record_, nudged, X, Y))


def test_a_learner_that_is_refuted_has_no_sets_to_check():
    found = nk.verify(sets_of(), X, Y[::-1])
    assert found.failures
    assert not any(check.claim.startswith("sets") for check in found.checks)
