"""The writer thread: the only one that changes models, and with its committer the only one that changes the log."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import novikoff._core as _core
from novikoff.serve.errors import ServeError
from novikoff.serve.log.errors import CorruptRecord, StoreError
from novikoff.serve.log.records import Record
from novikoff.serve.log.store import Store

from .committer import Committer
from .group import Group
from .inbox import Command, Inbox, Job
from .memory import Memory
from .pending import Pending

SOON = 0.002  # seconds without a job after which versions that are behind are published
IDLE = 0.05  # seconds after which other work is looked for
RETRY = 5.0  # seconds between attempts to learn again after the store has failed
log = logging.getLogger("novikoff.serve")


class Writer:
    """Takes jobs from the inbox, lets models learn, and gives what they learned to its committer, one round at a time.

    Everything else that it does, such as loading, snapshots and commands, waits until all that was learned is durable.

    Parameters
    ----------
    store : Store
        The log.
    inbox : Inbox
        Jobs and commands.
    memory : Memory
        The models in memory.
    pending : Pending
        Predictions that wait for their labels.
    limits : ExampleLimits
        Limits of an example.

    Attributes
    ----------
    reason : str or None
        Why nothing is learned at present.
    """

    def __init__(
        self, store: Store, inbox: Inbox, memory: Memory, pending: Pending, limits: _core.ExampleLimits
    ) -> None:
        self._store, self._inbox, self._memory, self._pending, self._limits = store, inbox, memory, pending, limits
        self.reason: str | None = None
        self.committer = Committer(store, self._stop)
        self._tried_at = 0.0
        self._thread = threading.Thread(target=self._run, name="novikoff-writer", daemon=True)

    def start(self) -> None:
        """Start the threads."""
        self.committer.start()
        self._thread.start()

    def join(self) -> None:
        """Wait until everything that was accepted is done, after the inbox was closed."""
        self._thread.join()

    def _run(self) -> None:
        while True:
            taken = self._inbox.take(SOON if self._memory.behind else IDLE)
            try:
                if isinstance(taken, list):
                    self._learn(taken)
                elif taken is not None:
                    self._settle()
                    self._obey(taken)
                elif self._inbox.is_closed and self._inbox.is_empty:
                    self._settle()
                    self.committer.close()
                    return
                elif self.committer.is_idle:
                    self._settle()
                    self._memory.publish_all()
                if self._memory.due():
                    self._settle()
                    self._memory.write_snapshots()
            except Exception as error:  # the thread must go on: all jobs have been answered, and the log has it all
                log.error("The writer goes on after an error.", exc_info=error)

    def _settle(self) -> None:
        """Wait until all that was learned is durable; drop the models that have learned what could not be stored."""
        for group in self.committer.settle():
            self._memory.distrust(group.model)

    def _obey(self, command: Command) -> None:
        if not command.answer.set_running_or_notify_cancel():
            return
        try:
            command.answer.set_result(command.call())
        except BaseException as error:  # whoever asked for it gets the error
            command.answer.set_exception(self._explained(error))

    def _explained(self, error: BaseException) -> BaseException:
        """Return the error of a command. Damaged records concern one model, not all learning."""
        is_stop = isinstance(error, StoreError) and not isinstance(error, CorruptRecord)
        return self._stop(error) if is_stop else error

    # ---- learning ----------------------------------------------------------------------------------------------------

    def _learn(self, jobs: list[Job]) -> None:
        jobs = [job for job in jobs if job.answer.set_running_or_notify_cancel()]
        groups: list[Group] = []
        try:
            if self.committer.has_failed:
                self._settle()
            self.check_learning()
            groups += self._groups(jobs)
            for group in groups:
                group.learn()
                group.version = self._memory.new_version(group.model, is_busy=not self._inbox.is_empty)
        except BaseException as error:  # nothing of the groups may be kept, whatever happened
            answer = error if isinstance(error, ServeError) else self._stop(error)
            for group in groups:
                self._memory.distrust(group.model)
            for job in jobs:
                if not job.answer.done():
                    job.answer.set_exception(answer)
            return
        self.committer.put(groups, is_alone=self._inbox.is_empty)

    def _groups(self, jobs: list[Job]) -> list[Group]:
        by_model: dict[int, list[Job]] = {}
        for job in jobs:
            by_model.setdefault(job.model, []).append(job)
        if any(self._memory.find(number) is None for number in by_model):
            self._settle()  # models are loaded from the log, and others are dropped for them
        groups = []
        for number, own in by_model.items():
            try:
                groups.append(Group(self._memory.load(number, to_learn=True), own, self._pending, self._limits))
            except Exception as error:  # other models go on
                answer = error if isinstance(error, ServeError) else self._stop(error)
                for job in own:
                    job.answer.set_exception(answer)
        return groups

    def append(self, entries: list[Any]) -> list[Record]:
        """Append other entries, from a command."""
        self.check_learning()
        return self._store.append(entries)

    # ---- failures ----------------------------------------------------------------------------------------------------

    def check_learning(self) -> None:
        """Raise an error if nothing can be stored at present. From time to time, the store is tried again."""
        if self.reason is None:
            return
        now = time.monotonic()
        if now - self._tried_at >= RETRY:
            self._tried_at = now
            try:
                self._store.append([])
            except StoreError as error:
                self.reason = error.message
            else:
                log.warning("Learning goes on: the log can be written again.")
                self.reason = None
                return
        raise self._stopped(self.reason)

    def _stop(self, error: BaseException) -> ServeError:
        """Learn nothing more until the store works again."""
        if isinstance(error, StoreError):
            self.reason, self._tried_at = error.message, time.monotonic()
            log.error("Learning stops: %s", error.message)
            return self._stopped(error.message)
        log.error("Examples could not be learned.", exc_info=error)
        message = "The examples could not be learned because of an internal error, which is in the log of the server."
        return ServeError(503, "internal", message, 5)

    def _stopped(self, reason: str) -> ServeError:
        message = f"Nothing is learned at present, predictions go on. {reason}"
        return ServeError(503, "learning_stopped", message, retry_after=int(RETRY))
