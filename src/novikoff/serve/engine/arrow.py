"""Streams of Arrow record batches as lines of JSON, batch by batch, so that a stream may be of any length.

The format is a sequence of messages: four bytes FF, the length of the metadata, the metadata, which state the length of
the body, and the body. The first one has the schema. Every batch is decoded with the schema and the dictionaries before
it, by Arrow's own reader.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import msgspec

from novikoff.serve.errors import ServeError

from .arrow_limits import ADVICE, MAX_LINES, SLICE_VALUES, check_batch, check_message, check_schema

TARGETS = ("y", "label", "target", "class")  # columns that may hold the labels
MARK = b"\xff\xff\xff\xff"
FILE_MARK = b"ARROW1"  # of the file format, which has its schema at the end
END = MARK + bytes(4)
SCHEMA, DICTIONARY, BATCH = 1, 2, 3  # kinds of messages
MAX_MESSAGE = 1 << 26  # bytes of a message, and of all dictionaries together
CUT = ServeError(400, "bad_arrow", "The body cannot be used as an Arrow stream: it ends within a message.")


class ArrowLines:
    """Record batches as lines of JSON.

    The column ``y``, ``label``, ``target`` or ``class`` has the labels, ``weight`` the weights and ``id`` the ids.
    Missing values are left out.
    """

    def __init__(self) -> None:
        self._rest, self._head = bytearray(), bytearray()  # the head: the schema and the dictionaries
        self._is_ended = False

    def lines(self, chunk: bytes, last: bool) -> Iterator[bytes]:
        """Yield the examples of the batches that are complete with these bytes.

        Parameters
        ----------
        chunk : bytes
            The next bytes, cut anywhere.
        last : bool
            Whether the stream ends here.

        Raises
        ------
        ServeError
            If the bytes are not an Arrow stream, or a column cannot be a feature.
        """
        self._rest += chunk
        while not self._is_ended and (found := self._next()) is not None:
            kind, message = found
            if kind == BATCH:
                yield from self._decoded(message)
            else:
                self._head += message
                if len(self._head) > MAX_MESSAGE:
                    raise _refused(f"its dictionaries have more than {MAX_MESSAGE} bytes")
        if last and self._rest and not self._is_ended:
            raise CUT

    def _next(self) -> tuple[int, bytes] | None:
        """Return the next message and its kind; None if it is not complete."""
        rest = self._rest
        if len(rest) < 8:
            return None
        if rest[:4] != MARK:
            is_file = rest.startswith(FILE_MARK)
            raise _refused("it is an Arrow file" if is_file else "a message does not begin with its mark")
        (length,) = struct.unpack_from("<i", rest, 4)
        if length == 0:
            self._is_ended = True
            return None
        if not 0 < length <= MAX_MESSAGE:
            raise _refused("the length of a message is not possible")
        if len(rest) < 8 + length:
            return None
        kind, body = _kind_and_body(bytes(rest[8 : 8 + length]))
        if kind not in (SCHEMA, DICTIONARY, BATCH) or not 0 <= body <= MAX_MESSAGE:
            raise _refused(f"a message is of an unknown kind, or longer than {MAX_MESSAGE} bytes")
        size = 8 + length + body
        if len(rest) < size:
            return None
        message = bytes(rest[:size])
        del rest[:size]
        return kind, message

    def _decoded(self, message: bytes) -> Iterator[bytes]:
        import pyarrow as pa  # type: ignore[import-untyped]

        try:
            with pa.ipc.open_stream(bytes(self._head) + message + END) as reader:
                target = _target_of(reader.schema.names)
                check_schema(reader.schema)
                for batch in reader:
                    check_batch(batch)
                    yield from _as_lines(batch, target)
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
            raise _refused(str(error).split("\n")[0].rstrip(".")) from None


def _kind_and_body(metadata: bytes) -> tuple[int, int]:
    """Return the kind of a message and the length of its body, from the fields 1 and 3 of a FlatBuffers table."""
    try:
        (table,) = struct.unpack_from("<I", metadata, 0)
        (back,) = struct.unpack_from("<i", metadata, table)
        offsets = table - back
        (size,) = struct.unpack_from("<H", metadata, offsets)
        fields = [
            struct.unpack_from("<H", metadata, offsets + 4 + 2 * k)[0] if size > 4 + 2 * k else 0 for k in range(4)
        ]
        kind = metadata[table + fields[1]] if fields[1] else 0
        body = struct.unpack_from("<q", metadata, table + fields[3])[0] if fields[3] else 0
        if kind == BATCH and fields[2]:
            header = table + fields[2]
            check_message(metadata, header + struct.unpack_from("<I", metadata, header)[0], body)
    except (struct.error, IndexError):
        raise _refused("the metadata of a message are damaged") from None
    except ValueError as error:
        raise _refused(str(error)) from None
    return kind, body


def _as_lines(batch: Any, target: str) -> Iterator[bytes]:
    size, step = 0, max(1, SLICE_VALUES // max(1, batch.num_columns))
    for begin in range(0, batch.num_rows, step):
        lines = _slice_lines(batch.slice(begin, step).to_pylist(), target)
        size += len(lines)
        if size > MAX_LINES:
            raise ValueError(f"a batch is too large. {ADVICE}")
        yield lines


def _slice_lines(rows: list[dict[str, Any]], target: str) -> bytes:
    lines = []
    for row in rows:
        example: dict[str, Any] = {"y": row.pop(target)}
        for name in ("weight", "id"):
            value = row.pop(name, None)
            if value is not None:
                example[name] = value
        example["x"] = {name: value for name, value in row.items() if value is not None}
        lines.append(msgspec.json.encode(example) + b"\n")
    return b"".join(lines)


def _target_of(names: list[str]) -> str:
    """Return the column of labels. If there are two, one would be learned as a feature that tells the label."""
    found = [name for name in TARGETS if name in names]
    if not found:
        raise ServeError(422, "bad_example", f"A column of labels is missing. Name it one of {', '.join(TARGETS)}.")
    if len(found) > 1:
        several = f"Several columns may hold the labels: {', '.join(found)}."
        raise ServeError(422, "bad_example", f"{several} Leave out or rename all but one.")
    return found[0]


def _refused(reason: str) -> ServeError:
    return ServeError(400, "bad_arrow", f"The body cannot be used as an Arrow stream: {reason}.")
