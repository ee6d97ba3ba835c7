"""Models from the log and their snapshots."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from novikoff.errors import NovikoffError, quote
from novikoff.serve.errors import ServeError
from novikoff.serve.log.blocks import decode
from novikoff.serve.log.errors import RESTORE, CorruptRecord
from novikoff.serve.log.records import EXAMPLES, SHADOW, UNSHADOW, Record
from novikoff.serve.log.store import Store
from novikoff.serve.settings import Settings

from . import snapshots
from .model import Model
from .registry import Registry
from .specification import Specification


class Loader:
    """Makes models as they are after all records of the log, or after some of them.

    Parameters
    ----------
    store : Store
        The log.
    directory : Path
        Where the snapshots are.
    registry : Registry
        All models.
    settings : Settings
        Limits of models.
    """

    def __init__(self, store: Store, directory: Path, registry: Registry, settings: Settings) -> None:
        self._store, self.directory, self._registry, self._settings = store, directory, registry, settings

    def check_alive(self, number: int) -> None:
        """Raise a ServeError if a model was deleted, as it may be while a stream sends it examples."""
        if not self._registry.is_alive(number):
            name = quote(self._registry.ever(number).name)
            raise ServeError(404, "unknown_model", f"The model {name} was deleted. PUT /v1/models/NAME makes one.")

    def load(self, number: int, until: int | None = None) -> Model:
        """Return a model as it is after the last record, or after the record ``until``.

        It has the bits of the model that learned the same examples without interruption.

        Raises
        ------
        CorruptRecord
            If a record is damaged that the newest snapshot does not replace.
        """
        model = self._begin(number, until)
        for record in self._store.records(after=model.sequence, model=number):
            if until is not None and record.sequence > until:
                break
            apply(model, record)
        model.publish(at_once=True)
        return model

    def _begin(self, number: int, until: int | None) -> Model:
        for saved in snapshots.newest(self.directory, number, self._store.checksum_at, until):
            with suppress(NovikoffError, ValueError, KeyError, TypeError):  # a snapshot of another version
                return snapshots.restore(saved, self._settings)
        known = self._registry.ever(number)
        if known.source is None:
            model = Model(number, known.specification, self._settings)
        else:
            model = copied(self.load(known.source, number), number, self._settings)
        model.sequence = number
        return model

    def write(self, draft: snapshots.Draft) -> Path:
        """Write a snapshot of a model, and remove those that are not needed any more."""
        return draft.write(self.directory, self._registry.copies(draft.saved.model))

    def newest_snapshot(self, number: int) -> Model | None:
        """Return a model as it is in its newest snapshot, for predictions while the log is damaged."""
        for saved in snapshots.newest(self.directory, number, self._store.checksum_at):
            with suppress(NovikoffError, ValueError, KeyError, TypeError):
                model = snapshots.restore(saved, self._settings)
                model.publish(at_once=True)
                return model
        return None


def apply(model: Model, record: Record) -> None:
    """Take over a record of a model.

    Raises
    ------
    CorruptRecord
        If it does not fit the model.
    """
    try:
        if record.kind == EXAMPLES:
            if record.first != model.examples:
                raise ValueError("examples are missing")
            block = decode(record.payload)
            if len(block) != record.count:
                raise ValueError("its number of examples is wrong")
            model.replay(block)
        elif record.kind == SHADOW:
            content = msgspec.json.decode(record.payload)
            model.add_shadow(content["name"], msgspec.convert(content["specification"], Specification))
            model.arms[content["name"]].tally.compare_with(model.main.tally)
        elif record.kind == UNSHADOW:
            model.remove_shadow(msgspec.json.decode(record.payload)["name"])
    except (NovikoffError, ValueError, KeyError, TypeError) as error:
        message = f"Record {record.sequence} of the log cannot be learned: {str(error).rstrip('.')}."
        raise CorruptRecord(record.sequence, f"{message} {RESTORE}") from None
    model.sequence = record.sequence


def copied(model: Model, number: int, settings: Settings) -> Model:
    """Return a copy of a model under another number."""
    saved = snapshots.freeze(model, b"").finished()
    saved.model = number
    return snapshots.restore(saved, settings)
