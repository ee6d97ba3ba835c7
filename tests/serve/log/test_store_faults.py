"""Faults of disks and processes: what was acknowledged is in the log exactly once, and damage is never read as data."""

import os
import random
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from faulty_files import KINDS, FaultyFiles
from log_records import create, examples, filled
from novikoff.serve.log import database
from novikoff.serve.log.errors import StoreError
from novikoff.serve.log.store import LOG, Store
from share import share_of

# What Python raises in a file while SQLite handles another error has nowhere to go.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
CHILD = Path(__file__).parents[2] / "killed_appends.py"


@pytest.fixture
def files(request):
    made = FaultyFiles(f"faulty-{os.getpid()}")
    yield made
    made.unregister()


def read(directory):
    with Store.open(directory) as store:
        return list(store.records())


# ---- failing disks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "code"), [("sync", "io"), ("full", "disk_full"), ("torn", "disk_full")])
def test_a_failed_append_leaves_the_log_as_it_was(tmp_path, files, kind, code):
    store = Store.open(tmp_path / "state", vfs=files.name)
    records = filled(store, 3)
    for is_lasting in (False, True):
        files.fails_next, files.fails_always = kind, kind if is_lasting else None
        with pytest.raises(StoreError) as refused:
            store.append([create("refused")])
        assert refused.value.code == code
        assert list(store.records()) == records
        if is_lasting:
            with pytest.raises(StoreError) as refused:
                store.append([create("refused")])
            assert refused.value.code == code
        files.fails_next = files.fails_always = None
        records += store.append([examples(0)])
        assert list(store.records()) == records
    store.close()
    assert read(tmp_path / "state") == records


def test_an_append_whose_flush_failed_does_not_come_back_after_a_crash(tmp_path, files):
    with Store.open(tmp_path / "state", vfs=files.name) as store:
        records = filled(store, 3)
        files.fails_next = "sync"
        with pytest.raises(StoreError):
            store.append([create("refused")])
        assert files.faults == 1
        shutil.copytree(tmp_path / "state", tmp_path / "crashed")
    assert read(tmp_path / "crashed") == records


def run_with_faults(directory, files, seed, groups=25):
    """Append groups while some operations fail; return the records of those that were acknowledged, and the store."""
    rng = random.Random(seed)
    files.random.seed(seed)
    store = Store.open(directory, vfs=files.name)
    acknowledged = store.append([create()])
    rate = rng.choice((0.01, 0.05, 0.3))
    files.plan = {k: rng.choice(KINDS) for k in range(files.operations, files.operations + 3000) if rng.random() < rate}
    refused = []
    for group in range(groups):
        entry = examples(group, rng.choice((1, 3, 200)))
        try:
            acknowledged += store.append([entry] * rng.choice((1, 1, 4)))
        except StoreError as error:
            refused.append(error.code)
        assert (store.last, store.checksum) == (acknowledged[-1].sequence, acknowledged[-1].checksum)
    assert set(refused) <= {"io", "disk_full"}
    return store, acknowledged


def faulty_run(directory, files, seed, monkeypatch):
    """After random faults the log has what was acknowledged, and so it has after a loss of power."""
    monkeypatch.setattr(database, "CHECKPOINT_PAGES", (4, 20, 1000)[seed % 3])
    store, acknowledged = run_with_faults(directory / "state", files, seed)
    assert list(store.records()) == acknowledged
    files.plan = {}
    files.lose_power(directory / "state", directory / "crashed")
    is_proven = store._is_proven
    store.close()
    assert read(directory / "state") == acknowledged
    found = read(directory / "crashed")
    assert found[: len(acknowledged)] == acknowledged
    assert len(found) == len(acknowledged) or not is_proven


@pytest.mark.parametrize("seed", range(6))
def test_random_faults_lose_and_add_nothing(tmp_path, files, seed, monkeypatch):
    faulty_run(tmp_path, files, seed, monkeypatch)


@pytest.mark.slow
def test_many_random_faults_lose_and_add_nothing(tmp_path, files, monkeypatch):
    for seed in range(100, 100 + share_of(500)):
        faulty_run(tmp_path / str(seed), files, seed, monkeypatch)


def test_a_log_opens_after_a_loss_of_power_at_any_moment_of_its_creation(tmp_path, files):
    for moment in range(1, 25):
        directory = tmp_path / str(moment)
        files.durable, files.pending = {}, {}
        files.plan = {files.operations + k: KINDS[k % 2] for k in range(moment, moment + 100)}
        with suppress(StoreError):
            Store.open(directory, vfs=files.name).close()
        files.plan = {}
        assert read(directory) == []
        with Store.open(directory) as store:
            assert store.append([create()])[0].sequence == 1


