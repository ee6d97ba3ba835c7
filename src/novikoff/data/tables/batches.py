"""The rows of a table, encoded: as a stream of batches, and as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from novikoff._validation import check_choice
from novikoff.data.batch import Batch
from novikoff.data.formats.base import Batches
from novikoff.data.hashing import Hashing
from novikoff.errors import input_error, quote

from .encoded import read_encoded
from .encoder import TableEncoder
from .hashed import HashedEncoder
from .labels import Labels, weights_of
from .source_table import TableSource

ENCODING = ("missing", "hashing")  # options that say how columns become features


class TableBatches(Batches):
    """The rows of a table in batches.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages about options.
    table : TableSource
        The raw rows.
    options : dict
        The options in ``ENCODING``.
    batch_size : int
        The largest number of rows of a batch.
    """

    def __init__(self, where: str, table: TableSource, options: dict[str, Any], batch_size: int) -> None:
        super().__init__(self._pass)
        self.table, self._batch_size = table, batch_size
        missing = check_choice(where, "missing", options["missing"], ("error", "zero", "indicator"))
        hashing = Hashing() if options["hashing"] is None else options["hashing"]
        if not isinstance(hashing, Hashing):
            raise input_error(where, f"hashing must be a Hashing, but it is {quote(hashing)}.")
        self._missing, self._hashing = missing, hashing

    def read(self, where: str) -> Batch:
        return read_encoded(where, self.table, TableEncoder())

    def _pass(self) -> Iterator[Batch]:
        self.table.open()
        columns = self.table.columns
        kinds = {name: columns.kinds[name] for name in columns.features}
        encoder = HashedEncoder(kinds, columns.text, self._missing, self._hashing)
        labels = None if columns.target is None else Labels(columns.target, columns.label_kind or "string")
        origin: dict[str, Any] = {"feature_names": encoder.feature_names, "columns": kinds, "target": columns.target}
        for block in self.table.blocks():
            for start in range(0, block.rows, self._batch_size):
                part = block.slice(start, start + self._batch_size)
                y = None if labels is None else labels.of(part)
                weights = None if columns.weight is None else weights_of(part, columns.weight)
                yield Batch(encoder.rows(part), y, weights, **origin)
