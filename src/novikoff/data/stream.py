"""Any source of rows, as a stream of batches, or as a whole."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from novikoff._validation import check_flag, check_integer
from novikoff.errors import did_you_mean, input_error, quote

from .bad_lines import STOP
from .batch import Batch
from .formats import FORMATS, Batches, DataFormat, find_format, sources_of
from .hashing import Hashing
from .source import ROTATE, is_path, name_of


class Scan:
    """A stream of batches of bounded size, which ``scan`` opens.

    Every batch unpacks as ``X, y``, or as ``X, y, weights``. Sources that can be read again, such as files, are read
    from the start in each loop. All batches of a loop are equally wide: an svmlight file without ``n_features`` is
    read once in advance to find its width, and so is a table with strings, to find its columns. A pipe cannot be read
    twice, so its batches are as wide as the features seen so far. ``partial_fit`` and ``evaluate.progressive`` take the
    stream itself, and need no such first pass.

    Parameters
    ----------
    rows : Batches
        The opened source.
    """

    def __init__(self, rows: Batches) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Batch]:
        return self._rows.batches(self._rows.width())

    @property
    def notes(self) -> list[str]:
        """What a user should know about the rows so far, such as values that are missing."""
        return self._rows.notes

    @property
    def bad_lines(self) -> int:
        """Number of malformed lines so far, if they are left out."""
        return 0 if self._rows.bad is None else self._rows.bad.count

    def read(self, where: str) -> Batch:
        """Read all rows. A table is encoded by a ``TableEncoder``, which is fitted to it.

        Parameters
        ----------
        where : str
            The class or function that the user called, for error messages.

        Returns
        -------
        Batch
            The rows, labels and weights; with the encoder, if the source is a table.
        """
        return self._rows.read(where)

    def widening(self) -> Generator[Batch, None, None]:
        """Return the batches without a first pass, each as wide as the features seen so far.

        Yields
        ------
        Batch
            The next rows.
        """
        yield from self._rows.batches(None)

    def widening_after(self, rows: int) -> Generator[Batch, None, None]:
        """Return the batches of ``widening`` without the first rows, which are read and dropped.

        Parameters
        ----------
        rows : int
            Number of rows to leave out.

        Yields
        ------
        Batch
            The next rows.
        """
        yield from self._rows.batches_after(rows)


def scan(
    source: Any,
    *,
    format: str | None = None,
    target: str | int | None = None,
    features: Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    weight: str | None = None,
    text: str | Sequence[str] | None = None,
    missing: str | None = None,
    scale: str | None = None,
    hashing: Hashing | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
    na: Sequence[str] | None = None,
    decimal: str | None = None,
    quote: str | None = None,
    day_first: bool | None = None,
    attach: Mapping[str, str] | None = None,
    n_features: int | None = None,
    index_base: int = 1,
    dtype: DTypeLike = np.float64,
    n_jobs: int | None = -1,
    batch_size: int = 8192,
    on_bad: str = STOP,
    follow: bool | str = False,
    **options: Any,
) -> Scan:
    r"""Open a source as a stream of batches, in bounded memory.

    Parameters
    ----------
    source : path, list of paths, bytes, binary file object, "-", SQL or table
        ``"-"`` is standard input. SQL runs in DuckDB, as in ``"SELECT ... FROM 'clicks/*.parquet'"``. Tables are those
        of pandas, polars, pyarrow and DuckDB. Text may be compressed with gzip, bzip2, xz or zstd.
    format : str, default=None
        "svmlight", "csv", "tsv", "ndjson", "parquet", "arrow", "excel" or "numpy". None takes the ending of the file
        name, then the content of the file, and then svmlight.
    target : str, int or False, default=None
        The column of labels of a table. As for all options that name columns, this is its name, its number from 1 (or
        from -1 at the end), "first" or "last"; options that take several also take ranges such as "3-7", and names and
        ranges with commas between them. What is exactly a name is that column. None takes the one that is called y,
        label, target or class, then one with another usual name such as outcome, and then, in delimited text, the last
        one if it has few different values. With False, the table has no labels, and y is None.
    features : list of str, default=None
        The feature columns of a table. None takes all columns that have no other role.
    exclude : str or list of str, default=None
        Columns of a table that are not read.
    weight : str, default=None
        The column of weights of a table; batches then unpack as ``X, y, weights``.
    text : str or list of str, default=None
        Columns of a table that hold text, which is counted by words. None takes those of the first 1,000 values of
        which half are different, with three words on average.
    missing : {"error", "zero", "mean", "indicator"}, default=None
        What a missing value of a table means: a number 0; or the mean of the rows so far, with a feature
        ``column=missing`` of value 1. "indicator" is 0 with that feature; ``scan`` takes it only with hashing.
        None is "error"; in ``fit`` of a learner, which reads the whole table, it is "mean".
    scale : {"none", "standard"}, default=None
        Whether numbers of a table are standardised, each with the mean and the standard deviation of the rows up to it.
        None is "none"; in ``fit`` of a learner, it is "standard", with the moments of all rows.
    hashing : Hashing, default=None
        Features are hashed to a fixed number of columns if one of them is not a number: ``column=value`` for strings,
        the words of a text, and the column's name for numbers. By default, each of them has a column of its own, whose
        name is in ``feature_names``: ``age``, ``job=clerk``, ``mail:word``. If all features are numbers, X is dense.
    delimiter : str, default=None
        The character between two fields of delimited text, or the word tab, comma, semicolon, space or pipe. This and
        the next options are judged by the text itself by default.
    header : bool, default=None
        Whether the first record names the columns. Without a header, they are called x1, x2, ....
    names : list of str, default=None
        The names of the columns, instead of those in the header.
    encoding : str, default=None
        How the text is stored as bytes, such as "latin-1".
    na : list of str, default=None
        Words that mean a missing value, besides the empty field, ?, NA, NaN, NULL, None and the like.
    decimal : {".", ","}, default=None
        The decimal point.
    quote : str, default=None
        The character around fields that hold delimiters; "" if there is none.
    day_first : bool, default=None
        Whether the day comes before the month in dates such as 01/02/2024.
    attach : dict, default=None
        Databases that SQL may read, by the names that it uses for them.
    n_features : int, default=None
        Number of columns of svmlight. None takes the largest index that occurs.
    index_base : {0, 1}, default=1
        Number of the first feature of svmlight.
    dtype : dtype, default=float64
        Type of the values of svmlight, float64 or float32.
    n_jobs : int, default=-1
        Number of threads that read svmlight; -1 uses all cores.
    batch_size : int, default=8192
        The largest number of rows of a batch.
    on_bad : {"stop", "skip"}, default="stop"
        Whether a malformed line of svmlight, CSV, TSV or NDJSON is an error, or is left out and counted in ``notes``. A
        row whose label or weight is missing or not one is malformed, too; other missing values are not.
    follow : bool or "rotate", default=False
        At the end of the file, wait for lines that others append. For svmlight, CSV, TSV and NDJSON. It is an error if
        the file is cut or replaced meanwhile; with "rotate", the stream ends there, after the last line of the file.
    **options : dict
        Options of formats that were registered from outside this package.

    Returns
    -------
    Scan
        An iterable of batches.

    Raises
    ------
    InvalidInputError
        If an option does not fit the format. Malformed rows raise it when their batch is read.
    FileError
        If a file cannot be read.

    See Also
    --------
    read : Read all rows at once.
    write : Write rows to a file.

    Examples
    --------
    >>> import novikoff as nk
    >>> stream = nk.scan(b"+1 1:0.5 3:2\n-1 2:1\n+1 1:1\n", batch_size=2)
    >>> [y.tolist() for X, y in stream]
    [[1, -1], [1]]
    >>> nk.Perceptron().partial_fit(stream).coef_.tolist()
    [[0.5, -1.0, 2.0]]
    """
    given = {name: value for name, value in locals().items() if name in DEFAULTS} | options
    return Scan(_open("scan", source, format, batch_size, follow, given))


# The options of all formats in this package, with their defaults.
DEFAULTS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(scan).parameters.items()
    if name not in ("source", "format", "batch_size", "follow", "options")
}


def read(source: Any, *, format: str | None = None, **options: Any) -> Batch:
    r"""Read all rows of a source.

    Parameters
    ----------
    source : path, list of paths, bytes, binary file object, "-", SQL or table
        As in ``scan``.
    format : str, default=None
        As in ``scan``.
    **options : dict
        The options of ``scan``, except ``batch_size`` and ``follow``.

    Returns
    -------
    Batch
        Unpacks as ``X, y``, or as ``X, y, weights``.

    Raises
    ------
    InvalidInputError
        If the source is malformed, an option does not fit the format, or there are no rows.
    FileError
        If a file cannot be read.

    See Also
    --------
    scan : Read rows in batches, in bounded memory.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = nk.read(b"height,width,label\n1.5,2,dog\n0.5,1,cat\n", format="csv")
    >>> X.tolist(), y.tolist()
    ([[1.5, 2.0], [0.5, 1.0]], ['dog', 'cat'])
    """
    where = "read"
    data_format = find_format(where, source, format)
    return data_format.read(where, sources_of(source), _chosen(where, data_format, options))


def _open(
    where: str, source: Any, format: str | None, batch_size: int, follow: bool | str, given: dict[str, Any]
) -> Batches:
    """Find the format of a source, and open it."""
    check_integer(where, "batch_size", batch_size, at_least=1)
    if not (isinstance(follow, str) and follow == ROTATE):
        check_flag(where, "follow", follow)
    data_format = find_format(where, source, format)
    options = _chosen(where, data_format, given)
    if follow and not data_format.is_text:
        raise input_error(where, f"follow=True needs text by lines, but the source is {data_format.name}.")
    if follow and not is_path(source):
        found = name_of(source) if not isinstance(source, list | tuple) else f"{len(source)} files"
        raise input_error(where, f"follow=True needs the path of one file, but the source is {found}.")
    is_followed: Any = follow  # formats of text hand "rotate" to the reader of the file; for all others it is False
    return data_format.open(where, sources_of(source), options, batch_size, is_followed)


def _chosen(where: str, data_format: DataFormat, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that a format takes; refuse others that were given."""
    _check_known(where, given)
    for name, value in given.items():
        is_default = name in DEFAULTS and _is_same(value, DEFAULTS[name])
        if name not in data_format.options and not is_default:
            takers = ", ".join(known for known, other in FORMATS.items() if name in other.options)
            message = f"{name}={quote(value)} is an option of {takers}, but the source is {data_format.name}."
            raise input_error(where, f"{message} Use format= if that is wrong.")
    known = DEFAULTS | given
    return {name: known[name] for name in data_format.options if name in known}


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (default is not None and bool(value == default))


def _check_known(where: str, given: dict[str, Any]) -> None:
    if not given.keys() - DEFAULTS.keys():
        return
    known = list(dict.fromkeys([*DEFAULTS, *(name for other in FORMATS.values() for name in other.options)]))
    if unknown := sorted(given.keys() - set(known)):
        wrong = f"there is no option {', '.join(unknown)}.{did_you_mean(unknown[0], known)}"
        raise input_error(where, f"{wrong} The options are {', '.join(known)}.")
