"""The rows of a table, encoded: as a stream of batches, and as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from novikoff._validation import check_choice
from novikoff.data.bad_lines import BadLines
from novikoff.data.batch import Batch
from novikoff.data.formats.base import Batches
from novikoff.data.hashing import Hashing
from novikoff.data.tables.labels import labels_of, weights_of
from novikoff.data.tables.source_table import TableSource, roles_of
from novikoff.errors import input_error, quote

from .encoder import TableEncoder
from .hashed import HashedEncoder
from .running import POLICIES, SCALES
from .running_batches import RunningBatches

ENCODING = ("missing", "scale", "hashing")  # options that say how columns become features


class HashedBatches(Batches):
    """The rows of a table in batches, whose columns are hashed unless all of them are numbers.

    Parameters
    ----------
    table : TableSource
        The raw rows.
    missing : {"error", "zero", "indicator"}
        What a missing value means.
    hashing : Hashing
        How keys become columns.
    batch_size : int
        The largest number of rows of a batch.
    """

    def __init__(self, table: TableSource, missing: str, hashing: Hashing, batch_size: int) -> None:
        super().__init__(self._pass)
        self.table, self._missing, self._hashing, self._batch_size = table, missing, hashing, batch_size

    @property
    def bad(self) -> BadLines | None:
        """The malformed lines so far; None if they are errors."""
        return self.table.bad

    @property
    def notes(self) -> list[str]:
        """What a user should know about the rows so far."""
        return [] if self.table.bad is None else self.table.bad.sentences()

    def _pass(self) -> Iterator[Batch]:
        self.table.open()
        columns = self.table.columns
        kinds = {name: columns.kinds[name] for name in columns.features}
        encoder = HashedEncoder(kinds, columns.text, self._missing, self._hashing)
        labels = labels_of(columns)
        origin: dict[str, Any] = {"feature_names": encoder.feature_names, "columns": kinds, **roles_of(columns)}
        for block in self.table.blocks():
            for start in range(0, block.rows, self._batch_size):
                part = block.slice(start, start + self._batch_size)
                y = None if labels is None else labels.of(part)
                weights = None if columns.weight is None else weights_of(part, columns.weight)
                yield Batch(encoder.rows(part), y, weights, **origin)


def open_table(where: str, table: TableSource, options: dict[str, Any], batch_size: int) -> Batches:
    """Return the batches of a table, by the options in ``ENCODING``: hashed, or with names that grow.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages about options.
    table : TableSource
        The raw rows.
    options : dict
        The options of ``scan`` for tables.
    batch_size : int
        The largest number of rows of a batch.
    """
    hashing, missing = options["hashing"], "error" if options["missing"] is None else options["missing"]
    scale = "none" if options["scale"] is None else check_choice(where, "scale", options["scale"], SCALES)
    if hashing is None:
        if isinstance(missing, str) and missing == "indicator":
            message = 'missing="indicator" needs hashing=Hashing(). Use missing="mean", which adds indicators too.'
            raise input_error(where, message)
        check_choice(where, "missing", missing, POLICIES)
        finds_text = options.get("text") is None
        given = {name: options[name] for name in ("scale", "missing") if options[name] is not None}
        encoder = TableEncoder(**given)
        return RunningBatches(table, batch_size, scale=scale, missing=missing, finds_text=finds_text, encoder=encoder)
    if not isinstance(hashing, Hashing):
        raise input_error(where, f"hashing must be a Hashing, but it is {quote(hashing)}.")
    if scale != "none":
        raise input_error(where, 'scale="standard" cannot be combined with hashing. Leave out scale= or hashing=.')
    return HashedBatches(
        table, check_choice(where, "missing", missing, ("error", "zero", "indicator")), hashing, batch_size
    )
