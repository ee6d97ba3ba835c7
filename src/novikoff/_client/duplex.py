"""A stream of examples over one connection at a time: sends and receives at once, and reconnects when it breaks.

httpx sends a whole request before it reads the answer. The server answers while it reads, and stops reading if nobody
takes the answers, so that a long stream would block; therefore streams have a connection of their own. h11, on which
httpx is built, writes and reads the messages.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from novikoff._client.address import Address, is_refused_certificate
from novikoff._client.errors import Interrupted, answer_error, no_answer, retry_after
from novikoff._client.retries import RETRIED_STATUS, Retries
from novikoff._client.window import WINDOW_BYTES, Window

READ_BYTES = 2**16


class Duplex:
    """Sends lines of examples and receives their answers. All methods run in one event loop.

    Parameters
    ----------
    address : Address
        The server.
    path : str
        The path of the stream.
    retries : Retries
        When to connect again. The count of failures begins anew with every answer.
    room : int
        How many examples may wait for their answers when ``exchange`` returns.
    """

    def __init__(self, address: Address, path: str, retries: Retries, room: int) -> None:
        self._address, self._path, self._retries, self._room = address, path, retries, room
        self._window, self._answers = Window(), list[dict[str, Any]]()
        self._is_finished = False  # no line will be added
        self._news, self._work = asyncio.Event(), asyncio.Event()  # for the caller; for the connection
        self._task: asyncio.Task[None] | None = None

    async def exchange(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """Send lines, and return the answers that came meanwhile. Waits while too many examples are not answered."""
        self._window.add(lines)
        self._work.set()
        await self._wait(lambda: len(self._window) <= self._room and self._window.bytes <= WINDOW_BYTES)
        return self._take()

    async def finish(self) -> list[dict[str, Any]]:
        """Return the next answers after all lines were sent; an empty list if all came."""
        self._is_finished = True
        self._work.set()
        await self._wait(lambda: bool(self._answers))
        return self._take()

    async def close(self) -> None:
        """Break the connection off."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _wait(self, is_enough: Any) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(lambda _: self._news.set())
        while not is_enough() and not self._task.done():
            self._news.clear()
            await self._news.wait()
        if self._task.done() and not self._answers:
            self._task.result()  # raises what went wrong, after the answers that came before it

    def _take(self) -> list[dict[str, Any]]:
        answers, self._answers = self._answers, []
        return answers

    async def _run(self) -> None:
        failures = 0
        while True:
            await self._until_there_is_work()
            answered = self._window.answered
            try:
                return await self._connect_and_talk()
            except Interrupted as interruption:
                reason = interruption
            self._window.restart()
            if len(self._window):
                failures = 1 if self._window.answered > answered else failures + 1
                wait = self._retries.wait(failures, reason.retry_after)
                if wait is None:
                    raise reason.error
                await asyncio.sleep(wait)
            elif self._is_finished:
                return  # only the summary is missing

    async def _until_there_is_work(self) -> None:
        while not (self._is_finished or len(self._window)):
            self._work.clear()
            await self._work.wait()

    async def _connect_and_talk(self) -> None:
        """Make a connection and return when the stream is complete; raise ``Interrupted`` if it breaks before."""
        try:
            async with asyncio.timeout(self._address.timeout):
                reader, writer = await asyncio.open_connection(
                    self._address.host, self._address.port, ssl=self._address.tls
                )
        except (OSError, TimeoutError) as error:
            failed = no_answer(self._address.url, str(error) or "no connection in time")
            if is_refused_certificate(error):
                raise failed from error
            raise Interrupted(failed) from error
        http = Http(self._address, self._path)
        sender = asyncio.create_task(self._send(http, writer))
        try:
            await self._receive(http, reader)
        except OSError as error:
            raise Interrupted(no_answer(self._address.url, str(error))) from error
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
            writer.close()

    async def _send(self, http: Http, writer: asyncio.StreamWriter) -> None:
        """Send until the stream ends. If that fails, the receiver learns why: perhaps the server has said so."""
        writer.write(http.head())
        with contextlib.suppress(OSError):
            while True:
                if self._window.unsent:
                    writer.write(http.chunk(self._window.take()))
                    await writer.drain()
                elif self._is_finished:
                    writer.write(http.end())
                    return await writer.drain()
                else:
                    self._work.clear()
                    await self._work.wait()

    async def _receive(self, http: Http, reader: asyncio.StreamReader) -> None:
        while not http.is_over:
            data = await self._read(reader)
            body = http.receive(data)
            if http.status == 200:
                self._answers += self._window.receive(body)
                self._news.set()
            if self._window.refusal is not None:
                raise Interrupted(self._window.refusal)
        if http.status != 200:
            error = answer_error(http.status, http.content)
            if http.status in RETRIED_STATUS:
                raise Interrupted(error, retry_after(http.headers))
            raise error
        if not self._window.is_complete or len(self._window):
            raise Interrupted(no_answer(self._address.url, "the connection was closed in the middle of a stream"))

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        """Return what the server sends next. It has to answer in time only if something waits for an answer."""
        while True:
            try:
                async with asyncio.timeout(self._address.timeout):
                    return await reader.read(READ_BYTES)
            except TimeoutError as error:
                if self._window.waiting or self._is_finished:
                    raise Interrupted(no_answer(self._address.url, "no answer in time")) from error


class Http:
    """One HTTP request with a body in chunks, and its answer, without input or output."""

    def __init__(self, address: Address, path: str) -> None:
        import h11  # of httpx

        self._h11, self._address, self._path = h11, address, path
        self._connection = h11.Connection(h11.CLIENT)
        self.status = 0  # not known yet
        self.headers: dict[str, str] = {}
        self.content = b""  # of an answer that is an error
        self.is_over = False

    def head(self) -> bytes:
        """Return the beginning of the request."""
        headers = {
            "host": self._address.authority,
            "content-type": "application/x-ndjson",
            "accept": "application/x-ndjson",
            "transfer-encoding": "chunked",
            **self._address.headers,
        }
        target = self._address.prefix + self._path
        request = self._h11.Request(method="POST", target=target, headers=list(headers.items()))
        return self._connection.send(request) or b""

    def chunk(self, data: bytes) -> bytes:
        """Return a part of the body as it is sent."""
        return self._connection.send(self._h11.Data(data=data)) or b""

    def end(self) -> bytes:
        """Return the end of the body as it is sent."""
        return self._connection.send(self._h11.EndOfMessage()) or b""

    def receive(self, data: bytes) -> bytes:
        """Take bytes from the server; none if it closed the connection. Returns those that belong to the body."""
        h11, body = self._h11, bytearray()
        try:
            self._connection.receive_data(data)
            while (event := self._connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Response):
                    self.status = event.status_code
                    self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}
                elif isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
                    self.is_over = True
                    break
        except h11.RemoteProtocolError as error:
            reason = "the connection was closed" if not data else str(error)
            raise Interrupted(no_answer(self._address.url, reason)) from error
        if self.status != 200:
            self.content += body
        return bytes(body)
