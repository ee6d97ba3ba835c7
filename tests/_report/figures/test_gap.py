import numpy as np

from novikoff._report.figures.gap import gap


def test_objective_is_above_the_lower_bound(svm, svm_subject):
    figure = gap(svm_subject)
    primal, dual = (np.array(trace["y"]) for trace in figure.data[:2])
    assert np.all(primal >= dual)
    assert f"the target was {svm.tol:g}" in figure.caption
    assert len(figure.table.rows) <= 20


def test_online_learner_has_none(perceptron_subject):
    assert gap(perceptron_subject) is None
