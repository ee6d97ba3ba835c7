"""What waits for the writer thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from novikoff.serve.errors import ServeError

MAX_ROUND = 8192  # examples that are learned and stored together


@dataclass(eq=False)
class Job:
    """Examples of a request that are to be learned.

    Attributes
    ----------
    model : int
        Number of the model.
    size : int
        Number of examples, for the limit of the queue.
    content : object
        What was read, as the group takes it.
    answer : Future
        Gets the answer.
    """

    model: int
    size: int
    content: Any
    answer: Future[bytes] = field(default_factory=Future)


@dataclass(eq=False)
class Command:
    """Something else that the writer thread does between two groups."""

    call: Callable[[], Any]
    answer: Future[Any] = field(default_factory=Future)


class Inbox:
    """A queue of jobs with a limit on their examples, and of commands.

    Parameters
    ----------
    limit : int
        How many examples may wait. A job that is larger may wait if nothing else does.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.examples = 0
        self._items: deque[Job | Command] = deque()
        self._changed = threading.Condition()
        self.is_closed = False

    def put(self, item: Job | Command, *, is_limited: bool = True) -> None:
        """Add an item.

        Parameters
        ----------
        item : Job or Command
            The item.
        is_limited : bool, default=True
            Whether a job may be refused. Pieces of a stream are not: who sends them waits until there is room.

        Raises
        ------
        ServeError
            429 if too many examples wait; 503 if the server stops.
        """
        size = item.size if isinstance(item, Job) else 0
        with self._changed:
            if self.is_closed:
                raise ServeError(503, "stopping", "The server is stopping.", retry_after=5)
            if is_limited and size and self.examples and self.examples + size > self.limit:
                message = f"{self.examples} examples wait to be learned already. Try again soon."
                raise ServeError(429, "queue_full", message, retry_after=1)
            self.examples += size
            self._items.append(item)
            self._changed.notify()

    def take(self, timeout: float) -> list[Job] | Command | None:
        """Return the next jobs, up to a limit on their examples, or the next command; None if nothing came in time."""
        with self._changed:
            if not self._items:
                self._changed.wait(timeout)
            if not self._items:
                return None
            first = self._items.popleft()
            if isinstance(first, Command):
                return first
            jobs, size = [first], first.size
            while self._items and isinstance(self._items[0], Job) and size + self._items[0].size <= MAX_ROUND:
                job = self._items.popleft()
                assert isinstance(job, Job)
                jobs.append(job)
                size += job.size
            self.examples -= size
            return jobs

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._items

    def close(self) -> None:
        """Take nothing more."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()
