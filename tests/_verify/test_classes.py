"""The labels and classes of a model against its data."""

import dataclasses
import types

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._multiclass import OneVsOne, OneVsRest

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3))
TWO = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
WEIGHTS = rng.integers(0, 3, size=40).astype(float)


def failures(model, y=THREE, weights=None):
    return [check.claim for check in nk.verify(model, X, y, weights).failures]


@pytest.mark.parametrize("first", [0, 1])
def test_a_balanced_stream_passes_over_rows_that_weigh_nothing(first):
    """The weight of the first row, or of the first of its class, is 0."""
    weights = np.random.default_rng(first).integers(0, 3, len(X)).astype(float)
    weights[sorted(TWO.tolist().index(label) for label in ("no", "yes"))[first]] = 0.0
    model = nk.Perceptron(class_weight="balanced").partial_fit(X, TWO, sample_weight=weights)
    assert nk.verify(model, X, TWO, weights)
    weights[5] += 1
    assert not nk.verify(model, X, TWO, weights)


def test_class_frequencies_that_would_decide_ties_otherwise_are_no_proof():
    for model in (nk.LinearSVM().fit(X, THREE, WEIGHTS), nk.LinearSVM().fit(X, THREE > 0, WEIGHTS)):
        y = THREE if len(model.classes_) == 3 else THREE > 0
        assert failures(model, y, WEIGHTS) == []
        model.class_count_ = model.class_count_ + (model.classes_ == 0)
        assert failures(model, y, WEIGHTS) == ["class frequencies"]


def test_another_strategy_is_no_proof():
    for name, other in (("ovo", "ovr"), ("ovr", "ovo")):
        model = nk.LinearSVM(multi_class=name).fit(X, THREE)
        model.multi_class_ = other
        assert failures(model)[0] == "classes"
    model = nk.LinearSVM(multi_class="ovo").fit(X, THREE).set_params(multi_class="ovr")
    assert failures(model) == ["classes"]
    assert failures(nk.LinearSVM(multi_class="ovo").fit(X, THREE > 0), THREE > 0) == []


def test_the_strategy_must_be_the_automatic_choice():
    for name in ("ovr", "crammer_singer"):
        model = nk.LinearSVM(multi_class=name, loss="hinge").fit(X, THREE).set_params(multi_class="auto")
        assert failures(model) == ["classes"]
    wide = sp.csr_array(np.hstack([X, np.eye(40)]))
    model = nk.LinearSVM().fit(wide, THREE)
    assert model.multi_class_ == "ovr"
    for same in (wide, wide.toarray(), sp.csr_matrix(wide)):
        assert nk.verify(model, same, THREE)
    model = nk.LinearSVM().fit(wide.toarray(), THREE)
    assert model.multi_class_ == "ovo"
    assert nk.verify(model, wide, THREE)


def test_a_class_that_occurs_twice_is_no_proof():
    model = nk.LinearSVM(multi_class="ovr").fit(X, THREE)
    one, *others = model.record_.problems
    record = dataclasses.replace(
        model.record_, strategy=OneVsRest(np.array([0, 0, 1, 2])), problems=(one, one, *others)
    )
    assert failures(types.SimpleNamespace(record_=record)) == ["classes"]


def test_labels_of_another_kind_are_not_those_of_the_model():
    model = nk.LinearSVM().fit(X, THREE > 0)
    assert not nk.verify(model, X, (THREE > 0).astype(str))
    model = nk.Perceptron().fit(X, (THREE > 0).astype(int))
    assert not nk.verify(model, X, (THREE > 0).astype(int).astype(str))


def test_that_a_default_c_follows_from_the_spread_of_the_rows_is_on_trust():
    X, y = np.random.default_rng(5).normal(size=(40, 4)), np.arange(40) % 2
    found = nk.verify(nk.LinearSVM().fit(X, y), X, y)
    assert found
    assert [check.status for check in found.checks if check.claim == "C"] == ["on trust"]


def test_the_strategy_that_was_asked_for_is_named():
    model = nk.LinearSVM(multi_class="ovo").fit(X, TWO)
    record = dataclasses.replace(model.record_, strategy=OneVsOne(model.classes_))
    found = nk.verify(types.SimpleNamespace(record_=record), X, TWO)
    assert found.failures[0].detail == "multi_class='ovo' makes 'ovr' of 2 classes, but the model has 'ovo'"


def test_class_frequencies_are_compared_with_exact_sums():
    tenths = np.full(40, 0.1)
    model = nk.LinearSVM().fit(X, THREE, tenths)
    assert failures(model, THREE, tenths) == []
    model.class_count_ = model.class_count_ * (1 + 1e-13)
    assert failures(model, THREE, tenths) == ["class frequencies"]
    model = nk.LinearSVM().fit(X, THREE)
    model.class_count_ = np.nextafter(model.class_count_, 100.0)
    assert failures(model, THREE) == ["class frequencies"]
    model.class_count_ = model.class_count_[:2]
    assert failures(model, THREE) == ["class frequencies"]
