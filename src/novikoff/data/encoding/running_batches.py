"""The rows of a stream of tables in batches, by a running encoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.data.bad_lines import BadLines
from novikoff.data.batch import Batch
from novikoff.data.formats.base import Batches, missing_rows
from novikoff.data.tables.block import Block
from novikoff.data.tables.labels import labels_of, weights_of
from novikoff.data.tables.source_table import TableSource, guessed_labels, invalid_values, origin_of

from .encoded import read_encoded
from .encoder import TableEncoder
from .running import WORDS, RunningEncoder, RunningEncoding
from .unseen import Unseen
from .words import WordSettings, looks_like_text

TEXT_SAMPLE = 1000  # rows that show which columns of strings hold texts


class RunningBatches(Batches):
    """The rows of a table in batches: numbers as they are or standardised, and named columns that grow.

    Parameters
    ----------
    table : TableSource
        The raw rows.
    batch_size : int
        The largest number of rows of a batch.
    state : RunningEncoding, default=None
        Where to continue. None begins with the columns of the table.
    frozen : bool, default=False
        Encode rows by ``state``, which does not change.
    scale : {"none", "standard"}, default="none"
        What to begin with; see ``RunningEncoding``.
    missing : {"error", "zero", "mean"}, default="error"
        What to begin with.
    words : WordSettings, default=WordSettings()
        What to begin with.
    finds_text : bool, default=True
        Whether to begin with columns of strings that look like texts as such, besides those that the table names.
    encoder : TableEncoder, default=None
        What ``read`` fits to all rows.
    """

    def __init__(
        self,
        table: TableSource,
        batch_size: int,
        *,
        state: RunningEncoding | None = None,
        frozen: bool = False,
        scale: str = "none",
        missing: str = "error",
        words: WordSettings = WORDS,
        finds_text: bool = True,
        encoder: TableEncoder | None = None,
    ) -> None:
        super().__init__(self._pass)
        self.table, self._batch_size, self._state, self._frozen = table, batch_size, state, frozen
        self._settings: dict[str, Any] = {"scale": scale, "missing": missing, "words": words}
        self._finds_text, self._encoder = finds_text, encoder or TableEncoder()
        self._names: tuple[str, ...] | None = None  # those of all rows, if a pass has found them
        self._unseen = Unseen()

    @property
    def bad(self) -> BadLines | None:
        """The malformed lines so far; None if they are errors."""
        return self.table.bad

    @property
    def notes(self) -> list[str]:
        """What a user should know about the rows so far."""
        return [*invalid_values(self.table), *self._unseen.sentences()]

    def read(self, where: str) -> Batch:
        """Read all rows, encoded by a ``TableEncoder`` that is fitted to them."""
        return read_encoded(where, self.table, self._encoder)

    def width(self) -> int | None:
        """Return the number of columns, found by a pass of its own; None where the source can be read only once."""
        if self._frozen or not self.table.is_lasting:
            return None
        encoder = None
        for encoder, block in self._encoded_blocks():
            if encoder.is_dense:
                return None
            encoder.learn(block)
        if encoder is None:
            return None
        self._names = encoder.names
        return len(encoder.names)

    def batches(self, width: int | None) -> Iterator[Batch]:
        """Start a pass. With ``width=None``, batches are as wide as the columns so far."""
        return self._pass() if width is None else self._pass(self._names)

    def batches_after(self, rows: int) -> Iterator[Batch]:
        """Start a pass without the first rows, which the encoder has learned before."""
        return self._pass(skipped=rows)

    def _pass(self, names: tuple[str, ...] | None = None, skipped: int = 0) -> Iterator[Batch]:
        labels = None
        for encoder, part in self._encoded_blocks(skipped):
            columns = self.table.columns
            labels = labels or labels_of(columns)
            y = None if labels is None else labels.of(part)
            weights = None if columns.weight is None else weights_of(part, columns.weight)
            X = encoder.rows(part) if self._frozen else encoder.learn(part)
            if names is not None and sp.issparse(X):
                X.resize(X.shape[0], len(names))
            yield Batch(  # notes about values come at the end of the pass
                X,
                y,
                weights,
                feature_names=names or encoder.names,
                running=encoder.state,
                notes=guessed_labels(self.table),
                **origin_of(self.table),
            )

    def _encoded_blocks(self, skipped: int = 0) -> Iterator[tuple[RunningEncoder, Block]]:
        """Return the parts of a pass, at most as long as a batch, with the encoder for all of them."""
        self.table.open()
        blocks = self.table.blocks()
        if skipped:
            blocks = _after(blocks, skipped)
        state = self._state
        sample: list[Block] = []
        if state is None:
            sample = self._sample(blocks)
            state = self._begin(sample)
        encoder = RunningEncoder(state)
        self._unseen = Unseen(unknown=encoder.unknown, missing=encoder.missing, absent=self.table.columns.absent)
        for some in (sample, blocks):
            for block in some:
                for start in range(0, block.rows, self._batch_size):
                    yield encoder, block.slice(start, start + self._batch_size)

    def _sample(self, blocks: Iterator[Block]) -> list[Block]:
        """Read the rows that show which columns hold texts. Those of a pipe are not waited for."""
        if not self._finds_text or "string" not in self._kinds().values():
            return []
        sample = []
        for block in blocks:
            sample.append(block)
            if not self.table.is_lasting or sum(part.rows for part in sample) >= TEXT_SAMPLE:
                break
        return sample

    def _begin(self, sample: list[Block]) -> RunningEncoding:
        """Return the encoding before the first row."""
        kinds, text = self._kinds(), list(self.table.columns.text)
        known = set(text)
        for name, kind in kinds.items() if sample else ():
            if kind == "string" and name not in known:
                codes = np.concatenate([block.string_column(name)[0] for block in sample])[:TEXT_SAMPLE]
                distinct = codes.max(initial=-1) + 1  # strings are numbered in the order in which they occur
                values = sample[-1].string_column(name)[1][:distinct]
                if looks_like_text(values, int((codes >= 0).sum())):
                    text.append(name)
        return RunningEncoding.begin(kinds, text, **self._settings)

    def _kinds(self) -> dict[str, str]:
        columns = self.table.columns
        return {name: columns.kinds[name] for name in columns.features if name in columns.kinds}


def _after(blocks: Iterator[Block], rows: int) -> Iterator[Block]:
    """Return blocks without their first rows."""
    for block in blocks:
        if block.rows > rows:
            yield block.slice(rows, block.rows) if rows else block
        rows = max(0, rows - block.rows)
    if rows:
        raise missing_rows(rows)
