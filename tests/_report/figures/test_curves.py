import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from novikoff._report.figures.curves import MAX_POINTS, precision_recall, roc
from novikoff._report.subject import subject_of


def test_areas_are_those_of_scikit_learn(perceptron, perceptron_subject, digits):
    X, y = digits[2:]
    scores = perceptron.decision_function(X)[:, 4]
    found = roc(perceptron_subject)
    assert f"(AUC) is {roc_auc_score(y == 4, scores):.4f}" in found.caption
    assert found.caption.startswith("On 200 test rows: the fraction of 4 that is found")
    assert f"(AP) is {average_precision_score(y == 4, scores):.4f}" in precision_recall(perceptron_subject).caption


def test_first_of_two_classes_has_the_negated_scores(svm, cancer):
    X, y = cancer
    found = roc(subject_of(svm, X, y, "benign", None, None))
    assert f"(AUC) is {roc_auc_score(y == 'benign', -svm.decision_function(X)):.4f}" in found.caption


def test_rows_of_one_class_have_none(svm, cancer):
    X, y = cancer
    assert roc(subject_of(svm, X[y == "benign"], y[y == "benign"], None, None, None)) is None


def test_curves_have_few_points(svm_subject):
    assert np.max([len(line["x"]) for line in roc(svm_subject).data]) <= MAX_POINTS
