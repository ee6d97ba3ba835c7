"""Rows as tables: CSV, TSV, NDJSON, Parquet, and Arrow's own format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import invalid

from .columns import clipped
from .foreign import library
from .text import TextReader

MOST_COLUMNS = 10_000  # of sparse rows whose zeros are written
ENTRIES = 1 << 22  # numbers that are held at a time with all zeros
ENTRIES_OF_TEXT = 1 << 18  # as text, they take ten times the room
BREAKS = {"csv": ',"\r\n', "tsv": "\t\r\n"}  # what a field cannot hold as it is


@dataclass(frozen=True)
class Rows:
    """Rows that were checked: finite numbers; labels, if any, that are int64, bool or str; weights; names."""

    X: Any
    y: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    names: Sequence[str] | None
    index_base: int | None

    @property
    def base(self) -> int:
        """The number of the first feature."""
        return 1 if self.index_base is None else self.index_base

    def name(self, column: int) -> str:
        """What a column is called; x and its number where it has no name."""
        return f"x{self.base + column}" if self.names is None else self.names[column]

    @property
    def columns(self) -> list[tuple[str, NDArray[Any]]]:
        """The columns beside the features."""
        beside = (("label", self.y), ("weight", self.weights))
        return [(name, values) for name, values in beside if values is not None]


def write_table(where: str, file: IO[bytes], format: str, rows: Iterator[Rows]) -> None:
    """Write rows, of which there is at least one batch, as a table."""
    first = next(rows)
    _check_names(where, format, first)
    words = _Words(where, format)
    if format != "ndjson" and sp.issparse(first.X) and first.X.shape[1] > MOST_COLUMNS:
        need = f"At most {MOST_COLUMNS} columns, for a table holds all zeros (svmlight and a cache do not)."
        raise invalid(where, need, f"sparse rows of {first.X.shape[1]} columns")
    WRITERS[format](where, file, (words.checked(part) for part in chain([first], rows)))


def _check_names(where: str, format: str, rows: Rows) -> None:
    taken = [name for name, _ in rows.columns]
    seen = set(taken)
    for name in rows.names or ():
        if name in seen:
            raise invalid(where, f"Features whose names differ, and none called {' or '.join(taken)}.", clipped(name))
        seen.add(name)
        _check_text(where, format, "Names of columns", name)


def _check_text(where: str, format: str, what: str, text: str) -> None:
    """Refuse what no file in UTF-8 can hold, and what TSV cannot, which knows no quotes."""
    if format == "tsv" and any(sign in text for sign in BREAKS["tsv"]):
        raise invalid(where, f"{what} without tabs and line ends, in TSV.", clipped(text))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid(where, f"{what} that are text in UTF-8.", ascii(text)) from None


class _Words:
    """Labels that are words must be read back as words: text files do not say what their columns hold."""

    def __init__(self, where: str, format: str) -> None:
        self.where, self.format = where, format
        self.known: set[str] = set()

    def checked(self, rows: Rows) -> Rows:
        if rows.y is not None and rows.y.dtype.kind == "U":
            for word in sorted(set(rows.y.tolist()) - self.known):
                _check_text(self.where, self.format, "Labels", word)
                if self.format in ("csv", "tsv", "ndjson") and not self._is_word(word):
                    need = (
                        f"Labels that {self.format.upper()} does not take for numbers, dates or nothing (use Parquet)."
                    )
                    raise invalid(self.where, need, f"the string {clipped(word)}")
                self.known.add(word)
        return rows

    def _is_word(self, word: str) -> bool:
        """Whether a column of nothing but this word would be one of strings."""
        texts = {
            "csv": f"label,x\n{_field('csv', word)},1\n",
            "tsv": f"label\tx\n{word}\t1\n",
            "ndjson": json.dumps({"label": word}),
        }
        schema = TextReader(self.where, "a label", self.format, [texts[self.format].encode()], 0).schema
        return str(schema.field("label").type) == "string"


def _record_batches(where: str, rows: Iterator[Rows], *, for_text: bool = False) -> Iterator[Any]:
    """Rows with all their zeros, some at a time, a column each."""
    arrow = library(where, "pyarrow")
    most = ENTRIES_OF_TEXT if for_text else ENTRIES
    dtype = np.float64 if for_text else None  # the digits that tell a float32 from others do not make it a float64
    for part in rows:
        count, width = part.X.shape
        step = max(1, most // width)
        for begin in range(0, count, step):
            some = slice(begin, begin + step)
            block = part.X[some].toarray() if sp.issparse(part.X) else part.X[some]
            block = np.asfortranarray(block, dtype=dtype)
            beside = [(name, values[some]) for name, values in part.columns]
            features = [(part.name(j), block[:, j]) for j in range(width)]
            yield arrow.record_batch({name: arrow.array(values) for name, values in beside + features})


def _write_fields(format: str) -> Callable[[str, IO[bytes], Iterator[Rows]], None]:
    """CSV or TSV: numbers as the shortest text that reads back to the same bits, and quotes only where needed."""

    def write(where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        arrow, compute = library(where, "pyarrow"), library(where, "pyarrow.compute")
        parting, end = (arrow.scalar(sign, arrow.large_string()) for sign in ("," if format == "csv" else "\t", "\n"))
        nothing = arrow.scalar("", arrow.large_string())
        header = True
        for table in _record_batches(where, rows, for_text=True):
            if header:
                names = parting.as_py().join(_field(format, name) for name in table.schema.names)
                file.write(f"{names}\n".encode())
                header = False
            columns = []
            for column in table.columns:
                if arrow.types.is_string(column.type):
                    column = arrow.array([_field(format, word) for word in column.to_pylist()])
                columns.append(column.cast(arrow.large_string()))
            lines = compute.binary_join_element_wise(*columns, parting)
            lines = compute.binary_join_element_wise(lines, nothing, end)
            _, ends, text = lines.buffers()
            file.write(memoryview(text)[: np.frombuffer(ends, np.int64)[len(lines)]])

    return write


def _field(format: str, text: str) -> str:
    if format == "tsv" or (text and not any(sign in text for sign in BREAKS[format])):
        return text
    return '"' + text.replace('"', '""') + '"'


def _write_objects(where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
    """NDJSON. Sparse rows write what they store; but the first names all columns, if these are not too many."""
    first = True
    for part in rows:
        beside = [(f'"{name}": ', values.tolist()) for name, values in part.columns]
        for i in range(part.X.shape[0]):
            columns, numbers = _entries(part.X, i, first)
            first = False
            entries = [f"{key}{json.dumps(values[i])}" for key, values in beside]
            entries += [f"{json.dumps(part.name(j))}: {number!r}" for j, number in zip(columns, numbers, strict=True)]
            file.write(f"{{{', '.join(entries)}}}\n".encode())


def _entries(X: Any, i: int, all_columns: bool) -> tuple[Any, list[float]]:
    """The columns of a row that are written, and their numbers."""
    if not sp.issparse(X):
        return range(X.shape[1]), X[i].tolist()
    if all_columns and X.shape[1] <= MOST_COLUMNS:
        return range(X.shape[1]), X[[i]].toarray()[0].tolist()
    stored = slice(X.indptr[i], X.indptr[i + 1])
    return X.indices[stored].tolist(), X.data[stored].tolist()


def _write_parquet(where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
    """A group of rows for each batch, at most."""
    tables = _record_batches(where, rows)
    first = next(tables)
    with library(where, "pyarrow.parquet").ParquetWriter(file, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_batch(table)


def _write_arrow(where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
    """Arrow's file format, which is also the second version of feather."""
    tables = _record_batches(where, rows)
    first = next(tables)
    with library(where, "pyarrow.ipc").new_file(file, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_batch(table)


WRITERS: dict[str, Callable[[str, IO[bytes], Iterator[Rows]], None]] = {
    "csv": _write_fields("csv"),
    "tsv": _write_fields("tsv"),
    "ndjson": _write_objects,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
