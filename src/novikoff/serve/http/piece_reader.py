"""Lets the engine read the pieces of a stream one after the other, beside the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from novikoff.serve.engine.stream import Stream

SHORT_PIECE = 1 << 14  # bytes that are read without another thread


class PieceReader:
    """Gives the pieces of a stream to the engine in their order, and the future of each answer to a queue.

    Long pieces are read in another thread, one after the other without a return to the event loop in between, so that
    other requests are answered meanwhile.

    Parameters
    ----------
    stream : Stream
        Takes the pieces.
    answers : asyncio.Queue
        Gets the futures, and an error or None at the end.
    """

    def __init__(self, stream: Stream, answers: asyncio.Queue[Future[bytes] | Exception | None]) -> None:
        self._stream, self._answers = stream, answers
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._lock = threading.Lock()
        self._is_reading = self._is_ended = False
        self._end: tuple[Exception | None] | None = None

    def put(self, piece: bytes, is_last: bool) -> bool:
        """Read a piece after those before. Returns False if one of them could not be read, which ends the stream."""
        with self._lock:
            if self._is_ended:
                return False
            if self._is_reading or len(piece) > SHORT_PIECE:
                self._waiting.append((piece, is_last))
                if not self._is_reading:
                    self._is_reading = True
                    self._loop.run_in_executor(None, self._read_waiting)
                return True
        self._give(self._read(piece, is_last))
        return not self._is_ended

    def end(self, error: Exception | None) -> None:
        """End the answers when all pieces have been read."""
        with self._lock:
            if self._is_ended:
                return
            if self._is_reading:
                self._end = (error,)
                return
        self._give(error)

    def stop(self) -> None:
        """Read nothing more."""
        with self._lock:
            self._waiting.clear()

    def _read_waiting(self) -> None:
        """Read what waits, in another thread."""
        while True:
            with self._lock:
                if self._is_ended or not self._waiting:
                    self._is_reading = False
                    if self._end is not None and not self._is_ended:
                        self._give(self._end[0])
                    return
                piece, is_last = self._waiting.popleft()
            self._give(self._read(piece, is_last))

    def _read(self, piece: bytes, is_last: bool) -> Future[bytes] | Exception:
        try:
            return self._stream.feed(piece, is_last)
        except Exception as error:
            self._is_ended = True
            return error

    def _give(self, answer: Future[bytes] | Exception | None) -> None:
        """Put an answer into the queue after those before, which the event loop may not have put there yet."""
        with contextlib.suppress(RuntimeError):  # the event loop has been closed
            self._loop.call_soon_threadsafe(self._answers.put_nowait, answer)
