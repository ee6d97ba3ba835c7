"""Compaction of a log: examples that snapshots have are removed from it.

It happens only when it is asked for, and never beside a server. First each model gets a snapshot of all that it has
learned, which is read back and compared. Then the payloads of the examples are removed, and a COMPACT record inserted,
in one transaction of SQLite: a crash leaves the log as it was before, or as it is after. The log as it was is kept in
the file log.sqlite.before-compaction, unless that is not wanted. Further compactions keep it in files with a number, so
that the first one, which has all examples, is not replaced.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from novikoff._progress import ProgressCallback, no_progress
from novikoff.serve.engine import snapshots
from novikoff.serve.engine.loading import Loader
from novikoff.serve.engine.registry import Registry
from novikoff.serve.log.errors import StoreError
from novikoff.serve.log.store import LOG, SNAPSHOTS, Store
from novikoff.serve.settings import SETTINGS

from .past import WIDEST

BEFORE = f"{LOG}.before-compaction"


@dataclass(frozen=True)
class Compacted:
    """What a compaction has done.

    Attributes
    ----------
    records, examples : int
        How many were removed, by this and all earlier compactions.
    bytes_before, bytes_after : int
        Sizes of the log.
    kept : str or None
        The file with the log as it was before.
    """

    records: int
    examples: int
    bytes_before: int
    bytes_after: int
    kept: str | None


def compact(
    directory: str | os.PathLike[str],
    discard: bool = False,
    say: ProgressCallback = no_progress,
) -> Compacted:
    """Remove the examples of a log that snapshots have.

    Parameters
    ----------
    directory : path
        The state directory, which no server may use.
    discard : bool, default=False
        Do not keep the log as it was before.
    say : callable
        Gets a message and the fraction completed.

    Raises
    ------
    StoreError
        If a server uses the directory, or the log is damaged or cannot be written. It is as it was before.
    """
    place = Path(directory)
    Store.open(place, read_only=True).close()  # an empty directory must not get a log
    with Store.open(place, "full") as store:
        before = store.bytes
        store.verify()
        covered = _covered(store, place / SNAPSHOTS, say)
        say("removing examples", None)
        copy = None if discard else _unused(place / BEFORE)
        dropped = store.compact(covered, copy)
        store.verify()
        kept = None if copy is None else str(copy)
        return Compacted(dropped.records, dropped.examples, before, store.bytes, kept)


def _unused(path: Path) -> Path:
    """Return a name for a file that does not exist: this one, or one with a number, such as ``log.2``."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.name}.{number}")
    return found


def _covered(store: Store, directory: Path, say: ProgressCallback) -> dict[int, int]:
    """Write a snapshot of each model, and return up to which record the examples of each are not needed."""
    registry = Registry()
    made: dict[int, int] = {}
    for record in store.commands():
        registry.apply(record)
        if record.model:
            made.setdefault(record.model, record.sequence)
    settings = replace(WIDEST, remembered_ids=int(SETTINGS["remembered_ids"].maximum))  # snapshots keep all ids
    loader = Loader(store, directory, registry, settings)
    covered = {number: store.last for number in made}  # models that were deleted are not needed at all
    alive = registry.numbers()
    for done, number in enumerate(alive):
        say(f"snapshot of {registry.number(number).name}", done / len(alive))
        model = loader.load(number)
        frozen = snapshots.freeze(model, store.checksum_at(model.sequence))
        path = loader.write(frozen)
        read = snapshots.read(path)
        if read is None or msgspec.msgpack.encode(read) != msgspec.msgpack.encode(frozen.saved):
            message = f"{path}: the snapshot cannot be read back, so that nothing was removed. Check the disk."
            raise StoreError("io", message)
        covered[number] = model.sequence
    return covered
