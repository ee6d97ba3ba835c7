"""Records of the log: what they are about, and the chain of checksums that ties each to all before it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from typing import Final, NamedTuple

EXAMPLES: Final = 1  # payload: a block, see blocks.py
CREATE: Final = 2  # payload of this kind and the following ones: JSON
DELETE: Final = 3
COPY: Final = 4
SHADOW: Final = 5
UNSHADOW: Final = 6
COMPACT: Final = 7
KINDS: Final = {
    EXAMPLES: "examples",
    CREATE: "create",
    DELETE: "delete",
    COPY: "copy",
    SHADOW: "shadow",
    UNSHADOW: "unshadow",
    COMPACT: "compact",
}
CHECKSUM_SIZE: Final = 16
FIRST_CHECKSUM: Final = bytes(CHECKSUM_SIZE)  # stands before that of the first record
NUMBERS: Final = struct.Struct("<qqqqq")
NAMING_KINDS: Final = (CREATE, COPY)  # their sequence number becomes the number of the model


class Entry(NamedTuple):
    """What is to be appended to the log.

    Attributes
    ----------
    model : int or None
        Number of the model. None in CREATE and COPY: the sequence number that the record gets.
    kind : int
        One of `KINDS`.
    first : int
        Number of the model's first example in the block, from 0.
    count : int
        How many examples the block has.
    payload : bytes
        A block or JSON.
    """

    model: int | None
    kind: int
    first: int
    count: int  # type: ignore[assignment]  # hides the method of tuples
    payload: bytes


class Record(NamedTuple):
    """A record of the log; see `Entry`.

    Attributes
    ----------
    sequence : int
        Number of the record, from 1 without gaps.
    checksum : bytes
        The first 16 bytes of SHA-256 over the previous record's checksum, the five numbers and the payload.
    """

    sequence: int
    model: int
    kind: int
    first: int
    count: int  # type: ignore[assignment]  # hides the method of tuples
    payload: bytes
    checksum: bytes


def checksum(previous: bytes, sequence: int, model: int, kind: int, first: int, count: int, payload: bytes) -> bytes:
    """Return the checksum of a record, given that of the record before it."""
    digest = hashlib.sha256(previous)  # which most processors have instructions for
    digest.update(NUMBERS.pack(sequence, model, kind, first, count))
    digest.update(payload)
    return digest.digest()[:CHECKSUM_SIZE]


def follows(record: Record, sequence: int, previous: bytes) -> bool:
    """Return whether a record is the one with this sequence number, and whole, given the checksum before it."""
    return record.sequence == sequence and record.checksum == checksum(previous, *record[:-1])


def chain(entries: Iterable[Entry], last: int, previous: bytes) -> list[Record]:
    """Return the records that the entries become after the record ``last``, whose checksum is ``previous``."""
    records = []
    for sequence, entry in enumerate(entries, last + 1):
        if entry.kind not in KINDS:
            raise ValueError(f"A record of kind {entry.kind} cannot be appended: there is no such kind.")
        if entry.model is None and entry.kind not in NAMING_KINDS:
            raise ValueError(f"A record of kind {KINDS[entry.kind]} needs the number of its model.")
        model = sequence if entry.model is None else entry.model
        previous = checksum(previous, sequence, model, entry.kind, entry.first, entry.count, entry.payload)
        records.append(Record(sequence, model, entry.kind, entry.first, entry.count, entry.payload, previous))
    return records
