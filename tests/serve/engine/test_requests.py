import json

import numpy as np
import pytest

import novikoff._core as _core
from novikoff.serve.engine.ids import Remembered
from novikoff.serve.engine.model import Model
from novikoff.serve.engine.pending import Pending
from novikoff.serve.engine.requests import (
    LEARNED,
    REFUSED,
    REPEATED,
    features_of,
    message_of,
    prepare,
    refuse_first,
    refuse_row,
)
from novikoff.serve.engine.specification import Specification
from novikoff.serve.errors import ServeError
from novikoff.serve.settings import Settings

LIMITS = _core.ExampleLimits(100, 100, 100, 10_000)


def model_of(max_names=100, **specification):
    return Model(1, Specification("perceptron", **specification), Settings(max_names=max_names))


def read(model, examples, adds=True):
    return _core.read_examples(json.dumps(examples).encode(), model.names, model.labels, LIMITS, adds)


def prepared(model, examples, pending=None, taken=()):
    return prepare(model, read(model, examples), pending or Pending(10, 100), LIMITS, set(taken))


def test_plain_examples_are_taken_as_they_are():
    found = prepared(model_of(), [{"x": {"a": 1.5}, "y": "p"}, {"x": {}, "y": "q", "weight": 2}])
    assert found.rows is None
    assert (found.examples.codes.tolist(), found.examples.new_labels) == ([-2, -3], ["p", "q"])
    assert found.examples.weights.tolist() == [1.0, 2.0]


def test_an_id_is_learned_once():
    model = model_of()
    model.ids.add("old", Remembered(0, True))
    examples = [{"x": {"a": 1}, "y": "p", "id": id} for id in ("old", "new", "new", "other")]
    found = prepared(model, examples, taken=["other"])
    assert found.rows == [(REPEATED, "old"), (LEARNED, 0), (REPEATED, "new"), (REPEATED, "other")]
    assert found.examples.ids == ["new"]


def test_a_label_finds_the_features_that_were_predicted():
    model, pending = model_of(), Pending(10, 100)
    pending.add(1, "i", b'{"x": {"a": 2, "b": 3}}', -1, 4)
    found = prepared(model, [{"id": "i", "y": "p"}, {"x": {"b": 1}, "y": "p"}], pending)
    names = [found.examples.new_names[-1 - column] for column in found.examples.columns.tolist()]
    assert names == ["a", "b", "b"]
    assert found.examples.values.tolist() == [2.0, 3.0, 1.0]
    assert found.examples.served[0].tolist() == [-1, -2]
    assert found.examples.served[1].tolist() == [4, -1]


def test_what_cannot_be_learned_is_refused_with_words():
    model = model_of()
    found = prepared(model, [{"x": {}, "id": "a"}, {"id": "b", "y": "p"}, {"text": "t", "y": "p"}, {"x": {}, "y": "q"}])
    assert [kind for kind, _ in found.rows] == [REFUSED, REFUSED, REFUSED, LEARNED]
    words = [words for kind, words in found.rows if kind == REFUSED]
    assert "no label y" in words[0]
    assert "no prediction with the id 'b' waits for its label" in words[1]
    assert "it is a text" in words[2]
    with pytest.raises(ServeError) as refused:
        refuse_row(found, is_array=True)
    assert refused.value.status == 422
    assert refused.value.message == "Example 0 cannot be learned: it has no label y."
    found.rows = found.rows[1:]
    with pytest.raises(ServeError) as refused:
        refuse_row(found, is_array=False)
    assert refused.value.status == 404
    assert refused.value.message.startswith("The example cannot be learned: no prediction with the id 'b'")


def test_a_prediction_whose_names_do_not_fit_any_more_is_refused():
    model, pending = model_of(max_names=2), Pending(10, 100)
    pending.add(1, "i", b'{"x": {"a": 2, "b": 3, "c": 1}}', -1, 0)
    found = prepared(model, [{"id": "i", "y": "p"}, {"x": {"a": 1}, "y": "p"}], pending)
    assert [kind for kind, _ in found.rows] == [REFUSED, LEARNED]
    assert "max_names" in found.rows[0][1]
    assert len(found.examples) == 1


def test_texts_are_hashed_words():
    model = model_of(hashing={"n_bits": 8})
    found = prepared(model, [{"text": "one two", "y": "p"}, {"x": {"a": 1}, "y": "q"}, {"text": "", "y": "p"}])
    expected = model.hashing.transform(["one two", "", ""])
    assert found.examples.features(0)[0].tolist() == expected[[0]].indices.tolist()
    assert np.diff(found.examples.offsets).tolist() == [2, 1, 0]
    assert len(features_of(model, read(model, {"text": "one two"}, adds=False))) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"x": {}} x', 400),
        (b"", 400),
        (b'{"x', 400),
        (b'{"x": {"a": tru}}', 400),
        (b'{"x": {"a": null}}', 422),
        (b'[{"x": {}}, {"z": 1}]', 422),
        (b'{"x": {}, "y": 1.5}', 422),
        (b'{"x": {}, "id": 5}', 422),
        (b'{"text": 1}', 422),
    ],
)
def test_the_first_bad_example_of_a_document_is_an_error(body, status):
    model = model_of()
    with pytest.raises(ServeError) as refused:
        refuse_first(_core.read_examples(body, model.names, model.labels, LIMITS, False))
    assert refused.value.status == status


def test_a_value_in_words_is_quoted():
    assert message_of("feature {} occurs twice", "a\n{}") == "feature 'a\\n{}' occurs twice"
    assert message_of("no {} here", None) == "no {} here"
