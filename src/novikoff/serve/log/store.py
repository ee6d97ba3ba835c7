"""The log in a state directory: records that are appended, never changed, and durable when `Store.append` returns.

The log is a SQLite database with one record per group of examples. A file of blocks with checksums, flushed after each
group, takes 0.8 to 1.0 of its time, because the disk decides, and one row per example up to 1.3 of it and twice the
space (`benchmarks/serve_log.py`). SQLite has in return what such a file would need besides: recovery after a crash,
readers beside the writer, an index by model, and tools that read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import apsw

from novikoff._printable import printable
from novikoff.serve.log import compacting, database
from novikoff.serve.log.database import SYNCHRONOUS, Readers, check_format, file_sizes, open_for_writing, wal_path
from novikoff.serve.log.directory_lock import DirectoryLock
from novikoff.serve.log.errors import FAILURES, RESTORE, StoreError, store_error
from novikoff.serve.log.reading import checked_head, checksum_of, commands, examples_of, stream
from novikoff.serve.log.records import Entry, Record, chain
from novikoff.serve.log.verifying import Verified, verified

LOG: Final = "log.sqlite"
SNAPSHOTS: Final = "snapshots"
MAX_SEQUENCE: Final = 2**63 - 1
MOVE_HEAD: Final = "UPDATE head SET sequence = ?, checksum = ?"
MARK_FAILURE: Final = "UPDATE head SET failures = failures + 1"


class Store:
    """The log in a state directory. Use `Store.open`.

    One thread may append; any thread may read at the same time.

    Attributes
    ----------
    last : int
        Sequence number of the last record; 0 if there is none.
    checksum : bytes
        Its checksum; zero bytes if there is none.

    Notes
    -----
    After an `append` that failed, nothing of it is in the log. A failed flush to disk alone does not show that: the
    commit may have reached the write-ahead log, where SQLite would find it after a crash. Therefore a failed `append`
    is followed by a small durable commit, which overwrites it there, and by a look at the last record. If these fail,
    too, as they may on a disk that is full or broken, the store cannot prove its state. Then each further `append`
    first tries them again, and raises the error of that instead of appending. A process that ends in this state may
    find the records of the failed `append` in the log when it opens it again: it must read what follows the last
    record that it knows of.
    """

    def __init__(
        self, path: Path, connection: apsw.Connection | None, lock: DirectoryLock | None, readers: Readers
    ) -> None:
        self._path, self._connection, self._lock, self._readers = path, connection, lock, readers
        self._is_proven = True
        self._wal_pages = 0
        if connection is not None:
            connection.set_wal_hook(self._note_wal_pages)
        with readers.connection() as reader:
            self.last, self.checksum = checked_head(reader)

    @classmethod
    def open(
        cls, directory: Path, durability: str = "full", *, read_only: bool = False, vfs: str | None = None
    ) -> Self:
        """Open the log of a state directory, and create it if there is none.

        Parameters
        ----------
        directory : Path
            The state directory. Gets ``log.sqlite``, ``lock`` and ``snapshots/``.
        durability : {"full", "normal", "off"}, default="full"
            What may be lost if the machine (not just the process) dies: nothing with "full"; the last commits with
            "normal"; with "off" the database may also become unreadable.
        read_only : bool, default=False
            Only read, also while a server uses the directory. Creates and locks nothing.
        vfs : str, default=None
            Name of a file system layer registered with SQLite, for tests that inject faults.

        Raises
        ------
        StoreError
            If another process has the directory locked, the disk does not allow it, the database is not a log or
            one of a newer version, or its last record is damaged.
        """
        if durability not in SYNCHRONOUS:
            raise ValueError(f"durability must be one of {', '.join(SYNCHRONOUS)}, but it is {durability!r}.")
        path = Path(directory) / LOG
        readers = Readers(path, vfs)
        lock = connection = None
        try:
            if read_only:
                _check_existing(path, readers)
            else:
                (path.parent / SNAPSHOTS).mkdir(parents=True, exist_ok=True)
                lock = DirectoryLock(path.parent)
                _check_lost_database(path)
                connection = open_for_writing(path, durability, vfs)
            return cls(path, connection, lock, readers)
        except BaseException as error:
            readers.close()
            _release(connection, lock)
            if isinstance(error, FAILURES):
                raise store_error(path, error) from None
            raise

    def append(self, entries: Sequence[Entry]) -> list[Record]:
        """Append entries in one transaction, and return their records, which are durable then.

        Raises
        ------
        StoreError
            If they cannot be stored. Nothing of them is in the log then; see the notes of the class.
        """
        records = chain(entries, self.last, self.checksum)
        self._write(records)
        return records

    def records(self, after: int = 0, model: int | None = None, *, with_removed: bool = False) -> Iterator[Record]:
        """Return an iterator over the records after a sequence number, in order, those of one model or all.

        It reads a few records at a time, and also what is appended meanwhile. Each is checked against the chain of
        checksums. With ``model``, the index decides which records belong to it; `verify` checks that index. Records of
        all models may include those whose examples were removed by compaction, ``with_removed``, without payloads.

        Raises
        ------
        CorruptRecord
            If a record is damaged or missing, or its examples were removed.
        """
        return stream(self._readers, after, model, self.last, self.dropped() if with_removed else None)

    def commands(self) -> list[Record]:
        """Return the records of all kinds but examples, in order. Raises a CorruptRecord if one is damaged."""
        return commands(self._readers)

    def examples_of(self, model: int, until: int = MAX_SEQUENCE) -> int:
        """Return how many examples the log has of a model, up to a record."""
        return examples_of(self._readers, model, until)

    def checksum_at(self, sequence: int) -> bytes:
        """Return the checksum of a record; zero bytes for 0. Raises a CorruptRecord if it is missing."""
        with self._readers.connection() as reader:
            return checksum_of(reader, sequence)

    def dropped(self) -> compacting.Dropped | None:
        """Return what compaction has removed; None if nothing was."""
        return compacting.last_dropped(commands(self._readers))

    def compact(self, models: Mapping[int, int], copy: Path | None = None) -> compacting.Dropped:
        """Remove the payloads of examples that snapshots have, in one transaction; a record says what was removed.

        Parameters
        ----------
        models : mapping of int to int
            For each model, the last record whose examples are not needed.
        copy : Path, default=None
            Where a copy of the log is kept as it was before.

        Raises
        ------
        StoreError
            As in `append`. The log is as it was before.
        """
        connection, found = self._writable(), self.dropped()
        try:
            if copy is not None:
                compacting.keep_copy(connection, copy)
        except (apsw.Error, OSError) as error:
            raise store_error(copy or self._path, error, connection.system_errno) from None
        made: list[compacting.Dropped] = []

        def drop() -> Record:
            record, content = compacting.drop(connection, models, found, self.last, self.checksum)
            made.append(content)
            return record

        self._commit(drop)
        with suppress(apsw.Error, OSError):  # the space is then used by later records
            connection.execute("VACUUM")
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        return made[0]

    def verify(self) -> Verified:
        """Check the whole log: the database and its index, the chain of checksums, and the content of every record.

        Raises
        ------
        CorruptRecord, StoreError
            At the first record that is damaged, or if the database is.
        """
        return verified(self._readers, self.records(with_removed=True), self.dropped())

    @property
    def bytes(self) -> int:
        """The bytes that the log has on disk."""
        return file_sizes(self._path)

    def close(self) -> None:
        """Close all connections and release the lock; a second call does nothing."""
        self._readers.close()
        connection, lock = self._connection, self._lock
        self._connection = self._lock = None
        if connection is not None:
            connection.set_wal_hook(None)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)  # leaves the database without its -wal file
        _release(connection, lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _write(self, records: Sequence[Record]) -> None:
        connection = self._writable()

        def insert() -> Record:
            for record in records:
                connection.execute(compacting.INSERT, record)
            return records[-1]

        self._commit(insert if records else None)

    def _commit(self, change: Callable[[], Record] | None) -> None:
        """Make a change in one transaction; it returns what is the last record then. None: only prove the state."""
        connection = self._writable()
        if not self._is_proven:
            self._prove(connection)
        if change is None:
            return
        try:
            connection.execute("BEGIN IMMEDIATE")
            last = change()
            connection.execute(MOVE_HEAD, (last.sequence, last.checksum))
            connection.execute("COMMIT")
        except BaseException as error:
            self._is_proven = False
            number = connection.system_errno
            with suppress(StoreError):  # the next call tries again
                self._prove(connection)
            if isinstance(error, FAILURES):
                raise store_error(self._path, error, number) from None
            raise
        self.last, self.checksum = last.sequence, last.checksum
        if self._wal_pages >= database.CHECKPOINT_PAGES:
            with suppress(apsw.Error, OSError):  # the records are durable; the next call tries again
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _note_wal_pages(self, connection: apsw.Connection, name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _writable(self) -> apsw.Connection:
        if self._connection is None:
            raise StoreError("read_only", printable(f"{self._path}: the log is closed, or was opened for reading."))
        return self._connection

    def _prove(self, connection: apsw.Connection) -> None:
        """Make sure that nothing of a failed transaction is in the log, also after a crash; see the notes."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.execute(MARK_FAILURE)
            last = connection.execute("SELECT max(sequence) FROM log").get or 0
            with suppress(apsw.Error):  # remains of failed commits behind the valid ones would look like damage
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except FAILURES as error:
            raise store_error(self._path, error, connection.system_errno) from None
        if last != self.last:
            message = f"{self._path}: a failed append left record {last} in the log. Restart the server."
            raise StoreError("io", printable(message))
        self._is_proven = True


def _check_existing(path: Path, readers: Readers) -> None:
    if not path.is_file():
        raise StoreError("format", printable(f"{path}: there is no log. Give the state directory of a server."))
    with readers.connection() as reader:
        if check_format(reader, path):
            raise StoreError("format", printable(f"{path}: the log is empty. Start the server to create it."))


def _check_lost_database(path: Path) -> None:
    """Refuse an empty database with records in its write-ahead log, which SQLite would delete."""
    try:
        is_lost = wal_path(path).stat().st_size > 0 and (not path.exists() or path.stat().st_size == 0)
    except FileNotFoundError:
        return
    if is_lost:
        message = f"{path}: the database is missing or empty, but not its write-ahead log {wal_path(path).name}."
        raise StoreError("corrupt", printable(f"{message} {RESTORE}"))


def _release(connection: apsw.Connection | None, lock: DirectoryLock | None) -> None:
    if connection is not None:
        with suppress(apsw.Error):  # what cannot be moved into the database stays in the write-ahead log
            connection.close()
    if lock is not None:
        lock.release()
