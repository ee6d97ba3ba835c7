"""Tables as rows: from files, SQL, and the frames of pandas, polars, pyarrow and DuckDB."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from novikoff._validation import check_choice, check_integer
from novikoff.data.batch import Batch
from novikoff.data.hashing import Hashing
from novikoff.errors import invalid, unreadable

from .columns import Columns
from .encoding import Encoder
from .foreign import library, refusing
from .queries import is_query, open_json, open_query, relation_reader
from .reader import Reader, arrow_reader
from .text import TEXT_FORMATS, TextReader, file_blocks

TABLE_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        ".csv": "csv",
        ".tsv": "tsv",
        ".ndjson": "ndjson",
        ".jsonl": "ndjson",
        ".json": "json",
        ".parquet": "parquet",
        ".arrow": "arrow",
        ".feather": "arrow",
        ".ipc": "arrow",
    }
)
COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
READ_AHEAD = 1 << 20  # bytes of each Parquet column; without it, whole row groups are held


class Table:
    """A table as batches of rows, read anew in every pass over it, in its order and in bounded memory.

    ``columns.Columns`` says which columns are what, ``encoding.Encoder`` what they become.

    Parameters
    ----------
    where : the name that errors begin with
    source : a path, a pattern such as "clicks/*.parquet", or several of these; SQL text; or a frame
    target, features, weight, text, missing, hashing : see ``Columns``
    format : of files whose name does not say it: one of the values of ``TABLE_FORMATS``
    attach : databases that SQL may read, by the names that it calls them: a DuckDB or SQLite file, or the connection
        string of a PostgreSQL server
    batch_size : how many rows a batch has; the last one of each file may have fewer

    Attributes
    ----------
    feature_names : the names of the columns where all features are numbers, None where rows are hashed
    """

    def __init__(
        self,
        where: str,
        source: Any,
        *,
        target: str | bool | None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        text: str | Sequence[str] | None = None,
        missing: str = "error",
        hashing: Hashing | None = None,
        format: str | None = None,
        attach: Mapping[str, str] | None = None,
        batch_size: int = 8192,
    ) -> None:
        self._where, self._source, self._attach, self._format = where, source, attach, format
        self._batch_size = check_integer(where, "batch_size", batch_size, at_least=1)
        if format is not None:
            check_choice(where, "format", format, tuple(dict.fromkeys(TABLE_FORMATS.values())))
        if attach is not None and not is_query(source):
            raise invalid(where, "attach= together with SQL.", f"attach={list(attach)} with {type(source).__name__}")
        no_file = is_query(source) or is_frame(source)
        self._paths: Sequence[str | None] = [None] if no_file else expand(where, source)
        self._opened = self._open(self._paths[0])
        self._columns = Columns(
            where,
            self._opened.schema,
            target=target,
            features=features,
            weight=weight,
            text=text,
            missing=missing,
            hashing=hashing,
        )
        self._encoder = Encoder(self._columns)
        self.feature_names = self._columns.feature_names

    def __iter__(self) -> Iterator[Batch]:
        for path in self._paths:
            # What was opened for its schema is read first, by one of the threads that may share this table.
            reader = self.__dict__.pop("_opened", None) or self._open(path)
            first = 0
            for table in resized(self._columns, reader.tables(self._columns), self._batch_size):
                yield self._encoder.batch(table, reader.place, first)
                first += table.num_rows

    def _open(self, path: str | None) -> Reader | TextReader:
        if path is not None:
            return open_file(self._where, path, self._format, self._batch_size)
        if is_query(self._source):
            return open_query(self._where, self._source, self._attach, self._batch_size)
        if hasattr(self, "_encoder") and hasattr(self._source, "read_next_batch"):
            raise invalid(self._where, "A table for every pass.", "a reader of record batches, which has been read")
        return open_frame(self._where, self._source, self._batch_size)


def is_frame(source: Any) -> bool:
    """Whether a source is a table in memory, or a stream of one, that Arrow can take over."""
    if hasattr(source, "__arrow_c_stream__") or _package(source) == "duckdb":
        return True
    older = {"pandas": "iloc", "polars": "to_arrow"}  # from before that method, known by another
    return hasattr(source, older.get(_package(source), "__arrow_c_stream__"))


def _package(source: Any) -> str:
    return type(source).__module__.partition(".")[0].lstrip("_")


def format_of(path: str) -> str | None:
    """The format that a file's name says it has, compressed or not, or None."""
    stem, suffix = os.path.splitext(path.lower())
    if suffix in COMPRESSED:
        suffix = os.path.splitext(stem)[1]
    return TABLE_FORMATS.get(suffix)


