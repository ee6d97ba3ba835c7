"""Names and labels that examples bring: they come into the tables only with examples that are learned."""

import json
import threading
import time

import pytest

import novikoff._core as _core
from engines import ONE, fingerprint, refused, running
from novikoff.errors import InvalidInputError
from novikoff.serve.engine.additions import Additions, Unfit
from novikoff.serve.engine.examples import Examples, joined
from novikoff.serve.errors import ServeError

LIMITS = _core.ExampleLimits(100, 100, 100, 10_000)


def tables(names=(), labels=(), max_names=10, max_classes=4):
    made = _core.NameTable(max_names), _core.LabelTable(max_classes)
    made[0].add(list(names))
    made[1].add(list(labels))
    return made


def read(examples, made):
    found = _core.read_examples(json.dumps(examples).encode(), *made, LIMITS, True)
    assert found.bad == []
    return Examples.of(found)


def additions(made, max_names=10, max_classes=4):
    known = {label: code for code, label in enumerate(made[1].since(0))}
    return Additions(*made, known, max_names, max_classes)


def test_examples_of_several_requests_get_the_same_columns_and_codes():
    made = tables(["a"], ["p"])
    parts = [
        read([{"x": {"b": 1, "a": 2}, "y": "q"}, {"x": {"c": 1}, "y": "p"}], made),
        read([{"x": {"c": 1, "b": 1}, "y": "r"}, {"x": {"d": 1}, "y": "q"}], made),
    ]
    whole, found = joined(parts), additions(made)
    found.settle(whole)
    assert whole.columns.tolist() == [1, 0, 2, 2, 1, 3]
    assert whole.codes.tolist() == [1, 0, 2, 1]
    assert (len(made[0]), len(made[1])) == (1, 1)
    found.accept()
    assert (made[0].since(0), made[1].since(0)) == (["a", "b", "c", "d"], ["p", "q", "r"])


def test_only_what_the_taken_examples_use_is_added():
    made = tables()
    examples = read([{"x": {str(k): 1}, "y": f"l{k}"} for k in range(4)], made)
    taken, found = joined([examples.taken([2]), examples.taken([1]), examples.taken([2])]), additions(made)
    found.settle(taken)
    assert (found.names, found.labels) == (["1", "2"], ["l1", "l2"])
    assert taken.columns.tolist() == taken.codes.tolist() == [1, 0, 1]


def test_names_that_came_in_meanwhile_have_their_column():
    made = tables()
    examples = read([{"x": {"a": 1, "b": 1}, "y": True}], made)
    made[0].add(["b"])
    made[1].add([False, True])
    found = additions(made)
    found.settle(examples)
    assert (examples.columns.tolist(), examples.codes.tolist(), found.names, found.labels) == ([1, 0], [1], ["a"], [])


def test_one_boolean_makes_both_labels():
    made = tables()
    examples, found = read([{"x": {}, "y": False}], made), additions(made)
    found.settle(examples)
    assert (examples.codes.tolist(), found.labels) == ([0], [False, True])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([{"x": {"c": 1, "d": 1}, "y": "p"}], "more than 2 feature names"),
        ([{"x": {}, "y": "q"}, {"x": {}, "y": "r"}], "label 'r' would be one more than the 2 labels"),
        ([{"x": {}, "y": 1}], "label '1' does not fit the labels of this model, which are strings"),
    ],
)
def test_what_does_not_fit_any_more_is_refused(given, words):
    made = tables(max_names=2, max_classes=2)
    examples = read(given, made)
    made[0].add(["a"])
    made[1].add(["p"])
    with pytest.raises(Unfit, match=words):
        additions(made, 2, 2).settle(examples)
    assert (len(made[0]), len(made[1])) == (1, 1)
    assert issubclass(Unfit, InvalidInputError)


def state(client):
    model = client.model("m")
    return fingerprint(model), model.names.since(0), model.labels.since(0), client.engine.describe("m")


@pytest.mark.parametrize(
    "example",
    [
        {"x": {"new": 1e200}, "y": "new"},
        {"id": "unknown", "y": "new"},
        {"text": "new", "y": "new"},
        {"x": {"new": 1, "u": 1e200}, "y": "new", "id": "i"},
    ],
)
def test_a_refused_example_leaves_no_names_and_labels(tmp_path, example):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", ONE)
        before = state(client)
        assert refused(lambda: client.learn("m", example))[0] in (404, 422)
        assert refused(lambda: client.learn("m", [{"x": {"other": 1}, "y": "other"}, example]))[0] in (404, 422)
        assert all("error" in line or "summary" in line for line in client.stream("m", [example]))
        assert state(client) == before


def test_refused_labels_leave_room_for_others(tmp_path):
    with running(tmp_path, max_classes=3, max_names=3) as client:
        client.create()
        for place in range(9):
            refused(lambda place=place: client.learn("m", {"x": {f"n{place}": 1e200}, "y": f"l{place}"}))
        assert len(client.learn("m", [{"x": {"a": 1}, "y": label} for label in "abc"])) == 3
        assert client.engine.describe("m")["classes"] == ["a", "b", "c"]
    with running(tmp_path) as client:
        assert client.model().labels.since(0) == ["a", "b", "c"]
        assert client.model().names.since(0) == ["a"]


def test_an_example_that_the_queue_refuses_leaves_no_names_and_labels(tmp_path, monkeypatch):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", ONE)
        before = state(client)

        def full(item):
            raise ServeError(429, "queue_full", "Wait.", 1)

        monkeypatch.setattr(client.engine._inbox, "put", full)
        assert refused(lambda: client.engine.learn("m", b'{"x": {"new": 1}, "y": "new"}')) == (429, "queue_full")
        monkeypatch.undo()
        assert state(client) == before


def test_short_documents_are_read_while_a_long_one_is():
    made = tables(["a"])
    line = b'{"x": {"a": 1.5}, "y": "p"}'
    long = b"[" + b",".join([line] * 100_000) + b"]"
    reading = threading.Thread(target=_core.read_examples, args=(long, *made, LIMITS, True))
    reading.start()
    count, begin = 0, time.monotonic()
    while reading.is_alive() and time.monotonic() - begin < 20:
        _core.read_examples(line, *made, LIMITS, False)
        count += reading.is_alive()
    reading.join()
    assert count > 5
