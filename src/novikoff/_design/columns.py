"""Columns of data frames of pandas, polars and pyarrow, none of which is imported: the object brings its package."""

from __future__ import annotations

import datetime
import decimal
import numbers
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import InvalidInputError, input_error, quote

from .exactness import REMEDY, first_rounded

NUMBER, BOOLEAN, FACTOR = "number", "boolean", "factor"
DATES = "dates or times. Convert them to numbers, such as days since the first one, or leave the column out"


@dataclass(frozen=True)
class Column:
    """A column of a data frame.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "boolean", "factor"}
        What it holds.
    values : ndarray
        Numbers, where NaN is a missing value; for a factor, the places of the values among the levels, -1 for none.
    levels : tuple, default=()
        The levels of a factor in order, with those that do not occur.
    has_reference : bool, default=True
        Whether the first level of a factor is the reference, which has no column of its own.
    """

    name: str
    kind: str
    values: NDArray[Any]
    levels: tuple[Any, ...] = ()
    has_reference: bool = True

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        return self.values < 0 if self.kind == FACTOR else _not_a_number(self.values)

    def only(self, rows: NDArray[np.int64] | None) -> Column:
        """Return some rows of the column, all by default, and those levels of a factor that occur in them."""
        values = self.values if rows is None else self.values[rows]
        if self.kind != FACTOR:
            return Column(self.name, self.kind, values)
        occurs = np.zeros(len(self.levels) + 1, dtype=bool)
        occurs[values] = True  # the last entry is for -1
        places = np.append(np.cumsum(occurs[:-1]) - 1, -1)
        levels = tuple(level for level, known in zip(self.levels, occurs, strict=False) if known)
        return Column(self.name, FACTOR, places[values], levels)


