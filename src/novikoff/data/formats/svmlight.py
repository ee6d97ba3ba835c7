"""The svmlight / LIBSVM format: text with one example per line, ``label index:value index:value ...``."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import IO, Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

import novikoff._core as _core
from novikoff._validation import FLOATS, PLAIN, check_integer, thread_count
from novikoff.data.bad_lines import STOP, BadLines, BadRecord, bad_lines_for, blanked
from novikoff.data.batch import Batch
from novikoff.data.compression import DamagedError
from novikoff.data.prefetch import prefetched
from novikoff.data.rows import as_rows, csr
from novikoff.data.source import (
    BLOCK_SIZE,
    MAX_LINE_LENGTH,
    is_lasting,
    is_path,
    line_blocks,
    name_of,
    opened,
    writable,
)
from novikoff.errors import InvalidInputError, input_error, malformed_line_error, no_rows_error, quote

from .base import Batches, DataFormat, Rows
from .content import is_svmlight

log = logging.getLogger("novikoff")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 files with it
NO_EXAMPLE = "the file has no examples."
MAX_QUOTED = 40  # characters of a malformed word that an error message shows
ROWS_PER_WRITE, ENTRIES_PER_WRITE = 1 << 14, 1 << 20  # bounds on the text that is held before it is written


def read_svmlight(
    source: Any,
    *,
    n_features: int | None = None,
    index_base: int | str = 1,
    dtype: DTypeLike = np.float64,
    n_jobs: int | None = -1,
) -> Any:
    r"""Read svmlight / LIBSVM text, which has one example per line.

    A line is ``label index:value index:value ... # comment``. Numbers are rounded correctly. The features of a line may
    be in any order, but each only once; a ``qid:`` after the label is ignored. Any other malformed text, including
    infinity and NaN, is refused with its line number, and nothing is returned.

    Parameters
    ----------
    source : path, bytes, binary file object, "-" or list of these
        The text; ``"-"`` is standard input. Data compressed with gzip, bzip2, xz or zstd is recognised by its content.
    n_features : int, default=None
        Number of columns of X. None takes the largest index that occurs.
    index_base : {0, 1, "auto"}, default=1
        Number of the first feature. ``"auto"`` takes 0 if index 0 occurs and 1 otherwise. This is a guess, which fails
        for a part of a file that starts with 0.
    dtype : dtype, default=float64
        Type of the values, float64 or float32.
    n_jobs : int, default=-1
        Number of threads; -1 uses all cores. It does not change the result.

    Returns
    -------
    Batch or list of Batch
        Unpacks as ``X, y``: a CSR array, and labels that are integers if all of them are whole numbers. The attribute
        ``index_base`` is the number of the first feature. A list of sources gives a list of batches of equal width and
        index base.

    Raises
    ------
    InvalidInputError
        If a line is malformed, a parameter is invalid, or there are no rows.
    FileError
        If a file cannot be read.

    See Also
    --------
    scan : Read svmlight and other formats in batches.
    write_svmlight : Write rows in this format.

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
        raise input_error(where, "the list of files is empty.")
    layout = Layout.of(where, n_features, index_base, dtype, n_jobs)
    parts = [_Lines(where, layout, part) for part in sources]
    arrays = [part.read() for part in parts]
    base = _guessed_base(where, layout, parts, arrays) if layout.guess else layout.base
    width = n_features if n_features is not None else max(0, *(part.reader.largest + 1 - base for part in parts))
    batches = [_batch(part, width, base) for part in arrays]
    for part, batch in zip(parts, batches, strict=True):
        if batch.X.shape[0] == 0:
            raise no_rows_error(part.name, NO_EXAMPLE)
    return batches if isinstance(source, list | tuple) else batches[0]


def _guessed_base(where: str, layout: Layout, parts: list[_Lines], arrays: list[tuple[Any, ...]]) -> int:
    """Decide the index base of all parts, and shift their columns to it in place."""
    base = 0 if any(part.reader.smallest == 0 for part in parts) else 1
    found = "occurs" if base == 0 else "does not occur"
    log.info('%s: index_base="auto" is %d, because index 0 %s.', where, base, found)
    for _, columns, *_ in arrays:
        columns -= base
    last = layout.last(base)
    for part in parts:
        if part.reader.largest > last:
            reason = f" for {layout.n_features} features" if layout.n_features else ""
            raise input_error(part.name, f"indices must be at most {last}{reason}, but {part.reader.largest} occurs.")
    return base


