"""JSON: one array of objects; a file of one object per line is read as NDJSON."""

from __future__ import annotations

import glob
from typing import Any

from novikoff.data.source import name_of
from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library

from .content import is_array
from .ndjson import NDJSON
from .sql import connect, open_relation, sql_string
from .table import TableFormat

LOOKED_AT = 1 << 16  # bytes in which the first character must be found


class Json(TableFormat):
    """An array of objects, read by DuckDB, which looks at the whole file for the kinds of the columns."""

    name = "json"
    suffixes = (".json",)

    def recognizes(self, beginning: bytes) -> bool:
        return is_array(beginning)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        path = name_of(source)
        with explaining(path, "the file cannot be read"):
            start = library(where, "pyarrow").input_stream(path).read(LOOKED_AT).lstrip(b"\xef\xbb\xbf \t\r\n")
        if not start.startswith(b"["):
            return NDJSON.open_pass(where, source, options, batch_size, follow)
        query = f"SELECT * FROM read_json({sql_string(glob.escape(path))}, sample_size=-1)"
        return ArrowBlocks(where, open_relation(path, connect(where, may_load=False), query, batch_size), options)


JSON = Json()
