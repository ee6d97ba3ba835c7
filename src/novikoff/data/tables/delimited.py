"""Tables of fields between delimiters, such as CSV and TSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import IO, Any, NoReturn

import numpy as np

from novikoff.data.formats.base import Rows
from novikoff.data.source import Fill
from novikoff.errors import input_error, quote

from .arrow_blocks import ArrowBlocks
from .block import BlockReader
from .packages import library, sentence
from .table import TextTableFormat
from .text import TextReader, Types
from .writing import record_batches

MISSING_NUMBERS = [  # as in pandas
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
]
KINDS = {"double": "a number", "int64": "a whole number", "bool": "a boolean"}  # by the names of Arrow


class Delimited(TextTableFormat):
    """Records of fields, whose first line names the columns.

    Parameters
    ----------
    name : str
        The name of the format.
    suffixes : tuple of str
        Endings of file names.
    delimiter : str
        One character between two fields.
    quotes : bool
        Whether a field may be in double quotes, and then hold delimiters and line ends.
    """

    can_write = True

    def __init__(self, name: str, suffixes: tuple[str, ...], delimiter: str, *, quotes: bool) -> None:
        self.name, self.suffixes, self.delimiter, self.quotes = name, suffixes, delimiter, quotes
        self.forbidden = "" if quotes else f"{delimiter}\r\n"

    def reader(
        self, where: str, name: str, opening: AbstractContextManager[Fill], options: dict[str, Any], rows_in_work: int
    ) -> BlockReader:
        return ArrowBlocks(where, DelimitedReader(self, where, name, opening, rows_in_work))

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        arrow, compute = library(where, "pyarrow"), library(where, "pyarrow.compute")
        delimiter, end, empty = (arrow.scalar(text, arrow.large_string()) for text in (self.delimiter, "\n", ""))
        header = True
        for table in record_batches(where, rows, as_text=True):
            if header:
                file.write(f"{self.delimiter.join(map(self._field, table.schema.names))}\n".encode())
                header = False
            columns = []
            for column in table.columns:
                if arrow.types.is_string(column.type):
                    column = arrow.array([self._field(word) for word in column.to_pylist()])
                columns.append(column.cast(arrow.large_string()))  # the shortest digits that are read back exactly
            lines = compute.binary_join_element_wise(*columns, delimiter)
            lines = compute.binary_join_element_wise(lines, empty, end)
            _, ends, text = lines.buffers()
            file.write(memoryview(text)[: np.frombuffer(ends, np.int64)[len(lines)]])

    def one_row(self, cells: dict[str, str]) -> bytes:
        return "".join(f"{self.delimiter.join(map(self._field, line))}\n" for line in (cells, cells.values())).encode()

    def _field(self, text: str) -> str:
        """Return a field, in quotes only if it needs them."""
        if not self.quotes or (text and not any(character in text for character in f'{self.delimiter}"\r\n')):
            return text
        return '"' + text.replace('"', '""') + '"'


class DelimitedReader(TextReader):
    """One pass over delimited text.

    An empty field is a missing value; in columns of numbers, so are the words that pandas takes for missing, such as
    NA, NaN, NULL and None.
    """

    parser_module = "pyarrow.csv"
    has_header = True

    def __init__(
        self, dialect: Delimited, where: str, name: str, opening: AbstractContextManager[Fill], rows_in_work: int
    ) -> None:
        self.dialect = dialect
        # A quote opens a field only at its beginning, and a doubled quote inside does not close it. A field that is
        # still open ends with the block.
        before = re.escape(dialect.delimiter.encode())
        self.quoted = re.compile(rb'(?:(?<=[%b\r\n])|\A)"[^"]*+(?:""[^"]*+)*+"?' % before)
        if dialect.quotes:
            self.too_long = "the record is longer than {max_size} bytes, or a quote is never closed"
        super().__init__(where, name, opening, rows_in_work)

    def last_record_end(self, text: bytes) -> int:
        end = text.rfind(b"\n")
        if self.dialect.quotes and b'"' in text:
            for start, stop in reversed([match.span() for match in self.quoted.finditer(text)]):
                if end >= stop:
                    break
                if end > start:
                    end = text.rfind(b"\n", 0, start)
        return end + 1

    def record_ends(self, block: bytes) -> Iterator[int]:
        start = 0
        quoted = (match.span() for match in self.quoted.finditer(block)) if self.dialect.quotes else ()
        for begin, end in [*quoted, (len(block), len(block))]:
            while (newline := block.find(b"\n", start, begin)) >= 0:
                start = newline + 1
                yield start
            start = end
        yield len(block)

    def parse(self, block: bytes, types: Types | None, header: bool, thread_size: int | None) -> Any:
        parser = self.parser
        table = parser.read_csv(
            self.arrow_buffer(block),
            read_options=parser.ReadOptions(
                use_threads=thread_size is not None,
                block_size=thread_size or len(block) + 1,
                column_names=None if header else self.schema.names,
            ),
            parse_options=parser.ParseOptions(
                delimiter=self.dialect.delimiter,
                quote_char='"' if self.dialect.quotes else False,
                newlines_in_values=self.dialect.quotes,
            ),
            convert_options=parser.ConvertOptions(
                null_values=MISSING_NUMBERS,
                column_types=types,
                include_columns=None if types is None else list(types),
            ),
        )
        return table if types is None else self._without_empty(table, types)

    def _without_empty(self, table: Any, types: Types) -> Any:
        """Replace empty strings by missing values, which look the same."""
        compute = library(self.where, "pyarrow.compute")
        for i, (name, type_) in enumerate(types.items()):
            if self.arrow.types.is_string(type_):
                empty = compute.equal(table.column(i), "")
                if compute.any(empty).as_py():
                    table = table.set_column(i, name, compute.if_else(empty, None, table.column(i)))
        return table

    def refuse(self, block: bytes, types: Types | None, error: Exception) -> NoReturn:
        message = sentence(error)
        row = re.search(r"Row #(\d+): (.*)", message)
        if row is None:
            raise input_error(
                self.place_of_line(), f"the text is not {self.dialect.name.upper()}: {message}."
            ) from error
        place = self.place_of_record(block, int(row[1]) - 1)
        if ragged := re.match(r"Expected (\d+) columns, got (\d+)", row[2]):
            raise input_error(place, f"the line must have {ragged[1]} fields, but it has {ragged[2]}.") from error
        column = re.match(r"In CSV column #(\d+)", message)
        value = re.search(r"conversion error to (\w+): invalid value '(.*)'$", row[2])
        if column is None or value is None:
            raise input_error(place, f"the line cannot be parsed: {row[2]}.") from error
        name = self.schema.names[int(column[1])]
        kind = KINDS.get(value[1], value[1])
        message = f"column {name!r} must hold {kind}, as in the rows before, but there is {quote(value[2])}."
        raise input_error(place, message) from error
