"""Rows written to files: whatever can be read, in any of the formats that can be read again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._validation import check_choice, thread_count
from novikoff.errors import invalid

from .batch import Batch
from .cache import CacheWriter
from .source import is_path, name_of, writable
from .stream import Scan, scan
from .svmlight import exact_numbers, finite_matrix, svmlight_text
from .tables import format_of, is_frame
from .tables.columns import clipped
from .tables.table import COMPRESSED
from .tables.writing import Rows, write_table

FORMATS = ("svmlight", "csv", "tsv", "ndjson", "parquet", "arrow", "cache")
COMPRESSIBLE = ("svmlight", "csv", "tsv", "ndjson")  # the others compress by themselves, or are to be mapped
BATCH = 1 << 16  # rows
LABELS = {"i": "numbers", "f": "numbers", "b": "booleans", "U": "strings"}  # by numpy's letters


def write(source: Any, path: Any, *, format: str | None = None, **options: Any) -> int:
    r"""Write rows to a file, in bounded memory, as a whole or not at all.

    A table has the column ``label``, the column ``weight`` if there are weights, and the features: by their names, or
    as x1, x2, ... by their numbers in the source. Numbers are read back to the same bits, labels as the same kind.

    Parameters
    ----------
    source : a stream that ``scan`` opened, or whatever ``scan`` opens; a ``Batch``; a tuple (X, y) or (X, y, weights);
        or an iterator of batches or of such tuples
    path : where to write. It is compressed if its name ends in .gz, .bz2, .xz or .zst. A binary file object will do,
        but not for a cache.
    format : "svmlight", "csv", "tsv", "ndjson", "parquet", "arrow" or "cache", where the name does not say it:
        ``.cache`` is a cache, and what has no ending of a table is svmlight
    options : those of ``scan``, for a source that it opens. Its ``format`` cannot be among them: open the stream first.

    Returns
    -------
    int
        How many rows there are.

    Examples
    --------
    >>> import io
    >>> import novikoff as nk
    >>> file = io.BytesIO()
    >>> nk.write(nk.scan(b"1 1:0.5 3:2\n-1 2:1e-3\n"), file, format="csv")
    2
    >>> print(file.getvalue().decode(), end="")
    label,x1,x2,x3
    1,0.5,0,2
    -1,0,0.001,0
    """
    where = "write"
    kind = _kind(where, path, format)
    rows = _Counted(_checked(where, kind, _batches(where, source, kind, options)))
    if kind == "cache":
        CacheWriter(where, path).write(map(_batch, rows), None)
        return rows.count
    with writable(where, path) as file:
        if kind == "svmlight":
            threads = thread_count(where, -1)
            for part in rows:
                for text in svmlight_text(where, part.X, cast(Any, part.y), part.base, threads):
                    file.write(text)
        else:
            write_table(where, file, kind, rows)
    return rows.count


def _kind(where: str, path: Any, format: str | None) -> str:
    """The format to write."""
    name = os.path.splitext(name_of(path).lower())
    packed = name[1] in COMPRESSED
    ending = os.path.splitext(name[0])[1] if packed else name[1]
    kind = format
    if kind is None:
        kind = "cache" if ending == ".cache" else format_of(name_of(path)) or "svmlight"
    if kind == "json" and format is None:
        raise invalid(where, "A name that ends in .ndjson, for an object a line.", name_of(path))
    check_choice(where, "format", kind, FORMATS)
    if packed and kind not in COMPRESSIBLE:
        raise invalid(where, f"A name without {name[1]}: it is of no use to compress {kind} again.", name_of(path))
    if kind == "cache" and not is_path(path):
        raise invalid(where, "The path of a file, for a cache.", name_of(path))
    return kind


def _batches(where: str, source: Any, kind: str, options: dict[str, Any]) -> Iterator[Batch]:
    """What is to be written, one batch after the other."""
    is_opened = isinstance(source, Scan | Batch) or _is_arrays(source) or _is_iterator(source)
    if options and (is_opened or options.get("follow")):
        what = "a source that it opens, and that ends" if not is_opened else "a source that it opens"
        raise invalid(where, f"Options of scan with {what}.", ", ".join(options))
    if isinstance(source, Batch) or _is_arrays(source):
        yield _taken(where, source)
    elif _is_iterator(source):
        for part in source:
            yield _taken(where, part)
    else:
        stream = source if isinstance(source, Scan) else scan(source, **{"batch_size": BATCH, **options})
        yield from stream.widening() if kind in ("svmlight", "cache") else stream


def _is_arrays(source: Any) -> bool:
    """Whether a source is a tuple (X, y) or (X, y, weights), rather than one of several files."""
    if not isinstance(source, tuple) or not 2 <= len(source) <= 3:
        return False
    return hasattr(source[0], "shape") or isinstance(source[0], list | tuple)


def _is_iterator(source: Any) -> bool:
    return isinstance(source, Iterator) and not hasattr(source, "read") and not is_frame(source)


def _taken(where: str, part: Any) -> Batch:
    """A batch, also of arrays that someone else made."""
    if isinstance(part, Batch):
        return part
    if not _is_arrays(part):
        raise invalid(where, "Batches, or tuples (X, y) or (X, y, weights).", type(part).__name__)
    names = list(getattr(part[0], "columns", []))
    known = names if names and all(isinstance(name, str) for name in names) else None
    return Batch(*part, feature_names=known, index_base=1)


def _checked(where: str, kind: str, batches: Iterator[Batch]) -> Iterator[Rows]:
    """Rows that can be written, all of one kind."""
    first: dict[str, Any] = {}
    for batch in batches:
        rows = _rows(where, kind, batch)
        if rows.X.shape[0] == 0:
            continue
        facts = _facts(kind, rows)
        first = first or facts
        for name, fact in facts.items():
            if fact != first[name]:
                raise invalid(where, f"Batches of the same {name}: {clipped(first[name])} at first.", clipped(fact))
        yield rows
    if not first:
        raise invalid(where, "At least one row.", "none")


def _facts(kind: str, rows: Rows) -> dict[str, Any]:
    """What may not change on the way."""
    facts: dict[str, Any] = {"number of the first feature": rows.base}
    if kind != "svmlight":
        labels = "no" if rows.y is None else LABELS[rows.y.dtype.kind]
        facts |= {"kind of labels": labels, "weights": "none" if rows.weights is None else "one a row"}
        facts |= {"names": "none" if rows.names is None else list(rows.names)}
        if kind == "cache":
            facts["layout"] = "sparse" if sp.issparse(rows.X) else "dense"
        if kind != "cache" or not sp.issparse(rows.X):
            facts["number of columns (n_features= says it)"] = rows.X.shape[1]
    return facts


def _rows(where: str, kind: str, batch: Batch) -> Rows:
    X = finite_matrix(where, batch.X)
    count, width = X.shape
    names, base, is_table = batch.feature_names, batch.index_base, kind not in ("svmlight", "cache")
    if names is not None and len(names) != width:
        raise invalid(where, f"Names of {width} columns.", len(names))
    if is_table and width == 0:
        raise invalid(where, "At least one feature.", "none")
    if is_table and sp.issparse(X) and names is None and base is None:
        need = "Columns that have names or numbers, for a table (svmlight and a cache take others)."
        raise invalid(where, need, "hashed rows")
    if batch.y is None and not is_table:
        raise invalid(where, f"Rows with labels, for {kind}.", "a table without")
    if batch.weights is not None and kind == "svmlight":
        raise invalid(where, "Rows without weights, which svmlight cannot hold (a table or a cache can).", "weights")
    y = None if batch.y is None else _labels(where, kind, batch.y, count)
    return Rows(X, y, _weights(where, batch.weights, count), names, base)


def _labels(where: str, kind: str, y: Any, count: int) -> NDArray[Any]:
    """Labels as what a file can hold: float64 in svmlight; int64, bool and str elsewhere, in a cache also float64."""
    if kind == "svmlight":
        return exact_numbers(where, y, count)
    labels = np.asarray(y)
    if labels.shape != (count,):
        raise invalid(where, f"One label for each of {count} rows.", f"labels of shape {labels.shape}")
    if labels.dtype.kind == "O":
        plain = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
        if len({*map(type, plain)} & {bool, int, float, str}) == 1 == len({*map(type, plain)}):
            labels = np.array(plain)
    if labels.dtype.kind in "bU":
        return labels
    if labels.dtype.kind in "iu" and (labels.dtype != np.uint64 or labels.max(initial=0) < 2**63):
        return labels.astype(np.int64)
    if labels.dtype.kind == "f" and np.all(np.isfinite(labels)):
        if np.all((labels == np.floor(labels)) & (np.abs(labels) < 2.0**63)):
            return labels.astype(np.int64)
        if kind == "cache":
            return labels.astype(np.float64)
    raise invalid(
        where, "Labels that are whole numbers, strings or booleans.", f"{labels.dtype} {clipped(labels[:3].tolist())}"
    )


def _weights(where: str, weights: Any, count: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (count,) or not np.all((numbers >= 0) & (numbers < np.inf)):
        raise invalid(where, f"A finite weight of at least 0 for each of {count} rows.", clipped(np.asarray(weights)))
    return numbers


def _batch(rows: Rows) -> Batch:
    return Batch(rows.X, rows.y, rows.weights, feature_names=rows.names, index_base=rows.index_base)


class _Counted(Iterator[Rows]):
    """Rows that count themselves as they go by."""

    def __init__(self, rows: Iterator[Rows]) -> None:
        self.rows, self.count = rows, 0

    def __next__(self) -> Rows:
        part = next(self.rows)
        self.count += part.X.shape[0]
        return part
