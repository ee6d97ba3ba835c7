"""JSON: one array of objects; a file of one object per line is read as NDJSON."""

from __future__ import annotations

import glob
from typing import Any

import novikoff._core as _core
from novikoff.data.compression import DamagedError
from novikoff.data.source import name_of, opened
from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.text import BYTE_ORDER_MARK
from novikoff.errors import input_error

from .content import is_array
from .ndjson import NDJSON
from .sql import connect, lock, open_relation, sql_string
from .table import TableFormat

CHUNK_SIZE = 1 << 20  # bytes that are checked at a time


class Json(TableFormat):
    """An array of objects, read by DuckDB, which looks at the whole file for the kinds of the columns."""

    name = "json"
    suffixes = (".json",)

    def recognizes(self, beginning: bytes) -> bool:
        return is_array(beginning)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        path = name_of(source)
        if not _is_checked_array(where, path):
            return NDJSON.open_pass(where, source, options, batch_size, follow)
        connection, escaped = connect(where), glob.escape(path)
        lock(connection, [path, escaped])
        query = f"SELECT * FROM read_json({sql_string(escaped)}, sample_size=-1, map_inference_threshold=-1)"
        return ArrowBlocks(where, open_relation(path, connection, query, batch_size), options)


def _is_checked_array(where: str, path: str) -> bool:
    """Return whether a file begins as an array, and refuse an array that DuckDB may not survive."""
    buffer, line = bytearray(CHUNK_SIZE), 1
    check, started = _core.JsonCheck(array=True), False
    with opened(where, path) as fill:
        try:
            while count := fill(memoryview(buffer)):
                block = memoryview(buffer)[:count]
                if not started:
                    start = bytes(block).removeprefix(BYTE_ORDER_MARK if line == 1 else b"")
                    if start.isspace() or not start:
                        line += start.count(b"\n")
                        continue
                    if not start.lstrip().startswith(b"["):
                        return False
                    started, block = True, memoryview(start)
                if (bad := check.feed(block)) is not None:
                    line += bytes(block[: bad[0]]).count(b"\n")
                    raise input_error(f"{path}, line {line}", f"the file is not an array of objects: {bad[1]}.")
                line += bytes(block).count(b"\n")
        except DamagedError as error:
            raise input_error(f"{path}, line {line}", f"{error}.") from None
    if wrong := check.unfinished():
        raise input_error(path, f"the file is not an array of objects: {wrong}.")
    return started


JSON = Json()
