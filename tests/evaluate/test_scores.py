"""Scores: predictions compared with labels, with the accuracy of guessing beside them."""

import numpy as np
import pytest
from sklearn import metrics

import novikoff as nk


def test_scores_are_those_of_scikit_learn():
    X = np.random.default_rng(0).normal(size=(50, 2))
    y = np.where(X @ [1.0, 1.0] + 0.5 * X[:, 0] ** 2 > 0, 1, -1)
    weights = np.random.default_rng(1).integers(0, 4, 50).astype(float)
    model = nk.LinearSVM().fit(X, y)
    found, predicted = nk.evaluate.scores(model, X, y, weights), model.predict(X)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, predicted, sample_weight=weights))
    balanced = metrics.balanced_accuracy_score(y, predicted, sample_weight=weights)
    assert found.balanced_accuracy == pytest.approx(balanced)
    confusion = metrics.confusion_matrix(y, predicted, sample_weight=weights)
    assert found.confusion.tolist() == confusion.tolist()
    decisions = model.decision_function(X)
    assert found.roc_auc == pytest.approx(metrics.roc_auc_score(y, decisions, sample_weight=weights))


def test_learner_that_knows_one_class_has_scores():
    model = nk.Perceptron().partial_fit([[1.0], [2.0]], ["a", "a"])
    found = nk.evaluate.scores(model, [[1.0], [-5.0]], ["a", "b"])
    assert (found.accuracy, found.roc_auc) == (0.5, None)


def test_rows_without_weight_are_refused():
    model = nk.LinearSVM().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(nk.InvalidInputError, match="weight above 0"):
        nk.evaluate.scores(model, [[0.0], [1.0]], [0, 1], [0.0, 0.0])


def test_labels_of_another_type_are_refused():
    model = nk.LinearSVM().fit([[0.0], [1.0]], [0, 1])
    message = r"scores: the labels, such as 'a', are of another type than those of the model \(0\)\. Convert them"
    with pytest.raises(nk.InvalidInputError, match=message):
        nk.evaluate.scores(model, [[0.0], [1.0]], ["a", "b"])


def test_scores_that_overflow_are_refused():
    model = nk.LinearSVM().fit([[1.0, 2.0], [-1.0, 0.0], [2.0, 1.0]], [1, 0, 1])
    model.coef_ = 1e200 * model.coef_
    with pytest.raises(nk.InvalidInputError, match="scores: the scores of some rows overflow"):
        nk.evaluate.scores(model, [[1e150, 1e150]], [1])


def test_precision_recall_and_f1_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.choice(["a", "b", "c"], 60, p=[0.6, 0.3, 0.1])
    weights = rng.integers(0, 4, 60).astype(float)
    model = nk.LinearSVM().fit(X, y)
    found = nk.evaluate.scores(model, X, y, weights)
    expected = metrics.precision_recall_fscore_support(
        y, model.predict(X), labels=found.labels, sample_weight=weights, zero_division=0.0
    )
    for own, other in zip((found.precision, found.recall, found.f1, found.support), expected, strict=True):
        assert own == pytest.approx(other)


def test_baseline_is_the_most_frequent_label_of_the_scored_rows():
    model = nk.LinearSVM().fit([[0.0], [1.0]], ["no", "yes"])
    found = nk.evaluate.scores(model, [[0.0], [1.0], [2.0], [3.0]], ["yes", "no", "yes", "yes"])
    assert (found.baseline, found.baseline_label) == (0.75, "yes")


def test_labels_that_the_model_does_not_know_are_listed_with_their_rows():
    model = nk.LinearSVM().fit([[0.0], [1.0]], ["no", "yes"])
    found = nk.evaluate.scores(model, [[0.0], [1.0], [2.0]], ["no.", "yes", "no."])
    assert found.unseen == (("no.", 2.0),)


@pytest.mark.parametrize(("rows", "label"), [([[0.0], [-1.0]], "no"), ([[0.0], [1.0]], None)])
def test_a_single_predicted_label_is_noticed(rows, label):
    model = nk.LinearSVM().fit([[0.0], [1.0]], ["no", "yes"])
    assert nk.evaluate.scores(model, rows, ["no", "yes"]).constant == label
