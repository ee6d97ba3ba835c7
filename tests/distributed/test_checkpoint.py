"""Checkpoints: a fit that was killed goes on to the same bits, and damaged or foreign files are not used."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from gathered_fits import ROUNDS, add_point, descend, gathering
from novikoff.distributed import fit
from novikoff.distributed.checkpoint import CheckpointedRounds
from novikoff.distributed.engines.local import LocalEngine
from novikoff.errors import FileError, InvalidInputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, 1, -1)


def opened(X=X, y=Y, threads=2):
    engine = LocalEngine(threads)
    return engine.open(engine.data("test", X, y, None))


def expected(count=ROUNDS):
    with opened() as rounds:
        return descend(rounds, count)


class StopError(Exception):
    """What ends a driver in the middle."""


def interrupted_after(rounds, address, count, every=2):
    """Run some rounds with checkpoints, and end without a word."""
    stored = CheckpointedRounds("test", rounds, address, every)
    descend(stored, count)
    return stored


def counting(monkeypatch):
    """The number of partitions that each live round of the local engine worked on."""
    calls = []
    live = type(opened())._map

    def counted(self, step, command):
        calls.append(step.__name__)
        return live(self, step, command)

    monkeypatch.setattr(type(opened()), "_map", counted)
    return calls


# ---- going on ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 2, 5, 100])
def test_checkpoints_change_no_bit(tmp_path, every):
    with opened() as rounds:
        stored = CheckpointedRounds("test", rounds, tmp_path, every)
        assert descend(stored).tobytes() == expected().tobytes()
        assert stored.rounds == ROUNDS
        with opened() as plain:
            descend(plain)
            assert stored.bytes_sent == plain.bytes_sent


@pytest.mark.parametrize("count", range(ROUNDS + 1))
def test_interrupted_rounds_go_on_to_the_same_bits(tmp_path, monkeypatch, count):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, count, every=3)
    calls = counting(monkeypatch)
    with opened() as rounds:
        stored = CheckpointedRounds("test", rounds, tmp_path, 3)
        assert len(stored._replies) == count - count % 3
        points = descend(stored)
        assert calls == ["identify"] + ["add_point"] * (ROUNDS - count + count % 3)
        assert (stored.rounds, len(stored._replies)) == (ROUNDS, 0)
        with opened() as plain:
            assert points.tobytes() == descend(plain).tobytes()
            assert stored.bytes_sent == plain.bytes_sent
            assert all(
                np.array_equal(a["point"], b["point"]) for a, b in zip(stored.states(), plain.states(), strict=True)
            )


def test_interval_may_change_between_runs(tmp_path):
    for count, every in ((5, 2), (8, 3), (9, 1), (11, 4)):
        with opened() as rounds:
            interrupted_after(rounds, tmp_path, count, every)
    with opened() as rounds:
        assert descend(CheckpointedRounds("test", rounds, tmp_path, 5)).tobytes() == expected().tobytes()


def test_number_of_threads_may_change_but_partitions_may_not(tmp_path):
    engine, parts = LocalEngine(3), [X[:10], X[10:15], X[15:]]
    labels = [Y[:10], Y[10:15], Y[15:]]
    with engine.open(engine.data("test", parts, labels, None)) as rounds:
        whole = descend(rounds)
    for threads in (3, 1):
        engine = LocalEngine(threads)
        with engine.open(engine.data("test", parts, labels, None)) as rounds:
            stored = CheckpointedRounds("test", rounds, tmp_path, 2)
            found = descend(stored, 4 if threads == 3 else ROUNDS)
    assert found.tobytes() == whole.tobytes()
    with opened() as rounds, pytest.raises(InvalidInputError, match="is of other data"):
        CheckpointedRounds("test", rounds, tmp_path, 2)


def test_two_states_are_kept_and_all_replies(tmp_path):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, 9, every=2)
    names = sorted(os.listdir(tmp_path))
    assert [name for name in names if name.endswith("states")] == [
        "novikoff-checkpoint-00000006.states",
        "novikoff-checkpoint-00000008.states",
    ]
    assert len([name for name in names if name.endswith("replies")]) == 4


def test_replies_that_the_driver_changes_are_stored_as_they_came(tmp_path):
    def changing(rounds, count):
        points = []
        for number in range(count):
            total, _ = rounds.run(add_point, {"point": np.full(3, float(number))})
            points.append(total.copy())
            total += 1e6
        return np.array(points)

    with opened() as rounds:
        whole = changing(rounds, 6)
    for count in (4, 6):
        with opened() as rounds:
            found = changing(CheckpointedRounds("test", rounds, tmp_path, 2), count)
    assert found.tobytes() == whole.tobytes()


# ---- what is not used ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "y"),
    [
        (X + 1e-9 * (np.arange(40)[:, None] == 7), Y),
        (X[::-1], Y),
        (X.astype(np.float32), Y),
        (X[:39], Y[:39]),
        (sp.csr_array(X), Y),
        (X, -Y),
    ],
    ids=["a changed value", "another order", "float32", "a row less", "sparse", "other labels"],
)
def test_checkpoint_of_other_data_is_refused(tmp_path, other, y):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, 4)
    before = sorted(os.listdir(tmp_path))
    with (
        opened(other, y) as rounds,
        pytest.raises(InvalidInputError, match=r"of other data\. Use another"),
    ):
        CheckpointedRounds("test", rounds, tmp_path, 2)
    assert sorted(os.listdir(tmp_path)) == before


def test_checkpoint_of_another_fit_is_refused_in_the_round_that_differs(tmp_path):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, 4)
    with opened() as rounds:
        stored = CheckpointedRounds("test", rounds, tmp_path, 2)
        stored.run(add_point, {"point": np.array([0.1, 0.2, 0.3]), "number": 0})
        with pytest.raises(InvalidInputError, match=r"is of another fit: round 1 differs\. Use another directory"):
            stored.run(add_point, {"point": np.zeros(3), "number": 1})


def cut_or_changed(data, place):
    yield data[:place]
    yield data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("kind", ["states", "replies"])
def test_file_cut_or_changed_anywhere_is_not_used_but_the_one_before(tmp_path, kind):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, 4)
        newest = tmp_path / f"novikoff-checkpoint-00000004.{kind}"
        kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
        for place in range(0, len(kept[newest]), 17):
            for damaged in cut_or_changed(kept[newest], place):
                for path, data in kept.items():
                    path.write_bytes(data if path != newest else damaged)
                with pytest.warns(UserWarning, match="00000004.states or its replies are damaged"):
                    assert len(CheckpointedRounds("test", rounds, tmp_path, 2)._replies) == 2
                assert not newest.exists()


def test_fit_begins_anew_if_all_states_are_damaged(tmp_path):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, 4)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    with opened() as rounds:
        with pytest.warns(UserWarning, match="damaged"):
            stored = CheckpointedRounds("test", rounds, tmp_path, 2)
        assert len(stored._replies) == 0
        assert os.listdir(tmp_path) == []
        assert descend(stored).tobytes() == expected().tobytes()


def test_replies_of_another_run_are_not_mixed_in(tmp_path):
    with opened() as rounds:
        interrupted_after(rounds, tmp_path, 4)
    other = tmp_path / "other"
    with opened(X + 1) as rounds:
        interrupted_after(rounds, other, 4)
    name = "novikoff-checkpoint-00000002.replies"
    (tmp_path / name).write_bytes((other / name).read_bytes())
    with opened() as rounds, pytest.warns(UserWarning, match="damaged"):
        assert len(CheckpointedRounds("test", rounds, tmp_path, 2)._replies) == 0


# ---- failures ------------------------------------------------------------------------------------------------------


def test_directory_without_room_is_a_file_error(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("/dev/full is missing (run the tests on Linux)")
    with opened() as rounds:
        stored = CheckpointedRounds("test", rounds, tmp_path, 1)
        os.symlink("/dev/full", tmp_path / "novikoff-checkpoint-00000001.replies")
        with pytest.raises(FileError, match="No space left on device"):
            descend(stored, 1)


def test_invalid_arguments_are_refused(tmp_path):
    with opened() as rounds:
        with pytest.raises(InvalidInputError, match="checkpoint_every must be"):
            CheckpointedRounds("test", rounds, tmp_path, 0)
        with pytest.raises(InvalidInputError, match="checkpoint must be a directory of this machine, not 3"):
            CheckpointedRounds("test", rounds, 3, 5)
        with pytest.raises(InvalidInputError, match="a directory of this machine, not 's3://bucket/a'"):
            CheckpointedRounds("test", rounds, "s3://bucket/a", 5)
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(FileError, match="file: the file cannot be written"):
            CheckpointedRounds("test", rounds, tmp_path / "file", 5)


def test_other_files_are_not_used_and_those_of_a_killed_write_are_removed(tmp_path):
    others = {"novikoff-checkpoint-1.states", "novikoff-checkpoint-00000005.states.bak", "model.nvk", ".hidden"}
    for name in (*others, ".novikoff-checkpoint-00000005.states.0123456789abcdef"):
        (tmp_path / name).write_bytes(b"half")
    with opened() as rounds:
        assert len(CheckpointedRounds("test", rounds, tmp_path, 2)._replies) == 0
    assert set(os.listdir(tmp_path)) == others


# ---- fit -----------------------------------------------------------------------------------------------------------


def test_fit_goes_on_and_removes_its_files_only(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text("kept")
    whole = nk.AROW().fit(X, Y)
    save = CheckpointedRounds._save

    def stopping(self, count):
        save(self, count)
        if count >= 9:
            raise StopError

    with gathering():
        monkeypatch.setattr(CheckpointedRounds, "_save", stopping)
        with pytest.raises(StopError):
            fit(nk.AROW(), X, Y, on="local:3", checkpoint=tmp_path, checkpoint_every=3)
        assert (tmp_path / "novikoff-checkpoint-00000009.states").exists()
        monkeypatch.setattr(CheckpointedRounds, "_save", save)
        calls = counting(monkeypatch)
        model = fit(nk.AROW(), X, Y, on="local:3", checkpoint=tmp_path, checkpoint_every=3)
    assert calls == ["identify", *["add_point"] * 4, "gather"]  # one survey and 12 rounds, of which 9 were stored
    assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert os.listdir(tmp_path) == ["mine.txt"]


KILLED = """
import sys, time
import numpy as np
from gathered_fits import descend
from novikoff.distributed.checkpoint import CheckpointedRounds
from novikoff.distributed.engines.local import LocalEngine

