"""The models of a log and the examples that they learned, read without a server or beside one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from novikoff.errors import input_error, quote
from novikoff.serve.engine.registry import Known, Registry
from novikoff.serve.log.blocks import Block, decode
from novikoff.serve.log.errors import RESTORE, CorruptBlock, CorruptRecord
from novikoff.serve.log.records import EXAMPLES, KINDS, Record
from novikoff.serve.log.store import Store
from novikoff.serve.settings import SETTINGS, Settings

WIDEST = Settings(  # limits that are not below those of any server that may have written the log
    max_names=int(SETTINGS["max_names"].maximum), max_classes=int(SETTINGS["max_classes"].maximum)
)


class Past:
    """The log of a state directory, for reading; a server may write it meanwhile.

    Parameters
    ----------
    directory : path
        The state directory.

    Raises
    ------
    StoreError
        If there is no log, or it cannot be read.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        self.store = Store.open(self.directory, read_only=True)
        self.registry = Registry()
        for record in self.store.commands():
            self.registry.apply(record)

    def close(self) -> None:
        """Close the log."""
        self.store.close()

    def __enter__(self) -> Past:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def model(self, name: str) -> Known:
        """Return a model by its name.

        Raises
        ------
        InvalidInputError
            If there is none; the message lists some.
        """
        if name not in self.registry:
            known = ", ".join(self.registry.names()[:10]) or "none"
            raise input_error("log", f"there is no model {quote(name)}. The models are: {known}.")
        return self.registry.get(name)

    def records_of(self, number: int, until: int | None = None) -> Iterator[Record]:
        """Yield all records that made a model what it is, also those of the model that it was copied from."""
        source = self.registry.ever(number).source
        if source is not None:
            yield from self.records_of(source, number if until is None else min(number, until))
        for record in self.store.records(after=number - 1, model=number):
            if until is not None and record.sequence > until:
                return
            yield record

    def blocks_of(self, number: int) -> Iterator[tuple[Record, Block]]:
        """Yield all blocks of examples that a model has learned, in order."""
        for record in self.records_of(number):
            if record.kind == EXAMPLES:
                try:
                    yield record, decode(record.payload)
                except CorruptBlock as error:
                    message = f"Record {record.sequence} of the log cannot be read: {str(error).rstrip('.')}."
                    raise CorruptRecord(record.sequence, f"{message} {RESTORE}") from None


@dataclass(frozen=True)
class ModelLine:
    """A model in the list of a log.

    Attributes
    ----------
    name, learner : str
        What it is called, and how it learns.
    number : int
        The record that made it.
    examples : int
        Examples that it has learned, with those of the model that it was copied from.
    """

    name: str
    learner: str
    number: int
    examples: int


def overview(past: Past, last: int) -> dict[str, Any]:
    """Return the models, the sizes and the last records of a log.

    Parameters
    ----------
    past : Past
        The log.
    last : int
        How many of the last records to list.
    """
    store = past.store
    models = [_line(past, past.registry.get(name)) for name in past.registry.names()]
    records = []
    for record in store.records(after=max(0, store.last - last), with_removed=True) if last else ():
        name = past.registry.ever(record.model).name if record.model else ""
        own = {"sequence": record.sequence, "kind": KINDS[record.kind], "model": name, "examples": record.count}
        records.append(own | {"bytes": len(record.payload)})
    dropped = store.dropped()
    return {
        "records": store.last,
        "checksum": store.checksum.hex(),
        "bytes": store.bytes,
        "models": [vars(line) for line in models],
        "removed_examples": 0 if dropped is None else dropped.examples,
        "last": records[-last:] if last else [],
    }


def _line(past: Past, known: Known) -> ModelLine:
    number, source = known.number, known.source
    examples = past.store.examples_of(number)
    while not examples and source is not None:  # nothing was learned since the copy
        examples, number = past.store.examples_of(source, number), source
        source = past.registry.ever(number).source
    return ModelLine(known.name, known.specification.learner, known.number, examples)
