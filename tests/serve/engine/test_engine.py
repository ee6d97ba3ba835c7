import json
import threading

import pytest

from engines import ONE, OTHER, fingerprint, random_examples, refused, running
from novikoff.persistence import loads
from novikoff.serve.engine.engine import Engine
from novikoff.serve.errors import Asleep
from novikoff.serve.log.errors import StoreError
from novikoff.serve.settings import Settings


def test_a_model_learns_and_predicts(tmp_path):
    with running(tmp_path) as client:
        assert client.create() == {"name": "m", "created": True}
        assert client.predict("m", {"x": {"u": 1}}) == {"label": None, "version": 0}
        assert client.learn("m", ONE) == {"predicted": None, "mistake": True, "version": 1}
        assert [answer["version"] for answer in client.learn("m", [OTHER, ONE])] == [2, 3]
        assert client.learn("m", []) == []
        assert client.predict("m", [{"x": {"u": 2}}, {"x": {"new": 2}}])[0]["label"] == "a"
        assert client.engine.status()["examples"] == 3
        assert loads(client.engine.dump("m")).classes_.tolist() == ["a", "b"]
        assert client.engine.names() == ["m"]


@pytest.mark.parametrize("learner", ["perceptron", "tracker", "arow", "multiclass-arow"])
@pytest.mark.parametrize("classes", [("a", "b"), (3, -1), (True, False), ('é"', "\n"), ("a", "b", "c"), (5, 1, 2)])
def test_a_model_file_answers_dicts_as_the_server_does(tmp_path, learner, classes):
    examples = random_examples(60, classes=classes)
    with running(tmp_path) as client:
        client.create("m", {"learner": learner})
        client.learn("m", examples)
        assert client.model().label_values()[0] in classes
        model = loads(client.engine.dump("m"))
        asked = [{"x": own["x"]} for own in [*examples, {"x": {"unknown": 3.0, "f1": 1.0}}]]
        answers = client.predict("m", [own | {"id": f"\\{place}"} for place, own in enumerate(asked)])
        for place, (example, answer) in enumerate(zip(asked, answers, strict=True)):
            x, scores = example["x"], answer.get("scores")
            assert (answer["id"], answer["version"]) == (f"\\{place}", 60)
            assert model.predict_one(x) == answer["label"]
            assert type(answer["label"]) is type(classes[0])
            score = model.score_one(x)
            if scores is None:
                assert answer["score"] == score
            else:
                assert list(scores.values()) == list(score.values())
                assert list(scores) == [key if isinstance(key, str) else json.dumps(key) for key in score]
            assert client.predict("m", example) == {key: answer[key] for key in answer if key != "id"}


@pytest.mark.parametrize("body", [b"", b"{", b"[]x", b"\xff", b'{"x":{}}{', b"null", b'{"x":{"a":1e999}}', b'{"y":1}'])
def test_bad_requests_change_nothing(body, tmp_path):
    with running(tmp_path) as client:
        client.create()
        for call in (client.engine.predict, client.engine.learn):
            assert refused(lambda call=call: call("m", body))[0] in (400, 422)
        assert client.model().labels.since(0) == []
        assert client.engine.status()["examples"] == 0


def test_examples_that_the_learner_refuses_are_not_in_the_log(tmp_path):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", [ONE, OTHER])
        before, sequence = fingerprint(client.model()), client.engine.status()["sequence"]
        huge = {"x": {"u": 1e200}, "y": "a"}
        assert refused(lambda: client.learn("m", [ONE, huge])) == (422, "bad_example")
        assert refused(lambda: client.learn("m", {"x": {"u": 1.0}, "y": 3})) == (422, "bad_example")
        assert refused(lambda: client.learn("m", ONE | {"weight": 1e300})) == (422, "bad_example")
        assert fingerprint(client.model()) == before
        assert client.engine.status()["sequence"] == sequence
        assert refused(lambda: client.predict("m", huge)) == (422, "bad_example")


def test_a_model_that_is_not_in_memory_is_asleep(tmp_path):
    with running(tmp_path, models_in_memory=1) as client:
        client.create("a")
        client.learn("a", ONE)
        client.create("b")
        with pytest.raises(Asleep):
            client.engine.predict("a", b'{"x":{}}')
        client.engine.wake("a").result(9)
        assert client.predict("a", {"x": {}})["version"] == 1
        assert client.engine.status()["in_memory"] == 1


def test_many_models_of_one_round_learn_with_little_memory(tmp_path):
    with running(tmp_path, models_in_memory=2) as client:
        names = list("abcdef")
        jobs = []
        for name in names:
            client.create(name)
        for _ in range(3):
            held = threading.Event()
            client.engine._commands.put(lambda held=held: held.wait(10))
            for name in names[-2:]:  # those in memory
                jobs.append(client.engine.learn(name, json.dumps(ONE).encode()))
            held.set()
            jobs[-1].result(9)
            for name in names[:2]:
                client.learn(name, ONE)
            for name in names[-2:]:
                client.engine.wake(name).result(9)
        assert [client.counts(name)["examples"] for name in names] == [3, 3, 0, 0, 3, 3]
        assert client.learn("a", ONE)["version"] == 4


def test_a_full_queue_gives_429_and_stopping_learns_what_was_accepted(tmp_path):
    client_of = running(tmp_path, queue=10)
    with client_of as client:
        client.create()
        held = threading.Event()
        waiting = client.engine._commands.put(lambda held=held: held.wait(10))
        jobs = [client.begin("m", [ONE] * 5) for _ in range(2)]
        assert refused(lambda: client.begin("m", ONE)) == (429, "queue_full")
        stream = client.engine.open_stream("m", "ndjson")
        piece = stream.feed(json.dumps(ONE).encode() + b"\n", True)  # who sends a stream waits for its answers
        assert client.engine.status()["queue"] == 11
        held.set()
        waiting.result(9)
    assert [len(json.loads(job.result(0))) for job in jobs] == [5, 5]
    assert len(piece.result(0).splitlines()) == 2
    assert refused(lambda: client.engine.learn("m", json.dumps(ONE).encode())) == (503, "stopping")
    with running(tmp_path) as client:
        assert client.counts()["examples"] == 11


def test_predictions_wait_for_their_labels_also_after_a_restart(tmp_path):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", [ONE, OTHER])
        assert client.predict("m", {"x": {"u": 3}, "id": "i"})["label"] == "a"
        client.predict("m", {"x": {"u": 4}, "id": "j"})
        client.learn("m", {"id": "j", "y": "a"})
    with running(tmp_path) as client:
        assert client.learn("m", {"id": "i", "y": "b"})["served"] == "a"
        assert client.learn("m", {"id": "i", "y": "b"})["repeated"]
        assert refused(lambda: client.learn("m", {"id": "k", "y": "b"})) == (404, "unknown_id")
        counts = client.counts()
        assert (counts["examples"], counts["served"], counts["served_mistakes"], counts["largest_delay"]) == (
            4,
            2,
            1,
            1,
        )


def test_damaged_files_of_waiting_predictions_are_ignored(tmp_path):
    with running(tmp_path) as client:
        client.create()
    for content in (b"", b"\xff", b"\x93\x01\x02\x03", b"\x91\x91\x01"):
        (tmp_path / "pending.msgpack").write_bytes(content)
        with running(tmp_path) as client:
            assert client.engine.status()["pending"] == 0


def test_one_directory_has_one_engine(tmp_path):
    with running(tmp_path), pytest.raises(StoreError):
        Engine(tmp_path, Settings()).start()
