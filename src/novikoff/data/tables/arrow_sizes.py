"""Sizes that an Arrow file or stream states, checked before memory is allocated for them.

Arrow allocates what the length in front of a compressed buffer says, and only then decompresses. Here the metadata of a
record batch is read first: as flatbuffers, of which only the fields that state sizes are looked at. What is wrong with
the metadata otherwise is left to Arrow, which verifies it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

FILE_MAGIC = b"ARROW1"
DICTIONARY_BATCH, RECORD_BATCH = 2, 3  # kinds of messages
BLOCK = np.dtype([("offset", "<i8"), ("metadata", "<i4"), ("padding", "<i4"), ("body", "<i8")])
BUFFER = np.dtype([("offset", "<i8"), ("length", "<i8")])
STORED = -1  # in place of the length of a buffer that is not compressed, although others are
MAX_DECOMPRESSED = 1 << 26  # bytes of a record batch that are always accepted
# Of decompressed to compressed bytes beyond that. LZ4 cannot exceed it. zstd can, with up to 32,768 for constant
# columns, but then a file of a megabyte could ask for 32 GB, so such columns must be in batches of MAX_DECOMPRESSED.
MAX_RATIO = 256


class SizeError(ValueError):
    """A size that the file does not justify."""


class Table:
    """A table of a flatbuffer at a position. A field that lies outside of the buffer raises ``struct.error``."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data, self._position = data, position
        self._fields = position - _unpack("<i", data, position)

    @classmethod
    def root(cls, data: bytes) -> Table:
        """Return the table that a buffer consists of."""
        return cls(data, _unpack("<I", data, 0))

    def _place(self, field: int) -> int | None:
        """Return the position of a field, or None if it is absent."""
        slot = 4 + 2 * field
        if slot + 2 > _unpack("<H", self._data, self._fields):
            return None
        offset = _unpack("<H", self._data, self._fields + slot)
        return self._position + offset if offset else None

    def number(self, field: int, code: str) -> int:
        """Return a number, 0 if it is absent."""
        place = self._place(field)
        return 0 if place is None else _unpack("<" + code, self._data, place)

    def table(self, field: int) -> Table | None:
        """Return a table that a field refers to."""
        place = self._place(field)
        return None if place is None else Table(self._data, place + _unpack("<I", self._data, place))

    def structs(self, field: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
        """Return a vector of structs."""
        place = self._place(field)
        if place is None:
            return np.empty(0, dtype)
        begin = place + _unpack("<I", self._data, place)
        count = _unpack("<I", self._data, begin)
        if begin + 4 + count * dtype.itemsize > len(self._data):
            raise struct.error
        return np.frombuffer(self._data, dtype, count, begin + 4)


def _unpack(code: str, data: bytes, position: int) -> int:
    if position < 0:
        raise struct.error
    number: int = struct.unpack_from(code, data, position)[0]
    return number


class ArrowSizes:
    """The sizes of an Arrow file or stream.

    Parameters
    ----------
    file : binary file
        The file, unbuffered or not. Its position is changed.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, 2)
        self._next = 0  # position of the next message of a stream

    def check_stream(self) -> None:
        """Check a stream up to its next record batch."""
        while (found := self._message(self._next)) is not None:
            kind, self._next = found
            if kind == RECORD_BATCH:
                return

    def blocks(self) -> tuple[list[int], list[int]]:
        """Return where the dictionaries and the record batches of a file are."""
        tail = self._read(self._size - 10, 10)
        length = int.from_bytes(tail[:4], "little") if tail[4:] == FILE_MAGIC else 0
        try:
            footer = Table.root(self._read(self._size - 10 - length, length))
            return footer.structs(2, BLOCK)["offset"].tolist(), footer.structs(3, BLOCK)["offset"].tolist()
        except struct.error:
            return [], []

    def check_block(self, position: int) -> None:
        """Check one message of a file."""
        self._message(position)

    def _read(self, position: int, length: int) -> bytes:
        if not 0 <= position <= self._size:
            return b""
        self._file.seek(position)
        return self._file.read(min(length, self._size - position))

    def _message(self, position: int) -> tuple[int, int] | None:
        """Check a message; return its kind and the position after it, or None if there is none that can be read."""
        start = self._read(position, 8)
        prefix = 8 if start[:4] == b"\xff\xff\xff\xff" else 4  # streams of before 2019 have only the length
        length = int.from_bytes(start[prefix - 4 : prefix], "little")
        if length == 0:
            return None
        self._check_end(position + prefix, length)
        try:
            message = Table.root(self._read(position + prefix, length))
            kind, body, batch = message.number(1, "B"), message.number(3, "q"), message.table(2)
            if kind == DICTIONARY_BATCH and batch is not None:
                batch = batch.table(1)
            if kind in (DICTIONARY_BATCH, RECORD_BATCH) and batch is not None and batch.table(3) is not None:
                self._check_compressed(position + prefix + length, body, batch.structs(2, BUFFER))
        except struct.error:
            return None
        self._check_end(position + prefix + length, body)
        return kind, position + prefix + length + body

    def _check_end(self, begin: int, length: int) -> None:
        if not 0 <= length <= self._size - begin:
            raise SizeError(
                f"a part of {length:,} bytes is stated at byte {begin:,}, but the file has {self._size:,} bytes"
            )

    def _check_compressed(self, begin: int, length: int, buffers: NDArray[np.void]) -> None:
        """Check the lengths in front of compressed buffers."""
        total = 0
        for offset, size in _places(buffers):
            if size >= 8:
                stated = int.from_bytes(self._read(begin + offset, 8), "little", signed=True)
                total += size if stated == STORED else max(stated, 0)
        if total > MAX_DECOMPRESSED + MAX_RATIO * min(max(length, 0), self._size):
            stated_size = f"a record batch of {length:,} bytes states that it has {total:,} bytes after decompression"
            limit = f"{MAX_DECOMPRESSED >> 20} MiB plus {MAX_RATIO} times its size are allowed"
            raise SizeError(f"{stated_size}, but {limit}. Write smaller record batches")


def _places(buffers: NDArray[np.void]) -> Iterator[tuple[int, int]]:
    return zip(buffers["offset"].tolist(), buffers["length"].tolist(), strict=True)
