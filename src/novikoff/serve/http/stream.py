"""POST /stream: examples of any number, predicted and then learned, answered in order while they come.

Three limits keep the memory of a stream constant. Chunks of the request are joined to pieces of about 1 MiB; at most
eight pieces are with the engine or being answered, and while they are, nothing more is read; and a client that does not
take its answers stops the reading of its examples.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.types import Receive, Scope, Send

from novikoff.serve.errors import ServeError

from .answers import ALL_HEADERS, NDJSON, error_answer, error_body, logger
from .bodies import CLOSED, Decoder
from .piece_reader import PieceReader
from .pieces import joined

if TYPE_CHECKING:
    from novikoff.serve.engine.stream import Stream

MAX_UNANSWERED = 8  # pieces, so that several are stored together while the disk is busy
FULL_QUEUE_SECONDS = 0.005  # after which a full queue is looked at again


class StreamAnswer:
    """The answer to a stream, as an ASGI application.

    Parameters
    ----------
    stream : Stream
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
        stream: Stream,
        decoder: Decoder,
        status: Callable[[], dict[str, Any]],
        idle_seconds: float,
        stopping: asyncio.Event,
    ) -> None:
        self._decoder, self._status = decoder, status
        self._idle_seconds, self._stopping = idle_seconds, stopping
        self._places = asyncio.Semaphore(MAX_UNANSWERED)
        self._pieces: asyncio.Queue[tuple[bytes, bool] | Exception | None] = asyncio.Queue(1)
        self._answers: asyncio.Queue[Future[bytes] | Exception | None] = asyncio.Queue()
        self._is_begun = False
        self._reader = PieceReader(stream, self._answers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, feed and answer until the stream ends."""
        tasks = [asyncio.create_task(self._read(receive)), asyncio.create_task(self._feed())]
        try:
            await self._write(scope, receive, send)
        except TimeoutError:
            logger.warning("A client did not take the answers of its stream, and was disconnected.")
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
