"""The store: what was appended is read back, by any thread and after reopening; wrong directories are refused."""

import os
import threading
from itertools import pairwise

import apsw
import pytest

from log_records import create, examples, filled
from novikoff.serve.log import database, reading
from novikoff.serve.log.errors import CorruptRecord, StoreError
from novikoff.serve.log.records import CREATE, DELETE, FIRST_CHECKSUM, Entry
from novikoff.serve.log.store import LOG, Store


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "state", "off") as opened:
        yield opened


def wal(directory):
    return directory / "state" / f"{LOG}-wal"


def test_a_new_log_is_empty(store, tmp_path):
    assert (store.last, store.checksum) == (0, FIRST_CHECKSUM)
    assert list(store.records()) == []
    assert sorted(os.listdir(tmp_path / "state")) == ["lock", LOG, f"{LOG}-shm", f"{LOG}-wal", "snapshots"]


def test_records_are_read_as_they_were_appended(store):
    appended = filled(store)
    assert list(store.records()) == appended
    assert (store.last, store.checksum) == (appended[-1].sequence, appended[-1].checksum)
    assert list(store.records(after=7)) == appended[7:]
    assert list(store.records(after=store.last)) == []


def test_the_records_of_one_model(store):
    filled(store, 3)
    model = store.append([create("b")])[0].sequence
    store.append([examples(0, model=model), examples(6, model=1)])
    assert [record.sequence for record in store.records(model=model)] == [model, model + 1]
    assert [record.sequence for record in store.records(3, model=1)] == [4, model + 2]
    assert list(store.records(model=99)) == []


def test_create_gets_its_sequence_number_as_model(store):
    records = store.append([create("a"), create("b"), Entry(1, DELETE, 0, 0, b"")])
    assert [(record.sequence, record.model) for record in records] == [(1, 1), (2, 2), (3, 1)]


def test_an_append_without_entries_changes_nothing(store):
    assert store.append([]) == []
    assert store.last == 0


def test_many_records_are_read_in_batches(store, monkeypatch):
    monkeypatch.setattr(reading, "BATCH_BYTES", 1000)
    entries = [Entry(1, CREATE, 0, 0, bytes([i % 256]) * 300) for i in range(2 * reading.BATCH_RECORDS)]
    appended = store.append(entries)
    assert list(store.records()) == appended
    assert list(store.records(model=1)) == appended


@pytest.mark.parametrize("durability", ["full", "normal", "off"])
def test_a_log_continues_after_reopening(tmp_path, durability):
    with Store.open(tmp_path, durability) as store:
        appended = filled(store, 3)
    with Store.open(tmp_path, durability) as store:
        assert store.checksum == appended[-1].checksum
        appended += store.append([examples(6)])
        assert list(store.records()) == appended
        assert store.checksum_at(2) == appended[1].checksum
        assert store.checksum_at(0) == FIRST_CHECKSUM


def test_other_durabilities_are_refused(tmp_path):
    with pytest.raises(ValueError, match="durability must be one of full, normal, off"):
        Store.open(tmp_path, "some")


@pytest.mark.parametrize(("durability", "number"), [("full", 2), ("normal", 1), ("off", 0)])
def test_durability_sets_how_sqlite_flushes(tmp_path, durability, number):
    connection = database.open_for_writing(tmp_path / LOG, durability, None)
    assert connection.pragma("synchronous") == number
    assert connection.pragma("journal_mode") == "wal"
    connection.close()


def test_readers_in_other_threads_see_a_whole_prefix(store):
    filled(store, 1)
    seen, errors = [], []
    stop = threading.Event()

    def read():
        try:
            while not stop.is_set():
                seen.append(sum(1 for _ in store.records()))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for group in range(100):
        store.append([examples(2 + 2 * group)])
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert seen
    assert max(seen) <= store.last == 102


def test_an_iterator_reads_on_with_what_is_appended(store, monkeypatch):
    monkeypatch.setattr(reading, "BATCH_BYTES", 1)
    filled(store, 2)
    records = store.records()
    next(records)
    store.append([examples(4)])
    assert [record.sequence for record in records] == [2, 3, 4]


def test_an_iterator_from_the_end_reads_what_is_appended_before_its_first_step(store):
    filled(store, 2)
    records = store.records(after=store.last)
    appended = store.append([examples(4)])
    assert list(records) == appended


def test_the_write_ahead_log_stays_small(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "CHECKPOINT_PAGES", 16)
    with Store.open(tmp_path / "state", "off") as store:
        filled(store, 5)
        records = store.records()  # an iterator that is not used up must not keep the log from being reused
        next(records)
        for group in range(200):
            store.append([Entry(1, CREATE, group, 0, bytes(5000))])
        assert wal(tmp_path).stat().st_size < 60 * database.PAGE_SIZE
        assert store.bytes > 10**6
        assert sum(1 for _ in records) == 205


# ---- opening -------------------------------------------------------------------------------------------------------