def expand(where: str, source: Any) -> list[str]:
    """Return the files that paths and patterns stand for, those of a pattern by name."""
    if isinstance(source, str | os.PathLike):
        given = [source]
    elif isinstance(source, Sequence) and source and all(isinstance(path, str | os.PathLike) for path in source):
        given = list(source)
    else:
        shown = f"{type(source).__name__} {' '.join(repr(source).split()):.60}"
        raise invalid(where, "A path, several paths, SQL or a frame.", shown)
    paths = []
    for path in map(os.fsdecode, given):
        found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
        found = found if path in found else [file for file in found if not os.path.isdir(file)]
        if not found:
            need = "Files that exist." if glob.has_magic(path) else "A file that exists."
            raise unreadable(where, path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)), need)
        if os.path.isdir(found[0]):
            raise invalid(where, f"Files, such as {os.path.join(path, '*.parquet')!r}.", f"the directory {path!r}")
        paths += found
    return paths


def open_file(where: str, path: str, format: str | None, batch_size: int) -> Reader | TextReader:
    """Begin to read a file."""
    format = format or format_of(path)
    if format is None:
        raise invalid(where, f"format=, or a name that ends in {' '.join(TABLE_FORMATS)}.", repr(path))
    if format == "json":
        with refusing(where, "A file that can be read.", path):
            start = library(where, "pyarrow").input_stream(path).read(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
        if start.startswith(b"["):
            return open_json(where, path, batch_size)
        format = "ndjson"
    if format in TEXT_FORMATS:
        return TextReader(where, path, format, file_blocks(where, path, format), batch_size)
    return (_open_parquet if format == "parquet" else _open_arrow)(where, path, batch_size)


def _open_parquet(where: str, path: str, batch_size: int) -> Reader:
    parquet = library(where, "pyarrow.parquet")
    with refusing(where, "A Parquet file.", path):
        file = parquet.ParquetFile(path, buffer_size=READ_AHEAD, pre_buffer=False)
        schema = file.schema_arrow
    return arrow_reader(where, path, schema, lambda needed: file.iter_batches(batch_size, columns=needed))


def _open_arrow(where: str, path: str, batch_size: int) -> Reader:
    """Open Arrow's own format: a file, which is also what feather is, or a stream."""
    arrow, ipc = library(where, "pyarrow"), library(where, "pyarrow.ipc")
    with refusing(where, "A file of Arrow's IPC format, or of feather's second.", path):
        source = arrow.OSFile(path)
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = ipc.open_file(source) if is_file else ipc.open_stream(source)
        schema = reader.schema
    if not is_file:
        return arrow_reader(where, path, schema, lambda needed: iter(reader))
    return arrow_reader(where, path, schema, lambda needed: map(reader.get_batch, range(reader.num_record_batches)))


def open_frame(where: str, frame: Any, batch_size: int) -> Reader:
    """Begin to read a table in memory, or a stream of one, which can be read once only."""
    arrow = library(where, "pyarrow")
    name = f"the {type(frame).__name__}"
    if _package(frame) == "pandas":
        return _open_pandas(where, frame, name, batch_size)
    with refusing(where, "A table.", name):
        if _package(frame) == "duckdb":
            reader = relation_reader(frame, batch_size)
        elif isinstance(frame, arrow.RecordBatchReader):
            reader = frame
        elif hasattr(frame, "__arrow_c_stream__"):
            reader = arrow.RecordBatchReader.from_stream(frame)
        else:
            reader = frame.to_arrow().to_reader()
        schema = reader.schema
    return arrow_reader(where, name, schema, lambda needed: iter(reader))


def _open_pandas(where: str, frame: Any, name: str, batch_size: int) -> Reader:
    """Convert some rows at a time, and no index: it numbers the rows, it does not describe them."""
    arrow = library(where, "pyarrow")
    with refusing(where, "A DataFrame whose columns Arrow can take over.", name):
        names = [str(column) for column in frame.columns]
        schema = arrow.Schema.from_pandas(frame.set_axis(names, axis=1), preserve_index=False)

    def batches(needed: list[str]) -> Iterator[Any]:
        chosen = frame.iloc[:, [names.index(column) for column in needed]]
        wanted = arrow.schema([schema.field(column) for column in needed])
        for start in range(0, len(frame), batch_size):
            rows = chosen.iloc[start : start + batch_size].set_axis(needed, axis=1)
            yield arrow.RecordBatch.from_pandas(rows, schema=wanted, preserve_index=False)

    return arrow_reader(where, name, schema, batches)


def resized(columns: Columns, tables: Iterable[Any], size: int) -> Iterator[Any]:
    """Return the needed columns as record batches of ``size`` rows, but for the last."""
    arrow = columns.arrow
    waiting: list[Any] = []
    rows = 0
    for table in tables:
        chosen = table.select(columns.needed)
        waiting.append(chosen if isinstance(chosen, arrow.Table) else arrow.Table.from_batches([chosen]))
        rows += chosen.num_rows
        if rows >= size:
            whole = arrow.concat_tables(waiting)
            full = rows - rows % size
            for start in range(0, full, size):
                yield from whole.slice(start, size).combine_chunks().to_batches()
            waiting, rows = [whole.slice(full)], rows - full
    if rows:
        yield from arrow.concat_tables(waiting).combine_chunks().to_batches()
