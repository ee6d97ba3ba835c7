"""Tables that come as text, block by block: from files, pipes and files that still grow."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple, NoReturn

from novikoff.data.compression import DamagedError
from novikoff.data.source import Fill, line_blocks
from novikoff.errors import input_error

from .packages import library

BLOCK_SIZE = 4 << 20  # bytes that are parsed at a time
THREAD_SIZE = 1 << 20  # bytes of a block that one thread parses
MAX_RECORD_LENGTH = 64 << 20


Types = Mapping[str, Any]  # the columns that are needed, and the types of Arrow that they are parsed as


class _RecentBlock(NamedTuple):
    """A block whose rows may still be the subject of an error message."""

    first_row: int
    first_line: int
    text: bytes
    has_header: bool


class TextReader:
    """One pass over blocks of text that each end where a record does; the last one may lack its line end.

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
    """

    parser_module: str  # of pyarrow
    has_header = False
    blank: bytes | None = b"\r\n"  # characters that a line without a record may have; None: any white space
    too_long = "the line is longer than {max_size} bytes"

    def __init__(self, where: str, name: str, opening: AbstractContextManager[Fill], rows_in_work: int) -> None:
        self.where, self.name = where, name
        self.arrow, self.parser = library(where, "pyarrow"), library(where, self.parser_module)
        self._blocks, self._rows_in_work = self.blocks(opening), rows_in_work
        self._recent: deque[_RecentBlock] = deque()
        self._rows, self.line = 0, 1
        self._first, self.schema = self._look_ahead()

    def last_record_end(self, text: bytes) -> int:
        """Return the index after the last record of a text that begins where a record does; 0 if none ends in it."""
        return text.rfind(b"\n") + 1

    def record_ends(self, block: bytes) -> Iterator[int]:
        """Return the index after each record of a block; the last record may lack its line end."""
        start = 0
        while (newline := block.find(b"\n", start)) >= 0:
            start = newline + 1
            yield start
        yield len(block)

    @abstractmethod
    def parse(self, block: bytes, types: Types | None, header: bool, thread_size: int | None) -> Any:
        """Parse a block; without ``types``, with those that it seems to have.

        With ``thread_size``, several threads parse a part of that size each.
        """

    @abstractmethod
    def refuse(self, block: bytes, types: Types | None, error: Exception) -> NoReturn:
        """Raise the error of the record that ``parse`` refused with another error."""

    def blocks(self, opening: AbstractContextManager[Fill]) -> Iterator[bytes]:
        """Cut the text at the ends of records; the last block ends where the text does."""
        lines = 0

        def find_end(buffer: bytearray, begin: int, end: int) -> int:
            return self.last_record_end(bytes(memoryview(buffer)[:end]))

        with opening as fill:
            try:
                for block in line_blocks(fill, BLOCK_SIZE, MAX_RECORD_LENGTH, find_end, self.too_long):
                    text = bytes(block)
                    yield text
                    lines += text.count(b"\n")
            except DamagedError as error:
                raise input_error(self.place_of_line(lines + 1), f"{error}.") from None

    def _look_ahead(self) -> tuple[bytes, Any]:
        """Read blocks until there is a row, and return them with the schema that they seem to have."""
        first = b""
        for block in self._blocks:
            first += block
            if first.isspace():
                continue
            table = self._table(first, None, header=True)
            if table.num_rows:
                return first, table.schema
        raise input_error(self.name, "the table has no rows." if first.strip() else "the file is empty.")

    def tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Parse one block after the other."""
        types = {name: self._type(kind, self.schema.field(name).type) for name, kind in kinds.items()}
        block: bytes | None = self._first
        header = self.has_header
        while block is not None:
            if not block.isspace():
                table = self._table(block, types, header)
                self._remember(block, table.num_rows, header)
                yield table
            self.line += block.count(b"\n")
            block, header = next(self._blocks, None), False

    def _type(self, kind: str, judged: Any) -> Any:
        """Return the type that a column is parsed as; parsed as a float, a 1 in the first rows allows a later 1.5."""
        if kind == "number" and str(judged) in ("int64", "null"):
            return self.arrow.float64()
        return self.arrow.string() if str(judged) == "null" and kind == "string" else judged

    def _remember(self, block: bytes, rows: int, header: bool) -> None:
        while len(self._recent) > 1 and self._recent[1].first_row <= self._rows - self._rows_in_work:
            self._recent.popleft()
        self._recent.append(_RecentBlock(self._rows, self.line, block, header))
        self._rows += rows

    def place(self, row: int) -> str:
        """Return the line of a recent row."""
        recent = next(recent for recent in reversed(self._recent) if recent.first_row <= row)
        return self.place_of_record(recent.text, row - recent.first_row + recent.has_header, recent.first_line)

    def place_of_record(self, block: bytes, record: int, first_line: int | None = None) -> str:
        """Return the line of a record of a block, by default of the current one. Blank lines are not records."""
        start = 0
        for end in self.record_ends(block):
            record -= bool(block[start:end].strip(self.blank))
            if record < 0:
                break
            start = end
        return self.place_of_line((first_line or self.line) + block.count(b"\n", 0, start))

    def place_of_line(self, line: int | None = None) -> str:
        """Return the name of the text with a line, by default the first of the current block."""
        return f"{self.name}, line {line or self.line}"

    def _table(self, block: bytes, types: Types | None, header: bool) -> Any:
        """Return the table in a block.

        Several threads parse at first. They do not report which row they refuse, and they refuse a row that is longer
        than the part of a thread, so after an error the block is parsed again as a whole.
        """
        refusals = (self.arrow.ArrowException, ValueError)
        if types is not None:
            with suppress(*refusals):
                return self.parse(block, types, header, THREAD_SIZE)
        try:
            table = self.parse(block, types, header, None)
        except refusals as error:
            self._refuse_encoding(block, error)
            self.refuse(block, types, error)
        if types is None and not _is_text(table.schema):
            self._refuse_encoding(block, None)
        return table

    def arrow_buffer(self, block: bytes) -> Any:
        """Return a copy of a block in memory of Arrow, whose threads may still hold it when the interpreter exits."""
        buffer = self.arrow.allocate_buffer(len(block))
        memoryview(buffer).cast("B")[:] = block
        return buffer

    def _refuse_encoding(self, block: bytes, cause: Exception | None) -> None:
        try:
            block.decode()
        except UnicodeDecodeError as error:
            place = self.place_of_line(self.line + block.count(b"\n", 0, error.start))
            message = f"the text must be UTF-8, but there is the byte 0x{block[error.start]:02x}."
            raise input_error(place, message) from (cause or error)


def _is_text(schema: Any) -> bool:
    """Return whether names and values are text, as far as the parser could tell."""
    try:
        return bool(schema.names) and all(str(type_) != "binary" for type_ in schema.types)
    except UnicodeDecodeError:
        return False
