import json

import numpy as np
import pytest

import novikoff as nk
from novikoff._client import calls


def body(call):
    return json.loads(call.content)


def test_an_example_has_only_the_keys_that_were_given():
    assert calls.example({"a": 1}) == {"x": {"a": 1}}
    assert calls.example("free money", "spam", 2.0, "7") == {
        "text": "free money",
        "y": "spam",
        "weight": 2.0,
        "id": "7",
    }


def test_labels_that_are_false_or_zero_are_kept():
    assert calls.example({}, False)["y"] is False
    assert calls.example({}, 0)["y"] == 0


def test_numbers_of_numpy_are_written_as_numbers():
    x = {"a": np.float64(0.5), "b": np.int64(3), "c": np.float32(0.25), "d": np.bool_(True)}
    assert body(calls.predict("m", calls.example(x)))["x"] == {"a": 0.5, "b": 3, "c": 0.25, "d": True}


@pytest.mark.parametrize("x", [[1.0, 2.0], None, 3, np.ones(2)])
def test_an_example_that_is_neither_mapping_nor_text_is_refused(x):
    with pytest.raises(nk.InvalidInputError, match="x must be a mapping of names to values, or text"):
        calls.example(x)


@pytest.mark.parametrize("value", [object(), np.ones(2), iter([1])])
def test_a_value_that_json_cannot_express_is_refused_in_one_sentence(value):
    with pytest.raises(nk.InvalidInputError, match=r"^Client: the request cannot be written as JSON: [^\n]*\.$"):
        calls.predict("m", calls.example({"a": value}))


def test_columns_of_another_length_are_refused():
    with pytest.raises(nk.InvalidInputError, match="ys has 1 entries for 2 examples"):
        calls.examples([{}, {}], [1], None, None)
    with pytest.raises(nk.InvalidInputError, match="ids has 3 entries for 2 examples"):
        calls.examples([{}, {}], [1, 2], None, ["a", "b", "c"])


def test_labels_of_another_number_than_ids_are_refused():
    assert calls.labels(["a"], [False]) == [{"id": "a", "y": False}]
    with pytest.raises(nk.InvalidInputError, match="ys has 2 entries for 1 ids"):
        calls.labels(["a"], [1, 2])


def test_examples_to_learn_get_random_ids_if_they_may_be_repeated():
    first, second = (calls.learn("m", {"x": {}, "y": 1}, True) for _ in range(2))
    assert body(first)["id"] != body(second)["id"]
    assert first.is_repeatable
    many = calls.learn("m", [{"x": {}, "y": 1, "id": "mine"}, {"x": {}, "y": 2}], True)
    assert body(many)[0]["id"] == "mine"
    assert len(body(many)[1]["id"]) == 32


def test_examples_without_ids_are_not_repeatable():
    assert not calls.learn("m", {"x": {}, "y": 1}, False).is_repeatable
    assert not calls.learn("m", [{"x": {}, "y": 1, "id": "a"}, {"x": {}, "y": 1}], False).is_repeatable
    assert calls.learn("m", {"id": "a", "y": 1}, False).is_repeatable


def test_the_caller_s_example_is_not_changed():
    row = {"x": {}, "y": 1}
    calls.learn("m", row, True)
    assert row == {"x": {}, "y": 1}


def test_names_of_models_are_escaped_in_paths():
    assert calls.describe("../a?b").path == "/v1/models/..%2Fa%3Fb"
    assert calls.remove_shadow("m", "a/b").path == "/v1/models/m/shadows/a%2Fb"


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_model_without_a_name_is_refused(name):
    with pytest.raises(nk.InvalidInputError, match="name of a model must be text"):
        calls.describe(name)


def test_a_specification_leaves_out_what_was_not_given():
    assert calls.specification("arow", parameters={"r": 1.0}, classes=None) == {
        "learner": "arow",
        "parameters": {"r": 1.0},
    }


def test_models_are_a_list_of_names():
    assert calls.read_models(b'{"models": ["a", "b"]}') == ["a", "b"]


def test_an_answer_that_is_not_json_is_an_error_of_the_server():
    assert calls.read_json(b"") == {}
    with pytest.raises(nk.ServerError, match="not JSON"):
        calls.read_json(b"<html>")