def _not_a_number(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def package_of(table: Any) -> str:
    """Return the package that defines the class of an object."""
    return type(table).__module__.partition(".")[0]


def is_frame(table: Any) -> bool:
    """Return whether an object is a data frame of pandas, polars or pyarrow."""
    return package_of(table) in _READERS and hasattr(table, "shape") and len(table.shape) == 2


def frame_columns(where: str, frame: Any) -> list[Column]:
    """Return the columns of a data frame.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    frame : data frame
        An object for which ``is_frame`` is true.
    """
    names = [str(name) for name in (frame.column_names if package_of(frame) == "pyarrow" else frame.columns)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise input_error(where, f"two columns of X are named {quote(twice)}. Rename one of them.")
    read = _READERS[package_of(frame)]
    of = frame.iloc.__getitem__ if package_of(frame) == "pandas" else None
    parts = [of((slice(None), j)) if of else _by_place(frame, j) for j in range(len(names))]
    return [read(where, name, part) for name, part in zip(names, parts, strict=True)]


def _by_place(frame: Any, place: int) -> Any:
    return frame.column(place) if package_of(frame) == "pyarrow" else frame.to_series(place)


def series_column(where: str, series: Any, name: str = "y") -> Column | None:
    """Return a series of pandas, polars or pyarrow, or a categorical, as a column; None for anything else."""
    package = package_of(series)
    if package not in _READERS or is_frame(series):
        return None
    if package == "pandas" and not hasattr(series, "array"):  # an array without a name
        series = sys.modules["pandas"].Series(series)
    own = getattr(series, "name", None)
    return _READERS[package](where, name if own is None or own == "" else str(own), series)


def _refused(where: str, name: str, found: str) -> InvalidInputError:
    return input_error(where, f"column {quote(name)} holds {found}.")


def factor(name: str, values: Sequence[Any], levels: Sequence[Any] | None = None) -> Column:
    """Return a column of labels, None for missing ones.

    Parameters
    ----------
    name : str
        The column.
    values : sequence
        The label of each row.
    levels : sequence, default=None
        The levels in order; by default the sorted labels.
    """
    known = sorted({value for value in values if value is not None}) if levels is None else list(levels)
    places = {level: place for place, level in enumerate(known)} | {None: -1}
    codes = np.fromiter((places[value] for value in values), dtype=np.int64, count=len(values))
    return Column(name, FACTOR, codes, tuple(known))


def _from_objects(where: str, name: str, values: Sequence[Any]) -> Column:
    """Return a column of Python objects: strings, booleans or numbers, None for missing ones."""
    kinds = {type(value) for value in values if value is not None}
    if all(issubclass(kind, str) for kind in kinds):
        return factor(name, values)
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return Column(name, BOOLEAN, np.array([np.nan if value is None else float(value) for value in values]))
    if all(issubclass(kind, numbers.Real | decimal.Decimal) for kind in kinds):
        if (rounded := first_rounded(np.array(values, dtype=object))) is not None:
            raise input_error(where, f"column {quote(name)} has {values[rounded]} in row {rounded}, {REMEDY}")
        return Column(name, NUMBER, np.array([np.nan if value is None else float(value) for value in values]))
    if any(issubclass(kind, datetime.date | datetime.time | datetime.timedelta) for kind in kinds):
        raise _refused(where, name, DATES)
    words = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise _refused(where, name, f"values of type {words}. A column holds numbers, booleans or strings")


def _from_numpy(name: str, values: NDArray[Any]) -> Column:
    """Return a column of numbers or booleans."""
    return Column(name, BOOLEAN if values.dtype.kind == "b" else NUMBER, values)


# ---- one reader per package ----------------------------------------------------------------------------------------


def _from_pandas(where: str, name: str, series: Any) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        return Column(name, FACTOR, series.cat.codes.to_numpy().astype(np.int64), tuple(dtype.categories.tolist()))
    kind = dtype.kind
    if kind in "Mm" or "period" in str(dtype) or "interval" in str(dtype):
        raise _refused(where, name, DATES)
    missing = series.isna().to_numpy()
    is_plain = kind == "f" or (kind in "iu" and not missing.any())  # other integers would be rounded
    if is_plain or (kind == "b" and missing.any()):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan) if missing.any() else series.to_numpy()
        values = np.asarray(values, dtype=np.float64) if values.dtype.kind not in "iuf" else values
        return Column(name, BOOLEAN if kind == "b" else NUMBER, values)
    if kind == "b":
        return Column(name, BOOLEAN, series.to_numpy(dtype=bool))
    if kind == "c":
        raise _refused(where, name, "complex numbers. Use their real and imaginary parts")
    objects = [None if absent else value for value, absent in zip(series.tolist(), missing.tolist(), strict=True)]
    return _from_objects(where, name, objects)


def _from_polars(where: str, name: str, series: Any) -> Column:
    dtype, word = series.dtype, str(series.dtype).partition("(")[0]
    if word == "Enum":
        return factor(name, series.to_list(), dtype.categories.to_list())
    if dtype.is_temporal():
        raise _refused(where, name, DATES)
    if dtype.is_float() or (dtype.is_integer() and series.null_count() == 0):  # other integers would be rounded
        return _from_numpy(name, series.to_numpy())
    if word == "Boolean" and series.null_count() == 0:
        return _from_numpy(name, series.to_numpy())
    return _from_objects(where, name, series.to_list())  # the order of a Categorical is that of its strings


def _from_pyarrow(where: str, name: str, column: Any) -> Column:
    types, kind = sys.modules["pyarrow"].types, column.type
    if types.is_dictionary(kind):
        strings = column.to_pylist()
        chunks = getattr(column, "chunks", [column])
        levels = dict.fromkeys(level for chunk in chunks for level in chunk.dictionary.to_pylist())
        return factor(name, strings, [level for level in levels if level is not None])
    if types.is_temporal(kind):
        raise _refused(where, name, DATES)
    has_all = column.null_count == 0  # otherwise integers would be rounded
    if types.is_floating(kind) or (has_all and (types.is_integer(kind) or types.is_boolean(kind))):
        return _from_numpy(name, column.to_numpy(**({} if hasattr(column, "chunks") else {"zero_copy_only": False})))
    return _from_objects(where, name, column.to_pylist())


_READERS: dict[str, Callable[[str, str, Any], Column]] = {
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_pyarrow,
}
