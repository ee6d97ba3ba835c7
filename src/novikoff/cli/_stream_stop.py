"""How a stream ends early: signals end a wait for rows at once, and let any other step finish first."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Stop:
    """Whether a signal asked to stop, and whether the stream is waiting for rows."""

    asked = False
    waiting = False
    is_orderly = False  # by SIGTERM, with which a service manager ends what it will start again


class Stopped(BaseException):
    """Ends a wait for rows. It is not an Exception, so that no reader catches it."""


@contextmanager
def stoppable(saves: bool) -> Iterator[Stop]:
    """Make Ctrl-C, SIGTERM and SIGHUP end a wait for rows at once, and let any other step finish first.

    If there is something to save, a closed pipe at the end of the table does not end the process either.
    """
    stop = Stop()

    def ask(number: int, _: Any) -> None:
        stop.is_orderly = number == signal.SIGTERM and (stop.is_orderly or not stop.asked)
        stop.asked = True
        if stop.waiting:
            raise Stopped

    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored under nohup
        numbers.append(signal.SIGHUP)
    before: dict[int, Any] = {number: signal.signal(number, ask) for number in numbers}
    if saves and hasattr(signal, "SIGPIPE"):
        before[signal.SIGPIPE] = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
