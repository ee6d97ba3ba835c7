"""Rows with their labels, as all readers return them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from novikoff._counts import counted


class Batch(tuple[Any, ...]):
    """Rows and labels: unpacks as ``X, y``, or as ``X, y, weights`` if there are weights.

    The parameters are also attributes.

    Parameters
    ----------
    X : csr_array or ndarray of shape (n_samples, n_features)
        The rows; dense if all features are numbers of a table.
    y : ndarray of shape (n_samples,) or None
        One label per row; None for a table without labels.
    weights : ndarray of shape (n_samples,), default=None
        One weight per row.
    feature_names : sequence of str, default=None
        The names of the columns of X, if they have names.
    index_base : int, default=None
        The number of the first feature in the file, for svmlight.
    columns : dict, default=None
        The columns of the table that the features were made from, and their kinds: number, string or text.
    target : str, default=None
        The column of the table that holds the labels.
    target_choice : str, default=""
        Why this column was taken: "by its name", "last column" or "first column"; empty if the user named it.
    target_rivals : sequence of str, default=()
        Further columns with names that labels often have.
    encoder : TableEncoder, default=None
        The encoder that was fitted to the table, if the features were made by one.
    notes : sequence of str, default=()
        What a user should know about the rows, such as values that were missing.
    warnings : sequence of str, default=()
        Those of the notes that may point to a mistake.
    table_columns : sequence of str, default=None
        All columns of the table, in its order.
    read_as : str, default=""
        How text was understood, such as ``;-separated, header, latin-1``.
    day_first : bool, default=None
        Whether dates of the text have the day before the month; None if it has no dates such as 01/02/2024.
    text_columns : sequence of str, default=()
        The columns of the table that the user called texts.
    weight_column : str, default=None
        The column of the table that holds the weights.
    dialect : DialectOptions, default=None
        What the user said about delimited text.
    running : RunningEncoding, default=None
        What the encoder of a stream of tables knows after this batch, from which it can continue.
    skipped : int, default=None
        Number of malformed lines that were left out of a source that was read as a whole; None for other batches.
    """

    feature_names: tuple[str, ...] | None
    index_base: int | None
    columns: dict[str, str] | None
    target: str | None
    target_choice: str
    target_rivals: tuple[str, ...]
    encoder: Any
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    table_columns: tuple[str, ...] | None
    read_as: str
    day_first: bool | None
    text_columns: tuple[str, ...]
    weight_column: str | None
    dialect: Any
    running: Any
    skipped: int | None

    def __new__(  # noqa: D102  # documented in the class
        cls,
        X: Any,
        y: Any,
        weights: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        index_base: int | None = None,
        columns: Mapping[str, str] | None = None,
        target: str | None = None,
        target_choice: str = "",
        target_rivals: Sequence[str] = (),
        encoder: Any = None,
        notes: Sequence[str] = (),
        warnings: Sequence[str] = (),
        table_columns: Sequence[str] | None = None,
        read_as: str = "",
        day_first: bool | None = None,
        text_columns: Sequence[str] = (),
        weight_column: str | None = None,
        dialect: Any = None,
        running: Any = None,
        skipped: int | None = None,
    ) -> Self:
        self = super().__new__(cls, (X, y) if weights is None else (X, y, weights))
        self.feature_names = None if feature_names is None else tuple(feature_names)
        self.index_base = index_base
        self.columns = None if columns is None else dict(columns)
        self.target = target
        self.target_choice, self.target_rivals = target_choice, tuple(target_rivals)
        self.encoder = encoder
        self.notes = tuple(notes)
        self.warnings = tuple(warnings)
        self.table_columns = None if table_columns is None else tuple(table_columns)
        self.read_as = read_as
        self.day_first = day_first
        self.text_columns = tuple(text_columns)
        self.weight_column = weight_column
        self.dialect = dialect
        self.running = running
        self.skipped = skipped
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tuple(self), self.__dict__

    @property
    def X(self) -> Any:
        """The rows."""
        return self[0]

    @property
    def y(self) -> Any:
        """The labels."""
        return self[1]

    @property
    def weights(self) -> Any:
        """The weights, or None."""
        return self[2] if len(self) > 2 else None

    def after(self, rows: int) -> Batch:
        """Return the rows after the first ones.

        Parameters
        ----------
        rows : int
            Number of rows that are left out.
        """
        weights = None if self.weights is None else self.weights[rows:]
        return Batch(self.X[rows:], None if self.y is None else self.y[rows:], weights, **vars(self))

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"Batch({counted(rows, 'row')}, {counted(columns, 'column')}{', weighted' * (self.weights is not None)})"
