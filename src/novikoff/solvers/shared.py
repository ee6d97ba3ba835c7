"""Vectors that the binary problems of a table have in common, computed by the first problem that needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from novikoff.theory.geometry import Floats


class Shared:
    """Read-only vectors by name, each computed once. Several threads may ask at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vectors: dict[str, Floats] = {}

    def get(self, name: str, compute: Callable[[], Floats]) -> Floats:
        """Return a vector. A thread that asks for it while another one computes it waits.

        Parameters
        ----------
        name : str
            The name of the vector.
        compute : callable
            Returns it. Called at most once, unless it fails.
        """
        with self._lock:
            if name not in self._vectors:
                vector = compute()
                vector.setflags(write=False)
                self._vectors[name] = vector
            return self._vectors[name]
