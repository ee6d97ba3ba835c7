"""Work on what comes next while the present is in use."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _End:
    """What the thread says last: that it is done, or why it could not go on."""

    error: BaseException | None = None


@contextmanager
def ahead(items: Iterator[T], most: int) -> Iterator[Iterator[T]]:
    """Run an iterator in a thread of its own, at most some items ahead; it stops when the block is left."""
    ready: queue.Queue[T | _End] = queue.Queue(maxsize=most)
    stop = threading.Event()

    def put(item: T | _End) -> None:
        while not stop.is_set():
            try:
                return ready.put(item, timeout=0.1)
            except queue.Full:
                pass

    def work() -> None:
        try:
            for item in items:
                put(item)
                if stop.is_set():
                    return
            put(_End())
        except BaseException as error:
            put(_End(error))

    def take() -> Iterator[T]:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error

    thread = threading.Thread(target=work, name="novikoff-ahead", daemon=True)
    thread.start()
    try:
        yield take()
    finally:
        stop.set()
        thread.join(timeout=1)  # it may wait for a pipe
