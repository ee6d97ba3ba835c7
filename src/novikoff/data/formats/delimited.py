"""Tables of fields between delimiters, such as CSV and TSV."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import zip_longest
from typing import IO, Any

import numpy as np

from novikoff.data.delimited.blocks import DelimitedBlocks
from novikoff.data.delimited.dialect import DIALECT, DialectOptions, is_delimited
from novikoff.data.encoding.words import ALL_CORES
from novikoff.data.source import Fill
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import library
from novikoff.errors import input_error, quote

from .base import Rows
from .content import is_object, is_svmlight
from .table import TextTableFormat
from .writing import record_batches


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

    yields_to_content = True
    can_write = True
    options = (*TextTableFormat.options, *DIALECT)

    def __init__(self, name: str, suffixes: tuple[str, ...], delimiter: str, *, quotes: bool) -> None:
        self.name, self.suffixes, self.delimiter, self.quotes = name, suffixes, delimiter, quotes
        self.forbidden = "\0" if quotes else f"{delimiter}\r\n\0"

    def recognizes(self, beginning: bytes) -> bool:
        return not (is_svmlight(beginning) or is_object(beginning)) and is_delimited(beginning)

    def reader(
        self, where: str, name: str, opening: AbstractContextManager[Fill], options: dict[str, Any], rows_in_work: int
    ) -> BlockReader:
        dialect = options.get("dialect") or DialectOptions(**{name: options.get(name) for name in DIALECT})
        expected, optional = options.get("expected"), options.get("label")
        preferred = self.delimiter if self.delimiter == "\t" else None  # what is called CSV may have any delimiter
        bad = options.get("bad")
        return DelimitedBlocks(where, name, opening, dialect, expected, preferred, ALL_CORES, optional, bad)

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

    def check_names(self, where: str, names: list[str]) -> None:
        """Read a row with these columns: text does not keep blanks around names, for example."""
        text = self.one_row({name: f"{i}.5" for i, name in enumerate(names)})
        found = list(self.open_pass(where, text, {}, 0, False).schema)
        for name, again in zip_longest(names, found):
            if name != again:
                reason = f"the name {quote(name)} of a column would not be read back from {self.name}"
                raise input_error(where, f"{reason}. Use Parquet, or rename the column.")

    def one_row(self, cells: dict[str, str]) -> bytes:
        return "".join(f"{self.delimiter.join(map(self._field, line))}\n" for line in (cells, cells.values())).encode()

    def _field(self, text: str) -> str:
        """Return a field, in quotes only if it needs them."""
        if not self.quotes or (text and not any(character in text for character in f'{self.delimiter}"\r\n')):
            return text
        return '"' + text.replace('"', '""') + '"'
