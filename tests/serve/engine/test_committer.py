import threading
import time
from contextlib import contextmanager

import pytest

from engines import fingerprint, random_examples, running
from novikoff.serve.engine import writer as writer_module
from novikoff.serve.errors import ServeError
from novikoff.serve.log.errors import StoreError

PIECE = 100  # examples: more than the writer thread stores itself


@contextmanager
def held_store(client, monkeypatch):
    """Hold transactions back; gives a list of their sizes, an event that lets them go on, and a list of errors."""
    append, sizes, go_on, errors = client.engine.store.append, [], threading.Event(), []
    begun = threading.Event()

    def held(entries):
        sizes.append(sum(entry.count for entry in entries))
        begun.set()
        assert go_on.wait(20)
        if errors:
            raise errors.pop()
        return append(entries)

    with monkeypatch.context() as patch:
        patch.setattr(client.engine.store, "append", held)
        yield sizes, begun, go_on, errors
        go_on.set()


def wait_until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def outcome(job):
    try:
        job.result(20)
    except ServeError as error:
        return error.code
    return "learned"


def test_what_is_not_durable_is_neither_answered_nor_predicts_and_what_waits_is_stored_together(tmp_path, monkeypatch):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", random_examples(10))
        model = client.model()
        with held_store(client, monkeypatch) as (sizes, begun, go_on, _):
            jobs = [client.begin("m", random_examples(PIECE))]
            assert begun.wait(20)
            jobs += [client.begin("m", random_examples(PIECE, seed=seed)) for seed in range(1, 5)]
            wait_until(lambda: model.examples == 10 + 5 * PIECE)  # the writer learns on while the disk is busy
            assert not any(job.done() for job in jobs)
            assert client.predict("m", {"x": {}})["version"] == 10
            go_on.set()
            assert [outcome(job) for job in jobs] == ["learned"] * 5
        assert sizes[0] == PIECE
        assert sum(sizes) == 5 * PIECE
        assert len(sizes) < 5
        after = fingerprint(client.model())
        assert client.predict("m", {"x": {}})["version"] == 10 + 5 * PIECE
    with running(tmp_path) as client:
        assert fingerprint(client.model()) == after


@pytest.mark.parametrize("size", [1, PIECE])
def test_groups_that_were_learned_after_one_that_failed_fail_too(tmp_path, monkeypatch, size):
    monkeypatch.setattr(writer_module, "RETRY", 0.0)
    with running(tmp_path) as client:
        client.create()
        client.create("n")
        client.learn("m", random_examples(10))
        client.learn("n", random_examples(10))
        models = client.model(), client.model("n")
        with held_store(client, monkeypatch) as (sizes, begun, go_on, errors):
            errors.append(StoreError("full", "The disk is full."))
            jobs = [client.begin("m", random_examples(PIECE, seed=1))]
            assert begun.wait(20)
            for seed in range(2, 5):
                jobs.append(client.begin("mn"[seed % 2], random_examples(size, seed=seed)))
            learned = [10 + PIECE + 2 * size, 10 + size]
            wait_until(lambda: [model.examples for model in models] == learned)
            go_on.set()
            assert [outcome(job) for job in jobs] == ["learning_stopped"] * 4
        assert client.predict("m", {"x": {}})["version"] == 10
        assert client.learn("m", random_examples(1, seed=9))[0]["version"] == 11
        assert client.learn("n", random_examples(1, seed=9))[0]["version"] == 11
        after = fingerprint(client.model()), fingerprint(client.model("n"))
    assert sizes == [PIECE]
    with running(tmp_path) as client:
        assert (fingerprint(client.model()), fingerprint(client.model("n"))) == after


def test_the_commands_of_clients_wait_until_all_is_durable(tmp_path, monkeypatch):
    with running(tmp_path) as client:
        client.create()
        with held_store(client, monkeypatch) as (_, begun, go_on, _):
            job = client.begin("m", random_examples(PIECE))
            assert begun.wait(20)
            copy = client.engine.copy("m", "n")
            assert not copy.done()
            go_on.set()
            assert copy.result(20)["created"]
            assert job.done()
        assert client.predict("n", {"x": {}})["version"] == PIECE
