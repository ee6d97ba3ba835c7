"""Limits of Arrow batches. A short message may stand for very much data: as compressed columns do."""

from __future__ import annotations

import re
import struct
from typing import Any

from novikoff.errors import quote

MAX_VALUES = 1 << 22  # of a batch
MAX_DICTIONARY_TEXT = 1 << 16  # bytes of a value of a dictionary, which every row may repeat
MAX_ROWS_PER_BYTE = 8  # of a body: a label takes at least one bit
SLICE_VALUES = 1 << 16  # that are converted at once
MAX_LINES = 1 << 28  # bytes of the lines of a batch
PLAIN = re.compile(r"bool|u?int(8|16|32|64)|halffloat|float|double|(large_)?string|null")  # names of types
ADVICE = "Write smaller batches, as with max_chunksize=1000"


def check_message(metadata: bytes, table: int, body: int) -> None:
    """Refuse a batch that is compressed, or has more rows than its bytes allow.

    Parameters
    ----------
    metadata : bytes
        A FlatBuffer.
    table : int
        Where in it the table of the batch is.
    body : int
        Length of the body of the message.

    Raises
    ------
    ValueError
        The message says what to do.
    """
    rows, compression = field(metadata, table, 0), field(metadata, table, 3)
    if compression:
        raise ValueError("its columns are compressed. Compress the whole body instead, with Content-Encoding: zstd")
    count = struct.unpack_from("<q", metadata, rows)[0] if rows else 0
    if not 0 <= count <= MAX_ROWS_PER_BYTE * body:
        raise ValueError("a batch has more rows than its bytes allow")


def field(metadata: bytes, table: int, number: int) -> int:
    """Return where the field of a table is in a FlatBuffer; 0 if it is missing."""
    offsets = table - int(struct.unpack_from("<i", metadata, table)[0])
    (size,) = struct.unpack_from("<H", metadata, offsets)
    (offset,) = struct.unpack_from("<H", metadata, offsets + 4 + 2 * number) if size > 4 + 2 * number else (0,)
    return table + int(offset) if offset else 0


def check_schema(schema: Any) -> None:
    """Refuse columns that cannot be features. Raises a ValueError."""
    if len(set(schema.names)) < len(schema.names):
        raise ValueError("two columns have the same name. Rename one of them")
    for name, kind in zip(schema.names, schema.types, strict=True):
        plain = re.sub(r"dictionary<values=(\w+), .*", r"\1", str(kind))
        if PLAIN.fullmatch(plain) is None:
            advice = "Convert it to numbers or text, or leave it out"
            raise ValueError(f"column {quote(name)} of type {quote(str(kind))} cannot be a feature. {advice}")


def check_batch(batch: Any) -> None:
    """Refuse a batch that stands for too many or too long values. Raises a ValueError."""
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    if batch.num_rows * max(1, batch.num_columns) > MAX_VALUES:
        raise ValueError(f"a batch has more than {MAX_VALUES} values. {ADVICE}")
    batch.validate(full=True)
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if str(column.type).startswith("dictionary<") and "string" in str(column.dictionary.type):
            longest = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
            if longest > MAX_DICTIONARY_TEXT:
                raise ValueError(f"a value of column {quote(name)} has more than {MAX_DICTIONARY_TEXT} bytes")
