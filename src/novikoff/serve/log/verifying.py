"""The check of a whole log: its database, the chain of checksums, and what every record contains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from novikoff.serve.log import blocks
from novikoff.serve.log.compacting import Digest, Dropped
from novikoff.serve.log.database import Readers
from novikoff.serve.log.errors import RESTORE, CorruptBlock, CorruptRecord, StoreError
from novikoff.serve.log.records import COMPACT, CREATE, EXAMPLES, FIRST_CHECKSUM, KINDS, Record


@dataclass(frozen=True)
class Verified:
    """What a whole log contains.

    Attributes
    ----------
    records, examples, models : int
        How many there are of each; models that were deleted are included.
    payload_bytes : int
        Bytes of all payloads.
    last : int
        Sequence number of the last record.
    checksum : bytes
        Its checksum, which stands for the content of the whole log.
    removed_examples : int
        Examples of which compaction has left only the numbers; they are counted in ``examples``, too.
    """

    records: int
    examples: int
    models: int
    payload_bytes: int
    last: int
    checksum: bytes
    removed_examples: int = 0


def verified(readers: Readers, records: Iterator[Record], dropped: Dropped | None = None) -> Verified:
    """Check the database and all records; see `Store.verify`."""
    with readers.connection() as connection:
        found = connection.execute("PRAGMA integrity_check(1)").get
    if found != "ok":
        raise StoreError("corrupt", f"The database is damaged ({found}). {RESTORE}")
    count = examples = size = last = removed = 0
    digest = Digest()
    checksum = FIRST_CHECKSUM
    models: set[int] = set()
    next_example: dict[int, int] = {}  # of each model, once it is known
    for record in records:
        if record.kind == EXAMPLES and dropped is not None and dropped.covers(record):
            digest.add(record)
        if record.payload or record.kind != EXAMPLES:
            check_content(record)
        else:
            removed += record.count
        if record.kind != COMPACT:
            models.add(record.model)
        if record.kind == CREATE:
            next_example[record.model] = 0
        elif record.kind == EXAMPLES:
            if record.first != next_example.get(record.model, record.first):
                raise CorruptRecord(record.sequence, f"Record {record.sequence} repeats or omits examples. {RESTORE}")
            next_example[record.model] = record.first + record.count
            examples += record.count
        count, size, last, checksum = count + 1, size + len(record.payload), record.sequence, record.checksum
    if dropped is not None and digest.hex() != dropped.digest:
        message = "The records that compaction has emptied are not those that it states."
        raise CorruptRecord(dropped.last, f"{message} {RESTORE}")
    return Verified(count, examples, len(models), size, last, checksum, removed)


def check_content(record: Record) -> None:
    """Raise a CorruptRecord if the payload of a record is not what its kind and its count say."""
    try:
        if record.kind == EXAMPLES:
            if len(blocks.decode(record.payload)) != record.count:
                raise CorruptBlock(f"It does not have the {record.count} examples that it states.")
        elif record.kind in KINDS:
            msgspec.json.decode(record.payload or b"null")
        else:
            message = (
                f"Record {record.sequence} is of kind {record.kind}, which this version of novikoff does not know."
            )
            raise CorruptRecord(record.sequence, f"{message} Install a newer one.")
    except (CorruptBlock, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"Record {record.sequence} cannot be read: {str(error).rstrip('.')}."
        raise CorruptRecord(record.sequence, f"{message} {RESTORE}") from None
