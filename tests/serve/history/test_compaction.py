"""Compaction: models stay as they are, the log stays checkable, and a crash leaves the old log or the new one."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from engine_logs import describe, dump, examples, learn, running, written
from novikoff.serve.history.compaction import BEFORE, compact
from novikoff.serve.log import compacting
from novikoff.serve.log.errors import StoreError
from novikoff.serve.log.store import LOG, Store


def models(directory):
    """Copies, shadows, a deleted model, and one that has learned nothing."""
    with running(directory) as engine:
        engine.create("a", {"learner": "perceptron"}).result()
        engine.add_shadow("a", "s", {"learner": "arow"}).result()
        learn(engine, [row | {"id": str(place)} for place, row in enumerate(examples(20))], "a")
        engine.copy("a", "b").result()
        learn(engine, examples(10, seed=2), "b")
        engine.create("gone", {"learner": "arow"}).result()
        learn(engine, examples(10, seed=3), "gone")
        engine.copy("gone", "heir").result()
        engine.delete("gone").result()
        engine.create("new", {"learner": "arow"}).result()
    return state(directory)


def state(directory):
    with running(directory) as engine:
        names = engine.names()
        return {n: (describe(engine, n), dump(engine, n) if describe(engine, n)["version"] else b"") for n in names}


def test_models_are_the_same_after_compaction(tmp_path):
    before = models(tmp_path)
    found = compact(tmp_path)
    assert (found.examples, found.kept) == (40, str(tmp_path / BEFORE))
    assert state(tmp_path) == before
    with Store.open(tmp_path, read_only=True) as store:
        assert store.verify().removed_examples == 40
    with running(tmp_path) as engine:
        repeated = learn(engine, [examples(1)[0] | {"id": "0"}], "a")
        assert repeated[0]["repeated"]
        learn(engine, examples(5, seed=7), "heir")
        after = dump(engine, "heir")
    os.remove(tmp_path / BEFORE)
    with running(tmp_path) as engine:
        assert dump(engine, "heir") == after
    assert compact(tmp_path, discard=True).kept is None
    assert not (tmp_path / BEFORE).exists()


def killed(directory, to):
    """Copy a directory as it is, as if its server was killed now."""
    shutil.copytree(directory, to, ignore=shutil.ignore_patterns("lock"))
    return to


def settled_snapshots(directory, model, newest):
    """Wait until a model has a snapshot of a record, which another thread writes."""
    path = directory / "snapshots" / str(model) / f"{newest:015d}.snapshot"
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("is_copied_again", [False, True])
def test_a_copy_made_after_compaction_outlives_the_snapshots_of_its_source(tmp_path, is_copied_again):
    written(tmp_path / "a")
    compact(tmp_path / "a", discard=True)
    with running(tmp_path / "a", snapshot_every=5) as engine:
        engine.copy("default", "b").result()
        if is_copied_again:
            engine.copy("b", "c").result()
            engine.delete("b").result()
        copy = "c" if is_copied_again else "b"
        expected = dump(engine, copy)
        for seed in range(6):
            learn(engine, examples(5, seed=seed))
            settled_snapshots(tmp_path / "a", 1, engine.store.last)
        found = killed(tmp_path / "a", tmp_path / "b")
    with running(found) as engine:
        assert dump(engine, copy) == expected
        learn(engine, examples(5, seed=9))
    compact(found, discard=True)  # which writes a snapshot of each model
    with running(found) as engine:
        assert dump(engine, copy) == expected


def test_snapshots_that_copies_needed_are_removed_when_these_have_their_own(tmp_path):
    written(tmp_path)
    compact(tmp_path, discard=True)
    with running(tmp_path, snapshot_every=5) as engine:
        engine.copy("default", "b").result()
        number = engine.known("b").number
        for seed in range(4):
            for name, own in (("default", 1), ("b", number)):
                learn(engine, examples(5, seed=seed), name)
                settled_snapshots(tmp_path, own, engine.store.last)
        assert len(list((tmp_path / "snapshots" / "1").iterdir())) == 2


def test_the_kept_copy_is_a_log_with_everything(tmp_path):
    before = models(tmp_path / "a")
    compact(tmp_path / "a")
    (tmp_path / "b").mkdir()
    os.rename(tmp_path / "a" / BEFORE, tmp_path / "b" / LOG)
    assert state(tmp_path / "b") == before


def test_a_second_compaction_does_not_replace_the_copy_of_the_first(tmp_path):
    written(tmp_path)
    compact(tmp_path)
    first = (tmp_path / BEFORE).read_bytes()
    with running(tmp_path) as engine:
        learn(engine, examples(5, seed=7))
    assert compact(tmp_path).kept == str(tmp_path / f"{BEFORE}.2")
    assert compact(tmp_path).kept == str(tmp_path / f"{BEFORE}.3")
    assert (tmp_path / BEFORE).read_bytes() == first


def test_a_log_that_a_server_uses_is_refused(tmp_path):
    written(tmp_path)
    with running(tmp_path), pytest.raises(StoreError, match="another server"):
        compact(tmp_path)
    with pytest.raises(StoreError, match="no log"):
        compact(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_snapshot_that_cannot_be_read_back_removes_nothing(tmp_path, monkeypatch):
    written(tmp_path)
    monkeypatch.setattr("novikoff.serve.engine.snapshots.read", lambda path: None)
    with pytest.raises(StoreError, match="read back"):
        compact(tmp_path)
    with Store.open(tmp_path, read_only=True) as store:
        assert store.dropped() is None


CRASH = (
    "import sys; from novikoff.serve.history.compaction import compact; print('go', flush=True); compact(sys.argv[1])"
)


def crashed(directory, seconds):
    """Kill a compaction after some seconds."""
    child = subprocess.Popen([sys.executable, "-c", CRASH, str(directory)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"go\n"
    time.sleep(seconds)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()


class Crash(BaseException):
    """Ends a compaction, as no error does that it handles."""


@pytest.mark.parametrize("step", ["keep_copy", "drop"])
@pytest.mark.parametrize("is_done", [False, True])
def test_an_interruption_leaves_the_old_log(tmp_path, monkeypatch, step, is_done):
    before, original = models(tmp_path), getattr(compacting, step)

    def crash(*arguments):
        if is_done:
            original(*arguments)
        raise Crash

    monkeypatch.setattr(compacting, step, crash)
    with pytest.raises(Crash):
        compact(tmp_path)
    with Store.open(tmp_path, read_only=True) as store:
        assert store.verify().removed_examples == 0
    assert state(tmp_path) == before


@pytest.mark.slow
def test_a_crash_leaves_the_old_log_or_the_new_one(tmp_path):
    before, numbers = models(tmp_path), random.Random(15)
    for _ in range(15):
        crashed(tmp_path, numbers.uniform(0, 0.15))
        with Store.open(tmp_path, read_only=True) as store:
            assert store.verify().removed_examples in (0, 40)
        assert state(tmp_path) == before
    compact(tmp_path)
    assert state(tmp_path) == before
