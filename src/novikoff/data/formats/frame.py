"""Tables in memory: the DataFrames and tables of pandas, polars, pyarrow and DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library
from novikoff.data.tables.reader import ArrowReader
from novikoff.errors import input_error, quote

from .sql import relation_reader
from .table import TableFormat

ATTRIBUTES = {"pandas": "iloc", "polars": "to_arrow"}  # of versions without __arrow_c_stream__


class Frame(TableFormat):
    """A table in memory, or a stream of one, that Arrow can read."""

    name = "frame"
    is_file = False

    def takes(self, source: Any) -> bool:
        if hasattr(source, "__arrow_c_stream__") or _package(source) == "duckdb":
            return True
        return hasattr(source, ATTRIBUTES.get(_package(source), "__arrow_c_stream__"))

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        return frame_blocks(where, source, options, batch_size)


def frame_blocks(
    where: str, source: Any, options: Mapping[str, Any], batch_size: int, name: str | None = None
) -> ArrowBlocks:
    """Start a pass over a table in memory, which error messages call by its type if it has no name."""
    arrow = library(where, "pyarrow")
    name = name or f"the {type(source).__name__}"
    if _package(source) == "pandas":
        return ArrowBlocks(where, _open_pandas(arrow, source, name, batch_size), options)
    _check_names(name, source)
    with explaining(name, "this is not a table"):
        if _package(source) == "duckdb":
            reader = relation_reader(source, batch_size)
        elif isinstance(source, arrow.RecordBatchReader):
            reader = source
        elif hasattr(source, "__arrow_c_stream__"):
            reader = arrow.RecordBatchReader.from_stream(source)
        else:
            reader = source.to_arrow().to_reader()
        schema = reader.schema
    return ArrowBlocks(where, ArrowReader(name, schema, lambda needed: iter(reader)), options)


def _check_names(name: str, source: Any) -> None:
    """Refuse a column name with a NUL character, on which polars ends the process when Arrow asks for the table."""
    for column in getattr(source, "columns", ()) if _package(source) == "polars" else ():
        if "\0" in column:
            raise input_error(name, f"the name of column {quote(column)} contains a NUL character. Rename the column.")


def _package(source: Any) -> str:
    return type(source).__module__.partition(".")[0].lstrip("_")


def _open_pandas(arrow: Any, frame: Any, name: str, batch_size: int) -> ArrowReader:
    """Convert some rows at a time. The index is left out, because it numbers the rows and does not describe them."""
    with explaining(name, "Arrow cannot convert the columns"):
        names = [str(column) for column in frame.columns]
        schema = arrow.Schema.from_pandas(frame.set_axis(names, axis=1), preserve_index=False)

    def batches(needed: list[str]) -> Iterator[Any]:
        places = {column: j for j, column in enumerate(names)}
        chosen = frame.iloc[:, [places[column] for column in needed]]
        wanted = arrow.schema([schema.field(places[column]) for column in needed])
        for start in range(0, len(frame), batch_size):
            rows = chosen.iloc[start : start + batch_size].set_axis(needed, axis=1)
            yield arrow.Table.from_pandas(rows, schema=wanted, preserve_index=False)

    return ArrowReader(name, schema, batches)


FRAME = Frame()
