"""Compaction: examples that snapshots have are removed from the log, and a record says which.

The rows of the removed records stay, without their payload: the chain of checksums goes on through them, so that each
record that remains can be checked, and snapshots keep their place in the log. What a row without a
payload says of itself cannot be recomputed. Therefore the COMPACT record, which is part of the chain, has a digest of
all of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw
import msgspec

from novikoff.serve.log.errors import RESTORE, CorruptRecord
from novikoff.serve.log.records import COMPACT, EXAMPLES, NUMBERS, Entry, Record, chain

DIGEST_SIZE: Final = 32
NO_MODEL: Final = 0  # in a record about the whole log
INSERT: Final = "INSERT INTO log(sequence, model, kind, first, count, payload, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)"
EMPTY: Final = "UPDATE log SET payload = x'' WHERE model = ? AND sequence <= ? AND kind = 1 AND payload <> x''"
SIZES: Final = "SELECT sum(length(payload)) FROM log WHERE model = ? AND sequence <= ? AND kind = 1"
WITHOUT_PAYLOAD: Final = "SELECT sequence, model, kind, first, count, x'', checksum FROM log WHERE kind = 1"


class Dropped(msgspec.Struct, frozen=True):
    """What compaction has removed from a log until now, as the payload of a COMPACT record states it.

    Attributes
    ----------
    models : dict of int to int
        For each model, the last record whose examples were removed.
    records, examples : int
        How many were removed, by this and all earlier compactions.
    payload_bytes : int
        Bytes that this compaction removed.
    last : int
        The last record of all models whose examples were removed.
    digest : str
        BLAKE2b of the numbers and checksums of all these records, in order.
    """

    models: dict[int, int]
    records: int
    examples: int
    payload_bytes: int
    last: int
    digest: str

    def covers(self, record: Record) -> bool:
        """Whether the examples of a record were removed."""
        return record.kind == EXAMPLES and record.sequence <= self.models.get(record.model, 0)


class Digest:
    """BLAKE2b of the numbers and checksums of records."""

    def __init__(self) -> None:
        self._state = hashlib.blake2b(digest_size=DIGEST_SIZE)

    def add(self, record: Record) -> None:
        """Add the next record."""
        self._state.update(NUMBERS.pack(*record[:5]) + record.checksum)

    def hex(self) -> str:
        """Return the digest of all records."""
        return self._state.hexdigest()


def last_dropped(commands: Sequence[Record]) -> Dropped | None:
    """Return what the last COMPACT record among these states; None if there is none."""
    for record in reversed(commands):
        if record.kind == COMPACT:
            try:
                return msgspec.json.decode(record.payload, type=Dropped)
            except msgspec.MsgspecError:
                message = f"Record {record.sequence} of the log does not state what was removed."
                raise CorruptRecord(record.sequence, f"{message} {RESTORE}") from None
    return None


def drop(
    connection: apsw.Connection, models: Mapping[int, int], before: Dropped | None, last: int, checksum: bytes
) -> tuple[Record, Dropped]:
    """Remove payloads and insert the record that says so, within a transaction of the caller.

    Parameters
    ----------
    connection : Connection
        A connection of the log that can write.
    models : mapping of int to int
        For each model, the last record whose examples are not needed.
    before : Dropped or None
        What was removed earlier.
    last, checksum : int, bytes
        Of the last record.
    """
    merged = {} if before is None else dict(before.models)
    size = 0
    for model, until in models.items():
        merged[model] = max(until, merged.get(model, 0))
        size += connection.execute(SIZES, (model, until)).get or 0
        connection.execute(EMPTY, (model, until))
    digest, records, examples, newest = Digest(), 0, 0, 0
    for row in connection.execute(f"{WITHOUT_PAYLOAD} ORDER BY sequence"):
        record = Record(*row)
        if record.sequence <= merged.get(record.model, 0):
            digest.add(record)
            records, examples, newest = records + 1, examples + record.count, record.sequence
    content = Dropped(merged, records, examples, size, newest, digest.hex())
    (record,) = chain([Entry(NO_MODEL, COMPACT, 0, 0, msgspec.json.encode(content))], last, checksum)
    connection.execute(INSERT, record)
    return record, content


def keep_copy(connection: apsw.Connection, path: Path) -> None:
    """Write a copy of the database, which replaces an older one as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        temporary.unlink()
    try:
        connection.execute("VACUUM INTO ?", (str(temporary),))
        copy = apsw.Connection(str(temporary))
        try:
            copy.execute("PRAGMA journal_mode = WAL")
        finally:
            copy.close()
        handle = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
