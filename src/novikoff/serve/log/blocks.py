"""Blocks of examples: how one group of learned examples is stored in a record of the log.

A payload is one version byte and a zstd frame, which states the size of its content. The content is

- the length of the header as an unsigned integer of 32 bits, and 4 bytes that are 0,
- the header as msgpack, filled with zero bytes up to a multiple of 8,
- little-endian arrays:
  values, weights, served versions, row lengths, columns, codes, served codes, lengths of the ids, and the ids in UTF-8.

Of each array, the first bytes of all entries come first, then the second ones, and so on: numbers of similar size have
the same leading bytes, so that zstd is three times as fast and leaves less. Optional arrays that are None are missing.
The length of an id that is None is -1. If the header has an exponent, the values are integers of 32 bits, see
decimals.py; version 1 had no exponent.
"""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import msgspec
import numpy as np
import zstandard

from novikoff.serve.log.decimals import MAX_EXPONENT, from_decimals, to_decimals
from novikoff.serve.log.errors import CorruptBlock

VERSIONS: Final = (1, 2)  # that are read; the last one is written
LEVEL: Final = -1  # of zstd: takes 40 to 70 % of the time of level 1, and leaves 6 to 23 % more
NO_EXPONENT: Final = -1  # the values are doubles
MAX_CONTENT: Final = 2**28  # bytes of a block before compression; a reader allocates no more than that
MAX_RATIO: Final = 2**15  # of zstd: 128 KiB of content need at least a block of 4 bytes
PREFIX: Final = struct.Struct("<II")
ALIGNMENT: Final = 8
NO_ID: Final = -1
LOWEST_CODE, LOWEST_SERVED = -1, -2  # no label; not served before

Label = str | int | bool


@dataclass(eq=False, slots=True)
class Block:
    """Examples of one model that were learned together.

    Attributes
    ----------
    first_name, first_label : int
        Numbers of the first of `names` and `labels`.
    names, labels : list
        The names and labels that the model's tables got since the previous block. A label is a string, an integer
        of 64 bits or a boolean.
    indptr : ndarray of int64, shape (n + 1,)
        The features of example i are those from ``indptr[i]`` to ``indptr[i + 1]``.
    columns, values : ndarray of int32 and float64
        Columns and values of the features.
    codes : ndarray of int32, shape (n,)
        Codes of the labels; -1: no label.
    weights : ndarray of float64, shape (n,), or None
        Weights of the examples; None: all are 1.
    ids : list of str or None, or None
        What clients called the examples.
    served : tuple of ndarrays of int32 and int64, shape (n,), or None
        The label code that had been served for each example (-1: nothing known then; -2: not served before), and the
        version that served it.
    """

    first_name: int
    names: list[str]
    first_label: int
    labels: list[Label]
    indptr: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None = None
    ids: list[str | None] | None = None
    served: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.codes)


