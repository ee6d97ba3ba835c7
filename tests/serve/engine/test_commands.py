"""Commands: models and shadows are made, copied and deleted, and what is wrong is said."""

import json

from engines import ONE, OTHER, fingerprint, refused, running


def test_commands_say_what_is_wrong(tmp_path):
    with running(tmp_path, max_models=2) as client:
        engine = client.engine
        client.create()
        assert client.create() == {"name": "m", "created": False}
        assert refused(lambda: client.create("m", {"learner": "arow"})) == (409, "exists")
        assert refused(lambda: client.create("a/b")) == (422, "bad_name")
        assert refused(lambda: client.create("n", {"learner": "x"})) == (422, "bad_specification")
        classes = [str(number) for number in range(20_000)]
        assert refused(lambda: client.create("n", {"classes": classes})) == (422, "bad_specification")
        assert refused(lambda: engine.predict("n", b"{}")) == (404, "unknown_model")
        assert refused(lambda: engine.learn("n", b"{}")) == (404, "unknown_model")
        assert refused(lambda: engine.delete("n").result(9)) == (404, "unknown_model")
        assert refused(lambda: engine.dump("m")) == (409, "nothing_learned")
        assert refused(lambda: engine.open_stream("m", "xml")) == (415, "unknown_format")
        assert refused(lambda: engine.copy("m", "m").result(9)) == (409, "exists")
        assert engine.copy("m", "n").result(9) == {"name": "n", "created": True}
        assert refused(lambda: client.create("o")) == (409, "too_many_models")
        assert refused(lambda: engine.add_shadow("m", "s", {"hashing": {}}).result(9)) == (422, "bad_specification")
        assert engine.add_shadow("m", "s", {"learner": "arow"}).result(9)["created"]
        assert not engine.add_shadow("m", "s", {"learner": "arow"}).result(9)["created"]
        assert refused(lambda: engine.add_shadow("m", "s", {}).result(9)) == (409, "exists")
        assert engine.remove_shadow("m", "s").result(9)["deleted"]
        assert refused(lambda: engine.remove_shadow("m", "s").result(9)) == (404, "unknown_shadow")
        assert refused(lambda: engine.remove_shadow("m", "").result(9)) == (404, "unknown_shadow")


def test_a_deleted_model_takes_nothing_more(tmp_path):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", ONE)
        stream = client.engine.open_stream("m", "ndjson")
        client.engine.delete("m").result(9)
        assert refused(lambda: stream.feed(json.dumps(ONE).encode() + b"\n", True).result(9)) == (404, "unknown_model")
        client.create()
        assert client.predict("m", {"x": {"u": 1}}) == {"label": None, "version": 0}
        sequence = client.engine.status()["sequence"]
        assert refused(lambda: stream.feed(b"{}\n", True).result(9)) == (404, "unknown_model")
        assert client.engine.status()["sequence"] == sequence
    with running(tmp_path) as client:
        assert client.engine.names() == ["m"]
        assert client.counts()["examples"] == 0


def test_a_copy_outlives_its_source(tmp_path):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", [ONE, OTHER])
        client.engine.copy("m", "n").result(9)
        client.learn("m", ONE)
        client.learn("n", OTHER)
        client.engine.copy("n", "o").result(9)
        client.engine.delete("m").result(9)
        client.engine.delete("n").result(9)
        before = fingerprint(client.model("o"))
    for path in (tmp_path / "snapshots").rglob("*.snapshot"):
        path.unlink()
    with running(tmp_path) as client:
        assert fingerprint(client.model("o")) == before


def test_a_command_is_in_the_log_before_its_answer(tmp_path):
    with running(tmp_path) as client:
        client.create("m")
        for call in (
            lambda: client.engine.copy("m", "n"),
            lambda: client.engine.add_shadow("m", "s", {"learner": "arow"}),
            lambda: client.engine.remove_shadow("m", "s"),
            lambda: client.engine.delete("n"),
        ):
            before = client.engine.store.last
            call().result(20)
            assert client.engine.store.last == before + 1
