"""A process that holds data for jobs, each of which can be stopped."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from .race import Timed


class Worker:
    """A process that holds data and does one job at a time on them. A job that takes too long is stopped.

    The data are prepared before any time is measured, and again after a job was stopped.
    """

    def __init__(self, prepare: Callable[..., Any], *arguments: Any) -> None:
        self._prepare = (prepare, arguments)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit the threads of BLAS in a bad state
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._prepare), daemon=True)
        self._process.start()
        theirs.close()
        self._receive()

    def _receive(self) -> Any:
        try:
            result = self._pipe.recv()
        except EOFError:
            self._process.join()
            raise RuntimeError(f"The worker died with exit code {self._process.exitcode}.") from None
        if isinstance(result, Exception):
            raise result
        return result

    def __call__(self, cap: float, job: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of ``job(data, *arguments)``, or None if it was stopped after ``cap`` seconds."""
        self._pipe.send((job, arguments))
        if self._pipe.poll(cap):
            return self._receive()
        self.close()
        self._start()
        return None

    def contestant(self, cap: float, job: Callable[..., Timed], *arguments: Any) -> Callable[[], Timed]:
        """Return a contestant whose job measures its own seconds, and which is stopped after ``cap`` seconds."""

        def work() -> Timed:
            found: Timed | None = self(cap, job, *arguments)
            return Timed(cap, stopped=True) if found is None else found

        return work

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(pipe: Connection, prepare: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        data = prepare(*arguments)
        pipe.send(None)
    except Exception as error:
        pipe.send(error)
        return
    while True:
        try:
            job, arguments = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(job(data, *arguments))
        except Exception as error:
            pipe.send(error)
