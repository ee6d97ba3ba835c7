"""Encode the columns of a table as the rows of a matrix, one column at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from novikoff.data.batch import Batch
from novikoff.errors import InvalidInputError, input_error, quote

from .columns import Columns

Place = Callable[[int], str]  # returns where a row is, for error messages
NO_VALUE = "no value"
MISSING = (NO_VALUE, "NaN")
NO_LABEL = "every row of column {!r} must have a label"
SQUARABLE_MIN, SQUARABLE_MAX = 1e-100, 1e100  # beyond, squares of values underflow or overflow


class Encoder:
    """Encodes record batches as batches of rows.

    If all features are numbers or booleans, the matrix is dense, with one column each. If one of them is a string or a
    text, rows are hashed: the number ``age`` becomes the key ``"age"`` with its value, the string ``clerk`` in column
    ``job`` becomes the key ``"job=clerk"`` with value 1, a boolean is a number, and a text counts its words. These are
    the columns that ``learn_one`` uses for the dict ``{"age": 39.0, "job=clerk": 1.0}``.

    A missing number (NULL or NaN) or string is an error, or 0, or with ``missing="indicator"`` 0 and a feature
    ``"age=missing"`` of value 1. A dense matrix then has one such column for each feature, after all features and in
    their order, whether or not a value is missing, so that its width depends on the names alone.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns, self._arrow = columns, columns.arrow
        kinds = {name: columns.kinds[name].replace("boolean", "number") for name in columns.features}
        self._origin: dict[str, Any] = {"columns": kinds, "target": columns.target}
        if columns.feature_names is None:
            hashing = columns.hashing
            self._norm, self._dtype = hashing.norm, hashing.dtype
            self._hashing = clone(hashing).set_params(norm=None, dtype=np.float64)  # applied to whole rows
            self._number_columns = self._hashing.columns(columns.numbers)
            marks = self._hashing.columns([f"{name}=missing" for name in columns.features])
            self._missing_column = dict(zip(columns.features, marks.tolist(), strict=True))

    def batch(self, table: Any, place: Place, first: int = 0) -> Batch:
        """Return the rows of a record batch, whose first row is row ``first`` of its source."""
        columns = self._columns
        if first:
            return self.batch(table, lambda row: place(first + row))
        y = None if columns.target is None else self._labels(columns.target, table.column(columns.target), place)
        weights = None if columns.weight is None else self._weights(table.column(columns.weight), place)
        numbers, absent = self._numbers(table, place)
        if columns.feature_names is None:
            return Batch(self._hashed(table, numbers, absent, place), y, weights, **self._origin)
        if columns.missing == "indicator":
            marks = np.zeros_like(numbers) if absent is None else absent.astype(columns.dtype)
            numbers = np.hstack([numbers, marks])
        return Batch(numbers, y, weights, feature_names=columns.feature_names, **self._origin)

    def _labels(self, name: str, array: Any, place: Place) -> NDArray[Any]:
        array = self._decoded(array)
        if array.null_count:
            _refuse_first(_is_null(array), NO_LABEL.format(name), array, place)
        if self._columns.kinds[name] == "string":
            codes, values = self._distinct(name, array, place)
            return np.array(values, dtype=np.str_)[codes]
        if self._columns.kinds[name] == "boolean":
            return np.array(array.to_numpy(zero_copy_only=False))
        if not self._arrow.types.is_integer(array.type):
            labels = self._floats(array, np.float64)
            _refuse_first(np.isnan(labels), NO_LABEL.format(name), array, place)
            whole = (labels == np.floor(labels)) & (np.abs(labels) < 2.0**63)
            message = f"labels in column {name!r} must be whole numbers, strings or booleans"
            _refuse_first(~whole, message, array, place)
            return labels.astype(np.int64)
        integers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
        if integers.dtype == np.uint64:
            _refuse_first(integers >= 2**63, f"labels in column {name!r} must be below 2**63", array, place)
        return integers.astype(np.int64)

    def _weights(self, array: Any, place: Place) -> NDArray[np.float64]:
        weights = self._floats(array, np.float64)
        message = f"weights in column {self._columns.weight!r} must be finite numbers of at least 0"
        _refuse_first(~((weights >= 0) & (weights < np.inf)), message, array, place)
        return np.array(weights)

    def _numbers(self, table: Any, place: Place) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return the columns of numbers side by side, with 0 for missing values, and a mask of these."""
        names = self._columns.numbers
        block = np.empty((table.num_rows, len(names)), dtype=self._columns.dtype)
        for j, name in enumerate(names):
            block[:, j] = self._floats(table.column(name), self._columns.dtype)
        finite = np.isfinite(block)
        if finite.all():
            return block, None
        absent = np.isnan(block)
        wrong = ~finite if self._columns.missing == "error" else ~finite & ~absent
        if wrong.any():
            row, j = np.argwhere(wrong)[0]
            raise _bad_cell(names[j], table.column(names[j]), int(row), place)
        block[absent] = 0
        return block, absent

    def _hashed(self, table: Any, numbers: NDArray[Any], absent: NDArray[np.bool_] | None, place: Place) -> Any:
        """Return sparse rows of 2**n_bits columns."""
        columns = self._columns
        indices = [np.broadcast_to(self._number_columns, numbers.shape)]
        values = [numbers]
        marks = {} if absent is None else dict(zip(columns.numbers, absent.T, strict=True))
        for name in columns.strings:
            codes, distinct = self._distinct(name, table.column(name), place)
            hashed = self._hashing.columns([f"{name}={value}" for value in distinct])
            indices.append(np.append(hashed, 0)[codes][:, None])  # the code -1 of missing values picks the appended 0
            values.append((codes >= 0)[:, None].astype(np.float64))
            marks[name] = codes < 0
        texts = []
        for name in columns.text:
            array = self._plain(table.column(name))
            marks[name] = _is_null(array)
            texts.append([text or "" for text in self._python(name, array, array, place)])
        for name, mark in marks.items():
            if columns.missing == "error" and mark.any():
                raise _bad_cell(name, table.column(name), int(np.argmax(mark)), place)
            if columns.missing == "indicator":
                indices.append(np.full((len(mark), 1), self._missing_column[name]))
                values.append(mark[:, None].astype(np.float64))
        X = _compressed(np.hstack(indices), np.hstack(values), 2**self._hashing.n_bits)
        for words in texts:
            X = X + self._hashing.transform(words)
        return self._normalized(X, place)

    def _normalized(self, X: Any, place: Place) -> Any:
        """Return rows with the norm and the dtype of the hashing."""
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        if self._norm is not None:
            largest = np.zeros(X.shape[0])
            np.maximum.at(largest, rows, np.abs(X.data))
            squarable = ((largest > SQUARABLE_MIN) & (largest < SQUARABLE_MAX)) | (largest == 0)
            X.data /= np.where(squarable, 1.0, largest)[rows]
            lengths = np.sqrt(np.bincount(rows, X.data**2, minlength=X.shape[0]))
            X.data /= lengths[rows]
        with np.errstate(over="ignore"):
            X = X.astype(self._dtype, copy=False)
        if not np.isfinite(X.data).all():
            row = int(rows[np.argmin(np.isfinite(X.data))])
            raise input_error(place(row), f"a value is too large for {np.dtype(self._dtype)}.")
        return X

    def _distinct(self, name: str, array: Any, place: Place) -> tuple[NDArray[np.int64], list[str]]:
        """Return a code for each row, -1 for missing values, and the value of each code."""
        plain = self._plain(array)
        encoded = plain.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return codes, self._python(name, encoded.dictionary, plain, place)

    def _python(self, name: str, values: Any, rows: Any, place: Place) -> list[Any]:
        try:
            strings: list[Any] = values.to_pylist()
        except UnicodeDecodeError as error:
            binary = rows.cast(self._arrow.large_binary()).to_pylist()
            row = next(i for i, value in enumerate(binary) if value and not is_utf8(value))
            message = f"strings in column {name!r} must be UTF-8, but there is {quote(binary[row])}."
            raise input_error(place(row), message) from error
        return strings

    def _decoded(self, array: Any) -> Any:
        if not self._arrow.types.is_dictionary(array.type):
            return array
        if str(array.type.value_type) == "string_view":  # the strings of polars, which Arrow does not decode
            values = array.dictionary.cast(self._arrow.large_string())
            array = self._arrow.DictionaryArray.from_arrays(array.indices, values)
        return array.dictionary_decode()

    def _plain(self, array: Any) -> Any:
        return self._decoded(array).cast(self._arrow.large_string())

    def _floats(self, array: Any, dtype: type[np.floating[Any]]) -> NDArray[Any]:
        """Return numbers or booleans as floats, with NaN for missing values."""
        floats = self._decoded(array).cast(self._arrow.from_numpy_dtype(dtype), safe=False)
        numbers: NDArray[Any] = floats.to_numpy(zero_copy_only=False)
        return numbers


def _bad_cell(name: str, array: Any, row: int, place: Place) -> InvalidInputError:
    """Return the error of a cell that cannot be a feature."""
    if (found := _shown(array, row)) in MISSING:
        return input_error(place(row), f'column {name!r} has {found}. Use missing="zero" or missing="indicator".')
    return input_error(place(row), f"numbers in column {name!r} must be finite, but there is {found}.")


def _refuse_first(wrong: NDArray[np.bool_], message: str, array: Any, place: Place) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise input_error(place(row), f"{message}, but there is {_shown(array, row)}.")


def is_utf8(value: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_null(array: Any) -> NDArray[np.bool_]:
    null: NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return null


def _shown(array: Any, row: int) -> str:
    """Return a cell as error messages show it."""
    value = array[row].as_py()
    return NO_VALUE if value is None else "NaN" if value != value else quote(value)


def _compressed(indices: NDArray[Any], values: NDArray[np.float64], width: int) -> Any:
    """Return CSR rows of (n, k) columns and values: without zeros, with sorted columns and summed duplicates."""
    kept = values != 0
    ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    dtype = np.int32 if width < 2**31 else np.int64
    X = sp.csr_array((values[kept], indices[kept].astype(dtype), ends.astype(dtype)), shape=(len(values), width))
    X.sum_duplicates()
    return X
