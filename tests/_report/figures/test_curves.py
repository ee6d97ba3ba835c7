import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from novikoff._report.figures.curves import MAX_POINTS, precision_recall, roc


def test_areas_are_those_of_scikit_learn(perceptron, perceptron_subject, digits):
    X, y = digits[2:]
    scores = perceptron.decision_function(X)[:, 4]
    assert f"AUC) of 4 is {roc_auc_score(y == 4, scores):.4f}" in roc(perceptron_subject).caption
    assert f"(AP) of 4 is {average_precision_score(y == 4, scores):.4f}" in precision_recall(perceptron_subject).caption


def test_every_class_has_a_line_and_one_is_highlighted(perceptron_subject):
    lines = roc(perceptron_subject).data
    assert len(lines) == 11  # ten classes and chance
    assert [line["name"][:2] for line in lines if line.get("showlegend", True)] == ["4,", "ch"]


def test_curves_have_few_points(svm_subject):
    assert np.max([len(line["x"]) for line in roc(svm_subject).data]) <= MAX_POINTS
