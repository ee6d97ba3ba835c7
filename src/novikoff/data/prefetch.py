"""Read the next items in a background thread while the current one is in use."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from .waiting import is_watched, notify

T = TypeVar("T")
POLL_SECONDS = 0.1  # between two checks of a full queue for the end of the block, or of an empty one for an item


@dataclass(frozen=True)
class _End:
    """The last item in the queue: the iterator is exhausted, or raised this error."""

    error: BaseException | None = None


@contextmanager
def prefetched(items: Iterator[T], depth: int) -> Iterator[Iterator[T]]:
    """Run an iterator in a thread of its own, at most ``depth`` items ahead; the thread stops when the block ends."""
    ready: queue.Queue[T | _End] = queue.Queue(maxsize=depth)
    stop = threading.Event()

    def put(item: T | _End) -> None:
        while not stop.is_set():
            try:
                return ready.put(item, timeout=POLL_SECONDS)
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

    def next_item() -> T | _End:
        while is_watched():
            try:
                return ready.get(timeout=POLL_SECONDS)
            except queue.Empty:
                notify()
        return ready.get()

    def take() -> Iterator[T]:
        while not isinstance(item := next_item(), _End):
            yield item
        if item.error is not None:
            raise item.error

    thread = threading.Thread(target=work, name="novikoff-prefetch", daemon=True)
    thread.start()
    try:
        yield take()
    finally:
        stop.set()
        thread.join(timeout=1)  # the thread may be waiting for a pipe, so do not wait for it forever
