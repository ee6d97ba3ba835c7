"""The body of a stream in pieces of about 1 MiB, or what has come within some milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from novikoff.serve.errors import ServeError

from .bodies import CLOSED, CUT, Decoder

PIECE = 1 << 20  # bytes that are joined before they are given to the engine
JOIN_SECONDS = 0.003  # how long further bytes are waited for after the first ones
STOPPING = ServeError(503, "stopping", "The server is stopping. All lines that were answered are in the log.")
IDLE = ServeError(408, "stream_idle", "No examples came for too long, so that the stream was closed.")


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
                raise CUT
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
