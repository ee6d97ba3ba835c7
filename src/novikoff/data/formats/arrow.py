"""Arrow's IPC format, as a file (which is also what feather version 2 is) or as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from novikoff.data.source import name_of
from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library
from novikoff.data.tables.reader import ArrowReader

from .base import Rows
from .table import TableFormat
from .writing import write_arrow

FILE_MAGIC = b"ARROW1"


class Arrow(TableFormat):
    """Arrow through pyarrow; files are written in the file format."""

    name = "arrow"
    suffixes = (".arrow", ".feather", ".ipc")
    can_write = True

    def recognizes(self, beginning: bytes) -> bool:
        return beginning.startswith(FILE_MAGIC)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        arrow, ipc, name = library(where, "pyarrow"), library(where, "pyarrow.ipc"), name_of(source)
        with explaining(name, "the file is not a readable Arrow or feather file"):
            file = arrow.OSFile(name)
            is_file = file.read(len(FILE_MAGIC)) == FILE_MAGIC
            file.seek(0)
            reader = ipc.open_file(file) if is_file else ipc.open_stream(file)
            schema = reader.schema
        if not is_file:
            return ArrowBlocks(where, ArrowReader(name, schema, lambda needed: iter(reader)), options)
        return ArrowBlocks(
            where,
            ArrowReader(name, schema, lambda needed: map(reader.get_batch, range(reader.num_record_batches))),
            options,
        )

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        write_arrow(where, rows, lambda schema: library(where, "pyarrow.ipc").new_file(file, schema))


ARROW = Arrow()