class Header(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What is not an array in a block, and the sizes of the arrays."""

    examples: int
    features: int
    has_weights: bool
    has_served: bool
    id_bytes: int | None  # None: no ids
    first_name: int
    names: list[str]
    first_label: int
    labels: list[str | int | bool]
    exponent: int = NO_EXPONENT


class _Coders(threading.local):
    """Coders of a thread: those of zstd must not be used by two at a time, and are slow to make."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True).compress
        self.decompress = zstandard.ZstdDecompressor().decompress
        self.pack = msgspec.msgpack.Encoder().encode
        self.unpack = msgspec.msgpack.Decoder(Header).decode


_coders = _Coders()


def encode(block: Block) -> bytes:
    """Return the payload of a block. Raises a ValueError if its arrays do not fit together, or if it is too large."""
    ids, id_lengths = _joined_ids(block.ids)
    weights, served = block.weights, block.served
    decimals = to_decimals(block.values)
    header = _coders.pack(
        Header(
            len(block.codes),
            len(block.columns),
            weights is not None,
            served is not None,
            None if block.ids is None else len(ids),
            block.first_name,
            block.names,
            block.first_label,
            block.labels,
            NO_EXPONENT if decimals is None else decimals[0],
        )
    )
    values = (block.values, "<f8") if decimals is None else (decimals[1], "<i4")
    arrays: list[tuple[Any, str, int]] = [(*values, len(block.columns))]
    if weights is not None:
        arrays.append((weights, "<f8", len(block)))
    if served is not None:
        arrays.append((served[1], "<i8", len(block)))
    arrays += [(np.diff(block.indptr), "<i4", len(block)), (block.columns, "<i4", len(block.columns))]
    arrays.append((block.codes, "<i4", len(block)))
    if served is not None:
        arrays.append((served[0], "<i4", len(block)))
    if id_lengths is not None:
        arrays.append((id_lengths, "<i4", len(block)))
    if any(len(array) != size for array, _, size in arrays):
        raise ValueError("The arrays of a block have different numbers of examples or features.")
    parts: list[bytes | memoryview] = [PREFIX.pack(len(header), 0), header, bytes(-len(header) % ALIGNMENT)]
    parts += [_by_place(np.ascontiguousarray(array, dtype)) for array, dtype, size in arrays if size]
    content = b"".join([*parts, ids])
    if len(content) > MAX_CONTENT:
        raise ValueError(f"A block of {len(content)} bytes is too large: at most {MAX_CONTENT} are allowed.")
    return bytes(VERSIONS[-1:]) + _coders.compress(content)


def decode(payload: bytes) -> Block:
    """Return the block of a payload.

    Raises
    ------
    CorruptBlock
        If the payload is not one that `encode` returns: of another version, cut, damaged, or with numbers that no
        example can have. No more than `MAX_CONTENT` bytes are allocated for the content.
    """
    content = _content(payload)
    header, offset = _header(content, payload[0])
    n, features = header.examples, header.features
    reader = _Reader(content, offset)
    if header.exponent == NO_EXPONENT:
        values = reader.take("<f8", features)
    else:
        values = from_decimals(reader.take("<i4", features), header.exponent)
    weights = reader.take("<f8", n) if header.has_weights else None
    versions = reader.take("<i8", n) if header.has_served else None
    lengths = reader.take("<i4", n)
    columns, codes = reader.take("<i4", features), reader.take("<i4", n)
    served_codes = reader.take("<i4", n) if header.has_served else None
    id_lengths = reader.take("<i4", n) if header.id_bytes is not None else None
    _check_numbers(columns, values, codes, weights)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    if (n and (lengths.min() < 0 or indptr[-1] != features)) or (not n and features):
        _refuse("its rows do not have the number of features that it states")
    ids = None
    if id_lengths is not None:
        ids = _split_ids(reader.rest(header.id_bytes or 0), id_lengths)
    elif len(reader.rest(0)):
        _refuse("it is longer than it states")
    served = None
    if served_codes is not None and versions is not None:
        if n and served_codes.min() < LOWEST_SERVED:
            _refuse("the code of a served label is not possible")
        served = served_codes, versions
    return Block(
        header.first_name,
        header.names,
        header.first_label,
        header.labels,
        indptr,
        columns,
        values,
        codes,
        weights,
        ids,
        served,
    )


def _refuse(reason: str) -> NoReturn:
    raise CorruptBlock(f"A block of examples is damaged: {reason}.")


def _content(payload: bytes) -> bytes:
    """Return the content of a payload, whose size is checked before it is decompressed."""
    if not payload or payload[0] not in VERSIONS:
        _refuse(f"its version is {payload[0]}, not at most {VERSIONS[-1]}" if payload else "it is empty")
    frame = memoryview(payload)[1:]
    try:
        size = zstandard.get_frame_parameters(frame).content_size
    except zstandard.ZstdError:
        _refuse("its compressed content has no valid beginning")
    if not PREFIX.size <= size <= min(MAX_CONTENT, MAX_RATIO * len(frame)):  # an unknown size is one of 2**64 - 1
        _refuse("the size of its content is not possible")
    try:
        content: bytes = _coders.decompress(frame, allow_extra_data=False)
    except (zstandard.ZstdError, ValueError):
        _refuse("its content cannot be decompressed")
    if len(content) != size:
        _refuse("its content does not have the size that it states")
    return content


def _header(content: bytes, version: int) -> tuple[Header, int]:
    """Return the header, checked, and where the arrays begin."""
    length, zero = PREFIX.unpack_from(content)
    end = PREFIX.size + length
    offset = end + -end % ALIGNMENT
    if zero or offset > len(content) or any(content[end:offset]):
        _refuse("its header is longer than its content")
    try:
        header: Header = _coders.unpack(memoryview(content)[PREFIX.size : end])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        _refuse("its header cannot be read")
    numbers = (header.examples, header.features, header.id_bytes or 0, header.first_name, header.first_label)
    if not all(0 <= number < 2**31 for number in numbers):
        _refuse("its header has a number that is not possible")
    if not NO_EXPONENT <= header.exponent <= (NO_EXPONENT if version == 1 else MAX_EXPONENT):
        _refuse("its exponent is not possible")
    if not all(-(2**63) <= label < 2**63 for label in header.labels if not isinstance(label, str)):
        _refuse("a label has more than 64 bits")
    return header, offset


def _by_place(array: np.ndarray) -> memoryview:
    """Return the bytes of an array, the first of all entries first."""
    return np.ascontiguousarray(array.view(np.uint8).reshape(len(array), array.itemsize).T).data.cast("B")


class _Reader:
    """Cuts arrays from the content one after the other."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content, self._offset = content, offset

    def take(self, dtype: str, count: int) -> np.ndarray:
        start, size = self._offset, count * int(dtype[-1])
        if size > len(self._content) - start:
            _refuse("it is shorter than it states")
        self._offset += size
        planes = np.frombuffer(self._content, np.uint8, size, start).reshape(int(dtype[-1]), count)
        return np.ascontiguousarray(planes.T).view(dtype).reshape(count)

    def rest(self, size: int) -> bytes:
        """Return all that was not taken, which must be of this size."""
        if len(self._content) - self._offset != size:
            _refuse("it does not have the length that it states")
        return self._content[self._offset :]


def _check_numbers(columns: np.ndarray, values: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
    if len(columns) and columns.min() < 0:
        _refuse("a column is negative")
    if not np.isfinite(values).all():
        _refuse("a value is not finite")
    if len(codes) and codes.min() < LOWEST_CODE:
        _refuse("the code of a label is not possible")
    if weights is not None and not (np.isfinite(weights) & (weights >= 0)).all():
        _refuse("a weight is not a finite number of at least 0")


def _joined_ids(ids: list[str | None] | None) -> tuple[bytes, np.ndarray | None]:
    if ids is None:
        return b"", None
    texts = [None if text is None else text.encode() for text in ids]
    lengths = np.array([NO_ID if text is None else len(text) for text in texts], dtype="<i4")
    return b"".join(text for text in texts if text is not None), lengths


def _split_ids(joined: bytes, lengths: np.ndarray) -> list[str | None]:
    if (len(lengths) and lengths.min() < NO_ID) or int(np.maximum(lengths, 0).sum(dtype=np.int64)) != len(joined):
        _refuse("the ids do not have the lengths that it states")
    ids: list[str | None] = []
    start = 0
    try:
        for length in lengths.tolist():
            ids.append(None if length == NO_ID else joined[start : start + length].decode())
            start += max(length, 0)
    except UnicodeDecodeError:
        _refuse("an id is not text")
    return ids
