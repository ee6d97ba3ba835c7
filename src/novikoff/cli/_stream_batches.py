"""The batches of a stream until its end, or until a signal asks to stop."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

from novikoff._fingerprint import RunningFingerprint
from novikoff.data.batch import Batch
from novikoff.data.position import SourceFiles
from novikoff.data.reading import Reading
from novikoff.data.stream import Scan
from novikoff.data.waiting import while_waiting

from ._model import print_notes
from ._stream_save import Saver
from ._stream_stop import Stop, Stopped
from ._weights import convert_class_weight


class Rows:
    """The rows of DATA after those that were learned before; and those of the files that take its place, if it rotates.

    Parameters
    ----------
    data : str
        What is read.
    first : Scan
        DATA, opened.
    skipped : int
        Number of rows that were learned before.
    reopen : callable or None
        Opens the file that has taken the place of DATA; None if DATA ends.
    """

    def __init__(self, data: str, first: Scan, skipped: int, reopen: Callable[[], Scan] | None) -> None:
        self._data, self.scan, self._skipped, self._reopen = data, first, skipped, reopen
        self._bad_before = 0

    @property
    def bad_lines(self) -> int:
        """Number of malformed lines that were skipped."""
        return self._bad_before + self.scan.bad_lines

    def batches(self, saver: Callable[[], Saver]) -> Generator[Batch, None, None]:
        """Return the batches; tell the saver when those of another file begin."""
        yield from self.scan.widening_after(self._skipped) if self._skipped else self.scan.widening()
        while self._reopen is not None:
            self._bad_before += self.scan.bad_lines
            saver().begin(SourceFiles(self._data))
            self.scan = self._reopen()
            yield from self.scan.widening()


class Batches:
    """The batches of a stream until its end, or until a signal asks to stop.

    With ``hashes``, the rows that were learned are hashed, which takes longer than to learn from them.
    """

    def __init__(
        self, batches: Iterator[Batch], reading: Reading, stop: Stop, model: Any, quiet: bool, hashes: bool
    ) -> None:
        self._batches, self._stop, self._model, self._quiet = batches, stop, model, quiet
        self.reading, self.count = reading, 0
        self.target: tuple[Any, ...] = (None,)
        self._learned = RunningFingerprint() if hashes else None
        self.saver: Saver | None = None
        self.after_each: Callable[[], None] | None = None
        self.at_end: Callable[[], None] | None = None

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._next()) is not None:
            if self.count == 0:
                print_notes(batch, self._quiet)
                self.target = batch.target, batch.target_choice, batch.target_rivals
                self.reading = self.reading.after(self.reading.checked("stream", batch))
                convert_class_weight(self._model, batch.y)
            self.count += 1
            if self.saver is not None:
                self.saver.learning()
            yield batch
            if self._learned is not None:
                self._learned.add(batch.X, batch.y, batch.weights)
            if self.saver is not None:
                self.saver.learned(batch.X.shape[0])
                self.saver.save_if_due()
            if self.after_each is not None:
                self.after_each()
        if self.at_end is not None:
            self.at_end()

    def fingerprint(self, rows: int) -> str | None:
        """Return the fingerprint of the learned rows; None if they are not hashed, or not the last batch as a whole."""
        return self._learned.text() if self._learned is not None and self._learned.rows == rows else None

    def _next(self) -> Batch | None:
        if self._stop.asked:
            return None
        try:
            self._stop.waiting = True
            with while_waiting(self._save_meanwhile):
                return next(self._batches, None)
        except Stopped:
            return None
        finally:
            self._stop.waiting = False

    def _save_meanwhile(self) -> None:
        """Save while there are no rows. A signal does not interrupt the save, but ends the wait after it."""
        self._stop.waiting = False
        if self.saver is not None and self.saver.save_if_due() and self.after_each is not None:
            self.after_each()
        self._stop.waiting = True
        if self._stop.asked:
            raise Stopped