def test_a_second_store_on_a_directory_is_refused(store, tmp_path):
    with pytest.raises(StoreError, match=rf"process {os.getpid()}.* uses this directory") as refused:
        Store.open(tmp_path / "state")
    assert refused.value.code == "locked"


def test_a_log_is_read_while_another_store_writes_it(store, tmp_path):
    appended = filled(store, 2)
    with Store.open(tmp_path / "state", read_only=True) as other:
        assert list(other.records()) == appended
        with pytest.raises(StoreError, match="opened for reading") as refused:
            other.append([create()])
        assert refused.value.code == "read_only"
        appended += store.append([examples(4)])
        assert list(other.records()) == appended


@pytest.mark.parametrize("has_directory", [True, False])
def test_reading_creates_nothing(tmp_path, has_directory):
    directory = tmp_path if has_directory else tmp_path / "missing"
    with pytest.raises(StoreError, match="there is no log"):
        Store.open(directory, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_log_on_a_read_only_disk_is_read(tmp_path, monkeypatch):
    with Store.open(tmp_path, "off") as store:
        appended = filled(store, 2)

    class ReadOnly(apsw.VFS):  # new files cannot be created: root ignores the permissions of directories
        def __init__(self):
            super().__init__("read-only", "")

        def xOpen(self, name, flags):
            if not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
                raise apsw.CantOpenError("read-only file system")
            return super().xOpen(name, flags)

        def xAccess(self, name, flags):
            return flags != apsw.SQLITE_ACCESS_READWRITE and super().xAccess(name, flags)

    files = ReadOnly()
    with Store.open(tmp_path, read_only=True, vfs="read-only") as store:
        assert list(store.records()) == appended
    files.unregister()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere (run the tests as another user)")
def test_a_directory_that_cannot_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written") as refused:
        Store.open(tmp_path / "state")
    assert refused.value.code == "read_only"


def test_a_file_in_place_of_the_directory_is_refused(tmp_path):
    (tmp_path / "state").write_text("")
    with pytest.raises(StoreError) as refused:
        Store.open(tmp_path / "state")
    assert refused.value.code == "io"


def test_a_newer_format_is_refused(tmp_path):
    Store.open(tmp_path).close()
    connection = apsw.Connection(str(tmp_path / LOG))
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    for read_only in (True, False):
        with pytest.raises(StoreError, match=r"has format 2.*Install a newer novikoff") as refused:
            Store.open(tmp_path, read_only=read_only)
        assert refused.value.code == "format"


def test_another_database_is_refused_and_left_as_it_is(tmp_path):
    connection = apsw.Connection(str(tmp_path / LOG))
    connection.execute("CREATE TABLE other(x)")
    connection.close()
    before = (tmp_path / LOG).read_bytes()
    with pytest.raises(StoreError, match="not a log of novikoff") as refused:
        Store.open(tmp_path)
    assert refused.value.code == "format"
    assert (tmp_path / LOG).read_bytes() == before


def test_another_file_is_refused(tmp_path):
    (tmp_path / LOG).write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="not a log of novikoff"):
        Store.open(tmp_path)


@pytest.mark.parametrize("left", ["nothing", "empty file", "empty database", "empty database in WAL mode"])
def test_a_directory_whose_creation_was_interrupted_opens(tmp_path, left):
    if left == "empty file":
        (tmp_path / LOG).touch()
    elif left != "nothing":
        connection = apsw.Connection(str(tmp_path / LOG))
        connection.pragma("journal_mode", "wal" if "WAL" in left else "delete")
        connection.execute("BEGIN IMMEDIATE; CREATE TABLE log(x); ROLLBACK")
        connection.close()
    with Store.open(tmp_path) as store:
        filled(store, 2)
        assert store.verify().records == 3


def test_a_lost_database_with_a_write_ahead_log_is_not_begun_anew(tmp_path):
    with Store.open(tmp_path / "state") as store:
        filled(store, 2)
        kept = wal(tmp_path).read_bytes()
    (tmp_path / "state" / LOG).unlink()
    wal(tmp_path).write_bytes(kept)
    with pytest.raises(StoreError, match="missing or empty") as refused:
        Store.open(tmp_path / "state")
    assert refused.value.code == "corrupt"
    assert wal(tmp_path).read_bytes() == kept


def test_a_closed_store_can_be_closed_again_and_not_used(tmp_path):
    store = Store.open(tmp_path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append([create()])
    with pytest.raises(StoreError, match="closed"):
        list(store.records())
    Store.open(tmp_path).close()


# ---- followers -----------------------------------------------------------------------------------------------------


def test_a_missing_record_has_no_checksum(store):
    filled(store, 1)
    with pytest.raises(CorruptRecord, match="Record 9"):
        store.checksum_at(9)


def test_sequence_numbers_have_no_gaps(store):
    filled(store, 10)
    assert all(after.sequence == before.sequence + 1 for before, after in pairwise(store.records()))
