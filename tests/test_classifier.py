"""What all classifiers share: predictions from scores, progress messages, and pickling."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import novikoff as nk

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

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


@pytest.mark.parametrize("cls", LEARNERS)
def test_weights_have_the_names_of_their_columns_and_no_zeros(cls):
    frame = pd.DataFrame({"a": [-2.0, -1.0, 1.0, 2.0], "zero": 0.0})
    model = cls().fit(frame, [0, 0, 1, 1])
    assert model.weights_ == {"a": model.coef_[0, 0]}
    if cls is nk.HardMarginSVM:
        return  # the middle class cannot be separated from the rest
    several = cls().fit(frame, [0, 1, 2, 2])
    names = [(1, 0), (2, 0), (2, 1)] if cls is nk.LinearSVM else [0, 1, 2]  # pairs of classes, or classes
    assert list(several.weights_) == names
    assert several.weights_[names[2]] == {"a": several.coef_[2, 0]}
    assert cls().fit(frame.to_numpy(), [0, 0, 1, 1]).weights_.keys() == {0}


@pytest.mark.parametrize("cls", LEARNERS)
def test_a_fit_to_an_array_forgets_how_a_table_was_read(cls):
    table = b"a,job,y\n-1,clerk,0\n-2,cook,0\n1,clerk,1\n2,cook,1\n"
    model = cls()
    model.fit(nk.scan(table, format="csv"))
    assert model.reading_.encoding is not None
    model.fit(np.eye(2), [0, 1])
    assert not hasattr(model, "reading_")


def test_messages_of_verbose_learners_show_control_characters(capsys):
    X, y = [[0.0], [1.0], [2.0], [0.0]], ["a\x1b[2J", "b", "c\u202e", "a\x1b[2J"]
    nk.Perceptron(verbose=1, max_iter=2).fit(X * 10, y * 10)
    shown = capsys.readouterr().err
    assert r"a\x1b[2J" in shown
    assert shown.replace("\n", "").isprintable()


def test_a_snapshot_shares_no_array_with_the_model():
    X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    model = nk.LinearSVM(C=10.0).fit(X, y)
    copied = model.snapshot()
    assert nk.dumps(copied) == nk.dumps(model)
    before = model.predict(X).tolist()
    vars(copied)["coef_"][:] = 0.0
    copied.certificate_.model.weights[:] = 0.0
    assert model.predict(X).tolist() == before
    assert bool(model.certificate_.verify(X, y))


def test_a_snapshot_does_not_report_progress_to_the_function_of_the_model():
    told = []
    model = nk.Perceptron().watch(lambda *message: told.append(message))
    model.snapshot().fit([[1.0], [-1.0]], [1, 0])
    assert not told
    model.fit([[1.0], [-1.0]], [1, 0])
    assert told
