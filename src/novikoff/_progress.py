"""Progress messages of ``fit``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

ProgressCallback = Callable[[str, float | None], None]  # takes a message, and the fraction completed, if it is known


def no_progress(message: str, fraction: float | None) -> None:
    """Report nothing: a ``ProgressCallback`` for those who do not want messages."""


class Progress:
    """The progress of all binary problems of a fit, of which several may be solved at once.

    Messages are those of the first problem that is not done, so that they do not jump from one problem to another. The
    fraction is that of all problems together, and never decreases.

    Parameters
    ----------
    say : callable or None
        Takes the messages; None if nobody listens.
    names : sequence of str
        The name of each problem, such as "class 7".
    """

    def __init__(self, say: ProgressCallback | None, names: Sequence[str]) -> None:
        self._say, self._names = say, names
        self._fractions = [0.0] * len(names)
        self._done = [False] * len(names)
        self._lock = threading.RLock()  # a listener may call what reports progress

    def listener(self, place: int) -> ProgressCallback | None:
        """Return the function that takes the messages of one problem; None if nobody listens."""
        return None if self._say is None else lambda message, fraction: self._report(place, message, fraction)

    @contextmanager
    def problem(self, place: int) -> Iterator[ProgressCallback | None]:
        """Yield the function that takes the messages of one problem, which is done at the end of the block."""
        if self._say is None:
            yield None
            return
        yield self.listener(place)
        with self._lock:
            self._done[place], self._fractions[place] = True, 1.0
            if len(self._names) > 1:
                self._say(self._count(), self._fraction())

    def _report(self, place: int, message: str, fraction: float | None) -> None:
        assert self._say is not None
        with self._lock:
            if fraction is not None:
                self._fractions[place] = max(self._fractions[place], fraction)
            if len(self._names) == 1:
                self._say(message, None if fraction is None else self._fraction())
            elif place == self._done.index(False):
                self._say(f"{self._count()}; {self._names[place]}: {message}", self._fraction())

    def _count(self) -> str:
        return f"{sum(self._done)} of {len(self._names)} done"

    def _fraction(self) -> float:
        return sum(self._fractions) / len(self._fractions)
