"""Records of another server's log, taken over as they are, so that the models get the same bits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from novikoff.errors import NovikoffError
from novikoff.serve.errors import ServeError
from novikoff.serve.log.errors import CorruptRecord
from novikoff.serve.log.records import COPY, CREATE, DELETE, EXAMPLES, SHADOW, UNSHADOW, Record
from novikoff.serve.log.store import Store

from .loading import apply
from .memory import Memory
from .model import Model
from .registry import Registry
from .writer import Writer

log = logging.getLogger("novikoff.serve")


class Following:
    """Takes over records in the writer thread: first into the log, then into the models.

    Models learn as they do on the server that is followed: one that is not in memory is loaded, so that all have
    snapshots, and a promotion finds them ready.

    Parameters
    ----------
    store : Store
        The log.
    writer : Writer
        Knows whether the log can be written.
    registry : Registry
        All models.
    memory : Memory
        The models in memory.
    delete : callable
        Takes over a record that deletes a model.
    """

    def __init__(
        self, store: Store, writer: Writer, registry: Registry, memory: Memory, delete: Callable[[Record], None]
    ) -> None:
        self._store, self._writer, self._registry, self._memory = store, writer, registry, memory
        self._delete = delete

    def take(self, records: Sequence[Record]) -> int:
        """Take over records, and return the number of the last record of the log.

        Raises
        ------
        ServeError
            409 if the records do not continue the log; 503 if they cannot be stored.
        """
        self._writer.check_learning()
        try:
            self._store.extend(records)
        except CorruptRecord as error:
            raise ServeError(409, "diverged", error.message) from None
        changed: dict[int, Model] = {}
        for record in records:
            self._apply(record, changed)
            self._writer.committer.learned += record.count
        for model in changed.values():
            self._memory.publish(model, is_busy=True)
        self._writer.committer.on_records(list(records))
        return self._store.last

    def _apply(self, record: Record, changed: dict[int, Model]) -> None:
        """Take over one record. An error concerns its model alone, which is read from the log again later."""
        try:
            if record.kind in (CREATE, COPY):
                self._registry.apply(record)
            elif record.kind == DELETE:
                self._delete(record)
            elif record.kind in (EXAMPLES, SHADOW, UNSHADOW) and self._registry.is_alive(record.model):
                model = self._memory.load(record.model, to_learn=True)
                changed[record.model] = model
                if model.sequence < record.sequence:  # a model that was just loaded has all records
                    apply(model, record)
        except ServeError:  # its part of the log is damaged, which was told when it was loaded
            changed.pop(record.model, None)
        except NovikoffError as error:
            log.error("Record %d was stored, but its model could not learn it: %s", record.sequence, error)
            if (failed := changed.pop(record.model, None)) is not None:
                self._memory.distrust(failed)
