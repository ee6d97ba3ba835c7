"""Tables that come as text, block by block: CSV, TSV and NDJSON from files, pipes and files that still grow."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from novikoff._validation import check_choice, check_integer
from novikoff.data.batch import Batch
from novikoff.data.compression import DamagedError
from novikoff.data.hashing import Hashing
from novikoff.data.source import Fill, line_blocks, name_of, opened
from novikoff.errors import invalid

from .columns import Columns, clipped
from .encoding import Encoder
from .foreign import library, sentence

TEXT_FORMATS = ("csv", "tsv", "ndjson")
MISSING_NUMBERS = [  # what pandas takes for missing
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
]
BLOCK = 4 << 20  # bytes that are parsed at a time
PART = 1 << 20  # bytes of it for one thread
LONGEST_RECORD = 64 << 20

# A quote opens a field only where the field begins, and a doubled quote inside does not close it. The last quote may
# still be to come: the field then ends with the block.
QUOTED = re.compile(rb'(?:(?<=[,\r\n])|\A)"[^"]*+(?:""[^"]*+)*+"?')


def last_record_end(block: bytes | memoryview, format: str = "csv") -> int:
    """Return the index after the last line end of a block that is not inside quotes, or 0 if there is none.

    The block begins where a record does. Quotes count in CSV only: TSV has none, and strings of NDJSON no line ends.
    """
    data = bytes(block)
    end = data.rfind(b"\n")
    if format == "csv" and b'"' in data:
        for start, stop in reversed([match.span() for match in QUOTED.finditer(data)]):
            if end >= stop:
                break
            if end > start:
                end = data.rfind(b"\n", 0, start)
    return end + 1


def text_blocks(where: str, name: str, fill: Fill, format: str) -> Iterator[bytes]:
    """Cut a text at the ends of records; the last block ends where the text does."""
    lines = 0

    def find_end(buffer: bytearray, begin: int, end: int) -> int:
        return last_record_end(memoryview(buffer)[:end], format)

    try:
        longer = "a longer one, or quotes that are never closed,"
        for block in line_blocks(fill, BLOCK, LONGEST_RECORD, find_end, longer):
            text = bytes(block)
            yield text
            lines += text.count(b"\n")
    except DamagedError as error:
        raise invalid(where, error.need, f"{error.got} at {name}:{lines + 1}") from None


def file_blocks(where: str, source: Any, format: str, follow: bool = False) -> Iterator[bytes]:
    """The same of a file, of a pipe or of bytes, which may be compressed."""
    with opened(where, source, follow=follow) as fill:
        yield from text_blocks(where, name_of(source), fill, format)


class _Recent(NamedTuple):
    """A block that rows still in work came from."""

    first_row: int
    first_line: int
    block: bytes
    header: bool


class TextReader:
    """One pass over blocks that each end where a record does; the last one may lack its line end.

    The first line of CSV and TSV names the columns, and an empty field is a missing value; in columns of numbers, so
    are the words that pandas takes for it, such as NA, NaN, NULL and None. TSV knows no quotes: a field is what stands
    between two tabs. What a column holds is what its first block holds, and a later value that does not fit is refused
    with its line; a column that is empty there is taken for numbers.

    Parameters
    ----------
    where : the name that errors begin with
    name : what the text is called in messages
    format : "csv", "tsv" or "ndjson"
    blocks : the text
    rows_in_work : how many of the latest rows ``place`` must still find
    """

    def __init__(self, where: str, name: str, format: str, blocks: Iterable[bytes], rows_in_work: int) -> None:
        self._where, self._name, self._format = where, name, format
        self._arrow = library(where, "pyarrow")
        self._parser = library(where, "pyarrow.json" if format == "ndjson" else "pyarrow.csv")
        self._blocks, self._rows_in_work = iter(blocks), rows_in_work
        self._recent: deque[_Recent] = deque()
        self._rows, self._line = 0, 1
        self._first, self.schema = self._look_ahead()

    def _look_ahead(self) -> tuple[bytes, Any]:
        """Take blocks until there is a row, and return them with what the columns seem to hold."""
        first = b""
        for block in self._blocks:
            first += block
            if first.isspace():
                continue
            table = self._parse(first, None, header=True)
            if table.num_rows:
                return first, table.schema
        what = "one without rows" if first.strip() else "an empty one"
        raise invalid(self._where, "A table of at least one row.", f"{what}, {self._name}")

    def tables(self, columns: Columns) -> Iterator[Any]:
        """Parse block after block."""
        if self._format != "ndjson":
            columns.check_names(self._name, self.schema.names)
        block: bytes | None = self._first
        header = True
        while block is not None:
            if not block.isspace():
                table = self._parse(block, columns, header)
                self._remember(block, table.num_rows, header)
                yield table
            self._line += block.count(b"\n")
            block, header = next(self._blocks, None), False

    def _remember(self, block: bytes, rows: int, header: bool) -> None:
        while len(self._recent) > 1 and self._recent[1].first_row <= self._rows - self._rows_in_work:
            self._recent.popleft()
        self._recent.append(_Recent(self._rows, self._line, block, header and self._format != "ndjson"))
        self._rows += rows

    def place(self, row: int) -> str:
        """The line of a recent row."""
        recent = next(recent for recent in reversed(self._recent) if recent.first_row <= row)
        return self._at_record(recent.block, row - recent.first_row + recent.header, recent.first_line)

    def _at_record(self, block: bytes, record: int, first_line: int) -> str:
        """The line of a record that counts from 0 within its block, where blank lines are no records."""
        blank = None if self._format == "ndjson" else b"\r\n"
        start = 0
        for end in self._record_ends(block):
            record -= bool(block[start:end].strip(blank))
            if record < 0:
                break
            start = end
        line = first_line + block.count(b"\n", 0, start)
        return f"{self._name}:{line}"

    def _record_ends(self, block: bytes) -> Iterator[int]:
        start = 0
        quoted = (match.span() for match in QUOTED.finditer(block)) if self._format == "csv" else ()
        for begin, end in [*quoted, (len(block), len(block))]:
            while (newline := block.find(b"\n", start, begin)) >= 0:
                start = newline + 1
                yield start
            start = end
        yield len(block)

    def _parse(self, block: bytes, columns: Columns | None, header: bool) -> Any:
        """Return the table in a block; without ``columns``, with whatever types it seems to have.

        Several threads parse, a part of the block each. They do not say which row they refuse, nor do they accept one
        that is longer than a part, so the block is then parsed again as a whole.
        """
        refusals = (self._arrow.ArrowException, ValueError)
        if columns is not None:
            with suppress(*refusals):
                return self._parsed(block, columns, header, PART)
        try:
            table = self._parsed(block, columns, header)
        except refusals as error:
            self._refuse_encoding(block, error)
            if self._format == "ndjson":
                self._refuse_object(block, columns)
            self._refuse_record(block, error)
        if columns is None and not _is_text(table.schema):
            self._refuse_encoding(block, None)
        return table

    def _parsed(self, block: bytes, columns: Columns | None, header: bool, part: int | None = None) -> Any:
        # In Arrow's memory: its threads may let go of the block while the interpreter ends, and must not need it then.
        source = self._arrow.allocate_buffer(len(block))
        memoryview(source).cast("B")[:] = block
        parser = self._parser
        reading = {"use_threads": part is not None, "block_size": part or len(block) + 1}
        if self._format == "ndjson":
            extra = "infer" if columns is None else "error" if columns.takes_all else "ignore"
            schema = None if columns is None else self._arrow.schema(columns.types)
            return parser.read_json(
                source,
                read_options=parser.ReadOptions(**reading),
                parse_options=parser.ParseOptions(explicit_schema=schema, unexpected_field_behavior=extra),
            )
        names = None if header else self.schema.names
        table = parser.read_csv(
            source,
            read_options=parser.ReadOptions(**reading, column_names=names),
            parse_options=parser.ParseOptions(
                delimiter="," if self._format == "csv" else "\t",
                quote_char='"' if self._format == "csv" else False,
                newlines_in_values=self._format == "csv",
            ),
            convert_options=parser.ConvertOptions(
                null_values=MISSING_NUMBERS,
                column_types=None if columns is None else columns.types,
                include_columns=None if columns is None else columns.needed,
            ),
        )
        return table if columns is None else self._without_empty(table, columns)

    def _without_empty(self, table: Any, columns: Columns) -> Any:
        """Take empty strings for missing ones: CSV cannot tell them apart. An empty text is a text."""
        compute = library(self._where, "pyarrow.compute")
        for i, name in enumerate(columns.needed):
            if self._arrow.types.is_string(columns.types[name]) and name not in columns.text:
                empty = compute.equal(table.column(i), "")
                if compute.any(empty).as_py():
                    table = table.set_column(i, name, compute.if_else(empty, None, table.column(i)))
        return table

    def _refuse_encoding(self, block: bytes, cause: Exception | None) -> None:
        try:
            block.decode()
        except UnicodeDecodeError as error:
            line = self._line + block.count(b"\n", 0, error.start)
            got = f"the byte 0x{block[error.start]:02x} at {self._name}:{line}"
            raise invalid(self._where, "Text in UTF-8.", got) from (cause or error)

    def _refuse_record(self, block: bytes, error: Exception) -> NoReturn:
        """Say which record of CSV or TSV does not fit."""
        message = sentence(error)
        row = re.search(r"Row #(\d+): (.*)", message)
        if row is None:
            need = f"A table in {self._format.upper()}."
            raise invalid(self._where, need, f"{self._name} from line {self._line}: {message}") from error
        place = self._at_record(block, int(row[1]) - 1, self._line)
        ragged = re.match(r"Expected (\d+) columns, got (\d+)", row[2])
        if ragged:
            raise invalid(self._where, f"{ragged[1]} fields in every row.", f"{ragged[2]} at {place}") from error
        column = re.match(r"In CSV column #(\d+)", message)
        value = re.search(r"conversion error to (\w+): invalid value '(.*)'$", row[2])
        if column is None or value is None:
            raise invalid(self._where, "Values that can be parsed.", f"{row[2]} at {place}") from error
        kind = {"double": "A number", "int64": "A whole number", "bool": "A boolean"}.get(value[1], value[1])
        need = f"{kind} in column {self.schema.names[int(column[1])]!r}, as in the rows before."
        raise invalid(self._where, need, f"{clipped(value[2])} at {place}") from error

    def _refuse_object(self, block: bytes, columns: Columns | None) -> NoReturn:
        """Say which line of NDJSON does not fit: the last one of the shortest beginning that is refused."""
        lines = block.split(b"\n")
        good, bad = 0, len(lines)
        failure: Exception = ValueError("no object")
        while bad - good > 1:
            middle = (good + bad) // 2
            beginning = b"\n".join(lines[:middle])
            try:
                if not beginning.isspace() and beginning:
                    self._parsed(beginning, columns, header=False)
                good = middle
            except (self._arrow.ArrowException, ValueError) as error:
                bad, failure = middle, error
        need = "An object in every line, with the columns of the first lines and values of their kinds."
        message = re.sub(r"^JSON parse error: | in row \d+$", "", sentence(failure)).rstrip(".")
        got = f"{clipped(lines[bad - 1].decode())} at {self._name}:{self._line + bad - 1}, refused with: {message}"
        raise invalid(self._where, need, got) from failure


def _is_text(schema: Any) -> bool:
    """Whether names and values are text, as far as the parser could tell."""
    try:
        return bool(schema.names) and all(str(type_) != "binary" for type_ in schema.types)
    except UnicodeDecodeError:
        return False


class LineTable:
    """A table that comes as text from a pipe, a growing file or the like, and is read once: rows come as blocks do.

    Parameters
    ----------
    where : the name that errors begin with
    blocks : the text, in blocks that each end where a record does (see ``last_record_end``)
    format : "csv", "tsv" or "ndjson"; see ``TextReader``
    name : what the text is called in messages
    target, features, weight, text, missing, hashing : see ``columns.Columns``
    batch_size : the most rows of a batch

    Attributes
    ----------
    feature_names : the names of the columns where all features are numbers; None before the first batch
    """

    def __init__(
        self,
        where: str,
        blocks: Iterable[bytes],
        *,
        format: str,
        target: str | bool | None,
        name: str = "the input",
        batch_size: int = 8192,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        text: str | Sequence[str] | None = None,
        missing: str = "error",
        hashing: Hashing | None = None,
    ) -> None:
        self._where, self._blocks, self._name = where, blocks, name
        self._format = check_choice(where, "format", format, TEXT_FORMATS)
        self._batch_size = check_integer(where, "batch_size", batch_size, at_least=1)
        self._roles: dict[str, Any] = {
            "target": target,
            "features": features,
            "weight": weight,
            "text": text,
            "missing": missing,
            "hashing": hashing,
        }
        self.feature_names: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[Batch]:
        reader = TextReader(self._where, self._name, self._format, self._blocks, 0)
        columns = Columns(self._where, reader.schema, **self._roles)
        encoder = Encoder(columns)
        self.feature_names = columns.feature_names
        first = 0
        for table in reader.tables(columns):
            for start in range(0, table.num_rows, self._batch_size):
                for part in table.slice(start, self._batch_size).combine_chunks().to_batches():
                    yield encoder.batch(part, reader.place, first)
                    first += part.num_rows
