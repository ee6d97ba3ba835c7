"""The state of a fitted table encoder, and the rows that it makes of blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._cached import cached_property
from novikoff.data.tables.block import KINDS, Block
from novikoff.errors import input_error, quote

from .encoded_columns import CATEGORY, INDICATOR, NUMBER, CategoryColumn, LeftOutColumn, NumberColumn, TextColumn
from .unseen import Unseen
from .words import ALL_CORES, WordSettings

WHERE = "TableEncoder"
REASONS = ("constant", "identifier", "empty")  # why columns give no feature
MAX_BUCKETS = 1 << 20


@dataclass(frozen=True)
class TableEncoding:
    """How the columns of a table become the columns of a matrix.

    Encoded columns are in the order of the table's columns, except that those of texts come last.

    Parameters
    ----------
    columns : tuple of str
        The feature columns of the table, in its order, with those that give no feature.
    numbers : tuple of NumberColumn
        The columns of numbers, in the order of the table.
    categories : tuple of CategoryColumn
        The columns of strings.
    texts : tuple of TextColumn
        The columns of texts.
    left_out : tuple of LeftOutColumn
        The columns that give no feature.
    words : WordSettings
        How texts are split into words.
    """

    columns: tuple[str, ...]
    numbers: tuple[NumberColumn, ...]
    categories: tuple[CategoryColumn, ...]
    texts: tuple[TextColumn, ...]
    left_out: tuple[LeftOutColumn, ...]
    words: WordSettings

    def __post_init__(self) -> None:
        _refuse_impossible(self)

    @property
    def kinds(self) -> dict[str, str]:
        """The columns of the table that are needed, and the kinds as which they are read."""
        kinds = {column.name: column.kind for column in self.numbers}
        kinds |= dict.fromkeys((category.name for category in self.categories), "string")
        kinds |= dict.fromkeys((text.name for text in self.texts), "string")
        return {name: kinds[name] for name in self.columns if name in kinds}

    @property
    def had_missing(self) -> frozenset[str]:
        """The columns of numbers that had missing values when the encoder was fitted."""
        return frozenset(column.name for column in self.numbers if column.indicator)

    @cached_property
    def _ordered(self) -> list[NumberColumn | CategoryColumn]:
        place = {name: j for j, name in enumerate(self.columns)}
        both: list[NumberColumn | CategoryColumn] = [*self.numbers, *self.categories]
        return sorted(both, key=lambda column: place[column.name])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        named: list[NumberColumn | CategoryColumn | TextColumn] = [*self._ordered, *self.texts]
        return tuple(name for one in named for name in one.names)

    @cached_property
    def spans(self) -> dict[str, range]:
        """The encoded columns of each column. Encoded columns may have equal names, as with a category missing."""
        first, found = 0, {}
        for column in (*self._ordered, *self.texts):
            found[column.name] = range(first, first + len(column.names))
            first += len(column.names)
        return found

    @property
    def is_dense(self) -> bool:
        """Whether rows are a dense array: all columns are numbers."""
        return not self.categories and not self.texts

    def rows(self, blocks: Iterable[Block], unseen: Unseen | None = None, entries: int | None = None) -> Any:
        """Return the rows of blocks of one pass.

        Parameters
        ----------
        blocks : iterable of Block
            The raw rows. Blocks that only the iterable holds are freed one after the other.
        unseen : Unseen, default=None
            Counts what the encoder does not know.
        entries : int, default=None
            An upper bound on the number of entries of sparse rows, if it is known. It saves a copy.
        """
        if self.is_dense:
            return self._dense(blocks, unseen)
        return self._sparse(blocks, unseen, entries)

    def _dense(self, blocks: Iterable[Block], unseen: Unseen | None) -> NDArray[Any]:
        """Return one row of numbers, and of indicators, for each row."""
        names = [column.name for column in self.numbers]
        shift = np.array([column.shift for column in self.numbers])
        scale = np.array([column.scale for column in self.numbers])
        fill = (np.array([column.fill for column in self.numbers]) - shift) / scale
        own = [self.spans[name].start for name in names]
        marks = [(j, own[j] + 1) for j, column in enumerate(self.numbers) if column.indicator]
        parts = []
        for block in blocks:
            numbers = block.number_columns(names)
            missing = np.isnan(numbers)
            if unseen is not None:
                self._count(block, unseen)
            with np.errstate(over="ignore"):
                values = (
                    np.where(missing, fill, (numbers - shift) / scale) if missing.any() else (numbers - shift) / scale
                )
            X = np.zeros((block.rows, len(self.names)), dtype=np.float64 if self.scales else numbers.dtype)
            X[:, own] = values
            for j, column in marks:
                X[:, column] = missing[:, j]
            parts.append(X)
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.names)))

    def _steps(self) -> list[tuple[int, str, int]]:
        """Return how the kernel encodes a row: kind of step, column of the table, and first encoded column."""
        steps = []
        for column in self._ordered:
            is_number, first = isinstance(column, NumberColumn), self.spans[column.name].start
            steps.append((NUMBER if is_number else CATEGORY, column.name, first))
            if is_number and column.indicator:
                steps.append((INDICATOR, column.name, first + 1))
        return steps

    def _sparse(self, blocks: Iterable[Block], unseen: Unseen | None, entries: int | None) -> Any:
        """Return CSR rows: numbers, indicators and categories by a kernel, and the words of texts."""
        steps = self._steps()
        category_of = {column.name: column for column in self.categories}
        width = len(self.names) - sum(len(column.words) for column in self.texts)
        rows, lookup = _Rows(entries), _Lookup()
        texts: list[list[Any]] = [[] for _ in self.texts]
        for block in blocks:
            if unseen is not None:
                self._count(block, unseen)
            numbers, number_names = _numbers(block, [column.name for column in self.numbers])
            codes, string_names = _codes(block, [column.name for column in self.categories])
            columns = [
                lookup.columns(block, category_of[name], first) if kind == CATEGORY else np.array([first], np.int32)
                for kind, name, first in steps
            ]
            place = {name: j for names in (number_names, string_names) for j, name in enumerate(names)}
            plan = np.array([(kind, place[name]) for kind, name, _ in steps], dtype=np.int32).reshape(-1, 2)
            rows.add(numbers, codes, plan, self._units(number_names), columns)
            for part, column in zip(texts, self.texts, strict=True):
                texts_of, values = block.string_column(column.name)
                part.append(self.words.counted(column.words, column.idf, texts_of, values))
                if unseen is not None:
                    unseen.add_texts(column.name, texts_of, values, part[-1])
        X = rows.matrix(width)
        if self.texts:
            empty = [sp.csr_array((0, len(column.words))) for column in self.texts]
            counts = [sp.vstack(part or [none], format="csr") for part, none in zip(texts, empty, strict=True)]
            X = sp.hstack([X, *counts], format="csr")
        return X

    def _units(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return shift, scale and encoded missing value of columns of numbers; those of others are not used."""
        known = {column.name: column for column in self.numbers}
        units = [
            (known[name].shift, known[name].scale, known[name].fill) if name in known else (0, 1, 0) for name in names
        ]
        shift, scale, fill = np.array(units, dtype=np.float64).reshape(-1, 3).T.copy()
        return shift, scale, (fill - shift) / scale

    def _count(self, block: Block, unseen: Unseen) -> None:
        """Count unknown categories, and missing values of columns that had none."""
        unseen.rows += block.rows
        absent = set(unseen.absent)
        numbers = np.isnan(block.number_columns([column.name for column in self.numbers])).sum(axis=0)
        for number, count in zip(self.numbers, numbers.tolist(), strict=True):
            if count and not number.indicator and number.name not in absent:
                unseen.missing[number.name] = unseen.missing.get(number.name, 0) + count
        for category in self.categories:
            codes, values = block.string_column(category.name)
            columns = category.columns(values, 0)
            missing = int((codes < 0).sum())
            unknown = int((columns[codes] < 0).sum()) - (0 if category.indicator else missing)
            if unknown:
                unseen.unknown[category.name] = unseen.unknown.get(category.name, 0) + unknown
            if missing and not category.indicator and category.name not in absent:
                unseen.missing[category.name] = unseen.missing.get(category.name, 0) + missing

    def summary(self) -> str:
        """Return the kinds of columns in one line."""
        categories, words = (
            sum(len(part) for part in parts)
            for parts in ([column.categories for column in self.categories], [column.words for column in self.texts])
        )
        parts = [f"{len(self.numbers)} of numbers"] * bool(self.numbers)
        parts += [f"{len(self.categories)} of strings with {categories:,} categories"] * bool(self.categories)
        parts += [f"{len(self.texts)} of texts with {words:,} words"] * bool(self.texts)
        left_out = ", ".join(f"{column.name} ({column.reason})" for column in self.left_out)
        return ", ".join(parts) + (f"; left out: {left_out}" if left_out else "")

    @property
    def scales(self) -> dict[str, float]:
        """The scale of each column of numbers whose units are changed."""
        return {column.name: column.scale for column in self.numbers if (column.shift, column.scale) != (0.0, 1.0)}

    def original_units(self, weights: NDArray[Any], intercept: float) -> tuple[NDArray[np.float64], float]:
        """Return the weights and the intercept that give the same scores on numbers that are not scaled.

        Since w (x - shift) / scale = (w / scale) x - w shift / scale, a weight is divided by the scale of its column,
        and the intercept takes what remains.
        """
        changed = np.array(weights, dtype=np.float64)
        for column in self.numbers:
            j = self.spans[column.name].start
            changed[j] = weights[j] / column.scale
            intercept -= float(changed[j]) * column.shift
        return changed, float(intercept)


