"""Files in the svmlight / LIBSVM format."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import check_array

import novikoff._core as _core
from novikoff._validation import check_integer, thread_count
from novikoff.errors import InvalidInputError, invalid

from .ahead import ahead
from .batch import Batch
from .compression import DamagedError
from .rows import as_rows, csr
from .source import BLOCK, MOST_LINE, is_lasting, is_path, line_blocks, name_of, opened, writable

log = logging.getLogger("novikoff")
MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 files with it
MOST_SHOWN = 40  # characters of a bad word


def read_svmlight(
    source: Any,
    *,
    n_features: int | None = None,
    index_base: int | str = 1,
    dtype: DTypeLike = np.float64,
    n_jobs: int | None = -1,
) -> Any:
    r"""Read svmlight / LIBSVM text: a line an example, ``label index:value index:value ... # comment``.

    Numbers are correctly rounded. Features of a line may stand in any order, each once; ``qid:`` behind the label is
    passed over. Anything else that is not as it should be, infinite values and NaN included, is refused with the line
    where it stands, and nothing is returned.

    Parameters
    ----------
    source : a path, bytes, a binary file object, ``"-"`` for standard input, or a list of them. What is compressed with
        gzip, bzip2, xz or zstd is recognised by its content.
    n_features : columns of X; by default as many as the largest index asks for
    index_base : the number of the first feature, 1 or 0. "auto" takes 0 if index 0 occurs and 1 otherwise, which is a
        guess, and wrong for a part of a file that begins with 0.
    dtype : float64 or float32, of the values
    n_jobs : threads; -1 is all cores

    Returns
    -------
    Batch
        Unpacks as ``X, y``: a CSR array, and labels that are integers if all of them are whole numbers. Its attribute
        ``index_base`` says what was taken. For a list, a list of batches of one shared width and index base.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = nk.read_svmlight(b"+1 1:0.5 3:2  # first\n-1 2:1e-3\n")
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.001, 0.0]], [1, -1])
    """
    where = "read_svmlight"
    sources = source if isinstance(source, list | tuple) else [source]
    if not sources:
        raise invalid(where, "At least one file.", repr(source))
    layout = Layout.of(where, n_features, index_base, dtype, n_jobs)
    parts = [_Lines(where, layout, part) for part in sources]
    arrays = [part.read() for part in parts]
    base = layout.base
    if layout.guess:
        base = 0 if any(part.reader.smallest == 0 for part in parts) else 1
        log.info(
            "[%s] index_base='auto' took %d: index 0 %s.", where, base, "occurs" if base == 0 else "does not occur"
        )
        for _, columns, *_ in arrays:
            columns -= base
        last = layout.last(base)
        for part in parts:
            if part.reader.largest > last:
                need = f"Indices up to {last}" + (f", for {n_features} features." if n_features else ".")
                raise invalid(where, need, f"{part.reader.largest} in {part.name}")
    width = n_features if n_features is not None else max(0, *(part.reader.largest + 1 - base for part in parts))
    batches = [_batch(part, width, base) for part in arrays]
    for part, batch in zip(parts, batches, strict=True):
        if batch.X.shape[0] == 0:
            raise invalid(where, "At least one example.", f"none in {part.name}")
    return batches if isinstance(source, list | tuple) else batches[0]


class Layout:
    """How the lines are to be understood."""

    def __init__(self, n_features: int | None, base: int, guess: bool, single: bool, threads: int) -> None:
        self.n_features, self.base, self.guess = n_features, base, guess
        self.single, self.threads = single, threads

    @classmethod
    def of(cls, where: str, n_features: Any, index_base: Any, dtype: Any, n_jobs: Any) -> Layout:
        """Check the parameters of a reader."""
        if n_features is not None:
            n_features = check_integer(where, "n_features", n_features, at_least=1)
            if n_features > _core.MOST_INDEX:
                raise invalid(where, f"At most {_core.MOST_INDEX} features.", n_features)
        guess = isinstance(index_base, str) and index_base == "auto"
        if not guess and (isinstance(index_base, bool) or index_base not in (0, 1)):
            raise invalid(where, 'index_base = 1, 0 or "auto".', repr(index_base))
        try:
            kind = np.dtype(dtype)
        except TypeError:
            kind = None
        if kind not in (np.float64, np.float32):
            raise invalid(where, "dtype = float64 or float32.", repr(dtype))
        return cls(n_features, 0 if guess else int(index_base), guess, kind == np.float32, thread_count(where, n_jobs))

    def last(self, base: int) -> int:
        """The largest index; the width, too, is a number of 32 bits, as scipy needs it beside such indices."""
        return (self.n_features or _core.MOST_INDEX) + base - 1

    def new_reader(self) -> _core.SvmlightReader:
        """A kernel that reads such lines; where the base is a guess, those of both bases."""
        last = min(_core.MOST_INDEX, self.last(1 if self.guess else self.base))
        return _core.SvmlightReader(self.single, self.base, last, self.n_features or 0, self.threads)


class _Lines:
    """The lines of one source."""

    def __init__(self, where: str, layout: Layout, source: Any) -> None:
        self.where, self.layout, self.source, self.name = where, layout, source, name_of(source)
        self.reader = layout.new_reader()

    def read(self) -> tuple[Any, ...]:
        """Read all of them."""
        size = os.path.getsize(self.source) if is_path(self.source) and os.path.isfile(self.source) else 0
        for block, _ in enumerate(self.blocks(BLOCK, None, False)):
            if block == 0 and size > 2 * BLOCK:  # compressed files will grow beyond that
                self.reader.expect(size / BLOCK - 1)
        return self.reader.take()

    def blocks(self, size: int, most: int | None, follow: bool) -> Iterator[None]:
        """Read one block after the other; what is in the reader then is the caller's to take."""
        begin = True
        with opened(self.where, self.source, threads=self.layout.threads, follow=follow) as fill:
            try:
                for block in line_blocks(fill, size, most):
                    text = block[len(MARK) :] if begin and block[: len(MARK)] == MARK else block
                    begin = False
                    if (bad := self.reader.feed(text)) is not None:
                        raise self.refuse(*bad)
                    yield
            except DamagedError as error:
                raise invalid(self.where, error.need, f"{error.got} at {self.name}:{self.reader.lines + 1}") from None

    def refuse(self, line: int, need: str, word: bytes) -> InvalidInputError:
        """The error of a bad line."""
        text = word.decode("utf-8", "backslashreplace")
        shown = ascii(text[:MOST_SHOWN]) + "..." * (len(text) > MOST_SHOWN)
        return invalid(self.where, need, f"{shown} at {self.name}:{line}")


