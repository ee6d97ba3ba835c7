"""Predictions that wait for their labels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

OVERHEAD = 200  # bytes that an entry takes beside its text


@dataclass(frozen=True, slots=True)
class Waiting:
    """A prediction that waits for its label.

    Attributes
    ----------
    text : bytes
        The example, in JSON.
    code : int
        Code of the label that was served; -1 if none was known.
    version : int
        The version that served it.
    since : float
        When.
    """

    text: bytes
    code: int
    version: int
    since: float


class Pending:
    """Predictions that wait for their labels, by model and id, for many threads. The oldest ones are dropped first.

    Parameters
    ----------
    limit : int
        How many may wait.
    seconds : float
        How long one may wait.
    max_bytes : int
        How many bytes all of them may take.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self, limit: int, seconds: float, max_bytes: int = 2**28, clock: Callable[[], float] = time.time
    ) -> None:
        self._limit, self._seconds, self._max_bytes, self._clock = limit, seconds, max_bytes, clock
        self._waiting: dict[tuple[int, str], Waiting] = {}
        self._bytes = 0
        self._lock = threading.Lock()
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, model: int, id: str, text: bytes, code: int, version: int) -> None:
        """Remember a prediction. One with the same id takes the place of the one before."""
        now = self._clock()
        with self._lock:
            self._remove((model, id))
            self._waiting[model, id] = Waiting(text, code, version, now)
            self._bytes += len(text) + OVERHEAD
            while self._waiting:
                key, oldest = next(iter(self._waiting.items()))
                is_many = len(self._waiting) > self._limit or self._bytes > self._max_bytes
                if not is_many and now - oldest.since <= self._seconds:
                    break
                self._remove(key)
                self.dropped += 1

    def get(self, model: int, id: str) -> Waiting | None:
        """Return a prediction that still waits."""
        with self._lock:
            found = self._waiting.get((model, id))
            if found is not None and self._clock() - found.since > self._seconds:
                self._remove((model, id))
                self.dropped += 1
                return None
            return found

    def remove(self, model: int, id: str) -> None:
        """Forget a prediction whose label was learned."""
        with self._lock:
            self._remove((model, id))

    def remove_model(self, model: int) -> None:
        """Forget all predictions of a model."""
        with self._lock:
            for key in [key for key in self._waiting if key[0] == model]:
                self._remove(key)

    def count_of(self, model: int) -> int:
        """Return how many predictions of a model wait."""
        with self._lock:
            return sum(key[0] == model for key in self._waiting)

    def _remove(self, key: tuple[int, str]) -> None:
        found = self._waiting.pop(key, None)
        if found is not None:
            self._bytes -= len(found.text) + OVERHEAD

    def state(self) -> list[Any]:
        """Return all entries, from which ``restore`` goes on."""
        with self._lock:
            return [[*key, own.text, own.code, own.version, own.since] for key, own in self._waiting.items()]

    def restore(self, state: list[Any]) -> None:
        """Add the entries of a state, without those that are too old by now."""
        now = self._clock()
        with self._lock:
            for model, id, text, code, version, since in state[max(0, len(state) - self._limit) :]:
                if now - since <= self._seconds:
                    self._remove((model, id))
                    self._waiting[model, id] = Waiting(text, code, version, since)
                    self._bytes += len(text) + OVERHEAD
