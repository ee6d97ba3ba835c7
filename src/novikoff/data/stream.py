"""Any source of rows, as a stream of batches or as a whole."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

import novikoff._core as _core
from novikoff._validation import check_choice, check_flag, check_integer
from novikoff.errors import InvalidInputError, invalid

from .batch import Batch
from .cache import CacheFile, CacheScan, CacheWriter, is_cache
from .hashing import Hashing
from .source import is_path, is_pipe, name_of
from .svmlight import Layout, SvmlightScan, read_svmlight
from .tables import TABLE_FORMATS, TEXT_FORMATS, LineTable, Table, file_blocks, format_of, is_frame, is_query

FORMATS = ("svmlight", "cache", *dict.fromkeys(TABLE_FORMATS.values()))
FOR_TABLES = {"target": None, "features": None, "weight": None, "text": None, "missing": "error", "hashing": None}
FOR_LINES = {"n_features": None, "index_base": 1, "dtype": np.float64, "n_jobs": -1}


class Batches(Protocol):
    """What a stream is made of."""

    def width(self) -> int | None:
        """How many features all batches have; None where that shows only on the way."""

    def batches(self, width: int | None) -> Iterator[Batch]:
        """One batch after the other, as wide as asked for, or as the features seen so far ask for."""


class Scan:
    """A stream of batches of bounded size. What can be read again, a file say, is read anew in each loop.

    Every batch unpacks as ``X, y``, or as ``X, y, weights``, and all are equally wide: an svmlight file whose
    ``n_features`` is not given is looked through for it first. Where that cannot be, in a pipe, a batch is as wide as
    the features seen so far. ``partial_fit`` and ``evaluate.progressive`` take the stream itself, without that look.
    """

    def __init__(self, rows: Batches) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Batch]:
        return self._rows.batches(self._rows.width())

    def widening(self) -> Generator[Batch, None, None]:
        """The batches as they come, without that look: each is as wide as the features seen so far."""
        yield from self._rows.batches(None)


def scan(
    source: Any,
    *,
    format: str | None = None,
    target: str | bool | None = None,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    text: str | Sequence[str] | None = None,
    missing: str = "error",
    hashing: Hashing | None = None,
    attach: Mapping[str, str] | None = None,
    n_features: int | None = None,
    index_base: int = 1,
    dtype: DTypeLike = np.float64,
    n_jobs: int | None = -1,
    batch_size: int = 8192,
    follow: bool = False,
) -> Scan:
    r"""Open a source as a stream of batches, in bounded memory.

    Parameters
    ----------
    source : a path or several, bytes, a binary file object, ``"-"`` for standard input; or SQL that DuckDB runs, such
        as ``"SELECT ... FROM 'clicks/*.parquet'"``; or a pandas, polars, pyarrow or DuckDB table. Text may be
        compressed with gzip, bzip2, xz or zstd.
    format : "svmlight", "csv", "tsv", "ndjson", "json", "parquet", "arrow" or "cache", where the name of a file does
        not say it; without either, text is svmlight
    target : the column of labels of a table; by default the one that is called y, label or target. False reads a table
        without labels, to predict them: y is None then.
    features : the feature columns of a table; by default all others
    weight : the column of weights of a table, which batches then unpack as their third part
    text : columns of a table that are texts, counted by their words
    missing : what a missing value of a table means: "error", "zero", or "indicator" for a feature ``column=missing``
    hashing : how names become columns where a feature is no number: ``column=value`` for words, the words of a text,
        and the column's name for numbers. By default ``Hashing()``. Where all features are numbers, X is a dense array.
    attach : databases that SQL may read, by the names that it calls them
    n_features, index_base, dtype, n_jobs : as in ``read_svmlight``, for svmlight
    batch_size : the most rows of a batch
    follow : wait for more where the file ends, for ever: others append to it. For svmlight, CSV, TSV and NDJSON.

    Returns
    -------
    Scan
        An iterable of batches, all of one width, or in a pipe as wide as the features seen so far. A batch unpacks as
        ``X, y`` (or ``X, y, weights``) and has the attributes ``feature_names`` and ``index_base``.

    Examples
    --------
    >>> import novikoff as nk
    >>> stream = nk.scan(b"+1 1:0.5 3:2\n-1 2:1\n+1 1:1\n", batch_size=2)
    >>> [y.tolist() for X, y in stream]
    [[1, -1], [1]]
    >>> nk.Perceptron().partial_fit(stream).coef_.tolist()
    [[0.5, -1.0, 2.0]]
    """
    given: dict[str, Any] = {"target": target, "features": features, "weight": weight, "text": text, "missing": missing}
    given |= {"hashing": hashing, "n_features": n_features, "index_base": index_base, "dtype": dtype, "n_jobs": n_jobs}
    return Scan(_open("scan", source, format, batch_size, follow, attach, given))


def read(source: Any, *, format: str | None = None, attach: Mapping[str, str] | None = None, **options: Any) -> Batch:
    r"""Read a source as a whole.

    Parameters
    ----------
    source, format, attach, options : as in ``scan``, but for ``batch_size`` and ``follow``

    Returns
    -------
    Batch
        Unpacks as ``X, y``, or as ``X, y, weights``. Rows of a cache are mapped from the file.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = nk.read(b"height,width,label\n1.5,2,dog\n0.5,1,cat\n", format="csv")
    >>> X.tolist(), y.tolist()
    ([[1.5, 2.0], [0.5, 1.0]], ['dog', 'cat'])
    """
    where = "read"
    given = _completed(where, options)
    kind = _kind(where, source, format)
    if kind == "svmlight" and not isinstance(source, list | tuple):
        _check_options(where, source, kind, attach, given)
        whole: Batch = read_svmlight(source, **{name: given[name] for name in FOR_LINES})
        return whole
    opened = _open(where, source, format, 1 << 16, False, attach, given)
    return opened.cache.mapped() if isinstance(opened, CacheScan) else _joined(where, list(opened.batches(None)))


def cache(source: Any, path: Any, *, format: str | None = None, attach: Any = None, **options: Any) -> Batch:
    r"""Keep the rows of a source in a binary file, and map them from there: a second pass costs only bandwidth.

    The file is written once, as a whole or not at all, and taken as it is the next time, if its source is a file that
    has not changed since (by size and time) and the options are the same. It is checked by its hashes whenever it is
    opened, and written anew if it is damaged.

    Parameters
    ----------
    source, format, attach, options : as in ``read``
    path : where to keep them; ``scan`` and ``read`` recognise such a file by its content

    Returns
    -------
    Batch
        Unpacks as ``X, y``, or as ``X, y, weights``; the arrays are read from the file as they are used.

    Examples
    --------
    >>> import tempfile
    >>> import novikoff as nk
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X, y = nk.cache(b"+1 1:0.5 3:2\n-1 2:1\n", f"{folder}/rows.cache")
    ...     [X.shape for X, y in nk.scan(f"{folder}/rows.cache")]
    [(2, 3)]
    """
    where = "cache"
    given = _completed(where, options)
    if not is_path(path) or "\0" in os.fsdecode(path):
        raise invalid(where, "The path of a file to keep the rows in.", repr(path))
    mark = _mark(where, source, path, {"format": format, "attach": attach, **options})
    if os.path.isfile(path) and os.path.getsize(path) and not is_cache(path):
        raise invalid(
            where, "The path of a new file, or of a cache, to keep the rows in.", f"another file, {name_of(path)}"
        )
    if mark is not None and is_cache(path):
        with suppress(InvalidInputError):  # damaged, or of another version: it can be had again
            known = CacheFile(where, path)
            if known.header["source"] == mark:
                return known.mapped()
    opened = _open(where, source, format, 1 << 16, False, attach, given)
    CacheWriter(where, path).write(opened.batches(None), mark)
    return CacheFile(where, path).mapped()


def _mark(where: str, source: Any, path: Any, options: dict[str, Any]) -> dict[str, Any] | None:
    """What a source is known by: its files, their sizes and times, and how they are read. None if it is no file."""
    sources = source if isinstance(source, list | tuple) else [source]
    files = [part for part in sources if is_path(part) and os.path.isfile(part)]
    if any(os.path.realpath(part) == os.path.realpath(path) for part in files):
        raise invalid(where, "A place other than that of the source, which it would replace.", name_of(path))
    if len(files) < len(sources):
        return None
    stats = [(os.path.realpath(part), os.stat(part)) for part in files]
    marks = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats]
    given = {name: repr(value) for name, value in sorted(options.items())}
    return {"files": marks, "options": given, "unicode": _core.unicode_version}


def _open(
    where: str, source: Any, format: str | None, batch_size: int, follow: bool, attach: Any, given: dict[str, Any]
) -> Batches:
    """Find out what a source is, and open it."""
    check_integer(where, "batch_size", batch_size, at_least=1)
    check_flag(where, "follow", follow)
    kind = _kind(where, source, format)
    table = {name: given[name] for name in FOR_TABLES}
    _check_options(where, source, kind, attach, given)
    if follow and kind not in ("svmlight", *TEXT_FORMATS):
        raise invalid(where, "A text that grows by lines, where follow=True.", kind)
    if follow and not is_path(source):
        got = name_of(source) if not isinstance(source, list | tuple) else f"{len(source)} files"
        raise invalid(where, "The path of a file, where follow=True.", got)
    if kind == "cache":
        return CacheScan(where, source[0] if isinstance(source, list | tuple) else source, batch_size)
    if kind == "svmlight":
        sources = list(source) if isinstance(source, list | tuple) else [source]
        layout = Layout.of(where, *(given[name] for name in ("n_features", "index_base", "dtype", "n_jobs")))
        return SvmlightScan(where, sources, layout, batch_size, follow)
    if follow or not (kind == "table" or isinstance(source, list | tuple) or (is_path(source) and not is_pipe(source))):
        return _Rows(lambda: _lines(where, source, kind, batch_size, follow, table))
    files = None if kind == "table" else kind
    whole = Table(where, source, **table, format=files, attach=attach, batch_size=batch_size)
    return _Rows(lambda: whole)


def _lines(where: str, source: Any, kind: str, batch_size: int, follow: bool, table: dict[str, Any]) -> LineTable:
    if kind not in TEXT_FORMATS:
        raise invalid(
            where, "The path of a file, where its format is not text by lines.", f"{kind} in {name_of(source)}"
        )
    blocks = file_blocks(where, source, kind, follow)
    return LineTable(where, blocks, format=kind, name=name_of(source), batch_size=batch_size, **table)


class _Rows:
    """Tables as a stream: their width is the same throughout."""

    def __init__(self, opened: Any) -> None:
        self.opened = opened

    def width(self) -> int | None:
        return None

    def batches(self, width: int | None) -> Iterator[Batch]:
        return iter(self.opened())


def is_table(source: Any, format: str | None = None) -> bool:
    """Whether a source has columns with names, rather than lines of svmlight or the rows of a cache."""
    return _kind("scan", source, format) not in ("svmlight", "cache")


def _kind(where: str, source: Any, format: str | None) -> str:
    """The format of a source; "table" where it is none of a file."""
    if is_frame(source) or is_query(source):
        if format is not None:
            raise invalid(where, "format= with files only.", f"format={format!r} with {type(source).__name__}")
        return "table"
    parts = source if isinstance(source, list | tuple) else [source]
    if not parts:
        raise invalid(where, "At least one file.", repr(source))
    if format is not None:
        if format == "cache":
            _refuse_several(where, parts)
        return check_choice(where, "format", format, FORMATS)
    kinds = {format_of(os.fspath(part)) if is_path(part) else None for part in parts}
    if len(kinds) > 1:
        raise invalid(where, "Files of one format.", ", ".join(map(name_of, parts)))
    kind = kinds.pop()
    if kind is None and any(map(is_cache, parts)):
        _refuse_several(where, parts)
        return "cache"
    return kind or "svmlight"


def _refuse_several(where: str, parts: Sequence[Any]) -> None:
    if len(parts) > 1:
        raise invalid(where, "One cache at a time.", ", ".join(map(name_of, parts)))


def _completed(where: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of all kinds of sources, where only some are given."""
    given = FOR_TABLES | FOR_LINES
    if unknown := sorted(set(options) - set(given)):
        raise invalid(where, f"Options among {', '.join(given)}.", ", ".join(unknown))
    return given | options


