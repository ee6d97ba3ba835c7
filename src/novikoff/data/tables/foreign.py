"""Packages that tables need: imported when first used, and their errors said in one sentence."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from novikoff.errors import NovikoffError, invalid

if TYPE_CHECKING:
    from .columns import Columns


def library(where: str, name: str) -> Any:
    """Import pyarrow, duckdb or a part of them, which novikoff itself works without."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        need = f"The package {package}, which reads this table (pip install 'novikoff[tables]')."
        raise invalid(where, need, f"no {package} that can be imported") from error


@contextmanager
def refusing(where: str, need: str, got: str) -> Iterator[None]:
    """Turn whatever another package raises into an error of ours."""
    try:
        yield
    except (NovikoffError, MemoryError):
        raise
    except Exception as error:
        raise invalid(where, need, f"{got}: {sentence(error)}") from error


def sentence(error: Exception) -> str:
    """What an error says, on one line and without the drawings that DuckDB adds below."""
    return " ".join(str(error).partition("\n\n")[0].split()) or type(error).__name__


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
