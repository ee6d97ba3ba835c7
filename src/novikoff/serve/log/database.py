"""The SQLite database of the log: its format, and connections to it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote as quote_uri

import apsw

from novikoff._printable import printable
from novikoff.serve.log.errors import FAILURES, StoreError, store_error
from novikoff.serve.log.records import FIRST_CHECKSUM
from novikoff.serve.log.wal_check import check_recovered, commit_frames

FORMAT: Final = 1  # user_version of the database
APPLICATION: Final = 0x6E766B6C  # "nvkl": application_id of the database
SYNCHRONOUS: Final = {"full": "FULL", "normal": "NORMAL", "off": "OFF"}
PAGE_SIZE: Final = 4096
# Size at which the write-ahead log is moved into the database, which delays one append by about 10 ms. With 16 MB it is
# 30 ms, and the throughput hardly larger.
CHECKPOINT_PAGES: Final = 4 * 2**20 // PAGE_SIZE
MAX_IDLE_WAL: Final = 16 * 2**20  # bytes to which the file of the write-ahead log is cut after it was larger
BUSY_MILLISECONDS: Final = 5000
SCHEMA: Final = """
CREATE TABLE log(sequence INTEGER PRIMARY KEY, model INTEGER NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL,
    count INTEGER NOT NULL, checksum BLOB NOT NULL, payload BLOB NOT NULL);
CREATE INDEX log_by_model ON log(model, sequence);
CREATE INDEX log_commands ON log(sequence) WHERE kind <> 1;
CREATE TABLE head(sequence INTEGER NOT NULL, checksum BLOB NOT NULL, failures INTEGER NOT NULL,
    durability TEXT NOT NULL);
"""


def connect(path: Path, *, read_only: bool, vfs: str | None) -> apsw.Connection:
    """Open a connection with the settings that readers and the writer share.

    A log on a read-only disk cannot have the shared memory of a write-ahead log. If it was closed properly, so that
    its write-ahead log is empty, it is opened as a file that nobody changes.
    """
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(str(path), flags, vfs)
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.execute("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL")
        # On macOS, fsync alone may not flush.
        connection.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        connection.execute("PRAGMA user_version")  # the first access to the file
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        if not read_only or _size(wal_path(path)):
            raise
        connection = apsw.Connection(f"file:{quote_uri(str(path))}?immutable=1", flags | apsw.SQLITE_OPEN_URI, vfs)
    return connection


def wal_path(path: Path) -> Path:
    """Return where SQLite keeps the write-ahead log of a database."""
    return path.with_name(path.name + "-wal")


def file_sizes(path: Path) -> int:
    """Return the bytes that a database and its write-ahead log have on disk, without opening them.

    To open and close a database file other than through SQLite would release the locks of this process on it.
    """
    return _size(path) + _size(wal_path(path))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def open_for_writing(path: Path, durability: str, vfs: str | None) -> apsw.Connection:
    """Open the database of a log, with its tables, which a new one gets, and say how commits are made durable."""
    commits = commit_frames(wal_path(path), PAGE_SIZE)
    connection = connect(path, read_only=False, vfs=vfs)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a log that turns out to be damaged stays as it is
    try:
        is_new = check_format(connection, path)
        before = None if is_new else connection.execute("SELECT durability FROM head").get
        if is_new or before == "full":
            check_recovered(wal_path(path), commits, connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)[0])
        if is_new:
            _create(connection, durability)
            flush_directory(path.parent)
        elif before != durability:  # durable before the first commit that is not
            connection.execute("UPDATE head SET durability = ?", (durability,))
        with suppress(apsw.Error):  # remains of a torn commit behind the valid ones would look like damage later
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS[durability]}; PRAGMA cache_size = -16384")
        connection.execute(f"PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = {MAX_IDLE_WAL}")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: apsw.Connection, durability: str) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}; PRAGMA journal_mode = WAL")
    with connection:
        connection.execute(SCHEMA)
        connection.execute("INSERT INTO head VALUES (0, ?, 0, ?)", (FIRST_CHECKSUM, durability))
        connection.execute(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}")


def check_format(connection: apsw.Connection, path: Path) -> bool:
    """Return whether a database is empty; raise a StoreError if it is not a log of this version or an older one."""
    version, application = connection.pragma("user_version"), connection.pragma("application_id")
    if version == application == 0 and not connection.execute("SELECT count(*) FROM sqlite_schema").get:
        return True
    if application != APPLICATION or version < 1:
        raise StoreError("format", printable(f"{path}: it is not a log of novikoff. Give another state directory."))
    if version > FORMAT:
        message = f"{path}: the log has format {version}, this version of novikoff reads formats up to {FORMAT}."
        raise StoreError("format", printable(f"{message} Install a newer novikoff."))
    return False


def flush_directory(directory: Path) -> None:
    """Flush a directory and the one above it, so that new files in them survive a loss of power.

    Not every file system supports that.
    """
    for place in (directory, directory.parent):
        with suppress(OSError):
            handle = os.open(place, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


class Readers:
    """Connections for reading, each used by one thread at a time, kept for the next one that reads.

    Parameters
    ----------
    path : Path
        The database.
    vfs : str or None
        The name of the file system layer of SQLite; None: the usual one.
    """

    MAX_IDLE = 4

    def __init__(self, path: Path, vfs: str | None) -> None:
        self._path, self._vfs = path, vfs
        self._idle: deque[apsw.Connection] = deque()
        self._is_closed = False

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        """Lend a connection; errors of SQLite become StoreErrors."""
        if self._is_closed:
            raise StoreError("io", printable(f"{self._path}: the log is closed."))
        connection = None
        try:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = connect(self._path, read_only=True, vfs=self._vfs)
            yield connection
        except FAILURES as error:
            number = connection.system_errno if connection is not None else 0
            raise store_error(self._path, error, number) from None
        finally:
            if connection is not None:
                self._give_back(connection)

    def _give_back(self, connection: apsw.Connection) -> None:
        if self._is_closed or len(self._idle) >= self.MAX_IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        """Close all idle connections; one that is in use is closed when it is given back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()
