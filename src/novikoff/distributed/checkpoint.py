"""Checkpoints: a fit goes on after its driver was killed, with the same result, bit for bit.

A driver is deterministic given the replies of its rounds. So a checkpoint holds the replies of all rounds up to one,
and the states of all partitions after it. To go on, the driver runs from its beginning and gets the stored replies
instead of new ones; after the last of them, the states are given back to the partitions, and rounds run again.

Every few rounds two files are written: first the replies since the last checkpoint, then the states, with the hash of
each file of replies that belongs to them. All files begin with a hash of their content. States that are damaged, or
whose replies are, are not used, but those before them, which is why the last two are kept.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from novikoff._atomic import replacing
from novikoff._fingerprint import fingerprint
from novikoff._validation import check_integer
from novikoff.errors import FileError, file_error, input_error, quote

from .block import Block
from .codec import decode, encode
from .protocol import Step
from .rounds import Rounds

NAME = re.compile(r"novikoff-checkpoint-[0-9]{8}\.(?:replies|states)")
TEMPORARY = re.compile(r"\.novikoff-checkpoint-[\w.-]*\.[0-9a-f]{16}")  # of a write that was killed, see `replacing`
MAGIC = b"novikoff checkpoint 1\n"
HASH_BYTES = 32
KEPT = 2  # states that are kept
REMEDY = "Use another directory, or remove its files novikoff-checkpoint-*."


class CheckpointedRounds(Rounds):
    """Rounds that are stored, and that begin with the stored ones.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    rounds : Rounds
        The rounds of an engine, before the first step.
    folder : path
        A directory of this machine, which is made if it does not exist. Other files there are not touched.
    every : int
        The number of rounds between two checkpoints.

    Raises
    ------
    InvalidInputError
        If the checkpoint is that of other rows, or, in a round, that of another fit.
    FileError
        If files cannot be read or written. The fit then ends, since it was asked to be stored.
    """

    def __init__(self, where: str, rounds: Rounds, folder: str | os.PathLike[str], every: int) -> None:
        super().__init__(rounds.count)
        self._where, self._inner = where, rounds
        self._every = check_integer(where, "checkpoint_every", every, at_least=1)
        if not isinstance(folder, str | os.PathLike) or "://" in os.fsdecode(folder):
            raise input_error(where, f"checkpoint must be a directory of this machine, not {quote(folder)}.")
        self._folder = _Folder(folder)
        self._identity = rounds.run(identify)
        self._pending: list[tuple[bytes, bytes]] = []  # hash of the command, and reply, since the last checkpoint
        self._segments: list[tuple[int, bytes]] = []  # last round and hash of each file of replies
        self._replies: list[tuple[bytes, bytes]] = []  # that are not used yet, the next one last
        self._stored_states: list[Any] | None = None
        self._find()

    def _map(self, step: Step, command: Any) -> Any:
        key = _hash(encode((f"{step.__module__}:{step.__qualname__}", command)))
        if self._replies:
            known, reply = self._replies.pop()
            if known != key:
                message = f"the checkpoint in {self._folder.name} is of another fit: round {self.rounds} differs."
                raise input_error(self._where, f"{message} {REMEDY}")
            if not self._replies and self._stored_states is not None:
                self._inner.restore(self._stored_states)
                self._stored_states = None
            return decode(reply)
        answer = self._inner.run(step, command)
        self._pending.append((key, encode(answer)))
        if (self.rounds + 1) % self._every == 0:
            self._save(self.rounds + 1)
        return answer

    def _save(self, count: int) -> None:
        """Write the replies since the last checkpoint, and then the states after ``count`` rounds."""
        replies = _framed(encode(self._pending))
        self._folder.write(_name(count, "replies"), replies)
        segments = [*self._segments, (count, _hash(replies))]
        content = {"identity": self._identity, "segments": segments, "states": self._inner.states()}
        self._folder.write(_name(count, "states"), _framed(encode(content)))
        self._segments, self._pending = segments, []
        for old in sorted(_numbers(self._folder))[:-KEPT]:
            self._folder.remove(_name(old, "states"))

    def _find(self) -> None:
        """Find the last states that can be used, and remove what was stored after them."""
        last = 0
        for count in sorted(_numbers(self._folder), reverse=True):
            if self._load(count):
                last = count
                break
            message = f"{self._folder.name}: {_name(count, 'states')} or its replies are damaged, and are not used."
            warnings.warn(message, UserWarning, stacklevel=4)
        for name in self._folder.names():
            if _number(name) > last:
                self._folder.remove(name)

    def _load(self, count: int) -> bool:
        """Load a checkpoint; return False if a file of it is damaged or missing."""
        try:
            content = decode(_content(self._folder.read(_name(count, "states"))))
            files = [(last, known, self._folder.read(_name(last, "replies"))) for last, known in content["segments"]]
            if any(_hash(data) != known for _, known, data in files):
                return False
            replies = [pair for _, _, data in files for pair in decode(_content(data))]
        except (FileNotFoundError, ValueError) as error:
            if isinstance(error, FileError) and not isinstance(error, FileNotFoundError):
                raise
            return False
        if content["identity"] != self._identity:
            raise input_error(self._where, f"the checkpoint in {self._folder.name} is of other data. {REMEDY}")
        self._replies, self._segments = replies[::-1], content["segments"]
        self._stored_states = content["states"]
        return True

    def states(self) -> list[Any]:
        return self._inner.states()

    def restore(self, states: Sequence[Any]) -> None:
        self._inner.restore(states)

    def remove(self) -> None:
        """Remove the files of the checkpoint, after the fit. Files that cannot be removed remain."""
        for name in self._folder.names():
            with suppress(OSError):
                self._folder.remove(name)

    def close(self) -> None:
        self._inner.close()


class _Folder:
    """The files of checkpoints in a directory."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fsdecode(path)
        try:
            os.makedirs(self.name, exist_ok=True)
            for name in os.listdir(self.name):
                if TEMPORARY.fullmatch(name):
                    os.unlink(self._path(name))
        except OSError as error:
            raise file_error(self.name, error, "written") from None

    def _path(self, name: str) -> str:
        return os.path.join(self.name, name)

    def names(self) -> list[str]:
        return [name for name in os.listdir(self.name) if NAME.fullmatch(name)]

    def read(self, name: str) -> bytes:
        try:
            with open(self._path(name), "rb") as file:
                return file.read()
        except OSError as error:
            raise file_error(self._path(name), error) from None

    def write(self, name: str, content: bytes) -> None:
        """Write a file. A failure raises FileError, and leaves no file with half of the content under this name."""
        with replacing(self._path(name)) as file:
            file.write(content)

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path(name))


def identify(block: Block, state: Any, command: Any) -> tuple[Any, list[str]]:
    """Return a hash of the rows of a partition: a step."""
    y = block.y if block.y is not None else [0] * block.count
    form = "sparse" if block.is_sparse else "dense"
    return state, [f"{form} {block.X.dtype} {block.X.shape} {fingerprint(block.X, y, block.weights)}"]


def _framed(content: bytes) -> bytes:
    return MAGIC + _hash(content) + content


def _content(data: bytes) -> bytes:
    """Return the content of a file. Bytes that were cut or changed raise ValueError."""
    start = len(MAGIC) + HASH_BYTES
    if data[:start] != MAGIC + _hash(data[start:]):
        raise ValueError("the file is damaged")
    return data[start:]


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _name(count: int, kind: str) -> str:
    return f"novikoff-checkpoint-{count:08d}.{kind}"


def _number(name: str) -> int:
    return int(name.partition(".")[0].rpartition("-")[2])


def _numbers(folder: _Folder) -> list[int]:
    """Return the rounds of which there are states."""
    return [_number(name) for name in folder.names() if name.endswith(".states")]