def _refuse_impossible(encoding: TableEncoding) -> None:
    """Refuse what no encoder learns, such as a scale of 0. A damaged model file may hold it."""
    used: list[NumberColumn | CategoryColumn | TextColumn | LeftOutColumn]
    used = [*encoding.numbers, *encoding.categories, *encoding.texts, *encoding.left_out]
    names = [column.name for column in used]
    if len(set(encoding.columns)) < len(encoding.columns) or sorted(names) != sorted(encoding.columns):
        raise input_error(WHERE, "each column of the table must have one role and a name of its own.")
    for number in encoding.numbers:
        units = (number.shift, number.scale, number.fill)
        if number.kind not in KINDS[:-1] or not all(map(math.isfinite, units)) or number.scale <= 0:
            message = f"column {quote(number.name)} must hold numbers, with finite units and a positive scale."
            raise input_error(WHERE, message)
    for category in encoding.categories:
        if len(set(category.categories)) < len(category.categories) or not 0 <= category.buckets <= MAX_BUCKETS:
            raise input_error(WHERE, f"the categories of column {quote(category.name)} must differ.")
    for text in encoding.texts:
        fits = len(text.idf) in (0, len(text.words)) and all(map(math.isfinite, text.idf))
        if len(set(text.words)) < len(text.words) or not fits:
            raise input_error(WHERE, f"the words of column {quote(text.name)} must differ, with one factor for each.")
    if any(column.reason not in REASONS for column in encoding.left_out):
        raise input_error(WHERE, f"a column is left out because it is {', '.join(REASONS)}, and for no other reason.")


