"""The fit that asks for the rounds: parameters, classes, class weights, and when the rounds end."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.online.mixed_fit import Final, MixedFit
from novikoff.online.mixing import Outcome

LABELS, COUNTS = np.array(["a", "b", "c"]), np.array([1.0, 2.0, 5.0])


def begun(model, labels=LABELS, counts=COUNTS):
    return MixedFit(model, labels, counts, 4, [3, 5])


def outcome(mistakes, moved=True):
    return Outcome(float(mistakes), int(mistakes), [float(mistakes), 0.0], moved, np.ones(4), 0.0, examples=8.0)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (nk.Perceptron(scale="running"), "scale='running' is not supported on partitioned data"),
        (nk.Perceptron(slack_feature=0.5), "slack_feature=0.5 is not supported"),
        (nk.Perceptron(forget=0.1), "forget=0.1 is not supported"),
        (nk.PassiveAggressiveI(half_life=9.0), "half_life=9.0 is not supported"),
        (nk.Perceptron(probability=True), "probability=True is not supported"),
        (nk.Perceptron(max_features=8), "max_features=8 is not supported"),
        (nk.Perceptron(warm_start=True), "warm_start=True is not supported"),
        (nk.Perceptron(max_iter=0), "max_iter must be"),
        (nk.Perceptron(n_iter_no_change=0), "n_iter_no_change must be"),
        (nk.Perceptron(shuffle="yes"), "shuffle must be"),
        (nk.Perceptron(tie="negative"), "tie must be"),
        (nk.PassiveAggressiveI(C=-1.0), "C must be"),
        (nk.Perceptron(class_weight="equal"), "class_weight must be"),
        (nk.Perceptron(class_weight={"a": -1.0}), "class weights must be finite"),
        (nk.Perceptron(classes=["a", "b"]), "the label 'c' is not among the declared classes"),
        (nk.PassiveAggressive(class_weight={"a": 2.0, "b": 3.0}), "would have no effect"),
    ],
)
def test_what_rounds_do_not_support_is_refused_in_one_sentence(model, words):
    with pytest.raises(nk.InvalidInputError) as caught:
        begun(model)
    assert str(caught.value).startswith(f"{type(model).__name__}: ")
    assert words in str(caught.value)


def test_classes_have_one_problem_each_or_one_for_two():
    assert [begun(nk.Perceptron()).start(q).positive for q in range(3)] == [0, 1, 2]
    two = begun(nk.Perceptron(), LABELS[:2], COUNTS[:2])
    assert two.problems == 1
    assert two.start(0).positive == 1
    declared = begun(nk.Perceptron(classes=["a", "b", "c", "d"]))
    assert declared.labels == ["a", "b", "c", "d"]


def test_balanced_classes_have_the_same_total_weight():
    found = begun(nk.Perceptron(class_weight="balanced")).class_weights
    assert np.array_equal(found * COUNTS, np.full(3, COUNTS.sum() / 3))
    assert begun(nk.Perceptron(class_weight={"b": 3.0})).class_weights.tolist() == [1.0, 3.0, 1.0]
    assert begun(nk.Perceptron()).class_weights is None


def test_problems_end_by_themselves():
    fit = begun(nk.Perceptron(max_iter=3))
    assert fit.after_round({0: outcome(2), 1: outcome(0), 2: outcome(4)}) == 6
    assert fit.running == [0, 2]
    fit.after_round({0: outcome(1), 2: outcome(3, moved=False)})
    assert fit.running == [0]
    fit.after_round({0: outcome(1)})
    assert fit.running == []
    assert fit.rounds == 3


def test_rounds_without_progress_end_before_max_iter():
    fit = begun(nk.Perceptron(max_iter=1000, n_iter_no_change=2), LABELS[:2], COUNTS[:2])
    patient = begun(nk.Perceptron(max_iter=60, n_iter_no_change=None), LABELS[:2], COUNTS[:2])
    for each in (fit, patient):
        while each.running:
            each.after_round({0: outcome(2)})
    assert fit.rounds < 20
    assert patient.rounds == 60


def test_finals_of_partitions_are_joined_in_their_order():
    found = Final([np.array([1.0])], 1.0, 0.5) + Final([np.array([2.0, 3.0])], 2.5, -0.5)
    assert np.concatenate(found.duals).tolist() == [1.0, 2.0, 3.0]
    assert (found.errors, found.margin) == (3.5, -0.5)
