"""Tables of Arrow as blocks of raw rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import input_error, quote

from .block import Block, Invalid, Place
from .packages import library, one_line
from .reader import ArrowSource
from .values import parsed

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
STRING_TYPES = ("string", "large_string", "string_view")
SECONDS_PER_DAY = 86_400
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # per second


class ArrowBlocks:
    """One pass over a source that delivers Arrow tables.

    Parameters
    ----------
    where : str
        The function that the user called, for errors about missing packages.
    source : ArrowSource
        The pass. Its columns must have different names.
    options : mapping, default={}
        The options of ``scan``, of which ``day_first`` is used for dates that are strings.
    """

    note = ""

    def __init__(self, where: str, source: ArrowSource, options: Mapping[str, Any] = NO_OPTIONS) -> None:
        self.arrow = library(where, "pyarrow")
        dialect = options.get("dialect")
        self._day_first = bool(options.get("day_first") if dialect is None else dialect.day_first)
        self._source, self.name = source, source.name
        names = _names(self.name, source.schema)
        if not names:
            raise input_error(self.name, "the table has no columns.")
        if len(set(names)) < len(names):
            twice = next(name for name, count in Counter(names).items() if count > 1)
            called = f"are called {quote(twice)}" if twice else "have an empty name"
            raise input_error(self.name, f"two columns {called}. Rename one of them, or select columns with SQL.")
        self.schema = {field.name: kind_of(self.arrow, field.type) for field in source.schema}
        self.label_kinds = {
            field.name: kind_of(self.arrow, _values_of(self.arrow, field.type)) for field in source.schema
        }
        self._invalid: dict[str, Invalid] = {}

    @property
    def invalid(self) -> dict[str, Invalid]:
        """The values so far that were not of the kind that was asked for, by column."""
        return dict(self._invalid)

    def blocks(self, kinds: Mapping[str, str]) -> Iterator[Block]:
        """Return the rows, with the columns in ``kinds``."""
        numbers = tuple(name for name, kind in kinds.items() if kind != "string")
        strings = tuple(name for name, kind in kinds.items() if kind == "string")
        types = [self._source.schema.field(name).type for name in numbers]
        dtype = np.float32 if numbers and all(str(type_) == "float" for type_ in types) else np.float64
        known: list[dict[str, int]] = [{} for _ in strings]
        first = 0
        for table in self._source.tables(kinds):
            place = _shifted(self._source.place, first)
            columns = {name: _combined(table.column(name)) for name in kinds}
            block = np.empty((table.num_rows, len(numbers)), dtype=dtype)
            for j, name in enumerate(numbers):
                block[:, j] = self._numbers(name, kinds[name], columns[name], dtype, place)
            codes = np.empty((table.num_rows, len(strings)), dtype=np.int32)
            for j, name in enumerate(strings):
                codes[:, j] = self._codes(name, columns[name], known[j], place)
            values = tuple(list(strings_of) for strings_of in known)
            yield Block(numbers, block, strings, codes, values, place, lambda: self._invalid)
            first += table.num_rows

    def _numbers(self, name: str, kind: str, array: Any, dtype: Any, place: Place) -> NDArray[Any]:
        """Return numbers, booleans or dates as floats, with NaN for missing values."""
        array = self._decoded(array)
        types = self.arrow.types
        if str(array.type) in STRING_TYPES:
            return self._parsed(name, kind, array, place)
        if types.is_temporal(array.type):
            return self._days(array)
        floats = array.cast(self.arrow.from_numpy_dtype(dtype), safe=False).to_numpy(zero_copy_only=False)
        if np.isinf(floats).any():
            row = int(np.argmax(np.isinf(floats)))
            message = f"numbers in column {quote(name)} must be finite, but there is {_shown(array[row])}."
            raise input_error(place(row), message)
        numbers: NDArray[Any] = floats
        return numbers

    def _days(self, array: Any) -> NDArray[np.float64]:
        """Return dates and times as days since 1970-01-01, and times of the day as a fraction of a day."""
        types, type_ = self.arrow.types, array.type
        if types.is_date(type_):
            days = array.cast(self.arrow.date32()).cast(self.arrow.int32())
            counts: NDArray[np.float64] = days.cast(self.arrow.float64()).to_numpy(zero_copy_only=False)
            return counts
        ticks = array.cast(self.arrow.int32() if type_.bit_width == 32 else self.arrow.int64())
        ticks = ticks.cast(self.arrow.float64(), safe=False).to_numpy(zero_copy_only=False)
        days_of: NDArray[np.float64] = ticks / (UNITS[type_.unit] * SECONDS_PER_DAY)
        return days_of

    def _parsed(self, name: str, kind: str, array: Any, place: Place) -> NDArray[np.float64]:
        """Parse each distinct string as a number, boolean or date."""
        encoded = array.cast(self.arrow.large_string()).dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        floats = np.append(parsed(texts, kind, self._day_first), np.nan)[codes]
        wrong = np.flatnonzero(np.isnan(floats) & (codes >= 0))
        wrong = wrong[[bool(texts[codes[row]].strip()) for row in wrong]] if len(wrong) else wrong
        if len(wrong):
            before = self._invalid.get(name)
            found = {texts[codes[row]] for row in wrong} | ({before.first} if before else set())
            first = texts[codes[wrong[0]]] if before is None else before.first
            where = place(int(wrong[0])) if before is None else before.place
            count = len(wrong) + (before.count if before else 0)
            several = len(found) > 1 or (before is not None and before.distinct > 1)
            self._invalid[name] = Invalid(count, first, where, 2 if several else 1)
        numbers: NDArray[np.float64] = floats
        return numbers

    def _codes(self, name: str, array: Any, known: dict[str, int], place: Place) -> NDArray[np.int32]:
        """Return a code for each row, and add new strings to those that are known."""
        array = self._decoded(array)
        if self.arrow.types.is_floating(array.type):  # NaN is a missing value, as null is
            array = self.arrow.array(array.to_numpy(zero_copy_only=False), from_pandas=True)
        encoded = array.cast(self.arrow.large_string()).dictionary_encode()
        texts = self._python(name, encoded.dictionary, array, place)
        table = np.array([*(known.setdefault(text, len(known)) for text in texts), -1], dtype=np.int32)
        found: NDArray[np.int32] = table[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
        return found

    def _python(self, name: str, values: Any, rows: Any, place: Place) -> list[str]:
        try:
            strings: list[str] = values.to_pylist()
        except UnicodeDecodeError as error:
            binary = rows.cast(self.arrow.large_binary()).to_pylist()
            row = next(i for i, value in enumerate(binary) if value and not is_utf8(value))
            message = f"strings in column {quote(name)} must be UTF-8, but there is {quote(binary[row])}."
            raise input_error(place(row), message) from error
        return strings

    def _decoded(self, array: Any) -> Any:
        if not self.arrow.types.is_dictionary(array.type):
            return array
        if str(array.type.value_type) == "string_view":  # the strings of polars, which Arrow does not decode
            values = array.dictionary.cast(self.arrow.large_string())
            array = self.arrow.DictionaryArray.from_arrays(array.indices, values)
        return array.dictionary_decode()


def _shown(value: Any) -> str:
    """Return a number for an error message."""
    try:
        return quote(value.as_py())
    except ArithmeticError:  # a decimal of a file whose exponent Python does not have
        return "one that is out of range"


def kind_of(arrow: Any, type_: Any) -> str:
    """Return what an Arrow type holds, or its name if it cannot become a feature. Categories are strings."""
    types = arrow.types
    if types.is_dictionary(type_):
        return "string" if kind_of(arrow, type_.value_type) in ("number", "boolean", "string") else one_line(str(type_))
    if str(type_) in STRING_TYPES:
        return "string"
    if types.is_boolean(type_):
        return "boolean"
    if types.is_date(type_) or types.is_timestamp(type_) or types.is_time(type_):
        return "date"
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_null(type_):
        return "number"
    return one_line(str(type_))


def _names(name: str, schema: Any) -> list[str]:
    """Return the names of columns. Arrow does not check that names in files are UTF-8, also those in nested types."""
    found = []
    for i, field in enumerate(schema, 1):
        try:
            found.append(field.name)
            str(field.type)
        except UnicodeDecodeError:
            raise input_error(name, f"the name of column {i}, or of a part of it, is not UTF-8.") from None
    return found


def _values_of(arrow: Any, type_: Any) -> Any:
    """Return the type of the values of a column, also where they are stored as categories."""
    return type_.value_type if arrow.types.is_dictionary(type_) else type_


def is_utf8(value: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shifted(place: Place, first: int) -> Place:
    return lambda row: place(first + row)


def _combined(column: Any) -> Any:
    """Return a column of a table or a record batch as one array."""
    if not hasattr(column, "chunks"):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
