"""What to do while a stream waits for input, such as saving what was learned so far.

The function is called in the thread that waits for the next batch, at moments when no reader or encoder has begun with
it: it may use everything that belongs to that thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# With the thread that it belongs to, because those that read ahead may inherit it.
_current: ContextVar[tuple[Callable[[], None], int] | None] = ContextVar("novikoff_while_waiting", default=None)


@contextmanager
def while_waiting(action: Callable[[], None]) -> Iterator[None]:
    """Call a function again and again while readers wait for input, in this thread and during the block.

    Parameters
    ----------
    action : callable
        It should return at once if there is nothing to do. What it raises ends the wait.
    """
    token = _current.set((action, threading.get_ident()))
    try:
        yield
    finally:
        _current.reset(token)


def is_watched() -> bool:
    """Return whether a wait in this thread must be cut into short ones, with ``notify`` between them."""
    found = _current.get()
    return found is not None and found[1] == threading.get_ident()


def notify() -> None:
    """Call the function for this thread, if there is one."""
    found = _current.get()
    if found is not None and found[1] == threading.get_ident():
        found[0]()
