"""The committer thread: it makes durable and answers what the writer thread has learned.

The writer learns the next groups while the disk stores those before. All that waits is stored in one transaction, so
that a slow disk gets larger ones. Groups are stored and answered in the order in which they were learned.

A group whose transaction failed has changed models in memory, and so have the groups that were learned after it. All of
these fail, until the writer thread has taken note of it in `settle`, and has dropped the models.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

from novikoff.serve.errors import ServeError
from novikoff.serve.log.store import Store

from .group import Group
from .inbox import MAX_ROUND

MAX_WAITING = 4  # rounds of the writer that may wait for the disk
SHORT = 64  # examples that the writer thread stores itself if nothing else waits, which is sooner for a single request
log = logging.getLogger("novikoff.serve")


class Committer:
    """Stores groups in the log and answers them.

    Parameters
    ----------
    store : Store
        The log.
    explained : callable
        Takes note of an error of the store, and returns the one that clients get.

    Attributes
    ----------
    learned, rounds : int
        Examples and transactions that were stored.
    """

    def __init__(self, store: Store, explained: Callable[[BaseException], ServeError]) -> None:
        self._store, self._explained = store, explained
        self.learned = self.rounds = 0
        self._waiting: deque[list[Group]] = deque()
        self._changed = threading.Condition()
        self._is_busy = self._is_closed = False
        self._error: ServeError | None = None
        self._failed: list[Group] = []
        self._thread = threading.Thread(target=self._run, name="novikoff-committer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    # ---- the writer thread only --------------------------------------------------------------------------------------

    def put(self, groups: list[Group], *, is_alone: bool) -> None:
        """Store groups soon; wait while too many wait already.

        Parameters
        ----------
        groups : list of Group
            What was learned.
        is_alone : bool
            Whether nothing else waits to be learned: a few examples are then stored before this returns.
        """
        with self._changed:
            while len(self._waiting) >= MAX_WAITING:
                self._changed.wait()
            if is_alone and self.is_idle and sum(map(len, groups)) <= SHORT:
                self._is_busy = True
            else:
                self._waiting.append(groups)
                self._changed.notify_all()
                return
        self._commit_all(groups)

    @property
    def has_failed(self) -> bool:
        """Whether a transaction has failed since `settle`."""
        return self._error is not None

    @property
    def is_idle(self) -> bool:
        """Whether all groups are answered."""
        return not self._waiting and not self._is_busy

    def settle(self) -> list[Group]:
        """Wait until all groups are answered, and return those that failed."""
        with self._changed:
            while not self.is_idle:
                self._changed.wait()
            failed, self._failed, self._error = self._failed, [], None
        return failed

    def close(self) -> None:
        """End the thread when all groups are answered."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join()

    # ---- storing -----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._is_closed:
                    self._changed.wait()
                if not self._waiting:
                    return
                groups = self._taken()
                self._is_busy = True
                self._changed.notify_all()
            self._commit_all(groups)

    def _taken(self) -> list[Group]:
        groups: list[Group] = []
        size = 0
        while self._waiting:
            size += sum(map(len, self._waiting[0]))
            if groups and size > MAX_ROUND:
                break
            groups += self._waiting.popleft()
        return groups

    def _commit_all(self, groups: list[Group]) -> None:
        try:
            self._commit(groups)
        finally:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()

    def _commit(self, groups: list[Group]) -> None:
        try:
            if self._error is not None:
                raise self._error
            entries = [entry for group in groups for entry in group.entries()]
            records = self._store.append(entries) if entries else []
        except BaseException as error:  # nothing of the groups may be kept, whatever happened
            self._failed += groups
            if self._error is None:
                self._error = self._explained(error)
            for group in groups:
                group.fail(self._error)
            return
        models = {group.model.number: group.model for group in groups}  # memory may have dropped some already
        for record in records:
            models[record.model].sequence = record.sequence
            self.learned += record.count
        self.rounds += 1
        for group in groups:
            try:
                group.finish()
            except Exception as error:  # it is durable; the thread must go on, whatever happens
                log.error("Examples were learned, but not answered.", exc_info=error)
                message = "The examples were learned, but not answered. Do not send them again."
                group.fail(ServeError(503, "internal", message, 5))
