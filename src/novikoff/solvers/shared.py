"""What the binary problems of a table have in common, computed by the first problem that needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from novikoff.theory.geometry import Floats

T = TypeVar("T")


class Shared:
    """Read-only values by name, each computed once. Several threads may ask at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, Any] = {}

    def get(self, name: str, compute: Callable[[], Floats]) -> Floats:
        """Return a vector, which is made read-only; see `once`."""

        def read_only() -> Floats:
            vector = compute()
            vector.setflags(write=False)
            return vector

        return self.once(name, read_only)

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Return a value. A thread that asks for it while another one computes it waits.

        Parameters
        ----------
        name : str
            The name of the value.
        compute : callable
            Returns it. Called at most once, unless it fails.
        """
        with self._lock:
            if name not in self._values:
                self._values[name] = compute()
            value: T = self._values[name]
            return value

    def known(self, name: str, otherwise: T) -> T:
        """Return a value if it has been computed, else another one."""
        with self._lock:
            value: T = self._values.get(name, otherwise)
            return value

    def forget(self, name: str) -> None:
        """Free a value that takes memory and can be computed again."""
        with self._lock:
            self._values.pop(name, None)
