"""POST /stream: examples of any number, predicted and then learned, answered in order while they come.

Three limits keep the memory of a stream constant. Chunks of the request are joined to pieces of about 1 MiB; at most
eight pieces are with the engine or being answered, and while they are, nothing more is read; and a client that does not
take its answers stops the reading of its examples.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from novikoff.serve.errors import ServeError

from .answers import ALL_HEADERS, NDJSON, error_answer, error_body, logger
from .bodies import CLOSED, Decoder
from .engine_contract import EngineStream

PIECE = 1 << 20  # bytes that are joined before they are given to the engine
SHORT_PIECE = 1 << 14  # bytes that are read without another thread
JOIN_SECONDS = 0.003  # how long further bytes are waited for
MAX_UNANSWERED = 8  # pieces, so that several are stored together while the disk is busy
FULL_QUEUE_SECONDS = 0.005  # after which a full queue is looked at again
ABORT = "novikoff.abort"  # key of the scope: closes the connection at once, without sending what is buffered
STOPPING = ServeError(503, "stopping", "The server is stopping. All lines that were answered are in the log.")
IDLE = ServeError(408, "stream_idle", "No examples came for too long, so that the stream was closed.")


class StreamAnswer:
    """The answer to a stream, as an ASGI application.

    Parameters
    ----------
    stream : EngineStream
        Takes the examples.
    decoder : Decoder
        Decompresses the body.
    status : callable
        Returns the state of the engine, of which ``queue`` and ``queue_limit`` are used.
    idle_seconds : float
        After how long a client that neither sends nor takes anything is given up.
    stopping : asyncio.Event
        Set when the server stops.
    """

    def __init__(
        self,
        stream: EngineStream,
        decoder: Decoder,
        status: Callable[[], dict[str, Any]],
        idle_seconds: float,
        stopping: asyncio.Event,
    ) -> None:
        self._stream, self._decoder, self._status = stream, decoder, status
        self._idle_seconds, self._stopping = idle_seconds, stopping
        self._places = asyncio.Semaphore(MAX_UNANSWERED)
        self._pieces: asyncio.Queue[tuple[bytes, bool] | Exception | None] = asyncio.Queue(1)
        self._answers: asyncio.Queue[Future[bytes] | Exception | None] = asyncio.Queue()
        self._is_begun = False
        self._reader = Reader(stream, self._answers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, feed and answer until the stream ends."""
        tasks = [asyncio.create_task(self._read(receive)), asyncio.create_task(self._feed())]
        try:
            await self._write(scope, receive, send)
        except TimeoutError:
            logger.warning("A client did not take the answers of its stream, and was disconnected.")
            scope.get(ABORT, _nothing)()
        finally:
            self._reader.stop()
            for task in tasks:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    # ---- examples to the engine ------------------------------------------------------------------------------------

    async def _read(self, receive: Receive) -> None:
        """Receive pieces while the one before is given to the engine; an error or None ends them."""
        try:
            async for piece in joined(receive, self._decoder, self._idle_seconds, self._stopping):
                await self._pieces.put(piece)
            await self._pieces.put(None)
        except Exception as error:
            await self._pieces.put(error)

    async def _feed(self) -> None:
        """Let pieces be read; an error or None ends the answers."""
        while isinstance(entry := await self._pieces.get(), tuple):
            await self._places.acquire()
            await self._wait_for_queue()
            if not self._reader.put(*entry):
                return
        self._reader.end(entry)

    async def _wait_for_queue(self) -> None:
        """Wait until the engine takes examples. Streams use half of the queue, so that requests find room."""
        while True:
            status = self._status()
            if status["queue"] <= status["queue_limit"] // 2:
                return
            await asyncio.sleep(FULL_QUEUE_SECONDS)

    # ---- answers to the client -------------------------------------------------------------------------------------

    async def _write(self, scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            entry = await self._answers.get()
            if entry is None:
                break
            try:
                if isinstance(entry, BaseException):
                    raise entry
                lines = await asyncio.wrap_future(entry)
            except ServeError as error:
                await self._end_with(error, scope, receive, send)
                return
            await self._send(send, lines)
            self._places.release()
        await self._finish(send)

    async def _send(self, send: Send, lines: bytes) -> None:
        async with asyncio.timeout(self._idle_seconds):
            if not self._is_begun:
                self._is_begun = True
                headers = [(b"content-type", NDJSON), *ALL_HEADERS]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
            if lines:
                await send({"type": "http.response.body", "body": lines, "more_body": True})

    async def _finish(self, send: Send) -> None:
        async with asyncio.timeout(self._idle_seconds):
            await send({"type": "http.response.body", "body": b""})

    async def _end_with(self, error: ServeError, scope: Scope, receive: Receive, send: Send) -> None:
        """End the stream with an error: as the status of the answer, or as its last line if it has begun."""
        if error is CLOSED:
            return
        if not self._is_begun:
            await error_answer(error)(scope, receive, send)
            return
        await self._send(send, msgspec.json.encode(error_body(error)) + b"\n")
        await self._finish(send)


def _nothing() -> None:
    """Stand for the abort of a connection that cannot be aborted."""


class Reader:
    """Gives the pieces of a stream to the engine in their order, and the future of each answer to a queue.

    Long pieces are read in another thread, one after the other without a return to the event loop in between, so that
    other requests are answered meanwhile.

    Parameters
    ----------
    stream : EngineStream
        Takes the pieces.
    answers : asyncio.Queue
        Gets the futures, and an error or None at the end.
    """

    def __init__(self, stream: EngineStream, answers: asyncio.Queue[Future[bytes] | Exception | None]) -> None:
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
        self._answers.put_nowait(self._read(piece, is_last))
        return not self._is_ended

    def end(self, error: Exception | None) -> None:
        """End the answers when all pieces have been read."""
        with self._lock:
            if self._is_ended:
                return
            if self._is_reading:
                self._end = (error,)
                return
        self._answers.put_nowait(error)

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
        with contextlib.suppress(RuntimeError):  # the event loop has been closed
            self._loop.call_soon_threadsafe(self._answers.put_nowait, answer)


class Collector:
    """Receives a body and joins its chunks to pieces.

    Parameters
    ----------
    receive : callable
        Returns the next message of ASGI.
    decoder : Decoder
        Decompresses the body.
    """

    def __init__(self, receive: Callable[[], Any], decoder: Decoder) -> None:
        self._receive, self._decoder = receive, decoder
        self._parts: list[bytes] = []
        self._size = 0
        self._is_complete = False
        self._error: Exception | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.ready = asyncio.Event()  # a piece can be taken
        self._taken = asyncio.Event()

    async def run(self) -> None:
        """Receive the body. What is wrong with it is raised by `take`."""
        loop = asyncio.get_running_loop()
        try:
            is_more = True
            while is_more:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise CLOSED
                for part in self._decoder.decode(message.get("body", b"")):
                    self._parts.append(part)
                    self._size += len(part)
                    if self._size >= PIECE:
                        self.ready.set()
                        self._taken.clear()
                        await self._taken.wait()
                is_more = message.get("more_body", False)
                if self._parts and self._timer is None:
                    self._timer = loop.call_later(JOIN_SECONDS, self.ready.set)
            if not self._decoder.is_complete():
                raise ServeError(400, "bad_encoding", "The compressed body ends too early.")
            self._is_complete = True
        except Exception as error:
            self._error = error
        self.ready.set()

    def take(self) -> tuple[bytes, bool]:
        """Return the bytes that have come, and whether they are the last ones."""
        if self._error is not None:
            raise self._error
        piece = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts, self._size = [], 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._is_complete:
            self.ready.clear()
        self._taken.set()
        return piece, self._is_complete


async def joined(
    receive: Callable[[], Any], decoder: Decoder, idle_seconds: float, stopping: asyncio.Event
) -> AsyncIterator[tuple[bytes, bool]]:
    """Return the body in pieces of about ``PIECE`` bytes, or what has come within some milliseconds.

    Each comes with whether it is the last one.

    Raises
    ------
    ServeError
        The connection is closed, the client sends nothing for too long, the server stops, or the body is not compressed
        as it says.
    """
    collector = Collector(receive, decoder)
    collecting = asyncio.ensure_future(collector.run())
    stopped = asyncio.ensure_future(stopping.wait())
    try:
        is_last = False
        while not is_last:
            ready = asyncio.ensure_future(collector.ready.wait())
            await asyncio.wait({ready, stopped}, timeout=idle_seconds, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            if stopped.done():
                raise STOPPING
            if not collector.ready.is_set():
                raise IDLE
            piece, is_last = collector.take()
            yield piece, is_last
    finally:
        stopped.cancel()
        collecting.cancel()
