"""Arrays with far more columns than numbers, so that the width of a matrix costs nothing.

The weights of sparse rows are 0 in every column that does not occur in the rows. Two rows of four numbers may have 2^31
columns: a dense vector of weights would take 17 GB. So weights are kept as the columns that occur and their values if
the width exceeds both ``MIN_WIDTH`` and ``MIN_RATIO`` times their number. With a smaller ratio, dense vectors need at
most ``MIN_RATIO`` times the memory and are faster; on ordinary sparse data, such as texts, most columns occur.

Nothing that is computed depends on the form. A column that is 0 in the weights adds a product of +0 or -0 to a sum that
begins with +0, and x + 0 = x for every x, also in floating point: a sum of this kind is never -0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from novikoff.errors import input_error

Array = NDArray[Any]
Ints = NDArray[np.int64]
MIN_WIDTH = 1 << 16  # a vector of half a megabyte; narrower ones are always dense
MIN_RATIO = 8  # of the width to the number of columns that occur
_are_attributes_compact: ContextVar[bool] = ContextVar("_are_attributes_compact", default=False)


def is_wide(width: int, occurring: int) -> bool:
    """Return whether an array of this width, of which so many columns occur, is kept compactly."""
    return width >= MIN_WIDTH and width > MIN_RATIO * occurring


class WideArray(NDArrayOperatorsMixin):
    """An array that is 0 in all but a few columns, which are those of its last dimension.

    It has the shape, the dtype and the length of the dense array. Operators, functions of NumPy and methods of arrays
    that it does not have are applied to the dense array, ``np.asarray(wide)``, which is made for them: they are right,
    but need its memory. So code that must not depend on the width uses the functions of this module.

    Parameters
    ----------
    values : ndarray of shape (..., n)
        The entries in these columns.
    columns : ndarray of int64 of shape (n,)
        The columns in ascending order.
    width : int
        The length of the last dimension.
    """

    def __init__(self, values: Array, columns: Ints, width: int) -> None:
        self.values, self.columns, self.width = values, columns, width

    @classmethod
    def of_positions(cls, shape: Sequence[int], positions: Array, values: Array) -> WideArray:
        """Return the array with these values at positions of the flattened array, which ascend."""
        width = int(shape[-1])
        rows, places = np.divmod(positions.astype(np.int64), max(1, width))
        columns, inverse = np.unique(places, return_inverse=True)
        held = np.zeros((*shape[:-1], len(columns)), dtype=values.dtype)
        held.reshape(math.prod(shape[:-1]), len(columns))[rows, inverse] = values
        return cls(held, columns, width)

    def positions(self) -> tuple[Ints, Array]:
        """Return the positions in the flattened array, ascending, and the values, of entries with any bit that is 1."""
        rows = np.ascontiguousarray(self.values).reshape(math.prod(self.shape[:-1]), len(self.columns))
        found, places = np.nonzero(rows.view(f"u{rows.itemsize}"))
        return found.astype(np.int64) * self.width + self.columns[places], rows[found, places]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the dense array."""
        return (*self.values.shape[:-1], self.width)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.values.ndim

    @property
    def size(self) -> int:
        """The number of entries of the dense array."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 1:
            return iter(np.asarray(self))
        return (WideArray(values, self.columns, self.width) for values in self.values)

    def __getitem__(self, key: Any) -> Any:
        if self.ndim > 1 and isinstance(key, int | np.integer | slice):
            return WideArray(self.values[key], self.columns, self.width)
        return np.asarray(self)[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the dense array is made when it is asked for, so it is always a copy")
        try:
            dense = np.zeros(self.shape, dtype=self.dtype if dtype is None else dtype)
        except (MemoryError, ValueError):  # NumPy raises ValueError for sizes that no address can reach
            size = f"{self.size * self.dtype.itemsize / 2**30:,.1f} GiB"
            message = f"an array of {self.width:,} columns needs {size} of memory, which are not available"
            raise input_error("dense array", f"{message}. weights_ of a classifier has those that are not 0.") from None
        dense[..., self.columns] = self.values
        return dense

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(function, method)(*(np.asarray(x) if isinstance(x, WideArray) else x for x in inputs), **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python asks objects for, when it copies them for instance
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __repr__(self) -> str:
        return f"<WideArray of shape {self.shape} with {len(self.columns)} columns that are not 0>"


def widened(values: Array, columns: Ints, width: int) -> Array:
    """Return an array of this width, given its entries in some columns: compact if it is wide, else dense."""
    wide = WideArray(values, columns, width)
    return cast("Array", wide) if is_wide(width, len(columns)) else np.asarray(wide)


def compacted(vector: Array) -> Array:
    """Return a vector in compact form if it is wide; an entry is kept if any of its bits is 1, so that -0.0 remains."""
    if isinstance(vector, WideArray) or len(vector) < MIN_WIDTH:
        return vector
    columns = np.flatnonzero(np.ascontiguousarray(vector).view(f"u{vector.itemsize}"))
    return widened(vector[columns], columns, len(vector)) if is_wide(len(vector), len(columns)) else vector


def stored(array: Any) -> Any:
    """Return the entries of an array, without columns that a wide array does not store, where it is 0."""
    return array.values if isinstance(array, WideArray) else array


def occurring(array: Array) -> Ints:
    """Return the columns in which an array has an entry that is not 0."""
    found = np.flatnonzero(np.any(stored(array) != 0, axis=tuple(range(array.ndim - 1))))
    return array.columns[found] if isinstance(array, WideArray) else found


def narrowed(array: Array, columns: Ints) -> Array:
    """Return the entries of an array in some columns, which ascend."""
    if not isinstance(array, WideArray):
        return array[..., columns]
    places = np.searchsorted(array.columns, columns)
    is_held = np.append(array.columns, -1)[places] == columns
    found: Array = np.zeros((*array.shape[:-1], len(columns)), dtype=array.dtype)
    found[..., is_held] = array.values[..., places[is_held]]
    return found


def changed(array: Any, change: Callable[[Any], Any]) -> Any:
    """Return a function of an array that keeps columns, and that of zeros is zeros, in the form of the array."""
    if not isinstance(array, WideArray):
        return change(array)
    return WideArray(change(array.values), array.columns, array.width)


def product(one: Array, other: Array) -> Array:
    """Return the products of the entries of two vectors of one length; wide if one of them is."""
    if not (isinstance(one, WideArray) or isinstance(other, WideArray)):
        return one * other
    columns = np.intersect1d(occurring(one), occurring(other))
    return cast("Array", WideArray(narrowed(one, columns) * narrowed(other, columns), columns, len(one)))


def quotient(one: Array, other: Array) -> Array:
    """Return the quotients of the entries of two vectors of one length; entries remain where the other is 0."""
    columns = occurring(one)
    values, by = narrowed(one, columns), narrowed(other, columns)
    found = np.divide(values, by, out=values.copy(), where=by != 0)
    return widened(found, columns, len(one))


def stacked(rows: Sequence[Any]) -> Array:
    """Return arrays of one shape as an array with one more dimension, the first; wide if all of them are."""
    wide = [row for row in rows if isinstance(row, WideArray)]
    if not wide or len(wide) < len(rows):
        return np.array([np.asarray(row) for row in rows])
    columns = np.unique(np.concatenate([row.columns for row in wide]))
    return cast("Array", WideArray(np.array([narrowed(row, columns) for row in rows]), columns, rows[0].shape[-1]))


def appended(vector: Array, value: Any) -> Array:
    """Return a vector with one more entry at its end, in the form that it has."""
    if not isinstance(vector, WideArray):
        return np.append(vector, value)
    columns, values = np.append(vector.columns, vector.width), np.append(vector.values, value)
    return cast("Array", WideArray(values, columns, vector.width + 1))


def without_last(vector: Array) -> Array:
    """Return a vector without its last entry, in the form that it has."""
    if not isinstance(vector, WideArray):
        return vector[:-1]
    width = vector.width - 1
    columns = vector.columns[vector.columns < width]
    return cast("Array", WideArray(vector.values[: len(columns)], columns, width))


def last_of(vector: Array) -> Any:
    """Return the last entry of a vector."""
    return narrowed(vector, np.array([len(vector) - 1]))[0]


def same_array(one: Any, other: Any) -> bool:
    """Return whether two arrays have the same shape and equal entries, whatever their forms."""
    if one is other:
        return True
    if not (isinstance(one, WideArray) or isinstance(other, WideArray)):
        return np.array_equal(one, other)
    one, other = (array if isinstance(array, WideArray) else np.asarray(array) for array in (one, other))
    if np.shape(one) != np.shape(other):
        return False
    columns = np.union1d(occurring(one), occurring(other))
    return np.array_equal(narrowed(one, columns), narrowed(other, columns))


@contextmanager
def compact_attributes() -> Iterator[None]:
    """Within this context, attributes of models that are dense on request have the form in which they are kept."""
    token = _are_attributes_compact.set(True)
    try:
        yield
    finally:
        _are_attributes_compact.reset(token)


def on_request(array: Any) -> Array:
    """Return an array as a model shows it: dense, except within ``compact_attributes``."""
    return cast("Array", array) if _are_attributes_compact.get() else np.asarray(array)


def compact_attribute(model: Any, name: str) -> Any:
    """Return an attribute of a model in the form in which it is kept; None if the model does not have it."""
    with compact_attributes():
        return getattr(model, name, None)