class _Lookup:
    """The encoded columns of strings, looked up again only if a block has further strings."""

    def __init__(self) -> None:
        self._known: dict[str, NDArray[np.int32]] = {}

    def columns(self, block: Block, column: CategoryColumn, first: int) -> NDArray[np.int32]:
        values = block.string_column(column.name)[1]
        known = self._known.get(column.name)
        if known is None or len(known) != len(values) + 1:
            known = self._known[column.name] = column.columns(values, first)
        return known


class _Rows:
    """The arrays of a CSR matrix, which grow by blocks."""

    def __init__(self, entries: int | None) -> None:
        size, self._is_bounded = entries or 0, entries is not None
        self._values, self._indices = np.empty(size), np.empty(size, dtype=np.int32)
        self._ends: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
        self._size = 0

    def add(
        self,
        numbers: NDArray[np.float64],
        codes: NDArray[np.int32],
        plan: NDArray[np.int32],
        units: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        columns: list[NDArray[np.int32]],
    ) -> None:
        """Encode the rows of a block."""
        most = self._size + len(numbers) * len(plan)
        if most > len(self._values) and not self._is_bounded:
            size = max(most, 2 * len(self._values))
            self._values, self._indices = np.resize(self._values, size), np.resize(self._indices, size)
        ends = np.empty(len(numbers), dtype=np.int64)
        arrays = self._values, self._indices, ends
        self._size = _core.encode_rows(numbers, codes, plan, *units, columns, *arrays, self._size, ALL_CORES)
        self._ends.append(ends)

    def matrix(self, width: int) -> Any:
        """Return the rows."""
        ends = np.concatenate(self._ends)
        if self._size <= np.iinfo(np.int32).max:
            ends = ends.astype(np.int32)
        X = sp.csr_array((self._values[: self._size], self._indices[: self._size], ends), shape=(len(ends) - 1, width))
        X.has_canonical_format = True
        return X


def _numbers(block: Block, names: Sequence[str]) -> tuple[NDArray[np.float64], Sequence[str]]:
    """Return an array that holds some columns of numbers, and its columns; that of the block if it has them all."""
    if not set(names) <= set(block.number_names):
        return np.ascontiguousarray(block.number_columns(names), dtype=np.float64), names
    return np.ascontiguousarray(block.numbers, dtype=np.float64), block.number_names


def _codes(block: Block, names: Sequence[str]) -> tuple[NDArray[np.int32], Sequence[str]]:
    """Return an array that holds some columns of codes, and its columns; that of the block if it has them all."""
    if set(names) <= set(block.string_names):
        return np.ascontiguousarray(block.codes), block.string_names
    codes = np.empty((block.rows, len(names)), dtype=np.int32)
    for j, name in enumerate(names):
        codes[:, j] = block.string_column(name)[0]
    return codes, names
