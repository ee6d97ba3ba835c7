import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import novikoff as nk
from novikoff._report.subject import subject_of
from novikoff._report.verdict import verdict_of


def verdict(model, X, y, test=None):
    return verdict_of(subject_of(model, X, y, None, test, None))


def test_headline_has_the_accuracy_the_rows_and_the_majority(svm, cancer):
    found = verdict(svm, *cancer)
    accuracy = svm.score(*cancer)
    assert found.headline == f"Training accuracy {accuracy:.2%} on 569 training rows (always 'benign': 62.74%)."
    assert not found.is_useless
    assert (found.status, found.chip) == ("holds", "certificate verified")
    assert "expect less on new rows" in found.sentences[0]


def test_test_rows_come_first_and_training_accuracy_is_called_so(perceptron, digits):
    found = verdict(perceptron, *digits[:2], test=digits[2:])
    assert found.headline.startswith("Accuracy ")
    assert " on 200 test rows (always " in found.headline
    (sentence,) = found.sentences
    assert sentence.startswith("Training accuracy ")
    assert " on 600 training rows (always " in sentence
    assert found.certificate.startswith("All 10 certificates were recomputed from the 600 training rows")


def test_other_rows_are_not_called_those_it_was_fitted_to(cancer):
    X, y = cancer
    found = verdict(nk.LinearSVM(C=0.5).fit(X[:400], y[:400]), X[400:], y[400:])
    assert "on 169 given rows, which are not the training rows (always " in found.headline
    assert "Training" not in found.headline
    assert found.status == "open"
    assert "These rows are not those that the model was fitted to" in found.certificate
    assert found.sentences == []


@pytest.mark.parametrize("kind", ["constant", "no better"])
def test_model_that_is_no_better_than_guessing_is_loud(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat(["no", "yes"], [90, 10])
    model = nk.LinearSVM().fit(X, y)
    if kind == "no better":
        model = nk.LinearSVM().fit(X, np.where(X[:, 0] > 0, "no", "yes"))
        y = np.where(X[:, 0] > 0, "yes", "no")
    found = verdict(model, X, y)
    assert found.is_useless
    start = "The model predicts 'no' for every row" if kind == "constant" else "The model is no better than always"
    assert found.headline.startswith(start)


def test_model_that_is_constant_on_its_training_rows_is_loud_whatever_the_test_rows_say():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat(["no", "yes"], [90, 10])
    found = verdict(nk.LinearSVM().fit(X, y), X, y, test=(X[:50], y[:50]))
    assert found.is_useless
    assert found.headline == (
        "The model predicts 'no' for every row: 90.00% on 100 training rows (always 'no': 90.00%)."
    )


def test_class_weights_that_cost_accuracy_do_not_make_a_model_useless():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [90, 10])
    X = rng.normal(size=(100, 2)) + (y == "yes")[:, None]
    model = nk.LinearSVM(class_weight="balanced").fit(X, y)
    assert model.score(X, y) < 0.9
    assert not verdict(model, X, y).is_useless


def test_labels_that_the_model_does_not_know_are_a_warning(svm, cancer):
    X, y = cancer
    found = verdict(svm, X, np.where(y == "benign", "benign.", y))
    assert any("'benign.'" in warning for warning in found.warnings)


def test_refuted_model_says_what_was_changed(cancer):
    found = verdict(nk.LinearSVM(C=0.5).fit(*cancer).set_params(C=2.0), *cancer)
    assert (found.status, found.chip) == ("fails", "certificate refuted")
    assert "parameters: C is 2.0" in found.certificate


def test_model_without_certificate_says_that_nothing_is_known_about_the_rows(cancer):
    X, y = cancer
    found = verdict(LogisticRegression(max_iter=5000).fit(X / X.max(), y), X / X.max(), y)
    assert found.status == "none"
    assert "on 569 given rows" in found.headline
    assert "Nothing shows whether the model was fitted to these rows" in found.sentences[0]
