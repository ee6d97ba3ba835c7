"""How the columns of a table become arrays: a column at a time, never a cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from novikoff.data.batch import Batch
from novikoff.errors import InvalidInputError, invalid

from .columns import Columns, clipped

Place = Callable[[int], str]


class Encoder:
    """Record batches as batches of rows.

    Number and boolean columns alone make a dense matrix, a column each. As soon as one feature is a string or a text,
    rows are hashed instead: the number ``age`` is the key ``"age"`` with its value, the string ``clerk`` in the column
    ``job`` is the key ``"job=clerk"`` with value 1, a boolean is a number, and a text counts its words. So a row stands
    in the columns that ``learn_one`` gives to the dict ``{"age": 39.0, "job=clerk": 1.0}``.

    A number that is missing (NULL or NaN), and a string that is, is an error, or 0, or with ``missing="indicator"`` 0
    and a feature ``"age=missing"`` of value 1. In a dense matrix there is one such column for each feature, after
    all features and in their order, whether or not anything is missing: the width depends on the names alone.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns, self._arrow, self._where = columns, columns.arrow, columns.where
        kinds = {name: columns.kinds[name].replace("boolean", "number") for name in columns.features}
        self._origin: dict[str, Any] = {"columns": kinds, "target": columns.target}
        if columns.feature_names is None:
            hashing = columns.hashing
            self._norm, self._dtype = hashing.norm, hashing.dtype
            self._hashing = clone(hashing).set_params(norm=None, dtype=np.float64)  # a row is measured when complete
            self._number_columns = self._hashing.columns(columns.numbers)
            marks = self._hashing.columns([f"{name}=missing" for name in columns.features])
            self._missing_column = dict(zip(columns.features, marks.tolist(), strict=True))

    def batch(self, table: Any, place: Place, first: int = 0) -> Batch:
        """Return the rows of a record batch, the first of which is where ``place(first)`` says."""
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
        need = f"A label in every row of column {name!r}."
        if array.null_count:
            self._refuse_first(_is_null(array), need, array, place)
        if self._columns.kinds[name] == "string":
            codes, values = self._distinct(name, array, place)
            return np.array(values, dtype=np.str_)[codes]
        if self._columns.kinds[name] == "boolean":
            return np.array(array.to_numpy(zero_copy_only=False))
        if not self._arrow.types.is_integer(array.type):
            labels = self._floats(array, np.float64)
            self._refuse_first(np.isnan(labels), need, array, place)
            whole = (labels == np.floor(labels)) & (np.abs(labels) < 2.0**63)
            need = f"Labels that are whole numbers, strings or booleans in column {name!r}."
            self._refuse_first(~whole, need, array, place)
            return labels.astype(np.int64)
        integers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
        if integers.dtype == np.uint64:
            self._refuse_first(integers >= 2**63, f"Labels below 2**63 in column {name!r}.", array, place)
        return integers.astype(np.int64)

    def _weights(self, array: Any, place: Place) -> NDArray[np.float64]:
        weights = self._floats(array, np.float64)
        need = f"A finite weight of at least 0 in every row of column {self._columns.weight!r}."
        self._refuse_first(~((weights >= 0) & (weights < np.inf)), need, array, place)
        return np.array(weights)

    def _numbers(self, table: Any, place: Place) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return the number columns side by side, 0 where one is missing, and where that was."""
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
            raise self._refused(names[j], table.column(names[j]), int(row), place)
        block[absent] = 0
        return block, absent

    def _hashed(self, table: Any, numbers: NDArray[Any], absent: NDArray[np.bool_] | None, place: Place) -> Any:
        """Return rows of 2**n_bits columns: first each as wide as it can be, then without its zeros."""
        columns = self._columns
        indices = [np.broadcast_to(self._number_columns, numbers.shape)]
        values = [numbers]
        marks = {} if absent is None else dict(zip(columns.numbers, absent.T, strict=True))
        for name in columns.strings:
            codes, distinct = self._distinct(name, table.column(name), place)
            hashed = self._hashing.columns([f"{name}={value}" for value in distinct])
            indices.append(np.append(hashed, 0)[codes][:, None])  # the code -1 is the last
            values.append((codes >= 0)[:, None].astype(np.float64))
            marks[name] = codes < 0
        texts = []
        for name in columns.text:
            array = self._plain(table.column(name))
            marks[name] = _is_null(array)
            texts.append([text or "" for text in self._python(name, array, array, place)])
        for name, mark in marks.items():
            if columns.missing == "error" and mark.any():
                raise self._refused(name, table.column(name), int(np.argmax(mark)), place)
            if columns.missing == "indicator":
                indices.append(np.full((len(mark), 1), self._missing_column[name]))
                values.append(mark[:, None].astype(np.float64))
        X = _compressed(np.hstack(indices), np.hstack(values), 2**self._hashing.n_bits)
        for words in texts:
            X = X + self._hashing.transform(words)
        return self._measured(X, place)

    def _measured(self, X: Any, place: Place) -> Any:
        """Give rows the length and the dtype that the hashing asks for."""
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        if self._norm is not None:
            largest = np.zeros(X.shape[0])
            np.maximum.at(largest, rows, np.abs(X.data))
            usual = ((largest > 1e-100) & (largest < 1e100)) | (largest == 0)  # squares of others overflow or are lost
            X.data /= np.where(usual, 1.0, largest)[rows]
            lengths = np.sqrt(np.bincount(rows, X.data**2, minlength=X.shape[0]))
            X.data /= lengths[rows]
        with np.errstate(over="ignore"):
            X = X.astype(self._dtype, copy=False)
        if not np.isfinite(X.data).all():
            row = int(rows[np.argmin(np.isfinite(X.data))])
            raise invalid(self._where, f"Values that fit {np.dtype(self._dtype)}.", f"one too large at {place(row)}")
        return X

    def _distinct(self, name: str, array: Any, place: Place) -> tuple[NDArray[np.int64], list[str]]:
        """Return a code for each row, -1 where it is missing, and what the codes stand for."""
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
            need = f"Strings in UTF-8 in column {name!r}."
            raise invalid(self._where, need, f"{clipped(binary[row])} at {place(row)}") from error
        return strings

    def _decoded(self, array: Any) -> Any:
        if not self._arrow.types.is_dictionary(array.type):
            return array
        if str(array.type.value_type) == "string_view":  # polars' strings, which Arrow does not decode
            values = array.dictionary.cast(self._arrow.large_string())
            array = self._arrow.DictionaryArray.from_arrays(array.indices, values)
        return array.dictionary_decode()

    def _plain(self, array: Any) -> Any:
        return self._decoded(array).cast(self._arrow.large_string())

    def _floats(self, array: Any, dtype: type[np.floating[Any]]) -> NDArray[Any]:
        """Return numbers or booleans as floats, NaN where there is none."""
        floats = self._decoded(array).cast(self._arrow.from_numpy_dtype(dtype), safe=False)
        numbers: NDArray[Any] = floats.to_numpy(zero_copy_only=False)
        return numbers

    def _refused(self, name: str, array: Any, row: int, place: Place) -> InvalidInputError:
        """The error for a cell that is no feature."""
        got = _shown(array, row)
        need = f"Finite numbers in column {name!r}."
        if got in ("no value", "NaN"):
            need = f"A value in every row of column {name!r}, or missing='zero' or 'indicator'."
        return invalid(self._where, need, f"{got} at {place(row)}")

    def _refuse_first(self, wrong: NDArray[np.bool_], need: str, array: Any, place: Place) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise invalid(self._where, need, f"{_shown(array, row)} at {place(row)}")


def is_utf8(value: bytes) -> bool:
    """Whether bytes are text in UTF-8."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_null(array: Any) -> NDArray[np.bool_]:
    null: NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return null


def _shown(array: Any, row: int) -> str:
    """How a cell is called in an error."""
    value = array[row].as_py()
    return "no value" if value is None else "NaN" if value != value else clipped(value)


def _compressed(indices: NDArray[Any], values: NDArray[np.float64], width: int) -> Any:
    """Return the sparse rows of (n, k) columns and values: zeros left out, columns in order, equal columns summed."""
    kept = values != 0
    ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    dtype = np.int32 if width < 2**31 else np.int64
    X = sp.csr_array((values[kept], indices[kept].astype(dtype), ends.astype(dtype)), shape=(len(values), width))
    X.sum_duplicates()
    return X
