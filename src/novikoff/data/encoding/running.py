"""Encode the rows of a stream of tables: running standardisation, and named columns that grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.data.hashing import MAX_WORDS
from novikoff.data.tables.block import KINDS, Block
from novikoff.errors import input_error

from .encoded_columns import CATEGORY, MISSING, NUMBER
from .hashed import missing_value
from .moments import Moments
from .words import WordSettings

WORDS = WordSettings()
SCALES = ("none", "standard")
POLICIES = ("error", "zero", "mean")
PENDING, NO_COLUMN = -1, -2  # in place of the column of a string: a new one that learning adds, and none ever


@dataclass(frozen=True)
class RunningEncoding:
    """What a running encoder knows after some rows; it continues from here bit for bit.

    Parameters
    ----------
    features : tuple of str
        The feature columns of the table, in order.
    kinds : tuple of str
        What each of them holds.
    text : tuple of str
        Those that hold texts.
    scale : {"none", "standard"}
        Whether numbers are standardised with the mean and the standard deviation so far.
    missing : {"error", "zero", "mean"}
        What a missing value means: an error; a number 0, and no category; or the mean so far, and a feature
        ``column=missing`` of value 1.
    words : WordSettings
        How texts are split into words.
    names : tuple of str
        The encoded columns so far: numbers, and then all others in order of first appearance.
    counts : tuple of int
        Of each column of numbers, how many values were not missing.
    shifts : tuple of float
        The first value of each column of numbers, which is subtracted before values are added up.
    sums, squares : tuple of float
        Sums of the shifted values and of their squares; the latter are needed for standardisation only.
    """

    features: tuple[str, ...]
    kinds: tuple[str, ...]
    text: tuple[str, ...]
    scale: str
    missing: str
    words: WordSettings
    names: tuple[str, ...]
    counts: tuple[int, ...]
    shifts: tuple[float, ...]
    sums: tuple[float, ...]
    squares: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not fit each other, which a damaged file may have."""
        numbers = [name for name, kind in zip(self.features, self.kinds, strict=False) if kind != "string"]
        low, high = self.words.ngram_range if len(self.words.ngram_range) == 2 else (0, 0)
        if (
            len(self.features) != len(self.kinds)
            or not set(self.kinds) <= set(KINDS)
            or not set(self.text) <= set(self.features) - set(numbers)
            or self.scale not in SCALES
            or self.missing not in POLICIES
            or not 1 <= low <= high <= MAX_WORDS
            or list(self.names[: len(numbers)]) != numbers
            or any(len(part) != len(numbers) for part in (self.counts, self.shifts, self.sums, self.squares))
            or min((*self.counts, *self.squares), default=0) < 0
        ):
            raise input_error("running encoding", "its parts do not fit each other.")

    @classmethod
    def begin(
        cls,
        kinds: Mapping[str, str],
        text: Sequence[str] = (),
        *,
        scale: str = "none",
        missing: str = "error",
        words: WordSettings = WORDS,
    ) -> Self:
        """Return the encoding before the first row, of features with these kinds, some of which hold texts."""
        texts = set(text)
        names = tuple(name for name, kind in kinds.items() if kind != "string" and name not in texts)
        kinds = dict(kinds) | dict.fromkeys(text, "string")
        return cls(
            features=tuple(kinds),
            kinds=tuple(kinds.values()),
            text=tuple(name for name in kinds if name in texts),
            scale=scale,
            missing=missing,
            words=words,
            names=names,
            counts=(0,) * len(names),
            shifts=(0.0,) * len(names),
            sums=(0.0,) * len(names),
            squares=(0.0,) * len(names),
        )

    def again(self) -> Self:
        """Return the encoding of the same features before the first row."""
        return self.begin(self.known, self.text, scale=self.scale, missing=self.missing, words=self.words)

    @property
    def known(self) -> dict[str, str]:
        """The feature columns and their kinds."""
        return dict(zip(self.features, self.kinds, strict=True))

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers, booleans and dates."""
        return [name for name, kind in zip(self.features, self.kinds, strict=True) if kind != "string"]

    @property
    def had_missing(self) -> frozenset[str]:
        """The columns of numbers that had more missing values than another."""
        return frozenset(n for n, c in zip(self.numbers, self.counts, strict=True) if c < max(self.counts))

    @property
    def is_dense(self) -> bool:
        """Whether rows are a dense array: all features are numbers, and the columns do not grow."""
        return len(self.numbers) == len(self.features) and self.missing != "mean"


class RunningEncoder:
    """Encodes the blocks of one pass, row by row: a row is encoded with the means and scales up to and including it.

    Columns are numbered in order of first appearance, row by row and within a row in the order of the table, so that
    nothing depends on how the rows are cut into blocks. The number ``age`` gives the column ``age``; the string
    ``clerk`` in column ``job`` gives ``job=clerk``, which is 1; a word in column ``text`` gives ``text:word``, which
    counts it; and a missing value gives ``age=missing`` if missing values are means. Features of the same name share a
    column.

    Parameters
    ----------
    state : RunningEncoding
        Where to continue.

    Attributes
    ----------
    names : tuple of str
        The encoded columns so far.
    unknown : dict
        How many categories and words ``rows`` dropped because they have no column, by column of the table.
    missing : dict
        How many missing values ``rows`` met in columns that had none before, by column of the table.
    """

    def __init__(self, state: RunningEncoding) -> None:
        self._begun, self.names = state, state.names
        self.text, self.numbers = list(state.text), state.numbers
        self._strings = [name for name, kind in zip(state.features, state.kinds, strict=True) if kind == "string"]
        self._categories = [name for name in self._strings if name not in self.text]
        self._position = {name: j for j, name in enumerate(state.features)}
        self._column = {name: j for j, name in enumerate(state.names)}
        if len(self._column) < len(state.names):
            raise input_error("running encoding", "two of its columns have the same name.")
        self._moments = Moments(state.scale == "standard", state.counts, state.shifts, state.sums, state.squares)
        self._tables = {name: np.array([PENDING], dtype=np.int32) for name in self._categories}
        self._vocabularies, self._words, self._options = {}, {}, state.words.options()
        for name in self.text:
            words = [known.removeprefix(f"{name}:") for known in self.names if known.startswith(f"{name}:")]
            self._vocabularies[name] = _core.Vocabulary(words)
            columns = [self._column[f"{name}:{word}"] for word in words]
            self._words[name] = np.array(columns, dtype=np.int32)
        self.unknown: dict[str, int] = {}
        self.missing: dict[str, int] = {}

    @property
    def is_dense(self) -> bool:
        """Whether rows are a dense array, whose columns do not grow."""
        return self._begun.is_dense

    @property
    def state(self) -> RunningEncoding:
        """What is known now."""
        return replace(self._begun, names=self.names, **self._moments.as_tuples())

    # ---- learning --------------------------------------------------------------------------------------------------

    def learn(self, block: Block) -> Any:
        """Return the rows of a block, after adding each to what is known. A block that is refused has no effect.

        The columns of the table are those of the state, none of which may be absent.
        """
        numbers, absent = self._numbers(block)
        if self._begun.missing == "error":
            self._refuse_missing(block, absent)
        numbers = self._moments.learn(numbers, absent)
        if self.is_dense:
            return numbers
        counted = {name: self._count_words(block, name, grow=True) for name in self.text}
        self._add_columns(block, absent, counted)
        return self._matrix(block, numbers, absent, counted)

    def _refuse_missing(self, block: Block, absent: NDArray[np.bool_]) -> None:
        """Raise the error of the first missing value."""
        places = [
            (int(np.argmax(column)), name) for name, column in zip(self.numbers, absent.T, strict=True) if column.any()
        ]
        for name in self._strings:
            codes, _ = block.string_column(name)
            if (codes < 0).any():
                places.append((int(np.argmax(codes < 0)), name))
        if places:
            row, name = min(places, key=lambda place: (place[0], self._position[place[1]]))
            raise missing_value(block, name, row)

    def _add_columns(self, block: Block, absent: NDArray[np.bool_], counted: dict[str, Any]) -> None:
        """Give every new feature of a block a column, in the order in which they appear."""
        found: list[tuple[int, int, int, str]] = []  # row, position in the table, order within the text, name
        if self._begun.missing == "mean":
            for name, mark in self._marks(block, absent).items():
                if mark.any():
                    found.append((int(np.argmax(mark)), self._position[name], 0, f"{name}={MISSING}"))
        for name in self._categories:
            codes, values = block.string_column(name)
            rows = np.flatnonzero(self._table(name, values)[codes] == PENDING)
            new, first = np.unique(codes[rows], return_index=True)
            for code, row in zip(new.tolist(), rows[first].tolist(), strict=True):
                found.append((row, self._position[name], 0, f"{name}={values[code] if code >= 0 else MISSING}"))
        for name, (_, words, ends) in counted.items():
            known = len(self._words[name])
            new, first = np.unique(words, return_index=True)
            rows = np.searchsorted(ends, first, side="right") - 1
            spelled = self._vocabularies[name].words(known)
            for word, row in zip(new.tolist(), rows.tolist(), strict=True):
                if word >= known:
                    found.append((row, self._position[name], word, f"{name}:{spelled[word - known]}"))
        for *_, feature in sorted(found):
            self._column.setdefault(feature, len(self._column))
        if len(self._column) > len(self.names):
            self.names = tuple(self._column)

    def _table(self, name: str, values: Sequence[str]) -> NDArray[np.int32]:
        """Return the column of each string of a column, and at the end that of a missing value."""
        known = self._tables[name]
        pending = np.flatnonzero(known[:-1] == PENDING).tolist()
        if len(known) <= len(values) or pending or known[-1] == PENDING:
            added = np.full(len(values) - len(known) + 1, PENDING, dtype=np.int32)
            table = np.concatenate([known[:-1], added, [NO_COLUMN]], dtype=np.int32)
            for code in (*pending, *range(len(known) - 1, len(values))):
                table[code] = self._column.get(f"{name}={values[code]}", PENDING)
            if self._begun.missing == "mean":
                table[-1] = self._column.get(f"{name}={MISSING}", PENDING)
            self._tables[name] = known = table
        return known

    def _count_words(self, block: Block, name: str, grow: bool) -> tuple[Any, NDArray[Any], NDArray[Any]]:
        """Return counts, words and ends of the rows of a column of texts."""
        codes, values = block.string_column(name)
        texts = [values[code] if code >= 0 else "" for code in codes.tolist()]
        values_of, words, ends = _core.count_words(texts, self._options, self._vocabularies[name], grow, 1)
        if self._begun.words.norm == "l2":
            rows = np.repeat(np.arange(block.rows), np.diff(ends))
            values_of /= np.sqrt(np.bincount(rows, values_of * values_of))[rows]
        return values_of, words, ends

    # ---- rows ------------------------------------------------------------------------------------------------------

    def rows(self, block: Block) -> Any:
        """Return the rows of a block by what is known, which does not change.

        A missing number is the mean so far (or 0, if missing values are zeros); categories and words without a column
        are dropped. Both are counted.
        """
        numbers, absent = self._numbers(block)
        if self._begun.missing != "zero":
            for name, count in zip(self.numbers, absent.sum(axis=0).tolist(), strict=True):
                self._tally_missing(name, count)
            for name in self._strings:
                self._tally_missing(name, int((block.string_column(name)[0] < 0).sum()))
        numbers = self._moments.apply(numbers, absent)
        if self.is_dense:
            return numbers
        counted = {}
        for name in self.text:
            before = self._vocabularies[name].unknown
            counted[name] = self._count_words(block, name, grow=False)
            self._tally(self.unknown, name, self._vocabularies[name].unknown - before)
        for name in self._categories:
            codes, values = block.string_column(name)
            self._tally(self.unknown, name, int(((self._table(name, values)[codes] < 0) & (codes >= 0)).sum()))
        return self._matrix(block, numbers, absent, counted)

    def _tally_missing(self, name: str, count: int) -> None:
        if f"{name}={MISSING}" not in self._column:
            self._tally(self.missing, name, count)

    @staticmethod
    def _tally(counts: dict[str, int], name: str, count: int) -> None:
        if count:
            counts[name] = counts.get(name, 0) + count

    def _numbers(self, block: Block) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the numbers of a block, and which of them are missing. Those that count as 0 are not missing."""
        numbers = block.number_columns(self.numbers)
        absent = np.isnan(numbers)
        if self._begun.missing == "zero" and absent.any():
            numbers = np.where(absent, 0, numbers)
            absent = np.zeros_like(absent)
        return numbers, absent

    def _matrix(
        self, block: Block, numbers: NDArray[Any], absent: NDArray[np.bool_], counted: dict[str, Any]
    ) -> sp.csr_array:
        """Return sparse rows of encoded numbers, categories, indicators and words."""
        steps = [(NUMBER, j) for j in range(len(self.numbers))]
        columns = [np.array([j], dtype=np.int32) for j in range(len(self.numbers))]
        codes: list[NDArray[np.int32]] = []
        for name in self._categories:
            found, values = block.string_column(name)
            codes.append(found)
            columns.append(self._table(name, values))
        for name, mark in self._marks(
            block, absent
        ).items():  # a code of 0 where the value is missing, and of -1 elsewhere
            column = self._column.get(f"{name}={MISSING}")
            if column is not None and self._begun.missing == "mean":
                codes.append(mark.astype(np.int32) - 1)
                columns.append(np.array([column, NO_COLUMN], dtype=np.int32))
        steps += [(CATEGORY, j) for j in range(len(codes))]
        X = _encoded(
            numbers, np.array(codes, dtype=np.int32).reshape(len(codes), block.rows).T, steps, columns, len(self.names)
        )
        for name, (values, words, ends) in counted.items():
            X = X + sp.csr_array((values, self._words_of(name)[words], ends), shape=X.shape)
        X.sum_duplicates()
        return X

    def _marks(self, block: Block, absent: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
        """Return in which rows numbers and texts are missing, by column."""
        marks = dict(zip(self.numbers, absent.T, strict=True))
        return marks | {name: block.string_column(name)[0] < 0 for name in self.text}

    def _words_of(self, name: str) -> NDArray[np.int32]:
        """Return the column of each word of a vocabulary."""
        known = self._words[name]
        new = [self._column[f"{name}:{word}"] for word in self._vocabularies[name].words(len(known))]
        if new:
            self._words[name] = known = np.concatenate([known, np.array(new, dtype=np.int32)])
        return known


def _encoded(
    numbers: NDArray[Any],
    codes: NDArray[np.int32],
    steps: list[tuple[int, int]],
    columns: list[NDArray[np.int32]],
    width: int,
) -> sp.csr_array:
    """Return the rows that a kernel makes of encoded numbers and of codes."""
    rows, count = numbers.shape
    values, indices = np.empty(rows * len(steps)), np.empty(rows * len(steps), dtype=np.int32)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    plan = np.array(steps, dtype=np.int32).reshape(-1, 2)
    units = np.zeros(count), np.ones(count), np.zeros(count)
    tables = np.ascontiguousarray(numbers, dtype=np.float64), np.ascontiguousarray(codes)
    end = _core.encode_rows(*tables, plan, *units, columns, values, indices, offsets[1:], 0, 1)
    return sp.csr_array((values[:end], indices[:end], offsets), shape=(rows, width))
