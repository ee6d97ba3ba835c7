"""A context in which BLAS uses one core: for small factorisations its threads cost more than they save."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  # loads its BLAS, which the controller would not find later
from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    return ThreadpoolController().select(user_api="blas")


class _OneCore:
    """Limits BLAS while any thread is inside; the first thread to enter sets the limit, the last to leave removes it.

    Threads are identified by their number, not counted. So a thread that enters twice, as a callback of a running fit
    can, has left after the first exit, and a thread that is interrupted while it enters or leaves is removed the next
    time it leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: set[int] = set()
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside.add(threading.get_ident())
            if self._limit is None:
                self._limit = _controller().limit(limits=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside.discard(threading.get_ident())
            if not self._inside and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


one_core = _OneCore()
