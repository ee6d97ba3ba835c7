"""The contract of a data format: how it is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff.data.bad_lines import BadLines
from novikoff.data.batch import Batch
from novikoff.data.source import writable
from novikoff.errors import InvalidInputError, input_error, quote

LABEL_KINDS = {"i": "numbers", "f": "numbers", "b": "booleans", "U": "strings"}  # by the kinds of NumPy
WHOLE_READ_BATCH = 1 << 16  # rows of a batch where all rows are read at once


class Batches:
    """The rows of an opened source, as one or more passes over batches.

    Parameters
    ----------
    new_pass : callable
        Starts a pass from the first row and returns its batches.
    """

    def __init__(self, new_pass: Callable[[], Iterable[Batch]]) -> None:
        self._new_pass = new_pass

    @property
    def bad(self) -> BadLines | None:
        """The malformed lines so far; None if they are errors."""
        return None

    @property
    def notes(self) -> list[str]:
        """What a user should know about the rows so far."""
        return []

    def width(self) -> int | None:
        """Return how many features every batch should have; None if the batches are equally wide, or unknown."""
        return None

    def read(self, where: str) -> Batch:
        """Read all rows, encoded by a fitted encoder if they are those of a table."""
        return self.whole(where)

    def whole(self, where: str) -> Batch:
        """Return the rows of one pass as one batch, with the notes about malformed lines."""
        batch = joined(where, list(self.batches(None)))
        batch.skipped = 0 if self.bad is None else self.bad.count
        sentences = () if self.bad is None else tuple(self.bad.sentences())
        batch.notes, batch.warnings = batch.notes + sentences, batch.warnings + sentences
        return batch

    def batches(self, width: int | None) -> Iterator[Batch]:
        """Start a pass. With ``width=None``, batches are as wide as the features seen so far require."""
        return iter(self._new_pass())

    def batches_after(self, rows: int) -> Iterator[Batch]:
        """Start a pass as ``batches(None)`` does, without the first rows.

        By default, batches are cut. A subclass whose batches depend on the rows before must override this.
        """
        for batch in self.batches(None):
            count = batch.X.shape[0]
            if count > rows:
                yield batch if rows == 0 else batch.after(rows)
            rows = max(0, rows - count)
        if rows:
            raise missing_rows(rows)


@dataclass(frozen=True)
class Rows:
    """Checked rows to write: finite numbers, labels that the format can hold (if any), weights and column names."""

    X: Any
    y: NDArray[Any] | None
    weights: NDArray[np.float64] | None = None
    names: Sequence[str] | None = None
    index_base: int | None = None

    @property
    def base(self) -> int:
        """The number of the first feature."""
        return 1 if self.index_base is None else self.index_base

    def name(self, column: int) -> str:
        """Return the name of a column; ``x`` and its number where columns have no names."""
        return f"x{self.base + column}" if self.names is None else self.names[column]

    @property
    def other_columns(self) -> list[tuple[str, NDArray[Any]]]:
        """The columns of a table that are not features."""
        pairs = (("label", self.y), ("weight", self.weights))
        return [(name, values) for name, values in pairs if values is not None]


class DataFormat:
    """A data format: how it is recognised, read and written.

    To add one, subclass this in a module of its own, override ``open`` (and ``write_rows`` if it can be written), and
    register an instance in ``novikoff.data.formats.FORMATS``.

    Attributes
    ----------
    name : str
        The name in the registry, which ``format=`` takes.
    suffixes : tuple of str
        Endings of file names, in lower case and with the dot.
    options : tuple of str
        The options of ``scan`` that it takes; ``open`` and ``read`` get these only.
    is_file : bool
        Files can have this format. False for sources of other types, which ``takes`` recognises.
    is_text : bool
        The format is text by lines: it can come from a pipe, be followed, and be compressed as a whole.
    is_table : bool
        Columns have names and all batches have the same columns. Decides what can be written.
    yields_to_content : bool
        The name of a file may be wrong: another format that recognises its content is taken instead. Of several that
        do, one that does not yield is taken.
    can_write : bool
        ``write`` is implemented.
    holds_weights : bool
        The file can hold one weight per row.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    is_file = True
    is_text = True
    is_table = False
    yields_to_content = False
    can_write = False
    holds_weights = True

    def takes(self, source: Any) -> bool:
        """Return whether the type of a source decides that it has this format, such as SQL text or a DataFrame."""
        return False

    def recognizes(self, beginning: bytes) -> bool:
        """Return whether a file whose name does not say its format has this one, by its first bytes, decompressed."""
        return False

    def open(self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool) -> Batches:
        """Open sources, of which there is at least one, as a stream.

        Parameters
        ----------
        where : str
            The function that the user called, for error messages about options.
        sources : list
            Paths, bytes, binary file objects or ``"-"``; for formats that are not files, the one object.
        options : dict
            The values of ``self.options``.
        batch_size : int
            The largest number of rows of a batch.
        follow : bool
            Wait for more lines at the end of the file. Only formats that are text get True.
        """
        raise NotImplementedError  # a subclass defines it

    def table(
        self,
        where: str,
        sources: list[Any],
        options: dict[str, Any],
        batch_size: int,
        follow: bool = False,
        known: Mapping[str, str] | None = None,
    ) -> Any:
        """Open sources as raw columns, if ``is_table``.

        Parameters
        ----------
        where, sources, options, batch_size, follow
            As in ``open``.
        known : mapping of str to str, default=None
            The columns that a model uses and their kinds, instead of those that ``options`` name.

        Returns
        -------
        TableSource
            The raw rows.
        """
        raise NotImplementedError  # a table format defines it

    def read(self, where: str, sources: list[Any], options: dict[str, Any]) -> Batch:
        """Read all rows. By default, the batches of ``open`` are joined."""
        return self.open(where, sources, options, WHOLE_READ_BATCH, False).whole(where)

    def labels(self, where: str, y: Any, rows: int) -> NDArray[Any]:
        """Return labels as the format holds them: int64, bool or str."""
        labels = np.asarray(y)
        if labels.shape != (rows,):
            raise input_error(where, f"y must have one label per row, {rows} in all, but its shape is {labels.shape}.")
        if labels.dtype.kind == "O":
            plain = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
            if len({*map(type, plain)} & {bool, int, float, str}) == 1 == len({*map(type, plain)}):
                labels = np.array(plain)
        if labels.dtype.kind in "bU":
            return labels
        if labels.dtype.kind in "iu" and (labels.dtype != np.uint64 or labels.max(initial=0) < 2**63):
            return labels.astype(np.int64)
        if labels.dtype.kind == "f" and np.all((labels == np.floor(labels)) & (np.abs(labels) < 2.0**63)):
            return labels.astype(np.int64)
        found = f"{labels.dtype}: {quote(labels[:3].tolist())}"
        raise input_error(where, f"labels must be whole numbers, strings or booleans, but they are {found}.")

    def constants(self, rows: Rows) -> dict[str, Any]:
        """Return what must be the same in all batches of a file, by its name in error messages."""
        return {
            "number of the first feature": rows.base,
            "kind of labels": "none" if rows.y is None else LABEL_KINDS[rows.y.dtype.kind],
            "weights": "none" if rows.weights is None else "one per row",
            "names": "none" if rows.names is None else list(rows.names),
            "number of columns (set n_features=)": rows.X.shape[1],
        }

    def write(self, where: str, target: Any, rows: Iterator[Rows]) -> None:
        """Write rows, of which there is at least one batch, to a path or a binary file object."""
        with writable(where, target) as file:
            self.write_rows(where, file, self.checked(where, rows))

    def checked(self, where: str, rows: Iterator[Rows]) -> Iterator[Rows]:
        """Refuse rows that the format cannot hold. By default, all rows are accepted."""
        return rows

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        """Write rows to a binary file."""
        raise NotImplementedError  # a subclass defines it


def missing_rows(count: int) -> InvalidInputError:
    """Return the error of a source that has fewer rows than were to be left out."""
    return input_error(
        "scan", f"the rows to skip are {counted(count, 'row')} more than the source has. Is it the right file?"
    )


def joined(where: str, batches: list[Batch]) -> Batch:
    """Join batches; narrower sparse ones are widened."""
    if not batches:
        raise input_error(where, "the source has no rows.")
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
    return Batch(X, y, weights, **vars(batches[-1]))
