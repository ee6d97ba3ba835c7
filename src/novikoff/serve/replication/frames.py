"""The bytes that a leader sends to its followers.

The answer to ``GET /v1/log`` begins with a header of 40 bytes, little-endian as everything here:

- 8 bytes ``NVKLOG`` and two line ends,
- the version of the format as an unsigned integer of 32 bits, and 4 bytes that are 0,
- the sequence number of the leader's last record as an integer of 64 bits,
- the checksum of its first record, 16 bytes that identify the log; zero bytes if it is empty.

Frames follow. Each has the length of its content as an unsigned integer of 32 bits, one byte that says what it is, and
the content:

- 1, record: the five integers of 64 bits and the checksum of a record of the log, then its payload,
- 2, state: the sequence number of the leader's last record. It follows the records that are there, and comes as a
  sign of life when there are none,
- 3, failure: a message in UTF-8 that says why the leader ends the answer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from novikoff.errors import NovikoffError
from novikoff.serve.log.records import CHECKSUM_SIZE, NUMBERS, Record

MAGIC: Final = b"NVKLOG\n\n"
VERSION: Final = 1
HEADER: Final = struct.Struct(f"<8sIIq{CHECKSUM_SIZE}s")
PREFIX: Final = struct.Struct("<IB")
STATE_BODY: Final = struct.Struct("<q")
RECORD, STATE, FAILURE = 1, 2, 3
MAX_FRAME: Final = 2**28 + 2**16  # bytes; a follower allocates no more for one
MEDIA_TYPE: Final = b"application/octet-stream"


class ProtocolError(NovikoffError):
    """Bytes that are not the log of a leader."""


class LeaderFailure(NovikoffError):
    """The leader cannot send its log."""


class Header(NamedTuple):
    """The beginning of a log: the number of its last record, and the checksum of the first."""

    last: int
    identity: bytes


class State(NamedTuple):
    """The number of the leader's last record."""

    last: int


def header(last: int, identity: bytes) -> bytes:
    """Return the header."""
    return HEADER.pack(MAGIC, VERSION, 0, last, identity)


def record_frame(record: Record) -> bytes:
    """Return the frame of a record."""
    body = NUMBERS.pack(*record[:5]) + record.checksum
    return PREFIX.pack(len(body) + len(record.payload), RECORD) + body + record.payload


def state_frame(last: int) -> bytes:
    """Return the frame of the state."""
    return PREFIX.pack(STATE_BODY.size, STATE) + STATE_BODY.pack(last)


def failure_frame(message: str) -> bytes:
    """Return the frame of a failure."""
    body = message.encode("utf-8", "backslashreplace")
    return PREFIX.pack(len(body), FAILURE) + body


def read_header(read: Callable[[int], bytes]) -> Header:
    """Read the header.

    Parameters
    ----------
    read : callable
        Returns at most so many bytes, and none at the end.

    Raises
    ------
    ProtocolError
        If it is not one.
    """
    magic, version, zero, last, identity = HEADER.unpack(_exactly(read, HEADER.size))
    if magic != MAGIC:
        raise ProtocolError("The answer is not the log of a novikoff server. Check the address to follow.")
    if version != VERSION or zero:
        message = f"The server sends its log in format {version}, and this one reads format {VERSION}."
        raise ProtocolError(f"{message} Install the same version of novikoff on both.")
    return Header(last, identity)


def read_frames(read: Callable[[int], bytes]) -> Iterator[Record | State]:
    """Yield the records and states that follow the header, until the bytes end between two frames.

    Raises
    ------
    ProtocolError
        If the bytes end within a frame, or are not frames.
    LeaderFailure
        With the message of the leader.
    """
    while prefix := _exactly(read, PREFIX.size, may_end=True):
        length, kind = PREFIX.unpack(prefix)
        if length > MAX_FRAME:
            raise ProtocolError("The server sends a frame that is longer than any record. Check the address to follow.")
        body = _exactly(read, length)
        if kind == RECORD and length >= NUMBERS.size + CHECKSUM_SIZE:
            end = NUMBERS.size + CHECKSUM_SIZE
            sequence, model, number, first, count = NUMBERS.unpack_from(body)
            yield Record(sequence, model, number, first, count, body[end:], body[NUMBERS.size : end])
        elif kind == STATE and length == STATE_BODY.size:
            yield State(*STATE_BODY.unpack(body))
        elif kind == FAILURE:
            raise LeaderFailure(body.decode("utf-8", "replace"))
        else:
            message = "The server sends a frame that this version of novikoff does not know."
            raise ProtocolError(f"{message} Install the same version of novikoff on both.")


def _exactly(read: Callable[[int], bytes], size: int, *, may_end: bool = False) -> bytes:
    parts: list[bytes] = []
    missing = size
    while missing:
        part = read(min(missing, 1 << 20))
        if not part:
            if may_end and not parts:
                return b""
            raise ProtocolError("The server closed the connection within a frame.")
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