def _batch(arrays: tuple[Any, ...], width: int, base: int) -> Batch:
    values, columns, row_ends, labels = arrays
    small = len(values) <= np.iinfo(np.int32).max
    offsets = np.zeros(len(row_ends) + 1, np.int32 if small else np.int64)
    offsets[1:] = row_ends
    X = csr(values, columns if small else columns.astype(np.int64), offsets, width)
    return Batch(X, whole_labels(labels), index_base=base)


def whole_labels(labels: NDArray[np.float64]) -> NDArray[Any]:
    """Labels as integers, if that is what they are."""
    whole = np.all((labels == np.floor(labels)) & (np.abs(labels) <= 2.0**53))
    return labels.astype(np.int64) if whole else labels


ROWS_AT_A_TIME, ENTRIES_AT_A_TIME = 1 << 14, 1 << 20


def write_svmlight(X: Any, y: Any, target: Any, *, index_base: int = 1, n_jobs: int | None = -1) -> None:
    r"""Write rows and labels as svmlight text, the shortest that reads back to the same bits.

    Parameters
    ----------
    X : array or sparse matrix of numbers. Zeros of a dense array are left out; entries that a sparse matrix stores are
        written, and those of one place summed.
    y : one number a row
    target : a path, or a binary file object. A path is written beside its place first, so that it is there as a whole
        or not at all, and compressed if its name ends in .gz, .bz2, .xz or .zst.
    index_base : the number of the first feature, 1 or 0
    n_jobs : threads; -1 is all cores

    Examples
    --------
    >>> import io
    >>> import novikoff as nk
    >>> file = io.BytesIO()
    >>> nk.write_svmlight([[0.5, 0.0, 2.0], [0.0, 1e-3, 0.0]], [1, -1], file)
    >>> file.getvalue()
    b'1 1:0.5 3:2\n-1 2:0.001\n'
    """
    where = "write_svmlight"
    if isinstance(index_base, bool) or index_base not in (0, 1):
        raise invalid(where, "index_base = 1 or 0.", repr(index_base))
    threads = thread_count(where, n_jobs)
    X = finite_matrix(where, X)
    labels = exact_numbers(where, y, X.shape[0])
    with writable(where, target) as file:
        for text in svmlight_text(where, X, labels, index_base, threads):
            file.write(text)


