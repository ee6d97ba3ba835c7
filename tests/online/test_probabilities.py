"""Probabilities from scores that were given before learning: honest frequencies, whatever the batches."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from reference.platt import Platt

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(400, 3))
Y = (RANDOM.random(400) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
Y3 = np.where(X[:, 1] > 0.5, 2, Y)


def calibrations(model):
    return [problem["calibration"] for problem in model._learner.__getstate__()[1]]


@pytest.mark.parametrize("weights", [None, RANDOM.choice([0.0, 0.5, 1.0, 2.5, 40.0], 400)], ids=["plain", "weighed"])
@pytest.mark.parametrize("labels", [Y, Y3], ids=["two", "three"])
@pytest.mark.parametrize("rows", [X, sp.csr_array(X * (np.abs(X) > 0.5))], ids=["dense", "sparse"])
@pytest.mark.parametrize("parameters", [{}, {"scale": "running"}], ids=str)
def test_batches_copies_and_single_examples_change_no_bit(make_one_vs_rest, parameters, rows, labels, weights):
    whole, parts, predicted, single, dicts = (make_one_vs_rest(probability=True, **parameters) for _ in range(5))
    whole.partial_fit(rows, labels, sample_weight=weights)
    predicted.predict_then_learn(rows, labels, sample_weight=weights)
    for begin, end in ((0, 1), (1, 7), (7, 300), (300, 400)):
        own = None if weights is None else weights[begin:end]
        parts.partial_fit(rows[begin:end], labels[begin:end], sample_weight=own)
        copies = [nk.loads(nk.dumps(parts)), copy.deepcopy(parts), parts.snapshot()]
        assert all(calibrations(other) == calibrations(parts) for other in copies)
        parts = copies[begin % 3]
    for i, label in enumerate(labels.tolist()):
        row, weight = rows[[i]], 1.0 if weights is None else weights[i]
        single.learn_one(row if sp.issparse(row) else row[0], label, weight)
        values = row.toarray()[0] if sp.issparse(row) else row[0]
        dicts.learn_one({j: value for j, value in enumerate(values.tolist()) if value != 0}, label, weight)
    expected = calibrations(whole)
    assert expected == calibrations(parts) == calibrations(predicted) == calibrations(single)
    assert whole.predict_proba(X).tobytes() == parts.predict_proba(X).tobytes() == single.predict_proba(X).tobytes()
    for one, other in zip(expected, calibrations(dicts), strict=True):  # whose columns have another order
        assert other == pytest.approx(one, rel=1e-6)


SETTINGS = [{}, {"scale": "running"}, {"scale": "running", "normalize": True}]
WEIGHTS = [1.0, 3.0, 2.5, 0.5]


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_they_are_those_of_the_reference(make_one_vs_rest, parameters):
    """An example counts with its weight and the score that it was given, before anything of it is learned."""
    model, platt = make_one_vs_rest(probability=True, classes=[0, 1], **parameters), Platt()
    for k, (x, y) in enumerate(zip(X.tolist(), Y.tolist(), strict=True)):
        score, weight = model.score_one(x), WEIGHTS[k % 4]
        if hasattr(model, "classes_"):
            assert model.predict_proba_one(x)[1] == pytest.approx(platt.probability(score), abs=1e-9)
        platt.learn(y, score, weight)
        model.learn_one(x, y, weight)


def test_copies_of_an_example_count_with_the_score_of_the_first():
    """Later copies have seen the label, so their scores say nothing about new examples."""
    for parameters in SETTINGS:
        weighed, repeated = (nk.PassiveAggressiveI(probability=True, **parameters) for _ in range(2))
        weighed.partial_fit(X[:50], Y[:50], sample_weight=np.full(50, 3.0))
        repeated.partial_fit(np.repeat(X[:50], 3, axis=0), np.repeat(Y[:50], 3))
        assert weighed.coef_.tobytes() == repeated.coef_.tobytes()
        assert calibrations(weighed) != calibrations(repeated)


def test_members_of_a_tracker_have_them():
    members = [nk.PassiveAggressiveI(probability=True, scale="running"), nk.AROW(probability=True), nk.Perceptron()]
    rows, labels, weights = X[:90], Y3[:90], RANDOM.choice([0.5, 1.0, 3.0], 90)
    whole, single = nk.Tracker(members), nk.Tracker(members)
    whole.partial_fit(rows[:40], labels[:40], sample_weight=weights[:40])
    whole = nk.loads(nk.dumps(whole))
    whole.partial_fit(rows[40:], labels[40:], sample_weight=weights[40:])
    for x, y, weight in zip(rows, labels.tolist(), weights.tolist(), strict=True):
        single.learn_one(x, y, weight)
    for one, other in zip(whole.learners_, single.learners_, strict=True):
        assert calibrations(one) == calibrations(other)
    assert (calibrations(whole.learners_[2])[0] is None, hasattr(whole.learners_[2], "predict_proba")) == (True, False)
    np.testing.assert_allclose(whole.learners_[1].predict_proba(X).sum(axis=1), 1)
    assert nk.verify(whole, rows, labels, sample_weight=weights)


def test_a_learner_that_was_saved_before_it_learned_anything_has_them():
    for classes in (None, [0, 1]):
        empty = nk.Perceptron(probability=True).partial_fit(X, Y, classes=classes, sample_weight=np.zeros(400))
        for other in (pickle.loads(pickle.dumps(empty)), copy.deepcopy(empty), empty.snapshot()):
            assert other._learner.is_calibrated
            new = nk.Perceptron(probability=True).partial_fit(X, Y, classes=classes)
            assert calibrations(other.partial_fit(X, Y)) == calibrations(new)


def test_a_class_that_appears_late_has_seen_the_earlier_examples():
    known = nk.PassiveAggressiveI(probability=True).partial_fit(X, Y3, classes=[0, 1, 2])
    late = (
        nk.PassiveAggressiveI(probability=True).partial_fit(X[Y3 < 2], Y3[Y3 < 2]).partial_fit(X[Y3 == 2], Y3[Y3 == 2])
    )
    order = np.argsort(Y3 == 2, kind="stable")
    other = nk.PassiveAggressiveI(probability=True).partial_fit(X[order], Y3[order], classes=[0, 1, 2])
    assert calibrations(late)[1:] == [
        calibrations(other)[k] for k in [late.classes_.tolist().index(c) for c in late._classes.labels]
    ]
    assert known.predict_proba(X).shape == (400, 3)


def test_probabilities_add_up_to_one_and_have_the_labels_in_order(make_one_vs_rest):
    for labels in (Y, Y3, np.array(["b", "c", "a"])[Y3]):
        model = make_one_vs_rest(probability=True).partial_fit(X, labels)
        values = model.predict_proba(X)
        assert values.shape == (400, len(model.classes_))
        np.testing.assert_allclose(values.sum(axis=1), 1)
        assert (values > 0).all()
        one = model.predict_proba_one(X[0])
        assert list(one) == model.classes_.tolist()
        np.testing.assert_allclose(list(one.values()), values[0], rtol=1e-12)


def test_they_are_as_good_as_the_true_ones_on_logistic_data():
    random = np.random.default_rng(0)
    rows = random.normal(size=(20_000, 4))
    truth = 1 / (1 + np.exp(-(rows @ [1.0, -2.0, 0.5, 0.0] - 0.5)))
    labels = random.random(20_000) < truth
    model, loss = nk.AveragedPerceptron(probability=True), []
    for begin in range(0, 20_000, 500):
        part = slice(begin, begin + 500)
        if begin >= 10_000:
            p = model.predict_proba(rows[part])[:, 1]
            loss.append(-np.mean(np.log(np.where(labels[part], p, 1 - p))))
        model.partial_fit(rows[part], labels[part])
    best = -np.mean(np.log(np.where(labels[10_000:], truth[10_000:], 1 - truth[10_000:])))
    assert np.mean(loss) < best + 0.02


def test_learning_is_the_same_with_and_without(make_one_vs_rest):
    plain, other = make_one_vs_rest().partial_fit(X, Y3), make_one_vs_rest(probability=True).partial_fit(X, Y3)
    assert plain.coef_.tobytes() == other.coef_.tobytes()
    assert plain.predict_then_learn(X, Y3).tolist() == other.predict_then_learn(X, Y3).tolist()


def test_before_and_with_one_label(make_one_vs_rest):
    model = make_one_vs_rest(probability=True)
    assert model.predict_proba_one({"a": 1.0}) == {}
    model.learn_one({"a": 1.0}, "x")
    assert model.predict_proba_one({"a": 1.0}) == {"x": 1.0}
    model.learn_one({"b": 1.0}, "y")
    assert math.isclose(sum(model.predict_proba_one({"b": 1.0}).values()), 1)


def test_without_probability_there_is_no_such_method(make_one_vs_rest):
    model = make_one_vs_rest().partial_fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"predict_proba"):
        model.predict_proba_one(X[0])
    model.set_params(probability=True)
    with pytest.raises(nk.InvalidInputError, match="learned without probability=True"):
        model.predict_proba(X)


def test_fit_refuses_it(make_one_vs_rest):
    with pytest.raises(nk.InvalidInputError, match="probability=True is for streams"):
        make_one_vs_rest(probability=True).fit(X, Y)
    with pytest.raises(nk.InvalidInputError, match="probability=True is for streams"):
        make_one_vs_rest(probability=True).partial_fit(X, Y).set_params(probability=False, warm_start=True).fit(X, Y)
    with pytest.raises(nk.InvalidInputError, match="probability must be True or False"):
        make_one_vs_rest(probability="yes").learn_one(X[0], 1)


def test_classes_that_are_learned_together_have_none():
    with pytest.raises(nk.InvalidInputError, match="all classes are learned together"):
        nk.MulticlassPerceptron(probability=True).partial_fit(X, Y3)


def test_a_state_in_which_some_problems_have_no_calibration_is_refused():
    record = nk.PassiveAggressiveI(probability=True).partial_fit(X, Y3).record_
    first, *others = record.state.questions
    state = dataclasses.replace(record.state, questions=(dataclasses.replace(first, calibration=None), *others))
    with pytest.raises(nk.InvalidInputError, match="all must have a calibration, or none"):
        nk.PassiveAggressiveI.from_record(dataclasses.replace(record, make_state=lambda: state))
