"""One pass over a table, whatever it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .columns import Columns
from .foreign import refusing


@dataclass(frozen=True)
class Reader:
    """One pass over one source.

    Attributes
    ----------
    schema : Arrow's schema of all columns
    tables : gives Arrow tables or record batches, of any length, that hold at least the columns asked for
    place : says where a row is, for messages; rows count from 0
    """

    schema: Any
    tables: Callable[[Columns], Iterator[Any]]
    place: Callable[[int], str]


def arrow_reader(where: str, name: str, schema: Any, batches: Callable[[list[str]], Iterator[Any]]) -> Reader:
    """A reader of what is Arrow already: ``batches`` gives the record batches of the columns asked for."""

    def tables(columns: Columns) -> Iterator[Any]:
        columns.check(name, schema)
        with refusing(where, "A table that can be read.", name):
            stream = iter(batches(columns.needed))
        while True:
            with refusing(where, "A table that can be read to its end.", name):
                batch = next(stream, None)
            if batch is None:
                return
            yield batch

    return Reader(schema, tables, lambda row: f"row {row} of {name}")
