"""Online learners with scale="centred": the same for every way of passing the rows, and checked where it claims."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import CLASSES
from novikoff.errors import InvalidInputError
from novikoff_check import check, read_model
from oracle import rows_of
from reference.centred_scale import centred
from reference.perceptrons import perceptron

RNG = np.random.default_rng(7)
X = np.column_stack([RNG.normal(40, 3, 200), RNG.normal(0, 1e-3, 200), RNG.random(200) < 0.2, RNG.lognormal(8, 1, 200)])
X *= RNG.random(X.shape) < [1, 1, 1, 0.7]
Y = np.where((X[:, 0] - 40) / 3 + 1e3 * X[:, 1] + X[:, 2] + RNG.normal(0, 0.3, 200) > 0, "yes", "no")
THREE = np.digitize(X[:, 0], [38.0, 42.0])


def new(cls=nk.PassiveAggressiveI, **parameters):
    return cls(scale="centred", **parameters)


def test_the_perceptron_learns_what_it_learns_from_the_rows_of_plain_numpy():
    model = new(nk.Perceptron).partial_fit(X, Y)
    path, mistakes = perceptron(np.column_stack([centred(X), np.ones(len(X))]), np.where(Y == "yes", 1.0, -1.0))
    evidence = model.certificate_.evidence
    assert np.allclose([*evidence.weights, evidence.intercept], path[-1], rtol=1e-9, atol=1e-9)
    assert model.certificate_.mistakes == mistakes


@pytest.mark.parametrize("cls", CLASSES)
def test_coef_and_intercept_are_for_rows_as_they_are_given(cls):
    for labels in (Y, THREE):
        model = new(cls).partial_fit(X, labels)
        if cls is not nk.VotedPerceptron:
            scores = (X @ model.coef_.T + model.intercept_).squeeze()
            assert np.allclose(model.decision_function(X), scores, rtol=1e-9, atol=1e-8)
            assert np.allclose(model.decision_function(sp.csr_array(X)), scores, rtol=1e-9, atol=1e-8)
        assert [model.predict_one(x) for x in X[:20]] == model.predict(X[:20]).tolist()


@pytest.mark.parametrize("cls", CLASSES)
def test_a_verifier_proves_it_and_refutes_other_shifts(cls):
    model = new(cls).partial_fit(X[:60], Y[:60])
    found = nk.verify(model, X[:60], Y[:60])
    assert not found.failures, found
    assert next(c for c in found.checks if c.claim.endswith("scale")).status == "holds"
    assert nk.verify(model, X[:60] + np.array([1.0, 0, 0, 0]), Y[:60]).failures
    certificate = model.certificate_
    part = "model" if cls.__name__.startswith("Multiclass") else "evidence"
    about = getattr(certificate, part)
    other = dataclasses.replace(about.scale, shifts=about.scale.shifts + np.array([1e-9, 0, 0, 0]))
    forged = dataclasses.replace(certificate, **{part: dataclasses.replace(about, scale=other)})
    assert forged.verify(X[:60], Y[:60]).failures
    without = dataclasses.replace(certificate, **{part: dataclasses.replace(about, scale=None)})
    assert without.verify(X[:60], Y[:60]).failures


@pytest.mark.parametrize("cls", CLASSES)
def test_a_file_continues_with_the_same_bits_and_the_independent_checker_agrees(cls, tmp_path):
    model = new(cls).partial_fit(X[:60], Y[:60])
    nk.save(model, tmp_path / "model.nvk")
    results = check(read_model(tmp_path / "model.nvk"), rows_of(X[:60]), Y[:60].tolist())
    assert not [result for result in results if result[1] == "fails"]
    again = nk.load(tmp_path / "model.nvk").partial_fit(X[60:], Y[60:])
    assert nk.dumps(again) == nk.dumps(model.partial_fit(X[60:], Y[60:]))


def test_batches_single_rows_and_threads_give_the_same_bits():
    for rows in (X, sp.csr_array(X)):
        whole, parts, single = new(n_jobs=3).partial_fit(rows, THREE), new(), new()
        for begin in range(0, 200, 37):
            parts.partial_fit(rows[begin : begin + 37], THREE[begin : begin + 37])
        for i in range(200):
            single.learn_one(rows[[i]] if sp.issparse(rows) else rows[i], THREE[i])
        for other in (parts, single):
            assert np.array_equal(whole.coef_, other.coef_)
            assert np.array_equal(whole.intercept_, other.intercept_)


def test_dicts_and_rows_with_repeated_columns_are_seen_alike():
    plain, dicts, twice = new().partial_fit(sp.csr_array(X), Y), new(), new()
    names = dict.fromkeys(range(4), 0.0)  # all columns in the first dict, so that they have their order
    for i in range(200):
        values = {j: x for j, x in enumerate(X[i].tolist()) if x}
        dicts.learn_one(names | values if i == 0 else dict(reversed(values.items())), Y[i])
    repeated = (np.repeat(X.ravel() / 2, 2), np.tile([0, 1, 2, 3, 0, 1, 2, 3], 200), 8 * np.arange(201))
    halves = repeated[0].reshape(200, 4, 2).transpose(0, 2, 1).ravel()
    twice.partial_fit(sp.csr_array((halves, *repeated[1:]), X.shape), Y)
    for other in (dicts, twice):
        assert np.allclose(plain.coef_, other.coef_, rtol=1e-9)
    assert dicts.predict_many([{1: 0.001}, {}, {9: 1.0}]) == [dicts.predict_one(x) for x in ({1: 0.001}, {}, {})]


def test_predict_then_learn_is_predict_one_and_learn_one():
    for labels in (Y, THREE):
        together, single, expected = new(), new(), []
        for x, label in zip(X, labels, strict=True):
            expected.append(single.predict_one(x))
            single.learn_one(x, label)
        assert together.predict_then_learn(X, labels).tolist() == expected


def test_a_weight_of_k_is_k_copies():
    weights = RNG.integers(0, 4, 200).astype(float)
    kept = np.repeat(np.arange(200), weights.astype(int))
    model, copies = new().partial_fit(X, Y, sample_weight=weights), new().partial_fit(X[kept], Y[kept])
    assert np.array_equal(model.coef_, copies.coef_)
    assert np.array_equal(model.intercept_, copies.intercept_)


def test_a_class_that_appears_late_and_a_column_that_appears_late_are_learned():
    model = new()
    for i in range(50):
        model.learn_one({"a": X[i, 0], "b": X[i, 1]}, bool(Y[i] == "yes"))
    model.learn_one({"c": 3.0}, True)
    assert model.predict_one({"a": 40.0, "c": 3.0}) in (True, False)
    many = new().partial_fit(X[:50], np.zeros(50, dtype=int)).partial_fit(X, THREE)
    assert len(many.classes_) == 3


def test_a_fit_and_a_learner_without_intercept_are_refused():
    with pytest.raises(InvalidInputError, match="is for streams"):
        new().fit(X, Y)
    with pytest.raises(InvalidInputError, match="needs an intercept"):
        new(fit_intercept=False).partial_fit(X, Y)
    with pytest.raises(InvalidInputError, match='"running" or "centred"'):
        nk.Perceptron(scale="centered").partial_fit(X, Y)
