"""Reading of records: a few at a time, each checked against the chain of checksums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw

from novikoff.serve.log.compacting import Dropped
from novikoff.serve.log.database import Readers
from novikoff.serve.log.errors import CorruptRecord
from novikoff.serve.log.records import EXAMPLES, FIRST_CHECKSUM, Record, follows

BATCH_RECORDS: Final = 256  # read at once
BATCH_BYTES: Final = 4 * 2**20  # of payloads, after which a batch ends
COLUMNS: Final = "sequence, model, kind, first, count, payload, checksum"
ALL: Final = f"SELECT {COLUMNS} FROM log WHERE sequence > ? ORDER BY sequence LIMIT {BATCH_RECORDS}"
OF_MODEL: Final = (
    f"SELECT {COLUMNS}, (SELECT checksum FROM log AS before WHERE before.sequence = log.sequence - 1) "
    f"FROM log INDEXED BY log_by_model WHERE sequence > ? AND model = ? ORDER BY sequence LIMIT {BATCH_RECORDS}"
)
COMMANDS: Final = f"SELECT {COLUMNS} FROM log WHERE kind <> 1 ORDER BY sequence"
EXAMPLES_OF: Final = (
    "SELECT first + count FROM log WHERE model = ? AND sequence <= ? AND kind = 1 ORDER BY sequence DESC LIMIT 1"
)
ADVICE: Final = "Restore the state directory from a copy, or run 'novikoff log verify' to see what is damaged."


def stream(
    readers: Readers, after: int, model: int | None, last: int, dropped: Dropped | None = None
) -> Iterator[Record]:
    """Yield the records after a sequence number; see `Store.records`.

    A transaction of a reader keeps SQLite from reusing its write-ahead log, so each batch is one of its own.

    Parameters
    ----------
    last : int
        The last record that must be there, if all models are read.
    dropped : Dropped, default=None
        Records without a payload that are yielded nevertheless; others are errors.
    """
    previous = None
    while batch := _batch(readers, after, model):
        if previous is None and model is None:
            with readers.connection() as connection:
                previous = checksum_of(connection, after)
        for row in batch:
            record = _record(row[:7])
            if model is None:
                sequence, before = after + 1, previous
            else:
                sequence, before = max(after + 1, record.sequence), FIRST_CHECKSUM if record.sequence == 1 else row[7]
            is_of_model = model is None or record.model == model
            is_empty = record.kind == EXAMPLES and not record.payload
            if is_empty and dropped is not None and dropped.covers(record) and record.sequence == sequence:
                pass  # the digest of all of them is checked by `verify`
            elif not is_of_model or not isinstance(before, bytes) or not follows(record, sequence, before):
                raise (removed if is_empty else damaged)(sequence)
            previous, after = record.checksum, sequence
            yield record
    if model is None and after < last:
        raise damaged(after + 1)


def commands(readers: Readers) -> list[Record]:
    """Return the records of all kinds but examples, each checked against the checksum of the record before it."""
    with readers.connection() as connection:
        records = [_record(row) for row in connection.execute(COMMANDS)]
        for record in records:
            if not follows(record, record.sequence, checksum_of(connection, record.sequence - 1)):
                raise damaged(record.sequence)
    return records


def examples_of(readers: Readers, model: int, until: int) -> int:
    """Return how many examples the log has of a model up to a record."""
    with readers.connection() as connection:
        found: int | None = connection.execute(EXAMPLES_OF, (model, until)).get
    return found or 0


def _batch(readers: Readers, after: int, model: int | None) -> list[tuple[Any, ...]]:
    rows, size = [], 0
    with readers.connection() as connection:
        cursor = connection.execute(ALL, (after,)) if model is None else connection.execute(OF_MODEL, (after, model))
        for row in cursor:
            rows.append(row)
            size += len(row[5]) if isinstance(row[5], bytes) else 0
            if size >= BATCH_BYTES:
                cursor.close()
                break
    return rows


def _record(row: tuple[Any, ...]) -> Record:
    """Return a row as a record, if its columns have the types of one: damage may change those, too."""
    record = Record(*row)
    if not all(isinstance(number, int) for number in row[:5]) or not all(isinstance(part, bytes) for part in row[5:]):
        raise damaged(record.sequence)
    return record


def damaged(sequence: int) -> CorruptRecord:
    """Return the error of a record that is damaged or missing."""
    return CorruptRecord(sequence, f"Record {sequence} of the log is damaged or missing. {ADVICE}")


def removed(sequence: int) -> CorruptRecord:
    """Return the error of a record whose examples compaction has removed, and that are needed."""
    message = f"The examples of record {sequence} were removed by 'novikoff log compact'."
    return CorruptRecord(sequence, f"{message} The file log.sqlite.before-compaction has them, if it was kept.")


def checksum_of(connection: apsw.Connection, sequence: int) -> bytes:
    """Return the checksum of a record; zero bytes for 0. Raises a CorruptRecord if it is missing."""
    if sequence == 0:
        return FIRST_CHECKSUM
    value = connection.execute("SELECT checksum FROM log WHERE sequence = ?", (sequence,)).get
    if not isinstance(value, bytes):
        raise damaged(sequence)
    return value


def checked_head(connection: apsw.Connection) -> tuple[int, bytes]:
    """Return the number and checksum of the last record, after a check that it is whole and the last one written.

    The table ``head`` repeats both, so that records that vanish from the end are missed.
    """
    with connection:  # one state of the database for all queries
        heads = connection.execute("SELECT sequence, checksum FROM head").fetchall()
        row = connection.execute(f"SELECT {COLUMNS} FROM log ORDER BY sequence DESC LIMIT 1").fetchall()
        if not row:
            last, checksum = 0, FIRST_CHECKSUM
        else:
            record = _record(row[0])
            last, checksum = record.sequence, record.checksum
            if not follows(record, last, checksum_of(connection, last - 1)):
                raise damaged(last)
    if heads != [(last, checksum)]:
        raise damaged(max([last, *(head[0] for head in heads if isinstance(head[0], int))]))
    return last, checksum
