"""A lock that is given to threads in the order in which they asked for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class _Ticket:
    """A place in the queue. Its lock is held from before it joins the queue until it has left."""

    __slots__ = ("ahead", "lock", "thread")

    def __init__(self) -> None:
        self.lock, self.thread = threading.Lock(), threading.get_ident()
        self.ahead: _Ticket | None = None


class FairLock:
    """A lock that threads get in the order of their requests; a thread that holds it may take it again.

    ``threading.Lock`` is not fair: a thread that releases it and asks again gets it before one that has been waiting.
    A thread that learns one batch after the other would keep all others out. Here each thread waits until the one ahead
    of it has left the queue (the queue lock of Craig, Landin and Hagersten). It waits without the interpreter's lock.

    An interrupt leaves the lock consistent wherever it arrives. What releases a place is the exit of a lock written in
    C, in which no signal is handled. A thread that is interrupted while it waits leaves its place, and the next one
    waits for the one ahead of it instead. A finalizer or a signal handler may use the lock while the thread that it
    interrupts waits for it: it then has the place of this thread.
    """

    def __init__(self) -> None:
        self._joining = threading.RLock()  # reentrant, because a finalizer may run between any two lines
        self._last: _Ticket | None = None

    def held(self, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Return what holds the lock during a ``with`` block.

        Parameters
        ----------
        wait : bool, default=True
            Whether to wait for it. Otherwise, the block runs without the lock if another thread has it.

        Returns
        -------
        context manager
            Its value is whether this thread holds the lock.
        """
        return _Hold(self, wait)

    def take(self, ticket: _Ticket, wait: bool) -> bool:
        """Wait until all threads ahead have left; at the last place, unless this thread has one already."""
        mine = None if self._last is None else self._place_of(ticket.thread)
        if mine is None:
            with self._joining:
                if not wait and _first_held(self._last) is not None:
                    return False
                ticket.ahead = self._last
                self._last = mine = ticket
        elif not wait and _first_held(mine.ahead) is not None:
            return False
        ahead = mine.ahead
        while ahead is not None:
            with ahead.lock:
                pass
            ahead = ahead.ahead  # None, unless that thread was interrupted while it waited
        mine.ahead = None
        return True

    def _place_of(self, thread: int) -> _Ticket | None:
        ticket = _first_held(self._last)
        while ticket is not None and ticket.thread != thread:
            ticket = _first_held(ticket.ahead)
        return ticket


class _Hold:
    """A ``with`` block that holds the lock. It is not a generator, whose place an interrupt could leave suspended."""

    __slots__ = ("_lock", "_ticket", "_wait")

    def __init__(self, lock: FairLock, wait: bool) -> None:
        self._lock, self._wait, self._ticket = lock, wait, _Ticket()

    def __enter__(self) -> bool:
        place = self._ticket.lock
        place.acquire()
        try:
            return self._lock.take(self._ticket, self._wait)
        except BaseException:
            place.release()
            raise

    @property
    def __exit__(self) -> Callable[..., Any]:
        """The exit of the lock of the ticket itself, because a signal may be handled where a Python function begins."""
        return self._ticket.lock.__exit__


def _first_held(ticket: _Ticket | None) -> _Ticket | None:
    """Return the first place from this one on to the front that a thread has not left."""
    while ticket is not None and not ticket.lock.locked():
        ticket = ticket.ahead
    return ticket
