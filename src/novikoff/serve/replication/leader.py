"""GET /v1/log: the log of this server for its followers.

Each follower reads from the store, some megabytes at a time and as fast as it takes them, so that a slow one costs
nothing but its connection. The writer thread only signals that there are new records.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

from starlette.types import Receive, Scope, Send

from novikoff.serve.errors import ServeError
from novikoff.serve.http.answers import ALL_HEADERS, logger
from novikoff.serve.http.bodies import until_disconnected
from novikoff.serve.http.service import in_thread
from novikoff.serve.http.stream import ABORT
from novikoff.serve.log.errors import StoreError
from novikoff.serve.log.records import CHECKSUM_SIZE, FIRST_CHECKSUM, Record
from novikoff.serve.log.store import Store

from .frames import MEDIA_TYPE, failure_frame, header, record_frame, state_frame

CHUNK = 1 << 20  # bytes after which records are sent
HEARTBEAT = 1.0  # seconds between two signs of life
SEND_SECONDS = 60.0  # after which a follower that takes nothing is disconnected


class Signal:
    """Wakes coroutines from another thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._waiting = 0

    def notify(self) -> None:
        """Wake all coroutines that wait; in any thread."""
        if self._waiting:  # one that begins to wait now looks at the store first
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, store: Store, after: int, timeout: float) -> None:
        """Wait until the store has records after a sequence number, but not longer than some seconds."""
        event = self._event
        self._waiting += 1
        try:
            if store.last <= after:
                await asyncio.wait_for(event.wait(), timeout)
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1


def check_prefix(store: Store, after: int, checksum: bytes | None) -> None:
    """Refuse a follower whose log is not the beginning of this one, or begins with records that were removed.

    Raises
    ------
    ServeError
        410, with what to do.
    """
    if after > store.last:
        message = f"The follower has {after} records, but the server that it follows has only {store.last}."
        raise ServeError(410, "diverged", f"{message} Their logs differ. Start the follower with an empty directory.")
    if checksum is not None and store.checksum_at(after) != checksum:
        message = f"Record {after} of the follower is not that of the server that it follows, so their logs differ."
        raise ServeError(410, "diverged", f"{message} Start the follower with an empty directory.")
    dropped = store.dropped()
    if dropped is not None and after < dropped.last and store.is_removed(dropped.last):
        message = f"The log of this server was compacted up to record {dropped.last}, and the follower has {after}."
        raise ServeError(410, "compacted", f"{message} Begin it with a copy of this server's state directory.")


def checksum_from(text: str) -> bytes | None:
    """Return the checksum of a request; None for the empty text."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b"?"
    if text and len(found) != CHECKSUM_SIZE:
        message = f"checksum must be that of the record 'after', {2 * CHECKSUM_SIZE} hexadecimal digits."
        raise ServeError(422, "bad_parameter", message)
    return found or None


class LogAnswer:
    """The log after a sequence number, as an ASGI application. It has no end, unless ``wait`` is given.

    Parameters
    ----------
    store : Store
        The log.
    signal : Signal
        Notified after each commit.
    after : int
        The last record that the follower has.
    wait : float or None
        Seconds without new records after which the answer ends.
    stopping : asyncio.Event
        Set when the server stops.
    """

    def __init__(self, store: Store, signal: Signal, after: int, wait: float | None, stopping: asyncio.Event) -> None:
        self._store, self._signal, self._after = store, signal, after
        self._wait, self._stopping = wait, stopping
        self._records: Iterator[Record] = iter(())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until the follower goes or the server stops."""
        sending = asyncio.ensure_future(self._send_all(send))
        ends = [asyncio.ensure_future(until_disconnected(receive)), asyncio.ensure_future(self._stopping.wait())]
        try:
            await asyncio.wait({sending, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            elif self._stopping.is_set():
                scope.get(ABORT, lambda: None)()  # the follower connects again
        except TimeoutError:
            logger.warning("A follower did not take the log, and was disconnected.")
            scope.get(ABORT, lambda: None)()
        finally:
            for task in (sending, *ends):
                task.cancel()
            await asyncio.gather(sending, *ends, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        headers = [(b"content-type", MEDIA_TYPE), (b"x-accel-buffering", b"no"), *ALL_HEADERS]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for chunk in self._chunks():
            async with asyncio.timeout(SEND_SECONDS):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _chunks(self) -> AsyncIterator[bytes]:
        store = self._store
        yield header(store.last, await in_thread(_identity, store))
        quiet_since = time.monotonic()
        try:
            while True:
                frames = await in_thread(self._next_frames)
                if frames:
                    quiet_since = time.monotonic()
                yield frames + state_frame(store.last)
                if self._after >= store.last:
                    if self._wait is not None and time.monotonic() - quiet_since >= self._wait:
                        return
                    await self._signal.wait(store, self._after, min(HEARTBEAT, self._wait or HEARTBEAT))
        except StoreError as error:
            logger.error("The log cannot be sent to a follower: %s", error.message)
            yield failure_frame(error.message)

    def _next_frames(self) -> bytes:
        """Read records until there are enough to be sent, or no more."""
        parts: list[bytes] = []
        size = 0
        for _ in range(2):  # an iterator that has ended does not see newer records
            for record in self._records:
                parts.append(record_frame(record))
                size += len(parts[-1])
                self._after = record.sequence
                if size >= CHUNK:
                    return b"".join(parts)
            if parts or self._after >= self._store.last:
                break
            self._records = self._store.records(after=self._after)
        return b"".join(parts)


def _identity(store: Store) -> bytes:
    return store.checksum_at(1) if store.last else FIRST_CHECKSUM
