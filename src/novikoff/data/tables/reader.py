"""One pass over a table, whatever its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from .columns import Columns
from .packages import explaining


class Reader(Protocol):
    """One pass over one source.

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

    def tables(self, columns: Columns) -> Iterator[Any]:
        """Return Arrow tables or record batches, of any length, that hold at least the columns that are needed."""

    def place(self, row: int) -> str:
        """Return where a row is, for error messages; rows count from 0."""


@dataclass(frozen=True)
class ArrowReader:
    """A reader of Arrow data; ``batches`` returns the record batches of the columns that are needed."""

    name: str
    schema: Any
    batches: Callable[[list[str]], Iterator[Any]]

    def tables(self, columns: Columns) -> Iterator[Any]:
        """Read the record batches."""
        columns.check(self.name, self.schema)
        with explaining(self.name, "the table cannot be read"):
            stream = iter(self.batches(columns.needed))
        while True:
            with explaining(self.name, "the table cannot be read to its end"):
                batch = next(stream, None)
            if batch is None:
                return
            yield batch

    def place(self, row: int) -> str:
        """Return the table and the row."""
        return f"{self.name}, row {row}"
