"""A context in which BLAS uses one core: for small factorisations its threads cost more than they save."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from novikoff._room import check_room

ROOM_FOR_BLAS = 160 << 20  # bytes that SciPy's BLAS takes; if it gets less, it waits for more, or ends the process


@cache
def _controller(has_scipy: bool) -> Any:
    """Return the controller of the libraries that are loaded; SciPy's BLAS is one of its own."""
    return ThreadpoolController().select(user_api="blas")


class _OneCore:
    """Limits BLAS while any thread is inside; the first thread to enter sets the limit, the last to leave removes it.

    Threads are identified by their number, not counted. So a thread that enters twice, as a callback of a running fit
    can, has left after the first exit, and a thread that is interrupted while it enters or leaves is removed the next
    time it leaves. `throughout` is another way to enter, which does not end where the same thread leaves in between.

    A fork waits until no thread sets or removes the limit, which takes microseconds, so that the child gets a whole
    state, and no lock of the loader that ``threadpoolctl`` takes while it looks for libraries. The threads that are
    inside do not exist in the child, except the one that forks; their limit is removed when the child leaves.

    SciPy's BLAS is a library of its own, which is loaded when `linear_algebra` is first called. If that happens inside,
    a second limit is set, which is the first to be removed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # reentrant, because a finalizer may run between any two lines
        self._inside: set[tuple[int, bool]] = set()  # threads, and whether they are inside throughout
        self._limits: list[Any] = []
        self._linear_algebra: Any = None

    def __enter__(self) -> None:
        self._enter(is_throughout=False)

    def __exit__(self, *_: object) -> None:
        self._leave(is_throughout=False)

    @contextmanager
    def throughout(self) -> Iterator[None]:
        """Limit BLAS for a whole call, within which functions of the same thread may enter and leave."""
        try:
            self._enter(is_throughout=True)
            yield
        finally:
            self._leave(is_throughout=True)

    def _enter(self, is_throughout: bool) -> None:
        with self._lock:
            self._inside.add((threading.get_ident(), is_throughout))
            if not self._limits:
                self._limits.append(_controller("scipy.linalg" in sys.modules).limit(limits=1))

    def _leave(self, is_throughout: bool) -> None:
        with self._lock:
            self._inside.discard((threading.get_ident(), is_throughout))
            while not self._inside and self._limits:
                self._limits.pop().restore_original_limits()

    def linear_algebra(self) -> Any:
        """Return ``scipy.linalg``. Its BLAS is limited from the first call on, if a thread is inside.

        Many fits do not need it, and it takes a tenth of the time in which the command line starts.
        """
        if self._linear_algebra is None:
            with self._lock:
                if "scipy.linalg" not in sys.modules:
                    check_room(ROOM_FOR_BLAS, "the library of linear algebra")
                import scipy.linalg

                if self._limits:
                    self._limits.append(_controller(True).limit(limits=1))
                self._linear_algebra = scipy.linalg
        return self._linear_algebra

    def before_fork(self) -> None:
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        with suppress(RuntimeError):  # an interrupt ended the wait
            self._lock.release()

    def after_fork_in_child(self) -> None:
        self._lock = threading.RLock()
        self._inside &= {(threading.get_ident(), False), (threading.get_ident(), True)}


one_core = _OneCore()
linear_algebra = one_core.linear_algebra
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=one_core.before_fork,
        after_in_parent=one_core.after_fork_in_parent,
        after_in_child=one_core.after_fork_in_child,
    )
