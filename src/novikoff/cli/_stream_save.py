"""Saves of a stream: the model together with the position of the last row it learned, in one file.

The file is replaced as a whole or not at all, so that a process may be killed at any moment: the model is then that of
the last save, and --resume continues with the row after it. The rows after the last save are learned again by the new
process, not twice by the model.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from novikoff.data.late_rows import LateRows
from novikoff.data.position import Position, SourceFiles
from novikoff.errors import FileError, input_error, quote
from novikoff.persistence import model_file

from ._output import flag, print_message

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
MIN_SECONDS = 0.01


def parse_interval(text: str | None) -> float | None:
    """Return the seconds that a text such as 60s, 5m or 1h stands for; None for None."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smh]?)", text)
    seconds = 0.0 if found is None else float(found[1]) * UNITS[found[2]]
    if not MIN_SECONDS <= seconds <= 1e7:
        raise input_error("--save-every", f"a time such as 60s, 5m or 1h is needed, not {quote(text)}.")
    return seconds


def option_texts(given: dict[str, Any]) -> dict[str, str]:
    """Return options of the command line as text, to be compared with those of another run."""
    return {name: json.dumps(value, sort_keys=True, default=str) for name, value in sorted(given.items())}


def check_same_options(path: str, given: dict[str, str], known: dict[str, str]) -> None:
    """Refuse options that differ from those that the stream of a model began with. They may all be left out."""
    if not given or given == known:
        return
    name = min(name for name in given.keys() | known.keys() if given.get(name) != known.get(name))
    began = f"with {flag(name)} {known[name]}" if name in known else f"without {flag(name)}"
    raise input_error(flag(name), f"the stream of {path} began {began}. Repeat its options, or leave out all of them.")


def load_resumed(path: str) -> tuple[model_file.Stored, Position]:
    """Return what a file holds, and the position of its stream."""
    stored = model_file.load_stream(path)
    position = stored.position
    if position is None or not position.files:
        reason = (
            "the model does not know which rows of DATA it has learned: 'novikoff stream' did not save it from a file"
        )
        raise input_error(path, f"{reason}. If it has learned none of them, use -i {path} without --resume.")
    return stored, position


class Prepared(NamedTuple):
    """What belongs to a model that is about to be saved.

    Parameters
    ----------
    fingerprint : str or None, default=None
        The fingerprint of the rows that were learned, if it is known.
    unlearned : LateRows or None, default=None
        The rows that were predicted, and whose labels are not learned yet.
    """

    fingerprint: str | None = None
    unlearned: LateRows | None = None


class Saver:
    """Saves a model and its position: at the end, and meanwhile between two batches or while the stream waits.

    Parameters
    ----------
    model : learner
        The learner.
    path : str or None
        The file; None if nothing is saved.
    files : SourceFiles
        The files that are read.
    rows : int
        Number of their rows that the model has predicted, and has learned or will learn.
    options : dict of str to str
        The options that the stream began with.
    prepare : callable
        Returns what belongs to the model, after it has brought the model up to date; None if it must not be saved now.
    seconds : float or None, default=None
        The time between two saves; None saves at the end only.
    may_cut_line : bool, default=False
        Whether the last line of a file may be learned without its end, see ``Position``.
    is_saved : bool, default=False
        Whether the file holds the model as it is now.
    clock : callable, default=time.monotonic
        Returns the time in seconds.
    """

    def __init__(
        self,
        model: Any,
        path: str | None,
        files: SourceFiles,
        rows: int,
        options: dict[str, str],
        prepare: Callable[[], Prepared | None],
        *,
        seconds: float | None = None,
        may_cut_line: bool = False,
        is_saved: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._path, self._prepare = model, path, prepare
        self._files, self._options, self.rows = files, options, rows
        self._seconds, self._clock, self._may_cut_line = seconds, clock, may_cut_line
        self._saved_at = clock()
        self._is_learning = self._is_begun = False
        self._is_changed = not is_saved
        self._is_known = files.are_known
        self.saved_at: float | None = None  # seconds of Unix time

    def begin(self, files: SourceFiles) -> None:
        """Go on with the first row of other files."""
        self._files.close()
        self._files, self.rows, self._is_known, self._is_begun = files, 0, files.are_known, False
        self._is_changed = True

    def learning(self) -> None:
        """Note that a batch is about to be learned."""
        self._is_learning = True
        if not self._is_begun and not self._files.are_in_place():
            self._is_known = False  # the reader may have opened another file of this name
        self._is_begun = True

    def learned(self, rows: int) -> None:
        """Note that a batch was learned."""
        self.rows += rows
        self._is_learning, self._is_changed = False, True

    @property
    def is_position_known(self) -> bool:
        """Whether another run can continue from what is saved."""
        return self._is_known

    def save_if_due(self) -> bool:
        """Save if it is time, something has changed, and no batch is being learned; return whether this was done.

        If it fails, it is tried again later.
        """
        now = self._clock()
        if self._seconds is None or self._is_learning or not self._is_changed or now - self._saved_at < self._seconds:
            return False
        try:
            return self.save()
        except FileError as error:  # the disk may be full for a while only; the last save decides
            self._saved_at = now
            print_message(f"warning: not saved, and tried again later: {error}")
            return False

    def save(self) -> bool:
        """Save, if there is a file and something was learned; return whether the file has all that was learned."""
        if self._path is None or not hasattr(self._model, "certificate_"):
            return False
        if not self._is_changed:
            return True
        position, prepared = None, self._prepare()
        if prepared is None:
            return False
        fingerprint, unlearned = prepared
        if self._is_known and not self._is_learning:  # a batch that failed may be learned in part
            position = Position(self.rows, self._files.identities(), self._options, self._may_cut_line)
        late = None if position is None else unlearned
        model_file.save_position(self._model, self._path, position, fingerprint=fingerprint, unlearned=late)
        self._is_changed = False
        self._saved_at, self.saved_at = self._clock(), time.time()
        return True

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def resumed_from(input: str | None, output: str | None) -> str | None:
    """Return the model file that --resume continues from; None if there is none yet, and the stream begins."""
    if input is None and output is None:
        raise input_error("--resume", "the model to continue from is needed. Name it with -o, or with -i.")
    if input is not None:
        return input
    return output if output is not None and os.path.exists(output) else None
