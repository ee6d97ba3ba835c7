import threading

from engines import fingerprint, random_examples, refused, running
from novikoff.serve.engine import writer as writer_module
from novikoff.serve.log.errors import StoreError


def test_a_store_that_fails_stops_learning_and_predictions_go_on(tmp_path, monkeypatch):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", random_examples(10))
        before = fingerprint(client.model())
        append = client.engine.store.append

        def fail(entries):
            raise StoreError("full", "The disk is full.")

        monkeypatch.setattr(client.engine.store, "append", fail)
        assert refused(lambda: client.learn("m", random_examples(3, seed=1))) == (503, "learning_stopped")
        assert refused(lambda: client.learn("m", random_examples(3, seed=1))) == (503, "learning_stopped")
        assert refused(lambda: client.create("n")) == (503, "learning_stopped")
        assert client.engine.status()["learning"] == "stopped"
        assert client.engine.status()["reason"] == "The disk is full."
        assert client.predict("m", {"x": {}})["version"] == 10
        monkeypatch.setattr(client.engine.store, "append", append)
        monkeypatch.setattr(writer_module, "RETRY", 0.0)
        assert client.learn("m", random_examples(3, seed=1))[-1]["version"] == 13
        assert client.engine.status()["learning"] == "on"
        after = fingerprint(client.model())
    assert before[0] == 10
    with running(tmp_path) as client:
        assert fingerprint(client.model()) == after


def test_an_internal_error_is_answered_and_the_writer_goes_on(tmp_path, monkeypatch):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", random_examples(10))
        before = fingerprint(client.model())
        for place in ("group.prepare", "group.encode", "model.Model.learn", "model.Model.new_version"):
            with monkeypatch.context() as patch:
                patch.setattr(f"novikoff.serve.engine.{place}", lambda *args, **others: 1 / 0)
                assert refused(lambda: client.learn("m", random_examples(3))) == (503, "internal")
            assert fingerprint(client.model()) == before
        with monkeypatch.context() as patch:
            patch.setattr("novikoff.serve.engine.group.Group.finish", lambda *args: 1 / 0)
            assert refused(lambda: client.learn("m", random_examples(3))) == (503, "internal")
        with monkeypatch.context() as patch:
            patch.setattr("novikoff.serve.engine.memory.Memory.write_snapshots", lambda *args: 1 / 0)
            client.learn("m", random_examples(3))
        assert client.learn("m", random_examples(3))[-1]["version"] == 19


def test_a_cancelled_request_is_not_learned(tmp_path):
    with running(tmp_path) as client:
        client.create()
        held = threading.Event()
        client.engine._commands.put(lambda: held.wait(10))
        job = client.begin("m", random_examples(3))
        assert job.cancel()
        held.set()
        assert client.learn("m", random_examples(1))[0]["version"] == 1
