"""Write rows to a file in any format that can be read again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import input_error, quote

from .batch import Batch
from .compression import compression_named
from .formats import DEFAULT_FORMAT, FORMATS, DataFormat, Rows, checked_format, file_formats, format_named
from .formats.svmlight import finite_matrix
from .source import name_of
from .stream import Scan, scan

BATCH_SIZE = 1 << 16  # rows that are read at a time


def write(source: Any, path: Any, *, format: str | None = None, **options: Any) -> int:
    r"""Write rows to a file, in bounded memory and atomically.

    A table has the column ``label``, the column ``weight`` if there are weights, and the features: by their names, or
    as x1, x2, ... by their numbers in the source. Numbers are read back to the same bits, labels as the same kind.

    Parameters
    ----------
    source : Scan, Batch, tuple, iterator or any source of ``scan``
        A tuple is ``(X, y)`` or ``(X, y, weights)``; an iterator returns batches or such tuples.
    path : path or binary file object
        Where to write. Text is compressed if the name ends in .gz, .bz2, .xz or .zst.
    format : str, default=None
        "svmlight", "csv", "tsv", "ndjson", "parquet" or "arrow". None takes the ending of the name, and then svmlight.
    **options : dict
        The options of ``scan``, for a source that it opens. Its ``format`` cannot be among them: open the stream first.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    InvalidInputError
        If the format cannot hold the rows, or the source is malformed.
    FileError
        If the file cannot be written.

    See Also
    --------
    scan : Open a source as a stream.

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
    target_format = _target_format(where, path, format)
    counts: list[int] = []
    batches = _batches(where, source, target_format, options)
    target_format.write(where, path, _checked(where, target_format, batches, counts))
    return sum(counts)


def _target_format(where: str, path: Any, format: str | None) -> DataFormat:
    name = name_of(path)
    if format is not None:
        found = checked_format(where, format, writable=True)
    else:
        found = format_named(name) or FORMATS[DEFAULT_FORMAT]
        if not found.can_write:
            known = ", ".join(file_formats(writable=True))
            raise input_error(where, f"{found.name} cannot be written to {name}. Formats that can be written: {known}.")
    compression = compression_named(name)
    if compression is not None and not found.is_text:
        suffix = compression.suffix
        raise input_error(where, f"{found.name} cannot be compressed as a whole. Use a name without {suffix}: {name}.")
    return found


def _batches(where: str, source: Any, target_format: DataFormat, options: dict[str, Any]) -> Iterator[Batch]:
    is_opened = isinstance(source, Scan | Batch) or _is_arrays(source) or _is_iterator(source)
    if is_opened and options:
        message = f"options of scan ({', '.join(options)}) need a source that scan opens"
        raise input_error(where, f"{message}, but the source is a {type(source).__name__}.")
    if options.get("follow"):
        raise input_error(where, "follow=True is not possible, because the source must end.")
    if isinstance(source, Batch) or _is_arrays(source):
        yield _as_batch(where, source)
    elif _is_iterator(source):
        for part in source:
            yield _as_batch(where, part)
    else:
        stream = source if isinstance(source, Scan) else scan(source, **{"batch_size": BATCH_SIZE, **options})
        yield from stream if target_format.is_table else stream.widening()


def _is_arrays(source: Any) -> bool:
    """Return whether a source is a tuple (X, y) or (X, y, weights), rather than one of several files."""
    if not isinstance(source, tuple) or not 2 <= len(source) <= 3:
        return False
    return hasattr(source[0], "shape") or isinstance(source[0], list | tuple)


def _is_iterator(source: Any) -> bool:
    return isinstance(source, Iterator) and not hasattr(source, "read") and not FORMATS["frame"].takes(source)


def _as_batch(where: str, part: Any) -> Batch:
    if isinstance(part, Batch):
        return part
    if not _is_arrays(part):
        expected = "batches or tuples (X, y) or (X, y, weights)"
        raise input_error(where, f"the source must consist of {expected}, but there is a {type(part).__name__}.")
    names = list(getattr(part[0], "columns", []))
    known = names if names and all(isinstance(name, str) for name in names) else None
    return Batch(*part, feature_names=known, index_base=1)


def _checked(where: str, target_format: DataFormat, batches: Iterator[Batch], counts: list[int]) -> Iterator[Rows]:
    """Return rows that the format can hold, and append their counts; refuse batches that do not agree."""
    first: dict[str, Any] = {}
    for batch in batches:
        rows = _rows(where, target_format, batch)
        if rows.X.shape[0] == 0:
            continue
        constants = target_format.constants(rows)
        first = first or constants
        for name, value in constants.items():
            if value != first[name]:
                message = f"all batches must have the same {name}, but the first has {quote(first[name])}"
                raise input_error(where, f"{message} and a later one {quote(value)}.")
        counts.append(rows.X.shape[0])
        yield rows
    if not first:
        raise input_error(where, "the source has no rows.")


def _rows(where: str, target_format: DataFormat, batch: Batch) -> Rows:
    X = finite_matrix(where, batch.X)
    count, width = X.shape
    names, base, name = batch.feature_names, batch.index_base, target_format.name
    if names is not None and len(names) != width:
        raise input_error(where, f"there must be one name per column, {width} in all, but there are {len(names)}.")
    if target_format.is_table and width == 0:
        raise input_error(where, "a table needs at least one feature.")
    if target_format.is_table and sp.issparse(X) and names is None and base is None:
        message = f"{name} needs columns with names or numbers, which hashed rows do not have"
        raise input_error(where, f"{message}. Use svmlight.")
    if batch.y is None and not target_format.is_table:
        raise input_error(where, f"{name} needs rows with labels, but the source has none.")
    if batch.weights is not None and not target_format.holds_weights:
        raise input_error(where, f"{name} cannot hold weights. Use a table.")
    y = None if batch.y is None else target_format.labels(where, batch.y, count)
    return Rows(X, y, _weights(where, batch.weights, count), names, base)


def _weights(where: str, weights: Any, count: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (count,) or not np.all((numbers >= 0) & (numbers < np.inf)):
        expected = f"one finite number of at least 0 per row, {count} in all"
        raise input_error(where, f"weights must be {expected}, but they are {quote(weights)}.")
    return numbers
