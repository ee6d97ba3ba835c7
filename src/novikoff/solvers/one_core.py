"""Small factorisations on one core: the threads of a BLAS library cost more than they bring there."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    return ThreadpoolController().select(user_api="blas")


class _OneCore:
    """Entered by the first of several threads that fit, left by the last: only then is the library as it was.

    A thread that is inside and enters again, as from a function that watches a fit, is out when it leaves for the first
    time. One that is interrupted on its way in or out is counted out when it leaves the next time.
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
