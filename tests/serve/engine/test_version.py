import json

import numpy as np
import pytest

import novikoff._core as _core
from novikoff.data.rows import csr
from novikoff.online.frozen import frozen
from novikoff.online.perceptron import Perceptron
from novikoff.serve.engine.version import Version, key_text, label_text, number_text


def decided(version, X):
    X = csr(
        X.ravel().astype(float),
        np.tile(np.arange(2, dtype=np.int32), len(X)),
        np.arange(len(X) + 1, dtype=np.int32) * 2,
        2,
    )
    rows = _core.csr(X.data, X.indices, X.indptr, 2)
    return version.decide(rows, lambda: X)


@pytest.mark.parametrize("labels", [["b", "a"], [3, -1], [True, False], ['é"', "\n"], ["a", "b", "c"]])
def test_answers_are_json_of_what_the_learner_predicts(labels):
    X = np.array([[1.0, 0.5], [-1.0, 2.0], [0.25, -3.0]])
    learner = Perceptron().partial_fit(X[: len(labels)], labels)
    version = Version(7, frozen(learner), {label: code for code, label in enumerate(labels)})
    places, decisions = decided(version, X)
    answers = [json.loads(text) for text in version.answers(places, decisions, ["i", None, "j\\"], 3)]
    predicted = learner.predict(X).tolist()
    assert [answer["label"] for answer in answers] == predicted
    assert [type(answer["label"]) for answer in answers] == [type(label) for label in predicted]
    assert [answer.get("id") for answer in answers] == ["i", None, "j\\"]
    assert [answer["version"] for answer in answers] == [7] * 3
    assert version.codes(places, 3).tolist() == [labels.index(label) for label in predicted]
    scores = learner.decision_function(X)
    if len(labels) == 2:
        assert [answer["score"] for answer in answers] == scores.tolist()
    else:
        assert [list(answer["scores"].values()) for answer in answers] == scores.tolist()
        assert list(answers[0]["scores"]) == learner.classes_.tolist()


def test_nothing_learned_answers_null():
    version = Version(0, frozen(Perceptron()), {})
    places, decisions = decided(version, np.zeros((2, 2)))
    assert version.codes(places, 2).tolist() == [-1, -1]
    assert version.answers(places, decisions, None, 2) == ['{"label":null,"version":0}'] * 2


def test_texts_are_json():
    assert [label_text(label) for label in ("é", 1, True)] == ['"é"', "1", "true"]
    assert [key_text(label) for label in ("é", 1, True)] == ['"é"', '"1"', '"true"']
    assert [number_text(value) for value in (0.1, float("inf"), float("nan"))] == ["0.1", "null", "null"]
