"""Arrow's IPC format, as a file (which is also what feather version 2 is) or as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from novikoff.data.source import name_of
from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.arrow_sizes import FILE_MAGIC, ArrowSizes
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library
from novikoff.data.tables.reader import ArrowReader

from .base import Rows
from .table import TableFormat
from .writing import write_arrow


class Arrow(TableFormat):
    """Arrow through pyarrow; files are written in the file format."""

    name = "arrow"
    suffixes = (".arrow", ".feather", ".ipc")
    can_write = True

    def recognizes(self, beginning: bytes) -> bool:
        return beginning.startswith(FILE_MAGIC)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        name = name_of(source)
        with explaining(name, "the file is not a readable Arrow or feather file"):
            with open(name, "rb") as file:
                is_file = file.read(len(FILE_MAGIC)) == FILE_MAGIC
            schema, batches = (_open_file if is_file else _open_stream)(where, name)
        return ArrowBlocks(where, ArrowReader(name, schema, lambda needed: batches, is_trusted=False), options)

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        write_arrow(where, rows, lambda schema: library(where, "pyarrow.ipc").new_file(file, schema))


def _open_file(where: str, name: str) -> tuple[Any, Iterator[Any]]:
    """Return the schema and the record batches of a file, whose sizes are checked before each is read."""
    reader = library(where, "pyarrow.ipc").open_file(library(where, "pyarrow").OSFile(name))

    def batches() -> Iterator[Any]:
        with open(name, "rb") as file:
            sizes = ArrowSizes(file)
            dictionaries, places = sizes.blocks()
            for place in dictionaries:
                sizes.check_block(place)
            for i in range(reader.num_record_batches):
                for place in places[i : i + 1]:
                    sizes.check_block(place)
                yield reader.get_batch(i)

    return reader.schema, batches()


def _open_stream(where: str, name: str) -> tuple[Any, Iterator[Any]]:
    """Return the schema and the record batches of a stream, as ``_open_file`` does of a file."""
    with open(name, "rb") as file:
        ArrowSizes(file).check_stream()
    reader = library(where, "pyarrow.ipc").open_stream(library(where, "pyarrow").OSFile(name))

    def batches() -> Iterator[Any]:
        with open(name, "rb") as file:
            sizes = ArrowSizes(file)
            while True:
                sizes.check_stream()
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
                yield batch

    return reader.schema, batches()


ARROW = Arrow()