# ---- torn and damaged files ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    """A log after a crash, once with most records in the write-ahead log and once in the database, and its records."""
    folder = tmp_path_factory.mktemp("crashed")
    with Store.open(folder / "state") as store:
        records = filled(store, 10, count=40)
        store._connection.wal_checkpoint()
        records += store.append([examples(400 + i) for i in range(3)])
        records += [store.append([examples(403 + i)])[0] for i in range(3)]
        shutil.copytree(folder / "state", folder / "wal")
    shutil.copytree(folder / "state", folder / "database")
    return folder, records


def read_damaged(directory, records):
    """The number of records that can be read: the first ones, as they were; the rest is reported or a torn end."""
    found, code = [], None
    try:
        with Store.open(directory) as store:
            for record in store.records():
                found.append(record)
    except StoreError as error:
        code = error.code
    assert code in (None, "corrupt", "format")
    assert found == records[: len(found)]
    return len(found) if code is None else None


def damaged_copy(folder, state, target):
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(folder / state, target)
    return target / (LOG if state == "database" else f"{LOG}-wal")


def flips(crashed, target, seed, count):
    folder, records = crashed
    rng = random.Random(seed)
    detected = 0
    for turn in range(count):
        state = ("database", "wal")[turn % 2]
        path = damaged_copy(folder, state, target)
        if rng.random() < 0.5:
            path = target / LOG
        content = bytearray(path.read_bytes())
        place = rng.randrange(len(content))
        content[place] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        left = read_damaged(target, records)
        detected += left is None
        least = len(records) - (path.name != LOG)  # a torn last commit cannot be told from a damaged one
        assert left is None or left >= least, (state, path.name, place)
    return detected


def test_a_flipped_bit_is_detected_or_harmless(crashed, tmp_path):
    assert flips(crashed, tmp_path / "copy", 1, 30) > 0


@pytest.mark.slow
def test_many_flipped_bits_are_detected_or_harmless(crashed, tmp_path):
    count = share_of(5000)
    assert flips(crashed, tmp_path / "copy", 2, count) > count // 20


def truncations(crashed, target, seed, count):
    folder, records = crashed
    rng = random.Random(seed)
    for turn in range(count):
        state = ("database", "wal")[turn % 2]
        path = damaged_copy(folder, state, target)
        os.truncate(path, rng.randrange(path.stat().st_size))
        left = read_damaged(target, records)
        if state == "database":
            assert left is None or path.stat().st_size < database.PAGE_SIZE or left == len(records)


def test_a_truncated_file_gives_a_whole_beginning_or_an_error(crashed, tmp_path):
    truncations(crashed, tmp_path / "copy", 3, 20)


@pytest.mark.slow
def test_many_truncated_files_give_a_whole_beginning_or_an_error(crashed, tmp_path):
    truncations(crashed, tmp_path / "copy", 4, share_of(1000))


# ---- killed processes ----------------------------------------------------------------------------------------------


def killed(directory, rng, durability):
    """Start a process that appends, kill it at a random moment, and return what it had acknowledged."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(CHILD.parent), *sys.path])}
    command = [sys.executable, str(CHILD), str(directory), durability]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        lines = [child.stdout.readline()]
        time.sleep(rng.uniform(0, 0.05))
        child.kill()
        lines += child.stdout.readlines()
    return [line.split() for line in lines if line.endswith("\n")]


def kills(directory, seed, count, durability):
    rng = random.Random(seed)
    acknowledged = {}
    for _ in range(count):
        lines = killed(directory, rng, durability)
        assert lines
        acknowledged.update((int(sequence), bytes.fromhex(checksum)) for sequence, checksum in lines)
        with Store.open(directory) as store:
            stored = {record.sequence: record.checksum for record in store.records()}
            assert store.verify().last == len(stored)
        assert acknowledged.items() <= stored.items()


@pytest.mark.slow
def test_killed_processes_lose_nothing_acknowledged(tmp_path):
    kills(tmp_path, 1, 2, "full")


@pytest.mark.slow
@pytest.mark.parametrize("durability", ["full", "normal", "off"])
def test_a_hundred_kills_lose_nothing_acknowledged(tmp_path, durability):
    kills(tmp_path, 2, max(20, share_of(100)), durability)
