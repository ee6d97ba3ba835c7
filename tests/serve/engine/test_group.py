"""Requests that wait together are learned as one group: each is answered as if alone, and a replay learns the same."""

import json

import numpy as np
import pytest

from engines import ONE, OTHER, fingerprint, held, random_examples, running
from novikoff.serve.engine import group
from novikoff.serve.errors import ServeError

HUGE = {"x": {"u": 1e200}, "y": "a"}
THREE = random_examples(30, classes=("a", "b", "c"))
KINDS = [ONE, OTHER | {"weight": 2.0, "id": "k"}, OTHER | {"id": "late"}]


def stream(*examples):
    """A request that is a stream of its own."""
    return ("stream", list(examples))


def outcome(answer):
    """Return what an answer says: of an array or a stream, one word for each example."""
    if isinstance(answer, ServeError):
        return f"{answer.status} {answer.message}"
    if isinstance(answer, list):
        return [outcome(own) for own in answer]
    if "error" in answer:
        return f"line {answer['line']}" if "line" in answer else answer["error"]["code"]
    return "repeated" if "repeated" in answer else "served" if "served" in answer else "learned"


def ask_together(client, requests, model="m"):
    """Send requests that wait for each other; return their outcomes, and the answers."""
    jobs = []
    with held(client.engine):
        for request in requests:
            if isinstance(request, tuple):
                text = b"".join(json.dumps(example).encode() + b"\n" for example in request[1])
                jobs.append(client.engine.open_stream(model, "ndjson").feed(text, True))
            else:
                jobs.append(client.begin(model, request))
    found = []
    for job, request in zip(jobs, requests, strict=True):
        try:
            answer = job.result(20)
        except ServeError as error:
            found.append(error)
        else:
            is_stream = isinstance(request, tuple)
            found.append([json.loads(line) for line in answer.splitlines()][:-1] if is_stream else json.loads(answer))
    return [outcome(answer) for answer in found], found


def check_replay(client, directory, names="m"):
    """Check that the models are the same after a restart without snapshots."""
    before = [fingerprint(client.model(name)) for name in names]
    client.engine.stop()
    for path in (directory / "snapshots").rglob("*.snapshot"):
        path.unlink()
    with running(directory) as again:
        assert [fingerprint(again.model(name)) for name in names] == before


CASES = {
    "arrays and streams": ([THREE[:10], stream(*THREE[10:20]), THREE[20:]], [["learned"] * 10] * 3),
    "weights and ids in some of them": ([[ONE, OTHER], KINDS, [ONE]], [["learned"] * 2, ["learned"] * 3, ["learned"]]),
    "refused array": ([THREE[:5], [ONE, HUGE], THREE[6:8]], [["learned"] * 5, "422 refuses", ["learned"] * 2]),
    "refused lines": ([stream(ONE, HUGE, {"x": {}, "y": 3}, OTHER)], [["learned", "line 2", "line 3", "learned"]]),
    "same id": (
        [ONE | {"id": "i"}, [ONE | {"id": "i"}, OTHER | {"id": "i"}], stream(ONE | {"id": "i"})],
        ["learned", ["repeated"] * 2, ["repeated"]],
    ),
    "id of a refused request": ([HUGE | {"id": "i"}, ONE | {"id": "i"}], ["422 refuses", "learned"]),
    "id of a refused line": ([stream(HUGE | {"id": "i"}, ONE | {"id": "i"})], [["line 1", "line 2"]]),
    "new names in each": ([{"x": {k: 1}, "y": "a"} for k in "pqp"], ["learned"] * 3),
    "label of another kind": ([ONE, {"x": {"u": 1}, "y": 7}, OTHER], ["learned", "422 does not fit", "learned"]),
    "too many labels": ([ONE, OTHER, *({"x": {}, "y": y} for y in "cd")], [*["learned"] * 3, "422 one more than"]),
    "too many names": ([{"x": {f"{k}": 1}, "y": "a"} for k in range(13)], [*["learned"] * 12, "422 more than 12"]),
    "label alone": ([{"id": "waits", "y": "a"}, {"id": "waits", "y": "a"}], ["served", "repeated"]),
    "label of nothing": ([[ONE, {"id": "unknown", "y": "a"}]], ["404 Example 1 cannot be learned"]),
    "text": ([{"text": "one two", "y": "a"}], ["422 it is a text"]),
    "no label": ([{"x": {"u": 1}}, [{"x": {}, "id": "a"}]], ["422 it has no label y"] * 2),
    "too many names in what was predicted": ([{"id": "long", "y": "a"}, ONE], ["422 max_names", "learned"]),
}


