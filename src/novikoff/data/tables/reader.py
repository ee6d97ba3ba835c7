"""One pass over a source of Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from novikoff.errors import input_error

from .packages import explaining, library


class ArrowSource(Protocol):
    """One pass over a source of Arrow tables.

    Attributes
    ----------
    name : str
        What error messages call the table.
    schema : pyarrow.Schema
        The schema of all columns.
    """

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> Any: ...

    def tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Return Arrow tables or record batches, of any length, that hold at least the columns in ``kinds``.

        A source of text parses a column as the kind that is given there if it can.
        """

    def place(self, row: int) -> str:
        """Return where a row is, for error messages; rows count from 0."""


VIEW_TYPES = ("string_view", "binary_view")
MAX_ROWS = 1 << 20  # rows of a record batch that are always accepted
MAX_CELLS = 1 << 22  # values of one
MAX_CELLS_PER_BYTE = 64  # beyond that; a boolean takes a bit, and columns of type null nothing


@dataclass(frozen=True)
class ArrowReader:
    """A source of record batches.

    Parameters
    ----------
    name : str
        What error messages call the table.
    schema : pyarrow.Schema
        The schema of all columns.
    batches : callable
        Returns the record batches, given the columns that are needed.
    is_trusted : bool, default=True
        Whether another part of this process made the batches. Those of files are validated to the last byte, because
        Arrow takes the offsets, lengths and codes of a file as they are and reads where they point.
    """

    name: str
    schema: Any
    batches: Callable[[list[str]], Iterator[Any]]
    is_trusted: bool = True

    def tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Read the record batches."""
        needed = list(kinds)
        with explaining(self.name, "the table cannot be read"):
            stream = iter(self.batches(needed))
        first = 0
        while True:
            with explaining(self.name, "the table cannot be read to its end"):
                batch = next(stream, None)
                if batch is None:
                    return
                with explaining(self.place(first), "the rows that begin here are damaged"):
                    batch = self._checked(batch.select(needed))
            first += batch.num_rows
            yield batch

    def _checked(self, batch: Any) -> Any:
        """Return a batch, after its buffers are known to hold what they state."""
        if self.is_trusted:
            batch.validate()
            return batch
        batch.validate(full=True)
        held = batch.get_total_buffer_size()
        cells = batch.num_rows * max(1, batch.num_columns)
        if batch.num_rows > MAX_ROWS + 8 * held or cells > MAX_CELLS + MAX_CELLS_PER_BYTE * held:
            stated = f"a record batch of {held:,} bytes states {batch.num_rows:,} rows of {batch.num_columns:,} columns"
            raise input_error(self.name, f"{stated}, which cannot be.")
        for number, column in enumerate(batch.columns):
            if (safe := _without_stray_views(column)) is not column:
                batch = batch.set_column(number, batch.field(number), safe)
        return batch

    def place(self, row: int) -> str:
        """Return the table and the row."""
        return f"{self.name}, row {row}"


def _without_stray_views(column: Any) -> Any:
    """Return a column whose missing strings point nowhere.

    A string view of a missing value may point anywhere, because validation skips it; but pyarrow (seen in 26.0.1)
    follows it when it casts the column to another type of strings, and ends the process.
    """
    if str(column.type) in VIEW_TYPES:
        return library("read", "pyarrow").array(column.to_pylist(), column.type) if column.null_count else column
    if str(column.type).startswith("dictionary"):
        held = column.dictionary
        values = _without_stray_views(held)
        return column if values is held else type(column).from_arrays(column.indices, values)
    return column
