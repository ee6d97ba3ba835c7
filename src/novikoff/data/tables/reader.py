"""One pass over a source of Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .packages import explaining


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


@dataclass(frozen=True)
class ArrowReader:
    """A source whose record batches ``batches`` returns, given the columns that are needed."""

    name: str
    schema: Any
    batches: Callable[[list[str]], Iterator[Any]]

    def tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Read the record batches."""
        with explaining(self.name, "the table cannot be read"):
            stream = iter(self.batches(list(kinds)))
        while True:
            with explaining(self.name, "the table cannot be read to its end"):
                batch = next(stream, None)
            if batch is None:
                return
            yield batch

    def place(self, row: int) -> str:
        """Return the table and the row."""
        return f"{self.name}, row {row}"
