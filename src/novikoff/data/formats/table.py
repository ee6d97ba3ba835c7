"""Table formats: sources whose columns have names."""

from __future__ import annotations

import errno
import glob
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from typing import Any

import scipy.sparse as sp

from novikoff.data.bad_lines import STOP, bad_lines_for
from novikoff.data.batch import Batch
from novikoff.data.encoding.batches import ENCODING, open_table
from novikoff.data.encoding.encoded import read_encoded
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.source import Fill, is_path, is_pipe, name_of, opened
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.source_table import ROLES, TableSource
from novikoff.errors import file_error, input_error, quote

from .base import WHOLE_READ_BATCH, Batches, DataFormat, Rows

MAX_DENSE_WIDTH = 10_000  # columns of sparse rows whose zeros are written


class TableFormat(DataFormat):
    """A format whose columns have names. Subclasses implement ``open_pass``."""

    options: tuple[str, ...] = (*ROLES, *ENCODING)
    is_text = False
    is_table = True
    holds_zeros = True  # every column is written in every row
    forbidden = ""  # characters that names and string labels must not have
    forbidden_words = "delimiters, line ends or zero bytes"  # what error messages call them

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        """Start a pass over one source."""
        raise NotImplementedError  # a subclass defines it

    def table(
        self,
        where: str,
        sources: list[Any],
        options: dict[str, Any],
        batch_size: int,
        follow: bool = False,
        known: Mapping[str, str] | None = None,
    ) -> TableSource:
        """Open sources as raw columns. The first one is opened at once, with errors about files and columns."""
        bad = bad_lines_for(where, options.get("on_bad", STOP))
        own = options | {"bad": bad}
        open_pass = partial(self.open_pass, where, options=own, batch_size=batch_size, follow=follow)
        if not self.is_file:
            return TableSource(where, open_pass, sources, options, known).opened()
        if not self.is_text and len(sources) == 1 and not (is_path(sources[0]) and not is_pipe(sources[0])):
            name = name_of(sources[0])
            raise input_error(where, f"{self.name} can only be read from a file, but the source is {name}.")
        files = len(sources) > 1 or (is_path(sources[0]) and not is_pipe(sources[0]))
        paths = expand(where, sources) if files and not follow else sources
        return TableSource(where, open_pass, paths, options, known, follow, bad)

    def open(self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool) -> Batches:
        return open_table(where, self.table(where, sources, options, batch_size, follow), options, batch_size)

    def read(self, where: str, sources: list[Any], options: dict[str, Any]) -> Batch:
        table = self.table(where, sources, options, WHOLE_READ_BATCH)
        if options["hashing"] is not None:
            return open_table(where, table, options, WHOLE_READ_BATCH).read(where)
        missing = "error" if options.get("missing") is None else options["missing"]
        scale = "none" if options.get("scale") is None else options["scale"]
        fill = "zero" if isinstance(missing, str) and missing == "indicator" else missing
        encoder = TableEncoder(scale=scale, missing=fill, indicator=missing != "zero", keep=True)
        return read_encoded(where, table, encoder)

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
        self.check_names(where, [*taken, *(first.names or ())])
        if self.holds_zeros and sp.issparse(first.X) and first.X.shape[1] > MAX_DENSE_WIDTH:
            limit = f"{self.name} stores all zeros, so sparse rows may have at most {MAX_DENSE_WIDTH} columns"
            found = f"these have {first.X.shape[1]}"
            raise input_error(where, f"{limit}, but {found}. Use svmlight.")
        known: set[str] = set()
        for part in chain([first], rows):
            if part.y is not None and part.y.dtype.kind == "U":
                new = sorted(set(part.y.tolist()) - known)
                for label in new:
                    self._check_text(where, "labels", label)
                self.check_labels(where, new)
                known.update(new)
            yield part

    def check_names(self, where: str, names: list[str]) -> None:
        """Refuse names of columns that would not be read back."""

    def check_labels(self, where: str, labels: list[str]) -> None:
        """Refuse string labels that would not be read back as strings."""

    def _check_text(self, where: str, what: str, text: str) -> None:
        if any(character in text for character in self.forbidden):
            message = f"{what} in {self.name} must not have {self.forbidden_words}, but there is {quote(text)}."
            raise input_error(where, message)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise input_error(where, f"{what} must be valid Unicode, but there is {text!a}.") from None


class TextTableFormat(TableFormat):
    """A table in text by lines, which can also come from a pipe, from memory or from a growing file."""

    is_text = True
    options = (*TableFormat.options, "on_bad")

    @abstractmethod
    def reader(
        self, where: str, name: str, opening: AbstractContextManager[Fill], options: dict[str, Any], rows_in_work: int
    ) -> BlockReader:
        """Start a pass over text. ``rows_in_work`` is how many of the latest rows ``place`` must still find."""

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        return self.reader(where, name_of(source), opened(where, source, follow=follow), options, batch_size)

    @abstractmethod
    def one_row(self, cells: dict[str, str]) -> bytes:
        """Return the text of a table of one row of strings."""

    def check_labels(self, where: str, labels: list[str]) -> None:
        """Read a row with a column for each label: text does not say whether a column holds strings."""
        if not labels:
            return
        text = self.one_row({f"x{i}": label for i, label in enumerate(["not empty", *labels])})
        schema = self.open_pass(where, text, {}, 0, False).schema
        for label, kind in zip(labels, list(schema.values())[1:], strict=True):
            if kind != "string":
                reason = f"labels in {self.name} must not look like numbers, dates or missing values"
                raise input_error(where, f"{reason}, but there is {quote(label)}. Use Parquet, which stores types.")


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