@pytest.mark.parametrize("is_split", [False, True], ids=["one block", "many blocks"])
def test_requests_that_wait_together_are_answered_each_for_itself(is_split, tmp_path, monkeypatch):
    if is_split:
        monkeypatch.setattr(group, "MAX_FEATURES", 1)
    with running(tmp_path, max_names=12, max_classes=3) as client:
        for name, (requests, expected) in CASES.items():
            model = name.replace(" ", "-")
            client.create(model)
            client.predict(model, {"x": {"u": 1.0}, "id": "waits"})
            client.predict(model, {"x": {str(k): 1.0 for k in range(20)}, "id": "long"})
            found, _ = ask_together(client, requests, model)
            for own, words in zip(found, expected, strict=True):
                if isinstance(words, str) and words[0] == "4":
                    assert own.startswith(words[:3]), name
                    assert words[4:] in own, name
                else:
                    assert own == words, name
            learned = json.dumps(found).count('"learned"') + json.dumps(found).count('"served"')
            assert client.counts(model)["examples"] == learned, name
        check_replay(client, tmp_path, [name.replace(" ", "-") for name in CASES])


def test_a_group_learns_what_one_request_would(tmp_path):
    weighted = [own | {"weight": 2.0, "id": f"i{k}"} for k, own in enumerate(THREE[10:20])]
    late = {"id": "late", "y": "b"}
    with running(tmp_path) as client:
        for name in ("m", "other"):
            client.create(name)
            client.engine.add_shadow(name, "s", {"learner": "perceptron", "classes": ["a", "b"]}).result(20)
            client.predict(name, {"x": {"f1": 1.0}, "id": "late"})
        _, answers = ask_together(client, [THREE[:10], stream(*weighted), late, THREE[20:]])
        expected = client.learn("other", [*THREE[:10], *weighted, late, *THREE[20:]])
        for answer in expected[10:20]:
            del answer["version"]
        assert [*answers[0], *answers[1], answers[2], *answers[3]] == expected
        models = client.model(), client.model("other")
        assert fingerprint(models[0])[2:] == fingerprint(models[1])[2:]
        assert models[0].arms["s"].stopped is not None
        check_replay(client, tmp_path)


def test_a_request_that_was_read_before_its_model_was_loaded_again_is_read_again(tmp_path):
    with running(tmp_path, models_in_memory=1) as client:
        client.create()
        client.learn("m", {"x": {"z": 1.0}, "y": 1})
        with held(client.engine):
            client.engine.create("other", {})
            piece = client.engine.open_stream("m", "ndjson").feed(b'{"x": {"a"', False)
            jobs = [client.begin("m", {"x": {"z": 1.0, "a": 2.0}, "y": 2}) for _ in range(2)]
        assert piece.result(20) == b""
        assert [json.loads(job.result(20))["version"] for job in jobs] == [2, 3]
        assert client.model().names.since(0) == ["z", "a"]
        check_replay(client, tmp_path)


def test_texts_are_hashed_words(tmp_path):
    with running(tmp_path) as client:
        client.create("m", {"learner": "perceptron", "hashing": {"n_bits": 8}})
        model = client.model()
        ask_together(client, [[{"text": "one two", "y": "p"}, {"x": {"a": 1}, "y": "q"}, {"text": "", "y": "p"}]])
        expected = model.hashing.transform(["one two"]).toarray() - model.hashing.transform([{"a": 1}]).toarray()
        score = client.predict("m", [{"text": "one two"}, {"x": {"a": 1}}])
        assert [own["label"] for own in score] == ["p", "q"]
        assert np.array_equal(np.abs(model.main.learner.coef_), np.abs(expected))