engine = LocalEngine(2)
X = np.random.default_rng(0).normal(size=(40, 3))
with engine.open(engine.data("test", X, np.where(X[:, 0] > 0, 1, -1), None)) as rounds:
    stored = CheckpointedRounds("test", rounds, sys.argv[1], 1)
    print(len(stored._replies), flush=True)
    print(descend(stored, int(sys.argv[2])).tobytes().hex(), flush=True)
"""
LONG_RUN = 400


def start(folder):
    path = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)), *sys.path])
    command = [sys.executable, "-W", "error", "-c", KILLED, str(folder), str(LONG_RUN)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path})


@pytest.mark.slow
def test_driver_killed_at_any_moment_goes_on_to_the_same_bits(tmp_path):
    rng, resumed = random.Random(0), []
    for _ in range(6):
        driver = start(tmp_path)
        resumed.append(int(driver.stdout.readline()))
        time.sleep(rng.uniform(0.02, 0.3))
        with contextlib.suppress(ProcessLookupError):
            driver.send_signal(signal.SIGKILL)
        driver.communicate()
    driver = start(tmp_path)
    resumed.append(int(driver.stdout.readline()))
    points = driver.communicate(timeout=120)[0].strip()
    assert driver.returncode == 0
    assert resumed == sorted(resumed)
    assert resumed[-1] > 0
    assert points == expected(LONG_RUN).tobytes().hex()


@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
@pytest.mark.parametrize("place", range(4))
def test_driver_ended_in_a_write_goes_on_to_the_same_bits(tmp_path, monkeypatch, call, place):
    from novikoff import _atomic

    calls, real = [], getattr(os, call)

    def ending(*arguments, **options):
        calls.append(call)
        if len(calls) > 4 + place:
            raise StopError
        return real(*arguments, **options)

    with opened() as rounds, monkeypatch.context() as patch:
        stored = CheckpointedRounds("test", rounds, tmp_path, 2)
        patch.setattr(_atomic.os, call, ending)
        patch.setattr(_atomic.os, "unlink", lambda path: None)  # a killed process removes nothing
        with pytest.raises(StopError):
            descend(stored)
    with opened() as rounds:
        stored = CheckpointedRounds("test", rounds, tmp_path, 2)
        assert descend(stored).tobytes() == expected().tobytes()
        stored.remove()
    assert os.listdir(tmp_path) == []
