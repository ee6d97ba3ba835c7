"""The sizes that the pages of a Parquet file state, checked before pyarrow allocates memory for them.

Every column of a row group is a run of pages, each with a header in Thrift's compact protocol, as is the metadata at
the end of the file. pyarrow (seen in 26.0.1) allocates what a header states before it reads the page: a file of a
kilobyte can ask for 16 GiB. The metadata is read here, too, because pyarrow ends the process when Python asks it for a
column whose statistics are damaged (an exception of C++ that nothing catches).
"""

from __future__ import annotations

import functools
import os
from typing import Any, NamedTuple

from novikoff._handles import read_at
from novikoff.errors import InvalidInputError, input_error

FREE_PAGE_BYTES, MAX_RATIO = 8 << 20, 256  # a page may have this many bytes, plus this many per compressed byte
HEADER_BYTES, MAX_HEADER_BYTES = 1 << 10, 1 << 22  # of a page: read at first, and at most
MAX_DEPTH = 16  # of structures and lists
END_BYTES = 8  # at the end of the file: length of the metadata, magic number
# fields of the metadata, of a row group and of a column in it
ROW_GROUPS, COLUMNS, COLUMN_METADATA = 4, 1, 3
COLUMN_VALUES, COLUMN_BYTES, DATA_OFFSET, DICTIONARY_OFFSET = 5, 7, 9, 11
# fields of a page header
UNCOMPRESSED, COMPRESSED, DATA, DICTIONARY, DATA_2 = 2, 3, 5, 7, 8
NUM_VALUES = 1  # field of the headers of all kinds of pages
# types of Thrift's compact protocol
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class _Column(NamedTuple):
    """One column of a row group: where its pages begin and end, and the number of its values."""

    begin: int
    end: int
    values: int


def check_pages(path: str, row_group: int | None = None) -> None:
    """Refuse a file with a page whose stated size its bytes cannot have.

    Parameters
    ----------
    path : str
        The file.
    row_group : int, default=None
        The only row group that will be read. None checks all.

    Raises
    ------
    InvalidInputError
        If the metadata or the header of a page cannot be read, or if a page is outside of the file or states a size
        that is far larger than its bytes.
    """
    with open(path, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        groups = _known_groups(path, status.st_size, status.st_mtime_ns)
        for group in groups if row_group is None else groups[row_group : row_group + 1]:
            for column in group:
                _check_column(path, file.fileno(), column, status.st_size)


@functools.lru_cache(maxsize=4)
def _known_groups(path: str, size: int, changed: int) -> list[list[_Column]]:
    """Return the row groups of a file of this size and time, which are kept for those who read one after the other."""
    with open(path, "rb", buffering=0) as file:
        return _groups(path, file.fileno(), size)


def _groups(path: str, file: int, file_end: int) -> list[list[_Column]]:
    """Return the columns of all row groups, from the metadata at the end of the file."""
    length = int.from_bytes(read_at(file, 4, max(0, file_end - END_BYTES)), "little")
    metadata = read_at(file, length, max(0, file_end - END_BYTES - length))
    try:
        return [[_column(entry) for entry in group[COLUMNS]] for group in _Thrift(metadata).struct(0)[ROW_GROUPS]]
    except (LookupError, TypeError):
        raise _damaged(path, "the metadata is damaged") from None


def _column(entry: Any) -> _Column:
    fields = entry[COLUMN_METADATA]
    data, dictionary = fields[DATA_OFFSET], fields.get(DICTIONARY_OFFSET)
    begin = dictionary if dictionary is not None and 0 < dictionary < data else data
    return _Column(begin, begin + fields[COLUMN_BYTES], 0 + fields[COLUMN_VALUES])


def _check_column(path: str, file: int, column: _Column, file_end: int) -> None:
    """Check the pages of one column of a row group."""
    at, end, left = column
    if not 0 <= at <= end <= file_end:
        raise _damaged(path, "a column is outside of the file")
    while left > 0 and at < end:
        fields, size = _page_header(path, file, at, end)
        stated, held = fields.get(UNCOMPRESSED), fields.get(COMPRESSED)
        if not isinstance(stated, int) or not isinstance(held, int):
            raise _damaged(path, "a page does not state its size")
        at += size + held
        if held < 0 or at > end:
            raise _damaged(path, "a page ends outside of its column")
        if not 0 <= stated <= FREE_PAGE_BYTES + MAX_RATIO * held:
            raise _damaged(path, f"a page of {held} bytes states that it has {stated} uncompressed")
        left -= _check_values(path, fields, stated, left)


def _check_values(path: str, fields: dict[int, Any], stated: int, left: int) -> int:
    """Check the number of values of a page; return it for pages of data."""
    for kind in (DATA, DATA_2, DICTIONARY):
        if (header := fields.get(kind)) is not None:
            count = header.get(NUM_VALUES) if isinstance(header, dict) else None
            if not isinstance(count, int) or not 0 <= count <= (stated if kind == DICTIONARY else left):
                raise _damaged(path, f"a page states that it has {count} values")
            return 0 if kind == DICTIONARY else count
    return 0  # a page of another kind, which readers skip


def _page_header(path: str, file: int, at: int, end: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the page header at an offset, and its length."""
    size = HEADER_BYTES
    while True:
        data = read_at(file, min(size, end - at), at)
        try:
            header = _Thrift(data)
            return header.struct(0), header.at
        except IndexError:  # it is longer than what was read, or damaged
            if size >= min(end - at, MAX_HEADER_BYTES):
                raise _damaged(path, "the header of a page cannot be read") from None
            size *= 16


def _damaged(path: str, why: str) -> InvalidInputError:
    return input_error(path, f"the file is not a readable Parquet file: {why}.")


class _Thrift:
    """A structure in Thrift's compact protocol. Bytes that do not fit it, or end early, raise ``IndexError``."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        """Return an unsigned integer, seven bits per byte."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise IndexError

    def integer(self) -> int:
        """Return a signed integer, whose lowest bit is its sign."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def skip(self, size: int) -> None:
        """Pass over some bytes."""
        if size > len(self.data) - self.at:
            raise IndexError
        self.at += size

    def struct(self, depth: int) -> dict[int, Any]:
        """Return the fields of a structure: integers, structures and lists; others are None."""
        if depth > MAX_DEPTH:
            raise IndexError
        fields: dict[int, Any] = {}
        number = 0
        while (head := self.byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self.integer()
            fields[number] = self.value(head & 0x0F, depth, in_list=False)
        return fields

    def value(self, kind: int, depth: int, in_list: bool) -> Any:
        """Read a value of a type, and return it if it is an integer, a structure or a list."""
        if kind in (TRUE, FALSE):  # of a field, the type is the value
            return self.skip(1) if in_list else None
        if kind in (I16, I32, I64):
            return self.integer()
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (BYTE, DOUBLE):
            return self.skip(1 if kind == BYTE else 8)
        if kind == BINARY:
            return self.skip(self.varint())
        if kind in (LIST, SET):
            return self.list(depth)
        raise IndexError  # Parquet has no maps

    def list(self, depth: int) -> list[Any]:
        """Return the entries of a list."""
        head = self.byte()
        count = head >> 4 if head >> 4 < 15 else self.varint()
        if depth > MAX_DEPTH or count > len(self.data):  # an entry has at least a byte
            raise IndexError
        return [self.value(head & 0x0F, depth + 1, in_list=True) for _ in range(count)]
