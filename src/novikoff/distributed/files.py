"""Files as partitions: a row group of Parquet, a range of lines of svmlight, or a file of another format each."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from novikoff._validation import check_choice, check_integer
from novikoff.data.batch import Batch
from novikoff.data.compression import LONGEST_MAGIC, compression_named, compression_of, uncompressed_name
from novikoff.data.delimited.dialect import DIALECT, DialectOptions
from novikoff.data.formats import DEFAULT_FORMAT, FORMATS, DataFormat, checked_format, format_named, sniffed
from novikoff.data.formats.base import WHOLE_READ_BATCH
from novikoff.data.formats.parquet import row_groups
from novikoff.data.formats.svmlight import Layout, read_svmlight
from novikoff.data.formats.table import expand
from novikoff.data.hashing import Hashing
from novikoff.data.reading import HashingSettings, Reading
from novikoff.data.tables.labels import labels_of
from novikoff.data.tables.source_table import ROLES, TableSource
from novikoff.errors import NoRowsError, file_error, input_error, quote

from .file_blocks import FilePart, Stamp, TableReading, svmlight_block, table_block
from .rounds import Data

SLICE_BYTES = 1 << 26  # of svmlight text per partition
SVMLIGHT_SUFFIXES = (".svm", ".svmlight", ".libsvm")
OF_TABLES = (*ROLES, "missing", "hashing", *DIALECT)
OF_SVMLIGHT = ("n_features", "index_base", "dtype", "slice_bytes")
BYTES_PER_CELL = 12  # of memory: a value of 8 bytes, and a column number where rows are sparse
MEMORY_PER_BYTE = 1.5  # of memory per byte of text
COMPRESSION_RATIO = 6  # of text, roughly


def is_files(X: Any) -> bool:
    """Return whether X is a path, a pattern, or a list of paths, rather than rows."""
    if isinstance(X, list | tuple):
        return bool(X) and all(isinstance(part, str | os.PathLike) for part in X)
    return isinstance(X, str | os.PathLike)


def files_data(
    where: str,
    paths: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    memory: int | None = None,
    format: str | None = None,
    **options: Any,
) -> Data:
    """Return files as partitions, which are read on the workers.

    Each row group of a Parquet file is a partition, each range of about ``slice_bytes`` of an svmlight file that is not
    compressed, and each other file. The first file with rows decides what columns are, and the workers hold all files
    to it, so that partitions agree without a pass over the data.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    paths : path, pattern, directory, or list of these
        The files, in one format. They must be readable here and on the workers, under the same names.
    y : str or int, default=None
        The column of labels, as ``target`` of ``scan``.
    sample_weight : str, default=None
        The column of weights, as ``weight`` of ``scan``.
    memory : int, default=None
        How many bytes of rows the workers may keep, if that is known. If the rows need more than half of it, they are
        read anew in each round.
    format : str, default=None
        The format; None takes the names and the content of the files.
    **options : dict
        Options of ``scan``: target, features, exclude, weight, text, missing, hashing and those of delimited text for
        tables; n_features, index_base and dtype for svmlight. ``missing`` is "error", "zero" or "indicator". Columns of
        text need ``hashing``. ``index_base="auto"`` takes 0 for all files if index 0 occurs in the first one that is
        not empty, and 1 otherwise. ``slice_bytes`` is the size of a partition of svmlight text, 64 MiB by default.
    """
    for name, column in (("target", y), ("weight", sample_weight)):
        if column is not None:
            if not isinstance(column, str | int):
                given = "y" if name == "target" else "sample_weight"
                raise input_error(where, f"{given} must be the name of a column if X is files, not {quote(column)}.")
            if options.get(name) is not None:
                raise input_error(where, f"{name}={quote(options[name])} and {quote(column)} name the same thing.")
            options[name] = column
    files = files_of(where, paths)
    filled = [path for path in files if _size(path) > 0]
    data_format = format_of(where, filled or files, format)
    _check_options(where, data_format, options)
    if data_format.is_table:
        return _table(where, files, filled, data_format, options, memory)
    return _svmlight(where, files, filled, options, memory)


def files_of(where: str, paths: Any) -> list[str]:
    """Return the files that a path, a pattern, a directory or a list of these stand for, sorted by name in each.

    Of a directory, these are the files whose names end as those of a data format do, without those that begin with a
    dot or an underscore.
    """
    found: list[str] = []
    for path in paths if isinstance(paths, list | tuple) else [paths]:
        if FORMATS["sql"].takes(path) or (isinstance(path, str) and path == "-"):
            kind = "standard input" if path == "-" else "a query"
            raise input_error(where, f"{kind} cannot be divided into partitions. Use files.")
        if not os.path.isdir(path):
            found += expand(where, [path])
            continue
        folder = os.fsdecode(path)
        names = [name for name in sorted(os.listdir(folder)) if name[0] not in "._" and _is_known(name)]
        own = [file for file in (os.path.join(folder, name) for name in names) if os.path.isfile(file)]
        if not own:
            message = "the directory has no files of Parquet, svmlight, CSV, TSV, NDJSON or another data format."
            raise input_error(folder, f"{message} Use a pattern such as 'data/**/*.csv' for other names.")
        found += own
    return found


def format_of(where: str, files: Sequence[str], format: str | None) -> DataFormat:
    """Return the one format of all files."""
    if format is not None:
        found = checked_format(where, format)
    else:
        each = [sniffed(path) or FORMATS[DEFAULT_FORMAT] for path in files]
        found = each[0]
        for path, other in zip(files, each, strict=True):
            if other is not found:
                message = f"{files[0]} is {found.name}, but {path} is {other.name}. All files must have one format."
                raise input_error(where, message)
    if not (found.is_table or found.name == "svmlight"):
        raise input_error(where, f"{found.name} files cannot be partitions. Convert them with novikoff.write.")
    return found


def _check_options(where: str, data_format: DataFormat, options: dict[str, Any]) -> None:
    known, others = (OF_TABLES, OF_SVMLIGHT) if data_format.is_table else (OF_SVMLIGHT, OF_TABLES)
    known = tuple(name for name in known if name not in DIALECT or name in (*data_format.options, "day_first"))
    for name, value in options.items():
        if name not in (*known, *others, *DIALECT):
            raise input_error(where, f"there is no option {name}. The options of files are {', '.join(known)}.")
        if name not in known and value is not None:
            raise input_error(where, f"{name}={quote(value)} is not an option of {data_format.name}, as the files are.")


def _svmlight(where: str, files: list[str], filled: list[str], options: dict[str, Any], memory: int | None) -> Data:
    n_features, dtype = options.get("n_features"), options.get("dtype") or np.float64
    base = 1 if options.get("index_base") is None else options["index_base"]
    layout = Layout.of(where, n_features, base, dtype, 1)
    if layout.guess:
        try:
            base = read_svmlight(filled[0], index_base="auto").index_base if filled else 1
        except NoRowsError:
            base = 1
    size = check_integer(where, "slice_bytes", options.get("slice_bytes") or SLICE_BYTES, at_least=1)
    parts = [dataclasses.replace(part, stamp=_stamp(path)) for path in files for part in _slices(path, size)]
    dtype = np.dtype(dtype).str
    return Data(
        svmlight_block,
        [(part, n_features, base, dtype) for part in parts],
        is_kept=_is_kept(_text_memory(files), memory),
        reading=Reading(index_base=base),
    )


def _slices(path: str, size: int) -> Iterator[FilePart]:
    whole = _size(path)
    with open(path, "rb") as file:
        is_compressed = compression_of(file.read(LONGEST_MAGIC)) is not None
    if whole <= size or is_compressed:
        yield FilePart(path, whole)
        return
    ends = np.linspace(0, whole, -(-whole // size) + 1).astype(np.int64).tolist()
    for begin, end in pairwise(ends):
        yield FilePart(path, whole, None, begin, end)


def _table(
    where: str,
    files: list[str],
    filled: list[str],
    data_format: DataFormat,
    options: dict[str, Any],
    memory: int | None,
) -> Data:
    how, reading = _described(where, filled or files, data_format, options)
    parts, size = [], 0.0
    for path in files:
        groups: list[tuple[int, int]] = row_groups(where, path) if data_format.name == "parquet" else []
        numbers: Sequence[int | None] = range(len(groups)) if groups else [None]
        parts += [FilePart(path, _size(path), number, stamp=_stamp(path)) for number in numbers]
        cells = len(how.columns.features) * BYTES_PER_CELL
        size += sum(max(rows * cells, taken) for rows, taken in groups) if groups else _text_memory([path])
    names = how.encoder().feature_names
    kept = _is_kept(size, memory)
    return Data(table_block, [(part, how) for part in parts], kept, names, reading)


def _described(
    where: str, files: list[str], data_format: DataFormat, options: dict[str, Any]
) -> tuple[TableReading, Reading]:
    """Return how the files become rows, by the first of them that has rows, and the same for the model."""
    missing = check_choice(where, "missing", options.get("missing") or "error", ("error", "zero", "indicator"))
    hashing = options.get("hashing")
    if hashing is not None and not isinstance(hashing, Hashing):
        raise input_error(where, f"hashing must be a Hashing, but it is {quote(hashing)}.")
    given = {name: options[name] for name in DIALECT if options.get(name) is not None}
    dialect = DialectOptions(**given).checked(where) if given else None
    roles = {name: options[name] for name in ROLES if options.get(name) is not None}
    table, label_kind = _first_with_rows(where, files, data_format, roles | {"dialect": dialect})
    columns = table.columns
    strings = [name for name in columns.features if columns.kinds[name] == "string"]
    if strings and hashing is None:
        remedy = f"Use hashing=Hashing(n_bits=20), or exclude={quote(strings[0])}"
        message = f"column {quote(strings[0])} holds strings, whose columns no worker knows for all files."
        raise input_error(table.name, f"{message} {remedy}.")
    if table.day_first is not None and (dialect is None or dialect.day_first is None):
        dialect = dataclasses.replace(dialect or DialectOptions(), day_first=table.day_first)
    hashing = hashing or Hashing()
    how = TableReading(data_format.name, columns, tuple(table.schema), label_kind, missing, hashing, dialect)
    settings = {field.name: getattr(hashing, field.name) for field in dataclasses.fields(HashingSettings)}
    kinds = {name: columns.kinds[name] for name in columns.features}
    origin: dict[str, Any] = {"columns": kinds, "target": columns.target, "weight_column": columns.weight}
    batch = Batch(None, None, feature_names=how.encoder().feature_names, **origin)
    reading = Reading(
        missing=missing,
        hashing=HashingSettings(**settings),
        text=tuple(columns.text),
        dialect=dialect,
    )
    return how, reading.after(batch)


def _first_with_rows(
    where: str, files: list[str], data_format: DataFormat, options: dict[str, Any]
) -> tuple[TableSource, str | None]:
    """Return the first file with rows, opened, and what its labels are."""
    for path in files:
        try:
            table: TableSource = data_format.table(where, [path], options, WHOLE_READ_BATCH)
            labels = labels_of(table.columns)
            needed = table.columns.features[0] if labels is None else labels.column
            for block in table.blocks({needed: table.columns.kinds[needed]}):  # others are read on the workers
                if block.rows:
                    if labels is not None:
                        labels.decide(block.string_column(labels.column)[1])
                    return table, None if labels is None else labels.decided
        except NoRowsError:
            continue
    raise input_error(where, "the files have no rows.")


def _is_known(name: str) -> bool:
    plain = uncompressed_name(name.lower())
    named = format_named(name)
    return plain.endswith(SVMLIGHT_SUFFIXES) or (named is not None and named.is_file)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError as error:
        raise file_error(path, error) from None


def _stamp(path: str) -> Stamp:
    try:
        return Stamp.of(os.stat(path))
    except OSError as error:
        raise file_error(path, error) from None


def _text_memory(files: Sequence[str]) -> float:
    """Return roughly how many bytes the rows of text files need in memory."""
    return MEMORY_PER_BYTE * sum(_size(path) * (COMPRESSION_RATIO if compression_named(path) else 1) for path in files)


def _is_kept(size: float, memory: int | None) -> bool:
    return memory is None or size <= memory / 2
