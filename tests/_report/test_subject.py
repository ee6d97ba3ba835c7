import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

import novikoff as nk
from novikoff._report.subject import by_errors, subject_of, with_held_out


def test_classes_are_ordered_by_their_errors(perceptron, perceptron_subject, digits):
    predicted, y = perceptron.predict(digits[2]), digits[3]
    wrong = [np.count_nonzero((predicted == k) != (y == k)) for k in range(10)]
    ordered = by_errors(perceptron, perceptron_subject.scored.scores)
    assert [wrong[k] for k in ordered] == sorted(wrong, reverse=True)


def test_classifier_of_scikit_learn_has_classes_and_no_certificate(cancer):
    X, y = cancer
    subject = subject_of(RidgeClassifier().fit(X, y), X, y, None, None, None)
    assert subject.strategy.positives == ["malignant"]
    assert (subject.record, subject.verification, subject.parts) == (None, None, ([], []))
    assert subject.first.words == "569 given rows"


def test_wrong_arguments_are_refused(svm, cancer):
    with pytest.raises(nk.InvalidInputError, match=r"report: model must be a classifier .* but it is a Hashing"):
        nk.report(nk.Hashing(), *cancer)
    with pytest.raises(nk.InvalidInputError, match=r"test must be a tuple \(X, y\), but it is a int"):
        nk.report(svm, *cancer, test=3)
    with pytest.raises(nk.InvalidInputError, match="feature_names must have 30 entries"):
        nk.report(svm, *cancer, feature_names=["one"])
    with pytest.raises(nk.InvalidInputError, match="class_ must be one of"):
        nk.report(svm, *cancer, class_="other")


def test_held_out_rows_are_those_of_a_copy_of_the_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = nk.LinearSVM().fit(X, y)
    held_out = nk.evaluate.holdout(model, X, y)
    found = with_held_out(subject_of(model, X, y, None, None, None), held_out)
    assert (found.scored.kind, found.scored.words) == ("held-out", "16 held-out rows")
    assert found.scored.scores.accuracy == held_out.scores.accuracy
    assert found.scored.model is held_out.model
    assert "16 held-out rows" in nk.report(model, X, y, holdout=held_out)
    with pytest.raises(nk.InvalidInputError, match="not both"):
        nk.report(model, X, y, holdout=held_out, test=(X, y))
