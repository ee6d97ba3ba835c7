"""Snapshots of models: files from which a start is quicker than from the log alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from novikoff._atomic import replacing
from novikoff.persistence import dumps, loads
from novikoff.serve.log.errors import StoreError
from novikoff.serve.settings import Settings

from .arm import Arm
from .model import Model
from .specification import Specification
from .tally import Tally

MAGIC = b"novikoff snapshot 1\n"
DIGEST = 32  # bytes of the checksum at the end
KEPT = 2  # snapshots of each model


class SavedArm(msgspec.Struct, array_like=True):
    """One learner of a snapshot."""

    name: str
    specification: Specification
    learner: bytes | None  # None: nothing was learned
    tally: dict[str, Any]
    stopped: str | None
    model_mistakes: int | None = None  # see Tally; snapshots of earlier versions lack it


class Saved(msgspec.Struct):
    """What a snapshot contains."""

    model: int
    sequence: int
    checksum: bytes  # of the record of this sequence number in the log
    examples: int
    names: list[str]
    labels: list[Any]
    ids: list[Any]
    arms: list[SavedArm]


class Draft(msgspec.Struct):
    """A model that is ready to be written, while the model itself goes on learning."""

    saved: Saved
    learners: list[Any]

    def finished(self) -> Saved:
        """Return the content of the snapshot."""
        for arm, learner in zip(self.saved.arms, self.learners, strict=True):
            arm.learner = None if learner is None else dumps(learner)
        return self.saved

    def write(self, directory: Path, copies: Mapping[int, Sequence[int]]) -> Path:
        """Write a snapshot, and remove older ones than the last two that no copy of the model needs.

        Parameters
        ----------
        directory : Path
            Where the snapshots are.
        copies : mapping of int to sequence of int
            The copies of the model, as `Registry.copies` returns them.
        """
        content = MAGIC + msgspec.msgpack.encode(self.finished())
        path = directory / str(self.saved.model) / f"{self.saved.sequence:015d}.snapshot"
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as file:
            file.write(content)
            file.write(hashlib.blake2b(content, digest_size=DIGEST).digest())
        found = paths(directory, self.saved.model)
        if found[KEPT:]:
            needed = _needed(directory, found, copies)
            for old in found[KEPT:]:
                if old not in needed:
                    with suppress(OSError):
                        old.unlink()
        return path


def freeze(model: Model, checksum: bytes) -> Draft:
    """Copy what a snapshot of a model needs.

    Parameters
    ----------
    model : Model
        The model.
    checksum : bytes
        That of the record up to which the model has learned.
    """
    arms, learners = [], []
    for name, arm in model.arms.items():
        tally = arm.tally
        arms.append(SavedArm(name, arm.specification, None, tally.state(), arm.stopped, tally.model_mistakes))
        learners.append(arm.learner.snapshot() if tally.examples else None)
    names, labels = model.names.since(0)[: model.stored_names], model.labels.since(0)[: model.stored_labels]
    saved = Saved(model.number, model.sequence, checksum, model.examples, names, labels, model.ids.state(), arms)
    return Draft(saved, learners)


def paths(directory: Path, model: int) -> list[Path]:
    """Return the snapshots of a model, the newest first."""
    return sorted((directory / str(model)).glob("*.snapshot"), reverse=True)


def _needed(directory: Path, found: Sequence[Path], copies: Mapping[int, Sequence[int]]) -> set[Path]:
    """Return those snapshots of a model, the newest first, from which copies begin that lack snapshots of their own.

    The log may not have the examples before such a snapshot any more.
    """
    needed = set()
    for copy, models in copies.items():
        if any(len(paths(directory, number)) < KEPT for number in models):
            needed.update([path for path in found if int(path.stem) <= copy][:1])
    return needed


def read(path: Path) -> Saved | None:
    """Return what a file contains; None if it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content, digest = data[:-DIGEST], data[-DIGEST:]
    is_whole = content.startswith(MAGIC) and hashlib.blake2b(content, digest_size=DIGEST).digest() == digest
    try:
        return msgspec.msgpack.decode(content[len(MAGIC) :], type=Saved) if is_whole else None
    except msgspec.DecodeError:
        return None


def newest(
    directory: Path, model: int, checksum_at: Callable[[int], bytes], before: int | None = None
) -> Iterator[Saved]:
    """Yield the snapshots of a model that belong to the log, the newest first.

    Parameters
    ----------
    directory : Path
        Where they are.
    model : int
        Number of the model.
    checksum_at : callable
        Returns the checksum of a record of the log; raises a StoreError if there is no such record.
    before : int, default=None
        Only snapshots up to this record.
    """
    for path in paths(directory, model):
        saved = read(path)
        if saved is None or saved.model != model or (before is not None and saved.sequence > before):
            continue
        if _belongs_to_log(saved, checksum_at):
            yield saved


def _belongs_to_log(saved: Saved, checksum_at: Callable[[int], bytes]) -> bool:
    try:
        return checksum_at(saved.sequence) == saved.checksum
    except StoreError:
        return False


def restore(saved: Saved, settings: Settings) -> Model:
    """Return the model of a snapshot."""
    main = next(arm for arm in saved.arms if not arm.name)
    model = Model(saved.model, main.specification, settings)
    model.restore_tables(saved.names, saved.labels)
    model.ids.restore(saved.ids)
    model.arms = {
        arm.name: Arm(
            arm.specification,
            None if arm.learner is None else loads(arm.learner),
            Tally.from_state(arm.tally),
            arm.stopped,
        )
        for arm in saved.arms
    }
    for arm in saved.arms:
        if arm.model_mistakes is not None:
            model.arms[arm.name].tally.compare_with(model.main.tally, arm.model_mistakes)
    model.examples, model.sequence = saved.examples, saved.sequence
    model.snapshot_examples, model.snapshot_sequence = saved.examples, saved.sequence
    return model


def remove(directory: Path, model: int) -> None:
    """Remove the snapshots of a model that was deleted."""
    with suppress(OSError):
        for path in paths(directory, model):
            path.unlink()
        (directory / str(model)).rmdir()