def _check_options(where: str, source: Any, kind: str, attach: Any, given: dict[str, Any]) -> None:
    """Refuse options of other kinds of sources."""
    if attach is not None and not is_query(source):
        raise invalid(where, "attach= together with SQL.", f"attach={attach!r} with {kind}")
    if kind in ("svmlight", "cache"):
        _refuse(where, given, FOR_TABLES, "a table", kind)
    if kind != "svmlight":
        _refuse(where, given, FOR_LINES, "svmlight", kind)


def _refuse(where: str, given: dict[str, Any], defaults: dict[str, Any], of: str, kind: str) -> None:
    """Refuse options that would be passed over."""
    for name, value in defaults.items():
        if given[name] is not value and (value is None or given[name] != value):
            raise invalid(where, f"{name}= with {of} only.", f"{name}={given[name]!r} with {kind}")


def _joined(where: str, batches: list[Batch]) -> Batch:
    """Batches as one."""
    if not batches:
        raise invalid(where, "At least one row.", "none")
    width = max(batch.X.shape[1] for batch in batches)
    parts = [batch.X for batch in batches]
    if sp.issparse(parts[0]):
        for part in parts:
            part.resize(part.shape[0], width)
        X = sp.vstack(parts, format="csr")
    else:
        X = np.concatenate(parts)
    y = None if batches[0].y is None else np.concatenate([batch.y for batch in batches])
    weights = None if batches[0].weights is None else np.concatenate([batch.weights for batch in batches])
    return Batch(X, y, weights, **vars(batches[0]))
