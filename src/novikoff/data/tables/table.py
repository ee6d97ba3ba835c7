"""Table formats: sources whose columns have names."""

from __future__ import annotations

import errno
import glob
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from typing import Any

import scipy.sparse as sp

from novikoff.data.batch import Batch
from novikoff.data.formats.base import Batches, DataFormat, Rows
from novikoff.data.source import Fill, is_path, is_pipe, name_of, opened
from novikoff.errors import file_error, input_error, quote

from .columns import Columns
from .encoding import Encoder
from .reader import Reader
from .text import TextReader

MAX_DENSE_WIDTH = 10_000  # columns of sparse rows whose zeros are written


class TableFormat(DataFormat):
    """A format whose columns have names. Subclasses for files implement ``open_pass``, others ``open``."""

    options: tuple[str, ...] = ("target", "features", "weight", "text", "missing", "hashing")
    is_text = False
    is_table = True
    holds_zeros = True  # every column is written in every row
    forbidden = ""  # characters that names and string labels must not have

    def open_pass(self, where: str, source: Any, batch_size: int) -> Reader:
        """Start a pass over one file."""
        raise NotImplementedError  # a subclass defines it

    def open(self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool) -> Batches:
        if len(sources) == 1 and not (is_path(sources[0]) and not is_pipe(sources[0])):
            name = name_of(sources[0])
            raise input_error(where, f"{self.name} can only be read from a file, but the source is {name}.")
        open_pass = partial(self.open_pass, where, batch_size=batch_size)
        return table_batches(where, open_pass, expand(where, sources), options, batch_size)

    def checked(self, where: str, rows: Iterator[Rows]) -> Iterator[Rows]:
        """Refuse names, labels and widths that the format cannot hold."""
        first = next(rows)
        taken = [name for name, _ in first.other_columns]
        seen = set(taken)
        for name in first.names or ():
            if name in seen:
                reason = "is a reserved name" if name in taken else "occurs twice"
                raise input_error(where, f"the names of features must differ, but {quote(name)} {reason}.")
            seen.add(name)
            self._check_text(where, "names of columns", name)
        if self.holds_zeros and sp.issparse(first.X) and first.X.shape[1] > MAX_DENSE_WIDTH:
            limit = f"{self.name} stores all zeros, so sparse rows may have at most {MAX_DENSE_WIDTH} columns"
            found = f"these have {first.X.shape[1]}"
            raise input_error(where, f"{limit}, but {found}. Use svmlight or a cache.")
        known: set[str] = set()
        for part in chain([first], rows):
            if part.y is not None and part.y.dtype.kind == "U":
                new = sorted(set(part.y.tolist()) - known)
                for label in new:
                    self._check_text(where, "labels", label)
                self.check_labels(where, new)
                known.update(new)
            yield part

    def check_labels(self, where: str, labels: list[str]) -> None:
        """Refuse string labels that would not be read back as strings."""

    def _check_text(self, where: str, what: str, text: str) -> None:
        if any(character in text for character in self.forbidden):
            message = f"{what} in {self.name} must not have delimiters or line ends, but there is {quote(text)}."
            raise input_error(where, message)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise input_error(where, f"{what} must be valid Unicode, but there is {text!a}.") from None


class TextTableFormat(TableFormat):
    """A table in text by lines, which can also come from a pipe, from memory or from a growing file."""

    is_text = True

    @abstractmethod
    def reader(self, where: str, name: str, opening: AbstractContextManager[Fill], rows_in_work: int) -> TextReader:
        """Start a pass over text."""

    def open_pass(self, where: str, source: Any, batch_size: int) -> TextReader:
        return self.reader(where, name_of(source), opened(where, source), batch_size)

    def open(self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool) -> Batches:
        if not follow and (len(sources) > 1 or (is_path(sources[0]) and not is_pipe(sources[0]))):
            return super().open(where, sources, options, batch_size, follow)

        def batches() -> Iterator[Batch]:
            """Return rows as they arrive, rather than wait for full batches."""
            opening = opened(where, sources[0], follow=follow)
            reader = self.reader(where, name_of(sources[0]), opening, 0)
            columns = Columns(where, reader.name, reader.schema, **options)
            encoder, first = Encoder(columns), 0
            for table in reader.tables(columns):
                for start in range(0, table.num_rows, batch_size):
                    for part in table.slice(start, batch_size).combine_chunks().to_batches():
                        yield encoder.batch(part, reader.place, first)
                        first += part.num_rows

        return Batches(batches)

    @abstractmethod
    def one_row(self, cells: dict[str, str]) -> bytes:
        """Return the text of a table of one row of strings."""

    def check_labels(self, where: str, labels: list[str]) -> None:
        """Read a row with a column for each label: text does not say whether a column holds strings."""
        if not labels:
            return
        text = self.one_row({f"x{i}": label for i, label in enumerate(["not empty", *labels])})
        schema = self.reader(where, "the labels", opened(where, text), 0).schema
        for label, type_ in zip(labels, schema.types[1:], strict=True):
            if str(type_) != "string":
                reason = f"labels in {self.name} must not look like numbers, dates or missing values"
                raise input_error(where, f"{reason}, but there is {quote(label)}. Use Parquet, which stores types.")


def table_batches(
    where: str, open_pass: Callable[[Any], Reader], sources: list[Any], roles: dict[str, Any], batch_size: int
) -> Batches:
    """Open one or more tables as a stream of batches of ``batch_size`` rows, except for the last one of each source.

    The first source is opened at once, so that errors about files and columns are raised here.
    """
    waiting: list[Reader] = [open_pass(sources[0])]
    columns = Columns(where, waiting[0].name, waiting[0].schema, **roles)
    encoder = Encoder(columns)

    def batches() -> Iterator[Batch]:
        for source in sources:
            try:
                reader = waiting.pop()  # atomic: one of several threads that share this stream takes it
            except IndexError:
                reader = open_pass(source)
            first = 0
            for table in resized(columns, reader.tables(columns), batch_size):
                yield encoder.batch(table, reader.place, first)
                first += table.num_rows

    return Batches(batches)


def expand(where: str, sources: list[Any]) -> list[str]:
    """Return the files that paths and patterns stand for; those of a pattern are sorted by name."""
    paths = []
    for source in sources:
        if not is_path(source):
            raise input_error(where, f"the source must be a path, SQL or a table in memory, but it is {quote(source)}.")
        path = os.fsdecode(source)
        found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
        found = found if path in found else [file for file in found if not os.path.isdir(file)]
        if not found:
            raise file_error(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        if os.path.isdir(found[0]):
            pattern = os.path.join(path, "*.parquet")
            raise input_error(path, f"this is a directory. Use a pattern for its files, such as {pattern!r}.")
        paths += found
    return paths


def resized(columns: Columns, tables: Iterable[Any], size: int) -> Iterator[Any]:
    """Return the needed columns as record batches of ``size`` rows, except for the last."""
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
