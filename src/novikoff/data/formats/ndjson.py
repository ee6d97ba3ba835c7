"""NDJSON: one JSON object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.data.bad_lines import BadRecord
from novikoff.data.source import Fill
from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import sentence
from novikoff.data.tables.text import Part, TextReader, Types
from novikoff.errors import InvalidInputError, malformed_line_error, quote

from .base import Rows
from .content import is_object
from .table import MAX_DENSE_WIDTH, TextTableFormat


class Ndjson(TextTableFormat):
    """One object per line. Sparse rows are written without their zeros."""

    name = "ndjson"
    suffixes = (".ndjson", ".jsonl", ".json")
    yields_to_content = True
    can_write = True
    holds_zeros = False

    def recognizes(self, beginning: bytes) -> bool:
        return is_object(beginning)

    def reader(
        self, where: str, name: str, opening: AbstractContextManager[Fill], options: dict[str, Any], rows_in_work: int
    ) -> BlockReader:
        return ArrowBlocks(where, NdjsonReader(where, name, opening, rows_in_work, options.get("bad")), options)

    def write_rows(self, where: str, file: IO[bytes], rows: Iterator[Rows]) -> None:
        first = True
        for part in rows:
            others = [(f'"{name}": ', values.tolist()) for name, values in part.other_columns]
            for i in range(part.X.shape[0]):
                columns, numbers = _entries(part.X, i, first)
                first = False
                entries = [f"{key}{json.dumps(values[i])}" for key, values in others]
                pairs = zip(columns, numbers, strict=True)
                entries += [f"{json.dumps(part.name(j))}: {number!r}" for j, number in pairs]
                file.write(f"{{{', '.join(entries)}}}\n".encode())

    def one_row(self, cells: dict[str, str]) -> bytes:
        return json.dumps(cells).encode()


def _entries(X: Any, i: int, first: bool) -> tuple[Any, list[float]]:
    """Return the columns of a row that are written, and their numbers. The first row names all columns if it can."""
    if not sp.issparse(X):
        return range(X.shape[1]), X[i].tolist()
    if first and X.shape[1] <= MAX_DENSE_WIDTH:
        return range(X.shape[1]), X[[i]].toarray()[0].tolist()
    stored = slice(X.indptr[i], X.indptr[i + 1])
    return X.indices[stored].tolist(), X.data[stored].tolist()


class NdjsonReader(TextReader):
    """One pass over lines of JSON objects; a key that is absent is a missing value."""

    parser_module = "pyarrow.json"

    def check(self, block: bytes, first_line: int) -> NDArray[np.int64] | BadRecord:
        check = _core.JsonCheck()
        bad = check.feed(block)
        if bad is None and (wrong := check.unfinished()):
            bad = len(block.rstrip()) - 1, wrong
        if bad is not None:
            begin = max(check.ends().tolist(), default=0)  # of the record; if it is not closed, the text looks longer
            begin += len(block[begin:]) - len(block[begin:].lstrip())
            begin, end = block.rfind(b"\n", 0, begin) + 1, block.find(b"\n", begin)
            number = block.count(b"\n", 0, begin)
            line, place = block[begin : end if end >= 0 else len(block)], self.place_of_line(first_line + number)
            return BadRecord(number, 1, place, self._wrong_line(first_line + number, line, bad[1]))
        return check.ends()

    def column_count(self, part: Part) -> int:
        return _core.distinct_json_keys(part.text)

    def parse(self, part: Part, types: Types | None, thread_size: int | None) -> Any:
        unexpected = "infer" if types is None else "ignore"
        schema = None if types is None else self.arrow.schema(list(types.items()))
        return self.parser.read_json(
            self.arrow_buffer(part.text),
            read_options=self.parser.ReadOptions(
                use_threads=thread_size is not None, block_size=thread_size or len(part.text) + 1
            ),
            parse_options=self.parser.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected),
        )

    def refusal(self, part: Part, number: int, error: Exception) -> InvalidInputError:
        reason = re.sub(r"^JSON parse error: | in row \d+$", "", sentence(error)).rstrip(".")
        return self._wrong_line(part.line_of(number), part.record(number), reason)

    def _wrong_line(self, number: int, line: bytes, reason: str) -> InvalidInputError:
        place = self.place_of_line(number)
        try:
            text = line.decode().strip("\r\n")
        except UnicodeDecodeError as error:
            wrong = f"the text must be UTF-8, but there is the byte 0x{line[error.start]:02x}."
            return malformed_line_error(place, wrong)
        expected = "the line must be an object with the columns and kinds of the first lines"
        return malformed_line_error(place, f"{expected}, but it is {quote(text)} ({reason}).")


NDJSON = Ndjson()
