"""Tables that come as text, block by block: from files, pipes and files that still grow."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.bad_lines import BadLines, BadRecord, blanked
from novikoff.data.compression import DamagedError
from novikoff.data.source import Fill, line_blocks
from novikoff.errors import InvalidInputError, input_error, no_rows_error, quote

from .packages import library

BLOCK_SIZE = 4 << 20  # bytes that are parsed at a time
THREAD_SIZE = 1 << 20  # bytes of a block that one thread parses
MAX_RECORD_LENGTH = 64 << 20
MAX_CELLS = 1 << 22  # values that are parsed at a time, including missing ones
MAX_CELLS_PER_BYTE = 512  # of text in which almost all values are missing
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Types = Mapping[str, Any]  # the columns that are needed, and the types of Arrow that they are parsed as


class Part(NamedTuple):
    """Whole records of a text: the line at which they begin, and the positions after each of them."""

    text: bytes
    first_line: int
    ends: NDArray[np.int64]

    def split(self, records: int) -> Iterator[Part]:
        """Cut into parts of at most so many records; the last one has the end of the text."""
        line, begin = self.first_line, 0
        for first in range(0, len(self.ends), records):
            ends = self.ends[first : first + records]
            end = len(self.text) if first + records >= len(self.ends) else int(ends[-1])
            whole = (begin, end) == (0, len(self.text))
            part = Part(self.text if whole else self.text[begin:end], line, ends if whole else ends - begin)
            yield part
            line += part.text.count(b"\n")
            begin = end

    def beginning(self, records: int) -> Part:
        """Return the first records."""
        return Part(self.text[: self.ends[records - 1]], self.first_line, self.ends[:records])

    def record(self, number: int) -> bytes:
        """Return the text of a record."""
        return self.text[self.ends[number - 1] if number else 0 : self.ends[number]].strip()

    def some(self, begin: int, end: int) -> Part:
        """Return records from ``begin`` up to ``end``."""
        start = int(self.ends[begin - 1]) if begin else 0
        text = self.text[start : self.ends[end - 1]]
        return Part(text, self.first_line + self.text.count(b"\n", 0, start), self.ends[begin:end] - start)

    def without(self, numbers: Sequence[int]) -> Part:
        """Return this part with blanks in place of some records, so that the others keep their places."""
        text = bytearray(self.text)
        for number in numbers:
            begin, end = int(self.ends[number - 1]) if number else 0, int(self.ends[number])
            text[begin:end] = re.sub(rb"[^\n]", b" ", self.text[begin:end])
        return Part(bytes(text), self.first_line, np.delete(self.ends, numbers))

    def line_of(self, number: int) -> int:
        """Return the line at which a record begins."""
        begin = int(self.ends[number - 1]) if number else 0
        blank = len(self.text[begin : self.ends[number]]) - len(self.text[begin : self.ends[number]].lstrip())
        return self.first_line + self.text.count(b"\n", 0, begin + blank)


class TextReader:
    """One pass over blocks of text that each end where a line does; the last one may lack its line end.

    The kind of a column is that of its values in the first block. A later value that does not fit is refused with its
    line; a column that is empty in the first block is taken for numbers.

    Parameters
    ----------
    where : str
        The function that the user called, for errors about missing packages.
    name : str
        What error messages call the text.
    opening : context manager of Fill
        The text, as ``source.opened`` opens it.
    rows_in_work : int
        How many of the latest rows ``place`` must still find.
    bad : BadLines or None, default=None
        Counts malformed records, which are left out; None refuses them.
    """

    parser_module: str  # of pyarrow

    def __init__(
        self,
        where: str,
        name: str,
        opening: AbstractContextManager[Fill],
        rows_in_work: int,
        bad: BadLines | None = None,
    ) -> None:
        self.where, self.name, self.bad = where, name, bad
        self.arrow, self.parser = library(where, "pyarrow"), library(where, self.parser_module)
        self._parts, self._rows_in_work = self.parts(opening), rows_in_work
        self._recent: deque[tuple[int, Part]] = deque()  # with the number of its first row
        self._rows = 0
        self._first, self.schema = self._look_ahead()

    @abstractmethod
    def check(self, block: bytes, first_line: int) -> NDArray[np.int64] | BadRecord:
        """Return the position after each record; or the first record that the parser may not survive."""

    @abstractmethod
    def column_count(self, part: Part) -> int:
        """Return an upper bound on the number of columns of records."""

    @abstractmethod
    def parse(self, part: Part, types: Types | None, thread_size: int | None) -> Any:
        """Parse records; without ``types``, with those that they seem to have.

        With ``thread_size``, several threads parse a part of that size each.
        """

    @abstractmethod
    def refusal(self, part: Part, number: int, error: Exception) -> InvalidInputError:
        """Return the error of a record that ``parse`` refused with another error."""

    def parts(self, opening: AbstractContextManager[Fill]) -> Iterator[Part]:
        """Cut the text into blocks of whole lines, and check them; blank ones are left out."""
        line = 1
        with opening as fill:
            try:
                for block in line_blocks(fill, BLOCK_SIZE, MAX_RECORD_LENGTH):
                    text = bytes(block)
                    if line == 1:
                        text = text.removeprefix(BYTE_ORDER_MARK)
                    if text and not text.isspace():
                        yield from self._checked(text, line)
                    line += text.count(b"\n")
            except DamagedError as error:
                raise input_error(self.place_of_line(line), f"{error}.") from None

    def _checked(self, text: bytes, line: int) -> Iterator[Part]:
        """Return the records of a block, if it has any that are not malformed."""
        ends = self.check(text, line)
        if isinstance(ends, BadRecord) and self.bad is not None:
            text = blanked(text, line, self._find_bad, self.bad)
            ends = self.check(text, line)
        if isinstance(ends, BadRecord):
            raise ends.error
        if len(ends):
            yield Part(text, line, ends)

    def _find_bad(self, text: bytes, first_line: int) -> BadRecord | None:
        found = self.check(text, first_line)
        return found if isinstance(found, BadRecord) else None

    def _look_ahead(self) -> tuple[Part, Any]:
        """Read the first records, and return them with the schema that they seem to have."""
        while (first := next(self._parts, None)) is not None:
            first = self._with_one_schema(first)
            fields: dict[str, Any] = {}
            for part in self._split(first, self.column_count(first)):
                for field in self._parsed(part, None).schema:
                    known = fields.get(field.name, field.type)
                    fields[field.name] = self._common(part, field.name, known, field.type)
            if fields or self.bad is None:
                return first, self.arrow.schema(list(fields.items()))
        is_empty = self.bad is None or self.bad.count == 0
        raise no_rows_error(self.name, "the file is empty." if is_empty else "all lines are malformed.")

    def _split(self, part: Part, columns: int) -> Iterator[Part]:
        """Cut records so that the values of a part, including missing ones, need a bounded amount of memory."""
        records = len(part.ends)
        if records * columns > MAX_CELLS + MAX_CELLS_PER_BYTE * len(part.text):
            message = f"{records:,} rows have {columns:,} different columns, and almost all values are missing."
            remedy = "Use features= to list the columns to read, or svmlight for sparse rows."
            raise input_error(self.place_of_line(part.first_line), f"{message} {remedy}")
        return part.split(max(1, MAX_CELLS // max(1, columns)))

    def _common(self, part: Part, name: str, one: Any, other: Any) -> Any:
        """Return the type of a column whose parts have two types, as the parser decides about one part."""
        if one == other or str(other) == "null":
            return one
        names = {str(one), str(other)}
        if str(one) == "null" or names == {"int64", "double"}:
            return self.arrow.float64() if "int64" in names and "double" in names else other
        if "string" in names and any(type_.startswith("timestamp") for type_ in names):
            return self.arrow.string()
        message = f"column {quote(name)} holds {one} in the rows before, but {other} in the rows that follow."
        raise input_error(self.place_of_line(part.first_line), message)

    def tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Parse one part after the other."""
        types = {name: self._type(kind, self.schema.field(name).type) for name, kind in kinds.items()}
        block: Part | None = self._first
        while block is not None:
            for part in self._split(block, len(types)):
                good, table = self._table(part, types)
                if len(good.ends):
                    self._remember(good, table.num_rows)
                    yield table
            block = next(self._parts, None)

    def _type(self, kind: str, judged: Any) -> Any:
        """Return the type that a column is parsed as; parsed as a float, a 1 in the first rows allows a later 1.5."""
        if kind == "number" and str(judged) in ("int64", "null"):
            return self.arrow.float64()
        return self.arrow.string() if str(judged) == "null" and kind == "string" else judged

    def _remember(self, part: Part, rows: int) -> None:
        while len(self._recent) > 1 and self._recent[1][0] <= self._rows - self._rows_in_work:
            self._recent.popleft()
        self._recent.append((self._rows, part))
        self._rows += rows

    def place(self, row: int) -> str:
        """Return the line of a recent row."""
        first, part = next(recent for recent in reversed(self._recent) if recent[0] <= row)
        return self.place_of_line(part.line_of(row - first))

    def place_of_line(self, line: int) -> str:
        """Return the name of the text with a line."""
        return f"{self.name}, line {line}"

    def _table(self, part: Part, types: Types) -> tuple[Part, Any]:
        """Return the table in a part, and the part without records that are left out.

        Several threads parse at first. They do not report which row they refuse, and they refuse a row that is longer
        than the part of a thread, so after an error the part is parsed again as a whole.
        """
        with suppress(*self._refusals):
            return part, self.parse(part, types, THREAD_SIZE)
        if self.bad is not None:
            part = part.without(self._refused(part, types, 0, len(part.ends)))
        return part, self._parsed(part, types) if len(part.ends) else None

    def _parsed(self, part: Part, types: Types | None) -> Any:
        """Return the table in a part; the first record that is refused is an error."""
        try:
            return self.parse(part, types, None)
        except self._refusals as error:
            number, reason = self._first_refused(part, types, error)
            raise self.refusal(part, number, reason) from error

    def _first_refused(self, part: Part, types: Types | None, error: Exception) -> tuple[int, Exception]:
        """Find a record by bisection: it is the last one of the shortest beginning that is refused."""
        good, bad = 0, len(part.ends)
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                self.parse(part.beginning(middle), types, None)
                good = middle
            except self._refusals as refusal:
                bad, error = middle, refusal
        return bad - 1, error

    def _refused(self, part: Part, types: Types, begin: int, end: int) -> list[int]:
        """Return the records between two places that are refused, found by halves, and count them."""
        if begin == end:
            return []
        try:
            self.parse(part.some(begin, end), types, None)
        except self._refusals as error:
            if end - begin > 1:
                middle = (begin + end) // 2
                return [*self._refused(part, types, begin, middle), *self._refused(part, types, middle, end)]
            self._count_refused(part, begin, error)
            return [begin]
        return []

    def _count_refused(self, part: Part, number: int, error: Exception) -> None:
        if self.bad is not None:
            self.bad.add(self.place_of_line(part.line_of(number)), self.refusal(part, number, error))

    def _with_one_schema(self, part: Part) -> Part:
        """Return the first records without those that do not have the kinds of the records before them."""
        while self.bad is not None and len(part.ends):
            try:
                self.parse(part, None, None)
                break
            except self._refusals as error:
                number, reason = self._first_refused(part, None, error)
            self._count_refused(part, number, reason)
            dropped = [number]
            if number:  # those after it, by the kinds of the records before it
                schema = self.parse(part.beginning(number), None, None).schema
                types = {field.name: self._type("number", field.type) for field in schema if str(field.type) != "null"}
                dropped += self._refused(part, types, number + 1, len(part.ends))
            part = part.without(dropped)
        return part

    @property
    def _refusals(self) -> tuple[type[Exception], ...]:
        return (self.arrow.ArrowException, ValueError)

    def arrow_buffer(self, block: bytes) -> Any:
        """Return a copy of a block in memory of Arrow, whose threads may still hold it when the interpreter exits."""
        buffer = self.arrow.allocate_buffer(len(block))
        memoryview(buffer).cast("B")[:] = block
        return buffer
