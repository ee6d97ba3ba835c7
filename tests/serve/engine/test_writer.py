import threading

from engines import fingerprint, random_examples, refused, running


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
            answer = "novikoff.serve.engine.group.Group.finish"
            patch.setattr(answer, lambda group: group._units[0].job.answer.set_result(b"1") or 1 / 0)
            assert client.learn("m", random_examples(3)) == 1  # an answer that was given stays
        with monkeypatch.context() as patch:
            patch.setattr("novikoff.serve.engine.memory.Memory.write_snapshots", lambda *args: 1 / 0)
            client.learn("m", random_examples(3))
        assert client.learn("m", random_examples(3))[-1]["version"] == 22


def test_a_cancelled_request_is_not_learned(tmp_path):
    with running(tmp_path) as client:
        client.create()
        held = threading.Event()
        client.engine._commands.put(lambda: held.wait(10))
        job = client.begin("m", random_examples(3))
        assert job.cancel()
        held.set()
        assert client.learn("m", random_examples(1))[0]["version"] == 1