class Layout:
    """The options of a reader: number of features, index base, value type and threads."""

    def __init__(self, n_features: int | None, base: int, guess: bool, single: bool, threads: int) -> None:
        self.n_features, self.base, self.guess = n_features, base, guess
        self.single, self.threads = single, threads

    @classmethod
    def of(cls, where: str, n_features: Any, index_base: Any, dtype: Any, n_jobs: Any) -> Layout:
        """Check the parameters of a reader."""
        if n_features is not None:
            n_features = check_integer(where, "n_features", n_features, at_least=1)
            if n_features > _core.MAX_INDEX:
                raise input_error(where, f"n_features must be at most {_core.MAX_INDEX}, but it is {n_features}.")
        guess = isinstance(index_base, str) and index_base == "auto"
        if not guess and (isinstance(index_base, bool) or index_base not in (0, 1)):
            raise input_error(where, f'index_base must be 0, 1 or "auto", but it is {quote(index_base)}.')
        try:
            kind = np.dtype(dtype)
        except TypeError:
            kind = None
        if kind not in (np.float64, np.float32):
            raise input_error(where, f"dtype must be float64 or float32, but it is {quote(dtype)}.")
        return cls(n_features, 0 if guess else int(index_base), guess, kind == np.float32, thread_count(where, n_jobs))

    def last(self, base: int) -> int:
        """Return the largest index. The width must fit 32 bits too, because scipy uses one type for both."""
        return (self.n_features or _core.MAX_INDEX) + base - 1

    def new_reader(self) -> _core.SvmlightReader:
        """Return a parser; where the index base is still to be guessed, it accepts both."""
        last = min(_core.MAX_INDEX, self.last(1 if self.guess else self.base))
        return _core.SvmlightReader(self.single, self.base, last, self.n_features or 0, self.threads)


class _Lines:
    """The lines of one source, and the parser that has read them."""

    def __init__(self, where: str, layout: Layout, source: Any, bad: BadLines | None = None) -> None:
        self.where, self.layout, self.source, self.name = where, layout, source, name_of(source)
        self.bad = bad  # None refuses malformed lines
        self.reader = layout.new_reader()

    def read(self) -> tuple[Any, ...]:
        """Read all lines and return their arrays."""
        size = os.path.getsize(self.source) if is_path(self.source) and os.path.isfile(self.source) else 0
        known = len(self.source) if isinstance(self.source, bytes | bytearray) else size
        for block, _ in enumerate(self.blocks(max(MAX_LINE_LENGTH, known + 1), False)):  # a line may be a whole file
            if block == 0 and size > 2 * BLOCK_SIZE:  # of a compressed file, this is a lower bound
                self.reader.expect(size / BLOCK_SIZE - 1)
        return self.reader.take()

    def blocks(self, max_size: int, follow: bool | str) -> Iterator[None]:
        """Parse one block after the other; after each, the caller may take the rows from the reader."""
        begin = True
        with opened(self.where, self.source, threads=self.layout.threads, follow=follow) as fill:
            try:
                for block in line_blocks(fill, BLOCK_SIZE, max_size):
                    marked = begin and block[: len(BYTE_ORDER_MARK)] == BYTE_ORDER_MARK
                    text = block[len(BYTE_ORDER_MARK) :] if marked else block
                    begin = False
                    self._feed(text)
                    yield
            except DamagedError as error:
                raise input_error(f"{self.name}, line {self.reader.lines + 1}", f"{error}.") from None

    def _feed(self, text: memoryview) -> None:
        wrong = self.reader.feed(text)
        if wrong is not None and self.bad is not None:  # nothing was read yet
            wrong = self.reader.feed(blanked(bytes(text), self.reader.lines + 1, self._find_bad, self.bad))
        if wrong is not None:
            raise self.refuse(*wrong)

    def _find_bad(self, text: bytes, first_line: int) -> BadRecord | None:
        if (wrong := self.layout.new_reader().feed(text)) is None:
            return None
        line, message, word = wrong
        number = first_line + line - 1
        return BadRecord(line - 1, 1, f"{self.name}, line {number}", self.refuse(number, message, word))

    def refuse(self, line: int, message: str, word: bytes) -> InvalidInputError:
        """Return the error of a malformed line."""
        text = word.decode("utf-8", "backslashreplace")
        shown = ascii(text[:MAX_QUOTED]) + "..." * (len(text) > MAX_QUOTED)
        remedy = ' Use format="csv" if it is a table.' * (line == 1 and ":" not in text)
        return malformed_line_error(f"{self.name}, line {line}", f"{message}, but there is {shown}.{remedy}")


def _batch(arrays: tuple[Any, ...], width: int, base: int) -> Batch:
    values, columns, row_ends, labels = arrays
    small = len(values) <= np.iinfo(np.int32).max
    offsets = np.zeros(len(row_ends) + 1, np.int32 if small else np.int64)
    offsets[1:] = row_ends
    X = csr(values, columns if small else columns.astype(np.int64), offsets, width)
    return Batch(X, whole_labels(labels), index_base=base)


