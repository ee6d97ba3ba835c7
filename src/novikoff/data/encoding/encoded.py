"""The rows of a table, encoded by a table encoder: all at once, and in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.data.bad_lines import BadLines
from novikoff.data.batch import Batch
from novikoff.data.formats.base import Batches
from novikoff.data.tables.block import Block
from novikoff.data.tables.labels import Labels, weights_of
from novikoff.data.tables.source_table import (
    MAX_INVALID_SHARE,
    TableSource,
    guessed_labels,
    invalid_values,
    origin_of,
)
from novikoff.errors import input_error

from .encoder import TableEncoder
from .table_encoding import TableEncoding
from .unseen import Unseen

RELEASED_SIZE = 1 << 25  # bytes of raw rows after which their memory is returned to the operating system


def read_encoded(where: str, table: TableSource, encoder: TableEncoder | TableEncoding) -> Batch:
    """Read all rows of a table, and encode them.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    table : TableSource
        The raw rows.
    encoder : TableEncoder or TableEncoding
        An encoder, which is fitted to the rows; or what one has learned before.

    Returns
    -------
    Batch
        The rows, labels and weights, with the encoder that was fitted, and notes for the user.
    """
    table.open()
    if isinstance(encoder, TableEncoding):
        return encoded_batch(where, table, list(table.blocks()), encoder)
    blocks = _raw(table)
    y, weights = _labelled(where, table, blocks)
    origin = origin_of(table)
    encoding = encoder.fit_blocks(blocks, origin["columns"], table.columns.text)
    X = encoding.rows(_freed(blocks), entries=encoder.entries_)
    invalid = invalid_values(table)
    notes, doubtful = [*invalid, *encoder.notes_], [*guessed_labels(table), *invalid]
    own: dict[str, Any] = {"feature_names": encoding.names, "encoder": encoder, "notes": notes, "warnings": doubtful}
    return Batch(X, y, weights, **own, **origin, skipped=_skipped(table))


def encoded_batch(where: str, table: TableSource, blocks: list[Block], encoding: TableEncoding) -> Batch:
    """Encode all rows of a table by what an encoder has learned. The list of blocks is empty afterwards."""
    y, weights = _labelled(where, table, blocks)
    unseen = Unseen(absent=table.columns.absent)
    X = encoding.rows(_freed(blocks), unseen)
    notes = [*invalid_values(table), *unseen.sentences()]
    return Batch(X, y, weights, feature_names=encoding.names, notes=notes, skipped=_skipped(table), **origin_of(table))


def _skipped(table: TableSource) -> int:
    return 0 if table.bad is None else table.bad.count


class EncodedBatches(Batches):
    """The rows of a table in batches, as a fitted encoder makes them.

    Parameters
    ----------
    table : TableSource
        The raw rows.
    encoding : TableEncoding
        What the encoder has learned.
    batch_size : int
        The largest number of rows of a batch.
    """

    def __init__(self, table: TableSource, encoding: TableEncoding, batch_size: int) -> None:
        super().__init__(self._pass)
        self.table, self._encoding, self._batch_size = table, encoding, batch_size
        self.unseen = Unseen()

    @property
    def bad(self) -> BadLines | None:
        """The malformed lines so far; None if they are errors."""
        return self.table.bad

    @property
    def notes(self) -> list[str]:
        """What a user should know about the rows so far."""
        return [*invalid_values(self.table), *self.unseen.sentences()]

    def _pass(self) -> Iterator[Batch]:
        self.table.open()
        columns = self.table.columns
        self.unseen = Unseen(absent=columns.absent)
        labels = None if columns.target is None else Labels(columns.target, columns.label_kind or "string")
        origin = origin_of(self.table)
        for block in self.table.blocks():
            rows = self._encoding.rows([block], self.unseen)  # at once: each string is looked up once per block
            for start in range(0, block.rows, self._batch_size):
                part = block.slice(start, start + self._batch_size)
                X = rows if part.rows == block.rows else rows[start : start + self._batch_size]
                y = None if labels is None else labels.of(part)
                weights = None if columns.weight is None else weights_of(part, columns.weight)
                yield Batch(X, y, weights, feature_names=self._encoding.names, **origin)


def _raw(table: TableSource) -> list[Block]:
    """Read all rows. A column that looked like numbers in the first rows and is not is read again as strings."""
    columns = table.columns
    blocks = list(table.blocks())
    rows = sum(block.rows for block in blocks)
    wrong = [
        name
        for name, found in table.invalid.items()
        if found.distinct > 1 and found.count > MAX_INVALID_SHARE * rows and name in columns.features
    ]
    if wrong and table.is_lasting:
        columns.kinds |= dict.fromkeys(wrong, "string")
        blocks = list(table.blocks())
    return blocks


def _labelled(
    where: str, table: TableSource, blocks: list[Block]
) -> tuple[NDArray[Any] | None, NDArray[np.float64] | None]:
    """Return the labels and the weights of all rows, of which there must be some."""
    if not sum(block.rows for block in blocks):
        raise input_error(where, "the source has no rows.")
    return _labels(table, blocks), _weights(table, blocks)


def _labels(table: TableSource, blocks: list[Block]) -> NDArray[Any] | None:
    """Return the labels or the counts of all rows. The strings of the last block are those of all blocks."""
    columns = table.columns
    if columns.counts:
        sides = [[weights_of(block, column, "counts") for block in blocks] for column in columns.counts]
        return np.column_stack([np.concatenate(side) for side in sides])
    if columns.target is None:
        return None
    labels = Labels(columns.target, columns.label_kind or "string")
    j = blocks[-1].string_names.index(columns.target)
    labels.decide(blocks[-1].values[j])
    return np.concatenate([labels.of(block) for block in blocks])


def _weights(table: TableSource, blocks: list[Block]) -> NDArray[np.float64] | None:
    if table.columns.weight is None:
        return None
    return np.concatenate([weights_of(block, table.columns.weight) for block in blocks])


def _freed(blocks: list[Block]) -> Iterator[Block]:
    """Return blocks from the first, and release each of them when the next one is asked for."""
    blocks.reverse()
    freed = 0
    while blocks:
        block = blocks.pop()
        freed += block.numbers.nbytes + block.codes.nbytes
        yield block
        del block
        if freed > RELEASED_SIZE:
            _core.release_freed_memory()
            freed = 0