def svmlight_text(where: str, X: Any, labels: NDArray[np.float64], index_base: int, threads: int) -> Iterator[bytes]:
    """The lines of rows that were checked, some at a time."""
    rows = as_rows(where, X)
    entries = (X.nnz if sp.issparse(X) else X.size) // max(1, rows.count)  # of a row
    step = max(1, min(ROWS_AT_A_TIME, ENTRIES_AT_A_TIME // max(1, entries)))
    for begin in range(0, rows.count, step):
        end = min(begin + step, rows.count)
        yield _core.svmlight_text(rows, labels, index_base, begin, end, threads)


def finite_matrix(where: str, X: Any) -> Any:
    """Rows of finite numbers, each column once in a row."""
    try:
        with np.errstate(
            invalid="ignore"
        ):  # huge values of both signs, which are added up only to see whether all are finite
            X = check_array(
                X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=0, ensure_min_features=0
            )
    except ValueError as error:
        raise invalid(
            where, "A table of finite numbers, one row an example.", f"one that was refused: {error}"
        ) from None
    if sp.issparse(X):
        as_rows(where, X)  # its offsets, before anyone follows them
        used = X.indices[X.indptr[0] : X.indptr[-1]]
        if len(used) and not 0 <= used.min() <= used.max() < X.shape[1]:
            raise invalid(
                where, f"Column indices from 0 to {X.shape[1] - 1}.", f"some from {used.min()} to {used.max()}"
            )
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    return X


def exact_numbers(where: str, y: Any, rows: int) -> NDArray[np.float64]:
    """Labels as numbers that lose nothing."""
    try:
        labels = np.asarray(y)
    except ValueError:
        raise invalid(where, f"One label for each of {rows} rows.", "labels of different lengths") from None
    if labels.shape != (rows,):
        raise invalid(where, f"One label for each of {rows} rows.", f"labels of shape {labels.shape}")
    exact = labels.dtype in (np.bool_, np.float16, np.float32, np.float64)
    if labels.dtype.kind in "iu":
        exact = bool(np.all((labels >= -(2**53)) & (labels <= 2**53)))
    if not exact or not np.all(np.isfinite(labels)):
        need = "Labels that are finite numbers, integers of at most 2**53."
        raise invalid(where, need, f"{labels.dtype} {labels[:1].tolist()}")
    return np.ascontiguousarray(labels, dtype=np.float64)


class SvmlightScan:
    """Batches of rows, in bounded memory. Each is as wide as ``n_features``, or as all features seen so far."""

    def __init__(self, where: str, sources: list[Any], layout: Layout, batch_size: int, follow: bool) -> None:
        if layout.guess:
            raise invalid(where, "index_base = 1 or 0, for a stream does not look ahead.", "'auto'")
        self.where, self.sources, self.layout = where, sources, layout
        self.batch_size, self.follow = batch_size, follow

    def width(self) -> int | None:
        """How many features there are, found by a pass of its own; None where a source can be read only once."""
        if self.layout.n_features is not None:
            return self.layout.n_features
        if self.follow or not all(is_lasting(source) for source in self.sources):
            return None
        most = 0
        for source in self.sources:
            lines = _Lines(self.where, self.layout, source)
            for _ in lines.blocks(BLOCK, MOST_LINE, False):
                lines.reader.take()
            most = max(most, lines.reader.largest + 1 - self.layout.base)
        return most

    def batches(self, width: int | None) -> Iterator[Batch]:
        """One batch after the other; those of files are read while the one before is in use."""
        if self.follow or self.layout.threads == 1 or not all(is_lasting(source) for source in self.sources):
            yield from self._batches(width)
            return
        with ahead(self._batches(width), 1) as batches:
            yield from batches

    def _batches(self, width: int | None) -> Iterator[Batch]:
        seen, empty = width or self.layout.n_features or 0, True
        for source in self.sources:
            lines = _Lines(self.where, self.layout, source)
            for _ in lines.blocks(BLOCK, MOST_LINE, self.follow):
                seen = max(seen, lines.reader.largest + 1 - self.layout.base)
                for batch in _split(lines.reader.take(), self.batch_size, seen, self.layout.base):
                    empty = False
                    yield batch
        if empty:
            raise invalid(self.where, "At least one example.", f"none in {', '.join(map(name_of, self.sources))}")


def _split(arrays: tuple[Any, ...], rows: int, width: int, base: int) -> Iterator[Batch]:
    """Cut rows into batches; arrays are shared, not copied."""
    values, columns, row_ends, labels = arrays
    for begin in range(0, len(labels), rows):
        end = min(begin + rows, len(labels))
        first = int(row_ends[begin - 1]) if begin else 0
        part = slice(first, int(row_ends[end - 1]))
        yield _batch((values[part], columns[part], row_ends[begin:end] - first, labels[begin:end]), width, base)
