"""Rows as Arrow record batches, for the table formats that are written through Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.data.tables.packages import library

from .base import Rows

MAX_ENTRIES = 1 << 22  # numbers that are held at a time, zeros included
MAX_TEXT_ENTRIES = 1 << 18  # as text they take ten times the memory


def write_arrow(where: str, rows: Iterator[Rows], new_writer: Callable[[Any], Any]) -> None:
    """Write rows, at least one batch, with the writer that ``new_writer`` returns for their schema."""
    tables = record_batches(where, rows)
    first = next(tables)
    with new_writer(first.schema) as writer:
        for table in chain([first], tables):
            writer.write_batch(table)


def record_batches(where: str, rows: Iterator[Rows], *, as_text: bool = False) -> Iterator[Any]:
    """Convert rows, with all their zeros, to record batches of one column per feature."""
    arrow = library(where, "pyarrow")
    limit = MAX_TEXT_ENTRIES if as_text else MAX_ENTRIES
    dtype = np.float64 if as_text else None  # the shortest digits of a float32 would be read as another float64
    for part in rows:
        count, width = part.X.shape
        step = max(1, limit // width)
        for begin in range(0, count, step):
            some = slice(begin, begin + step)
            block = part.X[some].toarray() if sp.issparse(part.X) else part.X[some]
            block = np.asfortranarray(block, dtype=dtype)
            # As a list: Arrow cuts the strings of an array at a zero byte.
            others = [
                (name, values[some].tolist() if values.dtype.kind == "U" else values[some])
                for name, values in part.other_columns
            ]
            features = [(part.name(j), block[:, j]) for j in range(width)]
            yield arrow.record_batch({name: arrow.array(values) for name, values in [*others, *features]})
