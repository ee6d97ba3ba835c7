"""What all classifiers share: predictions from scores, progress messages, and pickling."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import novikoff as nk

X, TWO, THREE = np.array([[0.0], [1.0], [2.0], [3.0]]), ["a", "a", "b", "b"], [0, 1, 2, 2]
LEARNERS = [nk.Perceptron, nk.MarginPerceptron, nk.LinearSVM, nk.HardMarginSVM]


@pytest.mark.parametrize("cls", LEARNERS)
def test_predictions_follow_from_scores(cls):
    model = cls().fit(X, TWO)
    scores = model.decision_function(X)
    assert model.predict(X).tolist() == np.where(scores >= 0, "b", "a").tolist()
    assert model.predict_sign(X).tolist() == np.sign(scores).tolist()


def test_with_more_classes_the_largest_score_decides():
    model = nk.LinearSVM().fit(X, THREE)
    assert model.predict(X).tolist() == model.classes_[model.decision_function(X).argmax(axis=1)].tolist()
    assert model.predict_sign(X).shape == (4, 3)


@pytest.mark.parametrize("cls", LEARNERS)
def test_a_model_that_is_not_fitted_does_not_predict(cls):
    with pytest.raises(NotFittedError):
        cls().predict(X)


@pytest.mark.parametrize("cls", LEARNERS)
def test_progress_is_told_to_whoever_watches_and_is_not_pickled(cls):
    messages = []
    model = cls().watch(lambda message, fraction: messages.append((message, fraction))).fit(X, TWO)
    assert messages
    assert all(isinstance(message, str) for message, _ in messages)
    assert all(fraction is None or 0 <= fraction <= 1 for _, fraction in messages)
    copy = pickle.loads(pickle.dumps(model))
    heard = len(messages)
    copy.fit(X, TWO)
    assert len(messages) == heard
    model.watch(None).fit(X, TWO)
    assert len(messages) == heard


@pytest.mark.parametrize("cls", LEARNERS)
def test_verbose_messages_go_to_standard_error(cls, capsys):
    cls(verbose=1).fit(X, TWO)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"[{cls.__name__}] ")
