"""The check of the write-ahead log: durable commits that SQLite would forget are found, a torn last one is not."""

import shutil

import pytest

from log_records import filled
from novikoff.serve.log.database import PAGE_SIZE
from novikoff.serve.log.errors import StoreError
from novikoff.serve.log.store import LOG, Store
from novikoff.serve.log.wal_check import FRAME_HEADER_SIZE, HEADER_SIZE, commit_frames

FRAME = FRAME_HEADER_SIZE + PAGE_SIZE


@pytest.fixture
def crashed(tmp_path):
    """What a crash leaves of a log with 11 records, its write-ahead log, and the records."""
    with Store.open(tmp_path / "state") as store:
        records = filled(store, 10)
        shutil.copytree(tmp_path / "state", tmp_path / "crashed")
    return tmp_path / "crashed", tmp_path / "crashed" / f"{LOG}-wal", records


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_each_commit_ends_with_one_frame(crashed):
    directory, wal, records = crashed
    commits = commit_frames(wal, PAGE_SIZE)
    assert len(commits) == len(records)
    assert commits[-1] == (wal.stat().st_size - HEADER_SIZE) // FRAME
    assert commit_frames(directory / "missing", PAGE_SIZE) == []


def test_a_whole_write_ahead_log_is_read(crashed):
    directory, _, records = crashed
    with Store.open(directory) as store:
        assert list(store.records()) == records


@pytest.mark.parametrize("place", [0, 9, 16, 30, HEADER_SIZE + 1, HEADER_SIZE + 30])
def test_damage_before_durable_commits_is_found_and_the_files_stay(crashed, place):
    directory, wal, _ = crashed
    flip(wal, place)
    before = wal.read_bytes()
    with pytest.raises(StoreError, match="write-ahead log is damaged") as refused:
        Store.open(directory)
    assert refused.value.code == "corrupt"
    assert wal.read_bytes() == before


def test_damage_in_the_last_commit_looks_like_a_torn_one(crashed):
    directory, wal, records = crashed
    flip(wal, wal.stat().st_size - 1)
    with Store.open(directory) as store:
        assert list(store.records()) == records[:-1]


def test_a_weaker_durability_may_lose_several_commits(tmp_path):
    with Store.open(tmp_path / "state", "normal") as store:
        records = filled(store, 10)
        shutil.copytree(tmp_path / "state", tmp_path / "crashed")
    wal = tmp_path / "crashed" / f"{LOG}-wal"
    commits = commit_frames(wal, PAGE_SIZE)
    flip(wal, HEADER_SIZE + commits[4] * FRAME)
    with Store.open(tmp_path / "crashed") as store:
        assert list(store.records()) == records[:5]
    with Store.open(tmp_path / "crashed") as store:
        assert store.checksum == records[4].checksum


def test_frames_of_an_earlier_use_of_the_file_are_not_counted(tmp_path):
    with Store.open(tmp_path / "state") as store:
        filled(store, 10)
        store._connection.wal_checkpoint()
        records = [*store.records(), *store.append(store.records(after=10))]
        shutil.copytree(tmp_path / "state", tmp_path / "crashed")
    assert len(commit_frames(tmp_path / "crashed" / f"{LOG}-wal", PAGE_SIZE)) == 1
    with Store.open(tmp_path / "crashed") as store:
        assert list(store.records()) == records
