import pytest
from sklearn.linear_model import RidgeClassifier

import novikoff as nk
from novikoff._report.subject import subject_of


def test_performance_is_that_of_the_test_rows_if_they_are_given(svm_subject, perceptron_subject):
    assert [name for name, _ in svm_subject.all_scores()] == ["training"]
    assert svm_subject.scored[2] is svm_subject.training
    assert [name for name, _ in perceptron_subject.all_scores()] == ["training", "test"]
    assert perceptron_subject.scored[2].rows == 200


def test_classifier_of_scikit_learn_has_classes_and_no_certificate(cancer):
    X, y = cancer
    subject = subject_of(RidgeClassifier().fit(X, y), X, y, None, None, None)
    assert subject.strategy.positives == ["malignant"]
    assert (subject.record, subject.certificates) == (None, [])


def test_wrong_arguments_are_refused(svm, cancer):
    with pytest.raises(nk.InvalidInputError, match=r"report: model must be a classifier .* but it is a Hashing"):
        nk.report(nk.Hashing(), *cancer)
    with pytest.raises(nk.InvalidInputError, match=r"test must be a tuple \(X, y\), but it is a int"):
        nk.report(svm, *cancer, test=3)
    with pytest.raises(nk.InvalidInputError, match="feature_names must have 30 entries"):
        nk.report(svm, *cancer, feature_names=["one"])
    with pytest.raises(nk.InvalidInputError, match="class_ must be one of"):
        nk.report(svm, *cancer, class_="other")
