"""Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import IO, Any

from novikoff.data.source import name_of
from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library
from novikoff.data.tables.parquet_pages import check_pages
from novikoff.data.tables.reader import ArrowReader

from .base import Rows
from .table import TableFormat
from .writing import write_arrow

MAGIC = b"PAR1"
BUFFER_SIZE = 1 << 20  # bytes of each column that are buffered; without a buffer, whole row groups are held


class Parquet(TableFormat):
    """Parquet through pyarrow; a batch of rows is written as one row group."""

    name = "parquet"
    suffixes = (".parquet",)
    can_write = True

    def recognizes(self, beginning: bytes) -> bool:
        return beginning.startswith(MAGIC)

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        parquet, name, group = library(where, "pyarrow.parquet"), name_of(source), options.get("row_group")
        with explaining(name, "the file is not a readable Parquet file"):
            file = parquet.ParquetFile(source, buffer_size=BUFFER_SIZE, pre_buffer=False)
            schema = file.schema_arrow
            check_pages(name, group)
        groups = None if group is None else [group]
        shown = name if group is None else f"{name}, row group {group}"
        rows = partial(file.iter_batches, batch_size, row_groups=groups)
        return ArrowBlocks(
            where, ArrowReader(shown, schema, lambda needed: rows(columns=needed), is_trusted=False), options
        )

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        write_arrow(where, rows, lambda schema: library(where, "pyarrow.parquet").ParquetWriter(file, schema))


def row_groups(where: str, path: str) -> list[tuple[int, int]]:
    """Return the number of rows and of uncompressed bytes of each row group of a file.

    The option ``row_group`` of ``open_pass``, which ``scan`` does not take, reads one of them.
    """
    parquet = library(where, "pyarrow.parquet")
    with explaining(path, "the file is not a readable Parquet file"):
        metadata = parquet.read_metadata(path)
        groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
        return [(int(group.num_rows), int(group.total_byte_size)) for group in groups]


PARQUET = Parquet()
