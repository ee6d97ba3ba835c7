"""Encode the rows of a table without state, by feature hashing."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._estimators import clone
from novikoff.data.hashing import Hashing
from novikoff.data.tables.block import Block, Place
from novikoff.errors import input_error, quote

SQUARABLE_MIN, SQUARABLE_MAX = 1e-100, 1e100  # beyond, squares of values underflow or overflow

MEAN_OR_ZERO = 'Use missing="mean" or missing="zero".'
ZERO_OR_INDICATOR = 'Use missing="zero" or missing="indicator".'


class HashedEncoder:
    """Encodes blocks as rows, each by itself.

    If all features are numbers, booleans or dates, the matrix is dense, with one column each. If one of them is a
    string or a text, rows are hashed: the number ``age`` becomes the key ``"age"`` with its value, the string ``clerk``
    in column ``job`` becomes the key ``"job=clerk"`` with value 1, and a text counts its words. These are the columns
    that ``learn_one`` uses for the dict ``{"age": 39.0, "job=clerk": 1.0}``.

    A missing number or string is an error, or 0, or with ``missing="indicator"`` 0 and a feature ``"age=missing"`` of
    value 1. A dense matrix then has one such column for each feature, after all features and in their order, whether or
    not a value is missing, so that its width depends on the names alone.

    Parameters
    ----------
    kinds : dict
        The features and their kinds.
    text : list of str
        Those of them that are texts.
    missing : {"error", "zero", "indicator"}
        What a missing value means.
    hashing : Hashing
        How keys become columns.
    """

    def __init__(self, kinds: dict[str, str], text: list[str], missing: str, hashing: Hashing) -> None:
        self.missing, self.text = missing, text
        self.numbers = [name for name, kind in kinds.items() if kind != "string"]
        texts = set(text)
        self.strings = [name for name, kind in kinds.items() if kind == "string" and name not in texts]
        self.feature_names: tuple[str, ...] | None = None
        if len(self.numbers) == len(kinds):
            marks = [f"{name}=missing" for name in self.numbers if missing == "indicator"]
            self.feature_names = (*self.numbers, *marks)
            return
        self._norm, self._dtype = hashing.norm, hashing.dtype
        self._hashing = clone(hashing).set_params(norm=None, dtype=np.float64)  # applied to whole rows
        self._number_columns = self._hashing.columns(self.numbers)
        marks = self._hashing.columns([f"{name}=missing" for name in kinds])
        self._missing_column = dict(zip(kinds, marks.tolist(), strict=True))

    def rows(self, block: Block) -> Any:
        """Return the rows of a block."""
        numbers = block.number_columns(self.numbers)
        numbers = numbers.copy() if numbers is block.numbers else numbers  # missing values are replaced below
        absent = np.isnan(numbers)
        if absent.any():
            if self.missing == "error":
                row, j = np.argwhere(absent)[0]
                raise missing_value(block, self.numbers[j], int(row), ZERO_OR_INDICATOR)
            numbers[absent] = 0
        if self.feature_names is None:
            return self._hashed(block, numbers, absent)
        return np.hstack([numbers, absent.astype(numbers.dtype)]) if self.missing == "indicator" else numbers

    def _hashed(self, block: Block, numbers: NDArray[Any], absent: NDArray[np.bool_]) -> Any:
        """Return sparse rows of 2**n_bits columns."""
        indices = [np.broadcast_to(self._number_columns, numbers.shape)]
        values = [numbers.astype(np.float64, copy=False)]
        marks = dict(zip(self.numbers, absent.T, strict=True))
        for name in self.strings:
            codes, strings = block.string_column(name)
            used, places = np.unique(codes, return_inverse=True)  # not all strings of the pass are in this block
            keys = [f"{name}={strings[code]}" for code in used.tolist() if code >= 0]
            hashed = np.append(np.zeros(len(used) - len(keys), dtype=np.int64), self._hashing.columns(keys))
            indices.append(hashed[places.reshape(-1)][:, None])  # a missing value picks the 0 before all others
            values.append((codes >= 0)[:, None].astype(np.float64))
            marks[name] = codes < 0
        for name in self.text:
            marks[name] = block.string_column(name)[0] < 0
        for name, mark in marks.items():
            if self.missing == "error" and mark.any():
                raise missing_value(block, name, int(np.argmax(mark)), ZERO_OR_INDICATOR)
            if self.missing == "indicator":
                indices.append(np.full((len(mark), 1), self._missing_column[name]))
                values.append(mark[:, None].astype(np.float64))
        X = _compressed(np.hstack(indices), np.hstack(values), 2**self._hashing.n_bits)
        for name in self.text:
            codes, strings = block.string_column(name)
            used, places = np.unique(codes, return_inverse=True)
            texts = ["" if code < 0 else strings[code] for code in used.tolist()]
            X = X + self._hashing.transform(texts)[places.reshape(-1)]
        return self._normalized(X, block.place)

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


def missing_value(block: Block, name: str, row: int, remedy: str = MEAN_OR_ZERO) -> Exception:
    """Return the error of a missing value of a feature, or of one that is not of the kind of its column."""
    place = block.place(row)
    found = block.invalid().get(name)
    if found is not None and found.place == place:
        remedy = "Use na= if this means a missing value, or exclude= to leave the column out."
        return input_error(
            place, f"column {quote(name)} must hold numbers, but there is {quote(found.first)}. {remedy}"
        )
    return input_error(place, f"column {quote(name)} has no value. {remedy}")


def _compressed(indices: NDArray[Any], values: NDArray[np.float64], width: int) -> Any:
    """Return CSR rows of (n, k) columns and values: without zeros, with sorted columns and summed duplicates."""
    kept = values != 0
    ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    dtype = np.int32 if width < 2**31 else np.int64
    X = sp.csr_array((values[kept], indices[kept].astype(dtype), ends.astype(dtype)), shape=(len(values), width))
    X.sum_duplicates()
    return X
