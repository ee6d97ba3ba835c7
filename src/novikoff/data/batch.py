"""Rows with their labels, as all readers hand them over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self


class Batch(tuple[Any, ...]):
    """Rows and labels: unpacks as ``X, y``, or as ``X, y, weights`` where a column of weights was asked for.

    Attributes
    ----------
    X : CSR array, or a dense array where every feature is a number of a table
    y : one label a row
    weights : one weight a row, or None
    feature_names : the names of the columns, where columns have names
    index_base : the number of the first feature in the file, for svmlight
    columns : the columns of the table that the features were made of, and what they hold: number, string or text
    target : the column of the table that holds the labels
    """

    feature_names: tuple[str, ...] | None
    index_base: int | None
    columns: dict[str, str] | None
    target: str | None

    def __new__(  # noqa: D102  # the class says it
        cls,
        X: Any,
        y: Any,
        weights: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        index_base: int | None = None,
        columns: Mapping[str, str] | None = None,
        target: str | None = None,
    ) -> Self:
        self = super().__new__(cls, (X, y) if weights is None else (X, y, weights))
        self.feature_names = None if feature_names is None else tuple(feature_names)
        self.index_base = index_base
        self.columns = None if columns is None else dict(columns)
        self.target = target
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
        """The weights, if any."""
        return self[2] if len(self) > 2 else None

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"Batch({rows} rows, {columns} columns{', weighted' * (self.weights is not None)})"