def read_lines(where: str, source: Any, n_features: int | None, index_base: int, dtype: DTypeLike) -> Batch:
    """Read all rows of one source, of which there may be none, with one thread.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages about options.
    source : path, bytes or binary file object
        The text.
    n_features, index_base, dtype
        As in `read_svmlight`, but not ``"auto"``.
    """
    layout = Layout.of(where, n_features, index_base, dtype, 1)
    lines = _Lines(where, layout, source)
    arrays = lines.read()
    return _batch(arrays, layout.n_features or max(0, lines.reader.largest + 1 - layout.base), layout.base)


def whole_labels(labels: NDArray[np.float64]) -> NDArray[Any]:
    """Return labels as integers if all are whole numbers."""
    whole = np.all((labels == np.floor(labels)) & (np.abs(labels) <= 2.0**53))
    return labels.astype(np.int64) if whole else labels


def write_svmlight(X: Any, y: Any, target: Any, *, index_base: int = 1, n_jobs: int | None = -1) -> None:
    r"""Write rows and labels as svmlight text, with the shortest numbers that are read back to the same bits.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Finite numbers. Zeros of a dense array are left out; stored entries of a sparse matrix are all written, and
        duplicates are summed.
    y : array-like of shape (n_samples,)
        One number per row.
    target : path or binary file object
        Where to write. A path is replaced atomically, and compressed if its name ends in .gz, .bz2, .xz or .zst.
    index_base : {0, 1}, default=1
        Number of the first feature.
    n_jobs : int, default=-1
        Number of threads; -1 uses all cores.

    Raises
    ------
    InvalidInputError
        If X is not finite, or a label is not a finite number that float64 holds exactly.
    FileError
        If the file cannot be written.

    See Also
    --------
    read_svmlight : Read the file.
    write : Write any source in any format.

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
        raise input_error(where, f"index_base must be 0 or 1, but it is {quote(index_base)}.")
    threads = thread_count(where, n_jobs)
    X = finite_matrix(where, X)
    labels = exact_numbers(where, y, X.shape[0])
    with writable(where, target) as file:
        for text in svmlight_text(where, X, labels, index_base, threads):
            file.write(text)


def svmlight_text(where: str, X: Any, labels: NDArray[np.float64], index_base: int, threads: int) -> Iterator[bytes]:
    """Format checked rows, some at a time."""
    rows = as_rows(where, X)
    entries = (X.nnz if sp.issparse(X) else X.size) // max(1, rows.count)  # per row
    step = max(1, min(ROWS_PER_WRITE, ENTRIES_PER_WRITE // max(1, entries)))
    for begin in range(0, rows.count, step):
        end = min(begin + step, rows.count)
        yield _core.svmlight_text(rows, labels, index_base, begin, end, threads)


def finite_matrix(where: str, X: Any) -> Any:
    """Return rows of finite numbers as a dense or CSR array, whose sparse rows are sorted and free of duplicates."""
    if not _is_finite(X):
        X = _checked(where, X)
    if sp.issparse(X):
        as_rows(where, X)  # checks the offsets before they are used
        used = X.indices[X.indptr[0] : X.indptr[-1]]
        if len(used) and not 0 <= used.min() <= used.max() < X.shape[1]:
            found = f"they go from {used.min()} to {used.max()}"
            raise input_error(where, f"the column indices of X must be from 0 to {X.shape[1] - 1}, but {found}.")
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    return X


def _is_finite(X: Any) -> bool:
    """Return whether X is a matrix of finite floats already, so that scikit-learn need not be imported."""
    if type(X) not in PLAIN or X.ndim != 2 or X.dtype not in FLOATS:
        return False
    return bool(np.isfinite(X.data if sp.issparse(X) else X).all())


def _checked(where: str, X: Any) -> Any:
    from sklearn.utils import check_array  # slow to import

    try:
        with np.errstate(invalid="ignore"):  # scikit-learn sums all values to see whether they are finite
            X = check_array(
                X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=0, ensure_min_features=0
            )
    except ValueError as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise input_error(where, f"X must be a table of finite numbers. {reason}.") from None
    return X


def exact_numbers(where: str, y: Any, rows: int) -> NDArray[np.float64]:
    """Return labels as float64, which must hold them exactly."""
    try:
        labels = np.asarray(y)
    except ValueError:
        raise input_error(where, "y must have one label per row, but it has parts of different lengths.") from None
    if labels.shape != (rows,):
        raise input_error(where, f"y must have one label per row, {rows} in all, but its shape is {labels.shape}.")
    exact = labels.dtype in (np.bool_, np.float16, np.float32, np.float64)
    if labels.dtype.kind in "iu":
        exact = bool(np.all((labels >= -(2**53)) & (labels <= 2**53)))
    if not exact or not np.all(np.isfinite(labels)):
        found = f"{labels.dtype}: {quote(labels[:1].tolist())}"
        raise input_error(where, f"labels must be finite numbers, and integers at most 2**53, but they are {found}.")
    return np.ascontiguousarray(labels, dtype=np.float64)


class SvmlightBatches(Batches):
    """Batches of rows in bounded memory, each as wide as ``n_features`` or as the features seen so far."""

    def __init__(
        self,
        where: str,
        sources: list[Any],
        layout: Layout,
        batch_size: int,
        follow: bool,
        bad: BadLines | None = None,
    ) -> None:
        if layout.guess:
            raise input_error(where, 'index_base="auto" needs all rows at once. Use index_base=0 or index_base=1.')
        self.where, self.sources, self.layout = where, sources, layout
        self.batch_size, self.follow = batch_size, follow
        self._bad = bad
        self.are_lasting = not follow and all(is_lasting(source) for source in sources)

    @property
    def bad(self) -> BadLines | None:
        """The malformed lines so far; None if they are errors."""
        return self._bad

    @property
    def notes(self) -> list[str]:
        """What a user should know about the rows so far."""
        return [] if self._bad is None else self._bad.sentences()

    def width(self) -> int | None:
        """Return the number of features, found by a pass of its own; None where sources can be read only once."""
        if self.layout.n_features is not None:
            return self.layout.n_features
        if not self.are_lasting:
            return None
        width = 0
        for source in self.sources:
            lines = _Lines(self.where, self.layout, source, None if self._bad is None else BadLines())
            for _ in lines.blocks(MAX_LINE_LENGTH, False):
                lines.reader.take()
            width = max(width, lines.reader.largest + 1 - self.layout.base)
        return width

    def batches(self, width: int | None) -> Iterator[Batch]:
        """Start a pass; the next batch of a file is read while the current one is in use."""
        if not self.are_lasting or self.layout.threads == 1:
            yield from self._batches(width)
            return
        with prefetched(self._batches(width), 1) as batches:
            yield from batches

    def _batches(self, width: int | None) -> Iterator[Batch]:
        seen, empty = width or self.layout.n_features or 0, not self.follow
        if self._bad is not None:
            self._bad.clear()
        for source in self.sources:
            lines = _Lines(self.where, self.layout, source, self._bad)
            for _ in lines.blocks(MAX_LINE_LENGTH, self.follow):
                seen = max(seen, lines.reader.largest + 1 - self.layout.base)
                for batch in _split(lines.reader.take(), self.batch_size, seen, self.layout.base):
                    empty = False
                    yield batch
        if empty:
            raise no_rows_error(", ".join(map(name_of, self.sources)), NO_EXAMPLE)


def _split(arrays: tuple[Any, ...], rows: int, width: int, base: int) -> Iterator[Batch]:
    """Cut rows into batches that share the arrays."""
    values, columns, row_ends, labels = arrays
    for begin in range(0, len(labels), rows):
        end = min(begin + rows, len(labels))
        first = int(row_ends[begin - 1]) if begin else 0
        part = slice(first, int(row_ends[end - 1]))
        yield _batch((values[part], columns[part], row_ends[begin:end] - first, labels[begin:end]), width, base)


class Svmlight(DataFormat):
    """Sparse numbered features; labels are numbers, and there are no weights.

    It has no suffixes: it is the default format, also for names that usually mean it, after the content was looked at.
    """

    name = "svmlight"
    options = ("n_features", "index_base", "dtype", "n_jobs", "on_bad")
    can_write = True
    holds_weights = False

    def recognizes(self, beginning: bytes) -> bool:
        return is_svmlight(beginning)

    def open(
        self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool
    ) -> SvmlightBatches:
        options = dict(options)
        bad = bad_lines_for(where, options.pop("on_bad", STOP))
        return SvmlightBatches(where, sources, Layout.of(where, **options), batch_size, follow, bad)

    def read(self, where: str, sources: list[Any], options: dict[str, Any]) -> Batch:
        if len(sources) > 1 or options.get("on_bad", STOP) != STOP:
            return super().read(where, sources, options)
        whole: Batch = read_svmlight(sources[0], **{name: options[name] for name in options if name != "on_bad"})
        return whole

    def labels(self, where: str, y: Any, rows: int) -> NDArray[np.float64]:
        return exact_numbers(where, y, rows)

    def constants(self, rows: Rows) -> dict[str, Any]:
        return {"number of the first feature": rows.base}

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        threads = thread_count(where, -1)
        for part in rows:
            for text in svmlight_text(where, part.X, cast(Any, part.y), part.base, threads):
                file.write(text)


SVMLIGHT = Svmlight()
