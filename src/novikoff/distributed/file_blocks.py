"""One partition of files, read where it is needed: a row group, a range of lines, or a whole file."""

from __future__ import annotations

import io
import os
import platform
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.encoding.hashed import HashedEncoder
from novikoff.data.formats import FORMATS
from novikoff.data.formats.base import WHOLE_READ_BATCH
from novikoff.data.formats.svmlight import read_lines
from novikoff.data.hashing import Hashing
from novikoff.data.tables.block import KINDS, BlockReader
from novikoff.data.tables.columns import Columns
from novikoff.data.tables.labels import Labels, weights_of
from novikoff.errors import InvalidInputError, NoRowsError, file_error, input_error, quote

from .block import Block, checked_block

WHERE = "distributed.fit"
COUNTED_BYTES = 1 << 20  # that are searched for line ends at a time


@dataclass(frozen=True)
class Stamp:
    """When a file was changed, as one machine sees it.

    Parameters
    ----------
    host : str
        The machine.
    inode : int
        The number of the file on its file system, which all machines see that mount it.
    modified : int
        The time of the last change in nanoseconds.
    """

    host: str
    inode: int
    modified: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Return the stamp of a file on this machine."""
        return cls(platform.node(), status.st_ino, status.st_mtime_ns)

    def is_changed(self, now: Stamp) -> bool:
        """Return whether the file was changed. Copies of it on other machines have times of their own."""
        is_same_file = self.host == now.host or (self.inode == now.inode != 0)
        return is_same_file and self.modified != now.modified


@dataclass(frozen=True)
class FilePart:
    """Where the rows of a partition are.

    Parameters
    ----------
    path : str
        The file.
    size : int
        Its size in bytes when the partitions were made. A file of another size is refused.
    row_group : int, default=None
        The row group of a Parquet file; None is the whole file.
    begin : int, default=0
        Lines that begin before this byte belong to another partition.
    end : int, default=None
        Lines that begin at this byte or later belong to another partition; None is the end of the file.
    stamp : Stamp, default=None
        When the file had been changed last, when the partitions were made; None if that is not compared.
    """

    path: str
    size: int
    row_group: int | None = None
    begin: int = 0
    end: int | None = None
    stamp: Stamp | None = None


@dataclass(frozen=True)
class TableReading:
    """How the files of a table become rows, as the first of them with rows has decided it.

    Parameters
    ----------
    format : str
        The name of the data format.
    columns : Columns
        The roles of the columns and their kinds.
    table_columns : tuple of str
        All columns, in the order of the first file.
    label_kind : str or None
        What labels are: "integer", "boolean" or "string"; None if the rows have no labels.
    missing : {"error", "zero", "indicator"}
        What a missing value means.
    hashing : Hashing
        How features become columns if one of them is not a number.
    dialect : DialectOptions or None
        What is known about delimited text.
    """

    format: str
    columns: Columns
    table_columns: tuple[str, ...]
    label_kind: str | None
    missing: str
    hashing: Hashing
    dialect: DialectOptions | None

    def encoder(self) -> HashedEncoder:
        """Return what encodes blocks of raw rows."""
        columns = self.columns
        kinds = {name: columns.kinds[name] for name in columns.features}
        return HashedEncoder(kinds, columns.text, self.missing, self.hashing)

    def open(self, part: FilePart) -> BlockReader:
        """Start a pass over a partition. A file with other columns is refused."""
        options = {"dialect": self.dialect, "expected": self.table_columns, "row_group": part.row_group}
        data_format: Any = FORMATS[self.format]  # of a table
        reader: BlockReader = data_format.open_pass(WHERE, part.path, options, WHOLE_READ_BATCH, False)
        self.columns.check_names(reader.name, list(reader.schema))
        for name in self.columns.kinds:
            if (kind := reader.schema[name]) not in KINDS:
                message = f"column {quote(name)} holds {kind}, but in {self.columns.name} it holds other values."
                raise input_error(reader.name, message)
        return reader

    def no_rows(self) -> Any:
        """Return a matrix without rows."""
        names = self.encoder().feature_names
        return sp.csr_array((0, 2**self.hashing.n_bits)) if names is None else np.zeros((0, len(names)))


def table_block(part: FilePart, reading: TableReading) -> Block:
    """Read a partition of a table.

    Parameters
    ----------
    part : FilePart
        Where it is.
    reading : TableReading
        How it becomes rows.
    """
    check_unchanged(part)
    columns, encoder = reading.columns, reading.encoder()
    target, weight = columns.target, columns.weight
    labels = None if target is None else Labels(target, columns.label_kind or "string", reading.label_kind)
    rows: list[Any] = []
    y: list[Any] = []
    weights: list[Any] = []
    name = part.path
    try:
        reader = reading.open(part)
        name = reader.name
        for block in reader.blocks(columns.kinds):
            if block.rows:
                rows.append(encoder.rows(block))
                y += [] if labels is None else [labels.of(block)]
                weights += [] if weight is None else [weights_of(block, weight)]
    except NoRowsError:  # ordinary here: other partitions have rows
        rows = []
    if not rows:
        return checked_block(name, reading.no_rows(), None if labels is None else np.zeros(0, dtype=np.int64))
    X = rows[0] if len(rows) == 1 else sp.vstack(rows, "csr") if sp.issparse(rows[0]) else np.concatenate(rows)
    return checked_block(name, X, *(np.concatenate(parts) if parts else None for parts in (y, weights)))


def svmlight_block(part: FilePart, n_features: int | None, index_base: int, dtype: Any) -> Block:
    """Read a partition of svmlight text, which may have fewer columns than others.

    Parameters
    ----------
    part : FilePart
        Where it is.
    n_features, index_base, dtype
        As in ``scan``.
    """
    check_unchanged(part)
    if part.end is None:
        batch = read_lines(WHERE, part.path, n_features, index_base, dtype)
        return checked_block(part.path, batch.X, batch.y)
    first, text = lines_between(part.path, part.begin, part.end)
    try:
        batch = read_lines(WHERE, _named(text, part.path), n_features, index_base, dtype)
    except InvalidInputError:
        before = b"\n" * _line_ends(part.path, first)  # empty lines, so that the error has the number of the line
        batch = read_lines(WHERE, _named(before + text, part.path), n_features, index_base, dtype)
    return checked_block(f"{part.path}, bytes {part.begin} to {part.end}", batch.X, batch.y)


def lines_between(path: str, begin: int, end: int) -> tuple[int, bytes]:
    """Return the lines that begin at bytes from ``begin`` to below ``end`` of a file, and where the first begins."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, begin - 1))
            if begin:
                file.readline()  # the end of the line before
            first = file.tell()
            text = file.read(end - first) if first < end else b""
            return first, text + (file.readline() if text and not text.endswith(b"\n") else b"")
    except OSError as error:
        raise file_error(path, error) from None


def check_unchanged(part: FilePart) -> None:
    """Refuse a file that was changed since the partitions were made: its rows would not be the same."""
    try:
        status = os.stat(part.path)
    except OSError as error:
        raise file_error(part.path, error) from None
    if status.st_size != part.size:
        raise input_error(part.path, f"the file changed during the fit, from {part.size} to {status.st_size} bytes.")
    if part.stamp is not None and part.stamp.is_changed(Stamp.of(status)):
        raise input_error(part.path, "the file changed during the fit: it was written again, with the same size.")


def _named(text: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(text)
    file.name = name  # which error messages show
    return file


def _line_ends(path: str, end: int) -> int:
    """Return the number of line ends in the first bytes of a file."""
    with open(path, "rb") as file:
        sizes = (min(COUNTED_BYTES, end - at) for at in range(0, end, COUNTED_BYTES))
        return sum(file.read(size).count(b"\n") for size in sizes)
