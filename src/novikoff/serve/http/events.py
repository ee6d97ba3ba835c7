"""GET /events: the overview of a model as server-sent events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from novikoff.serve.errors import ServeError

from .answers import ALL_HEADERS, logger
from .bodies import until_disconnected
from .service import Service

PERIOD = 1.0  # seconds between two overviews
HEARTBEAT = 15.0  # seconds without an event after which a comment is sent, so that proxies keep the connection
SEND_SECONDS = 30.0  # after which a client that takes nothing is disconnected
RETRY = b"retry: 2000\n\n"  # milliseconds after which a browser connects again
TOO_MANY = ServeError(429, "too_many_watchers", "Too many pages are open. Close one, or raise max_watchers.", 10)


class Overviews:
    """Overviews as JSON, each made at most once per period, however many pages show it.

    Parameters
    ----------
    service : Service
        Makes them.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._made: dict[str, tuple[float, asyncio.Task[bytes]]] = {}

    async def get(self, name: str) -> bytes:
        """Return the overview of a model, not older than a period."""
        now = time.monotonic()
        self._made = {n: entry for n, entry in self._made.items() if now - entry[0] < 0.9 * PERIOD}
        if name not in self._made:
            self._made[name] = now, asyncio.create_task(self._make(name))
        return await asyncio.shield(self._made[name][1])

    async def _make(self, name: str) -> bytes:
        return msgspec.json.encode(await self._service.overview(name))


class EventsAnswer:
    """Server-sent events about a model, as an ASGI application.

    Parameters
    ----------
    service : Service
        The server.
    overviews : Overviews
        Makes the data of the events.
    name : str
        The model.
    first : bytes
        Its overview.
    """

    def __init__(self, service: Service, overviews: Overviews, name: str, first: bytes) -> None:
        self._service, self._overviews, self._name, self._first = service, overviews, name, first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client goes or the server stops."""
        self._service.watchers += 1
        gone = asyncio.ensure_future(until_disconnected(receive))
        stopped = asyncio.ensure_future(self._service.stopping.wait())
        try:
            headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
            await send({"type": "http.response.start", "status": 200, "headers": [*headers, *ALL_HEADERS]})
            await self._send_events(send, {gone, stopped})
        except TimeoutError:
            logger.warning("A client did not take the events of the page, and was disconnected.")
        finally:
            self._service.watchers -= 1
            gone.cancel()
            stopped.cancel()

    async def _send_events(self, send: Send, ends: set[asyncio.Future[Any]]) -> None:
        await _within_limit(_send(send, RETRY + event(self._first)))
        shown, silent_since = self._first, time.monotonic()
        while True:
            done, _ = await asyncio.wait(ends, timeout=PERIOD, return_when=asyncio.FIRST_COMPLETED)
            if done:
                break
            try:
                found = await self._overviews.get(self._name)
            except ServeError as error:  # the model was deleted, or the server stops
                await _within_limit(_send(send, b"event: end\ndata: " + msgspec.json.encode(error.message) + b"\n\n"))
                break
            if found != shown:
                await _within_limit(_send(send, event(found)))
            elif time.monotonic() - silent_since >= HEARTBEAT:
                await _within_limit(_send(send, b": heartbeat\n\n"))
            else:
                continue
            shown, silent_since = found, time.monotonic()
        await send({"type": "http.response.body", "body": b""})


def event(data: bytes) -> bytes:
    """Return an event. JSON has no line ends, so that its data is one line."""
    return b"event: overview\ndata: " + data + b"\n\n"


async def _send(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})


async def _within_limit(sending: Awaitable[None]) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await sending
