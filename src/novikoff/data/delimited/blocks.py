"""Delimited text as blocks of raw rows."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._counts import counted
from novikoff.data.bad_lines import BadLines, BadRecord, blanked, end_of_line
from novikoff.data.compression import DamagedError
from novikoff.data.source import Fill, line_blocks
from novikoff.data.tables.block import Block, Invalid, Place
from novikoff.data.tables.cells import BOOLEANS, MISSING_NUMBERS
from novikoff.data.tables.dates import days_since_1970, has_open_order
from novikoff.errors import MalformedLineError, input_error, malformed_line_error, no_rows_error, quote

from .dialect import Dialect, DialectOptions, Sniffed, sniff
from .kinds import kind_of
from .sampled_text import MAX_RECORD_LENGTH, SampledText
from .text_encoding import not_encoded

MAX_LABELS = 50  # different values of a column that may be taken for labels without being asked
BLOCK_SIZE = 8 << 20  # bytes that are parsed at a time
NO_DELIMITER = "\x1f"  # stands for the delimiter of a single column, which does not occur in text
TRUTHS = {**BOOLEANS, "1": 1.0, "0": 0.0}


class DelimitedBlocks:
    """One pass over delimited text, whose dialect and kinds of columns are found by its first lines.

    Parameters
    ----------
    where : str
        The function that the user called, for errors about options.
    name : str
        What error messages call the text.
    opening : context manager of Fill
        The text, as ``source.opened`` opens it.
    options : DialectOptions, default=DialectOptions()
        What the user said about the text.
    expected : sequence of str or None, default=None
        Names of columns, such as those of a model, most of which a header has.
    preferred : str or None, default=None
        The delimiter that the name of the file suggests.
    threads : int, default=1
        Number of threads that parse.
    optional : str or None, default=None
        One of the expected columns that the text may lack, such as the labels.
    bad : BadLines or None, default=None
        Counts malformed records, which are left out; None refuses them.

    Attributes
    ----------
    name : str
        See the parameter.
    dialect : Dialect
        How the text is written.
    schema : dict
        The kind of each column, judged by the first lines.
    note : str
        The dialect in words.
    day_first : bool or None
        Whether the day comes before the month; None if the text has no dates such as 01/02/2024.
    label_like : dict
        The columns that have values in the first lines, and whether these can be labels: few different ones.
    """

    def __init__(
        self,
        where: str,
        name: str,
        opening: AbstractContextManager[Fill],
        options: DialectOptions | None = None,
        expected: Sequence[str] | None = None,
        preferred: str | None = None,
        threads: int = 1,
        optional: str | None = None,
        bad: BadLines | None = None,
    ) -> None:
        self.where, self.name, self._threads, self._bad = where, name, threads, bad
        options = (options or DialectOptions()).checked(where)
        self._stack = ExitStack()
        self._text = SampledText(name, self._stack.enter_context(opening), options.encoding)
        sniffed = self._sniffed(replace(options, encoding=self._text.codec), expected, preferred, optional)
        self.dialect = dialect = replace(sniffed.dialect, encoding=self._text.encoding)
        self.schema = {
            column: kind_of(counts, dialect.decimal, dialect.thousands, dialect.day_first)
            for column, counts in zip(dialect.names, sniffed.columns, strict=True)
        }
        self.note = dialect.note()
        dates = [counts for counts, kind in zip(sniffed.columns, self.schema.values(), strict=True) if kind == "date"]
        self.day_first = dialect.day_first if any(map(has_open_order, dates)) else None
        self.label_like = {
            name: _are_labels(self.schema[name], counts)
            for name, counts in zip(dialect.names, sniffed.columns, strict=True)
            if counts
        }
        self._line = 1 + dialect.skipped + dialect.header_lines
        self._invalid: dict[str, Invalid] = {}

    def _sniffed(
        self, options: DialectOptions, expected: Sequence[str] | None, preferred: str | None, optional: str | None
    ) -> Sniffed:
        """Find the dialect, from as many lines as it takes to have a row."""
        while True:
            sniffed = sniff(self.where, self.name, self._text.sample, options, expected, preferred, optional)
            if sniffed.rows:
                return sniffed
            if self._text.ended:
                raise no_rows_error(self.name, "the table has no rows.")
            self._text.read_more()

    @property
    def invalid(self) -> dict[str, Invalid]:
        """The values so far that were not of the kind that was asked for, by column."""
        return {
            name: found
            for name, found in self._invalid.items()
            if not (found.distinct == 1 and found.first in MISSING_NUMBERS)
        }

    def blocks(self, kinds: Mapping[str, str]) -> Iterator[Block]:
        """Return the rows from the first, with the columns in ``kinds``, each as the kind that is given there.

        Parameters
        ----------
        kinds : mapping
            The kinds by the names of columns. They can be asked for once.

        Yields
        ------
        Block
            The next rows.
        """
        if lacking := [name for name in kinds if name not in self.schema]:
            raise input_error(self.name, f"there is no column {quote(lacking[0])}.")
        columns = _Columns(self.dialect, self._text.codec, kinds, self._threads)
        fill = self._text.after(self._line - 1)
        with self._stack:
            for text in self._blocks_of_text(fill):
                lines = _core.line_ends(text)
                if (block := self._parsed(columns, text, lines)) is not None:
                    yield block
                self._line += lines

    def _blocks_of_text(self, fill: Fill) -> Iterator[memoryview]:
        """Cut the text at the ends of records."""
        dialect = self.dialect
        delimiter = dialect.delimiter or NO_DELIMITER

        def find_end(buffer: bytearray, begin: int, end: int) -> int:
            if not dialect.quote:
                return buffer.rfind(b"\n", begin, end) + 1
            return _core.record_end(np.frombuffer(buffer, np.uint8, end), dialect.quote, delimiter, dialect.trim)

        too_long = "the line is longer than {max_size} bytes"
        if dialect.quote:
            too_long = 'the record is longer than {max_size} bytes, or a quote is never closed. Use quote="" if quotes'
            too_long += " are part of the values"
        try:
            yield from line_blocks(fill, BLOCK_SIZE, MAX_RECORD_LENGTH, find_end, too_long)
        except DamagedError as error:
            raise input_error(self._place(self._line), f"{error}.") from None

    def _parsed(self, columns: _Columns, text: bytes | memoryview, lines: int) -> Block | None:
        result = columns.parser.feed(text)
        if len(result) == 3 and self._bad is not None:  # nothing was read yet
            text = blanked(bytes(text), self._line, self._find_bad, self._bad, self._cut)
            result = columns.parser.feed(text)
        if len(result) == 3:
            line, reason, found = result
            raise self._malformed(self._line + line, reason, found)
        numbers, codes = result
        if not len(numbers):
            return None
        place = self._places(text, lines, len(numbers))
        try:
            block = columns.block(numbers, codes, place)
        except UnicodeDecodeError as error:
            row = int(np.argmax(codes[:, columns.failed[0]] == columns.failed[1]))
            raise not_encoded(place(row), error.object[error.start], self._text.codec) from None
        columns.count_invalid(self._invalid, codes, place)
        return replace(block, invalid=lambda: self.invalid)

    def _place(self, line: int) -> str:
        return f"{self.name}, line {line}"

    def _places(self, text: bytes | memoryview, lines: int, rows: int) -> Place:
        """Return a function that gives the line of a row. It does not hold the text, which the next block replaces."""
        first, dialect = self._line, self.dialect
        if rows == lines + (text[-1] != ord("\n")):  # one line per record
            return lambda row: self._place(first + row)
        array = np.frombuffer(text, np.uint8)
        starts = _core.record_lines(array, dialect.quote, dialect.delimiter or NO_DELIMITER, dialect.trim)
        return lambda row: self._place(first + int(starts[row]))

    def _find_bad(self, text: bytes, first_line: int) -> BadRecord | None:
        dialect = self.dialect
        result = parser_of(dialect, "-" * (len(dialect.names) + dialect.trailing), [], self._threads).feed(text)
        if len(result) == 2:
            return None
        line, reason, found = result
        starts = _core.record_lines(text, dialect.quote, dialect.delimiter or NO_DELIMITER, dialect.trim)
        after = starts[np.searchsorted(starts, line, side="right") :]
        lines = int(after[0]) - line if len(after) else text.count(b"\n") + 1 - line
        return BadRecord(line, lines, self._place(first_line + line), self._malformed(first_line + line, reason, found))

    def _cut(self, text: bytes, begin: int, least: int) -> int:
        """Return the end of a record near ``least``; a field in quotes may have line ends."""
        dialect = self.dialect
        if not dialect.quote:
            return end_of_line(text, begin, least)
        while least < len(text):
            end = _core.record_end(text[begin:least], dialect.quote, dialect.delimiter or NO_DELIMITER, dialect.trim)
            if end:
                return begin + end
            least += least - begin
        return len(text)

    def _malformed(self, line: int, reason: str, found: int) -> MalformedLineError:
        place, dialect = self._place(line), self.dialect
        if reason == "unclosed quote":
            remedy = 'Use quote="" if quotes are part of the values.'
            return malformed_line_error(place, f"a quote is opened and never closed. {remedy}")
        width = len(dialect.names) + dialect.trailing
        other = f"the header has {width}" if dialect.header else f"the table has {counted(width, 'column')}"
        fields = "1 field" if found == 1 else f"{found} fields"
        remedy = f"Correct the line, or use delimiter= if the fields are not separated by {dialect.separated}."
        return malformed_line_error(place, f"the line has {fields}, but {other}. {remedy}")


def parser_of(dialect: Dialect, roles: str, missing: list[bytes], threads: int) -> _core.DelimitedParser:
    """Return a parser of a dialect; ``roles`` has n (number), s (string) or - (not needed) for each field."""
    return _core.DelimitedParser(
        dialect.delimiter or NO_DELIMITER,
        dialect.quote,
        dialect.decimal,
        dialect.thousands,
        roles,
        missing,
        dialect.trim,
        threads,
    )


class _Columns:
    """The columns that were asked for: their places in the text, and what their strings mean.

    The parser gives the fields of columns of booleans and dates as strings. Each different string is converted once.
    """

    def __init__(self, dialect: Dialect, codec: str, kinds: Mapping[str, str], threads: int) -> None:
        self.codec = codecs.lookup(codec).name
        kind_by_column = [kinds.get(name) for name in dialect.names]
        roles = "".join("-" if kind is None else "n" if kind == "number" else "s" for kind in kind_by_column)
        missing = [marker.encode(codec) for marker in dialect.missing if _is_in(marker, codec)]
        self.parser = parser_of(dialect, roles + "-" * dialect.trailing, missing, threads)
        pairs = [(name, kind) for name, kind in zip(dialect.names, kind_by_column, strict=True) if kind is not None]
        self.parsed_numbers = [name for name, kind in pairs if kind == "number"]
        read_as_strings = [pair for pair in pairs if pair[1] != "number"]
        self.values: list[list[str]] = [[] for _ in read_as_strings]
        self.string_columns = [j for j, (_, kind) in enumerate(read_as_strings) if kind == "string"]
        self.converted = {
            j: _Converted(name, kind, dialect.day_first)
            for j, (name, kind) in enumerate(read_as_strings)
            if kind != "string"
        }
        self.number_names = (*self.parsed_numbers, *(column.name for column in self.converted.values()))
        self.string_names = tuple(name for name, kind in read_as_strings if kind == "string")
        self.string_values = tuple(self.values[j] for j in self.string_columns)
        self.rows_before = 0
        self.failed = (0, 0)  # column and code of a string that could not be decoded

    def block(self, numbers: NDArray[np.float64], codes: NDArray[np.int32], place: Place) -> Block:
        """Return rows that were parsed, after their new strings have been decoded."""
        for j, known in enumerate(self.values):
            if new := self.parser.values(j, len(known)):
                known += self._decoded(j, new)
        if self.converted:
            columns = [column.numbers(self.values[j], codes[:, j]) for j, column in self.converted.items()]
            numbers = np.ascontiguousarray(np.column_stack([numbers, *columns]))
            codes = np.ascontiguousarray(codes[:, self.string_columns])
        return Block(self.number_names, numbers, self.string_names, codes, self.string_values, place)

    def _decoded(self, column: int, new: list[bytes]) -> list[str]:
        """Decode strings; all at once if none of them has a zero byte."""
        joined = b"\0".join(new)
        try:
            if joined.count(0) == len(new) - 1:
                return joined.decode(self.codec).split("\0")
        except UnicodeDecodeError:
            pass
        decoded: list[str] = []
        for value in new:
            self.failed = (column, len(self.values[column]) + len(decoded))
            decoded.append(value.decode(self.codec))
        return decoded

    def count_invalid(self, found: dict[str, Invalid], codes: NDArray[np.int32], place: Place) -> None:
        """Add the values of the latest block that are not of the kind that was asked for."""
        for k, name in enumerate(self.parsed_numbers):
            count, row, first, distinct = self.parser.invalid(k)
            if count == 0:
                continue
            if name in found:
                found[name] = replace(found[name], count=count, distinct=distinct)
            else:
                text = first.decode(self.codec, "replace")
                found[name] = Invalid(count, text, place(row - self.rows_before), distinct)
        for j, column in self.converted.items():
            column.count_invalid(found, self.values[j], codes[:, j], place)
        self.rows_before += len(codes)


class _Converted:
    """A column of booleans or dates, whose different strings are converted once."""

    def __init__(self, name: str, kind: str, day_first: bool) -> None:
        self.name, self.kind, self.day_first = name, kind, day_first
        self._table = np.full(1, np.nan)  # by code; the last entry is for code -1
        self._bad: list[int] = []

    def numbers(self, values: list[str], codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the numbers that codes stand for."""
        known = len(self._table) - 1
        if known < len(values):
            new = [self._number(value) for value in values[known:]]
            self._bad += [known + i for i, number in enumerate(new) if number is None]
            new_numbers = [np.nan if number is None else number for number in new]
            self._table = np.concatenate([self._table[:-1], new_numbers, [np.nan]])
        return self._table[codes]

    def _number(self, value: str) -> float | None:
        return TRUTHS.get(value.lower()) if self.kind == "boolean" else days_since_1970(value, self.day_first)

    def count_invalid(
        self, found: dict[str, Invalid], values: list[str], codes: NDArray[np.int32], place: Place
    ) -> None:
        """Add the values of a block that could not be converted."""
        if not self._bad:
            return
        rows = np.flatnonzero(np.isin(codes, self._bad))
        if len(rows):
            before = found.get(self.name) or Invalid(0, values[codes[rows[0]]], place(int(rows[0])), 1)
            distinct = min(2, len(self._bad))
            found[self.name] = replace(before, count=before.count + len(rows), distinct=distinct)


def _is_in(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def _are_labels(kind: str, counts: Counter[str]) -> bool:
    """Return whether a column can have labels: few different values, which are neither dates nor fractions."""
    if kind == "date" or not 2 <= len(counts) <= min(MAX_LABELS, max(2, counts.total() // 3)):
        return False
    return kind != "number" or all(value.lstrip("+-").isdigit() for value in counts)
