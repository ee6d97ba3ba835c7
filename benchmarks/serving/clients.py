"""The clients of benchmarks/serve.py: they send bytes that were prepared before the clock starts.

Each client is a thread with blocking sockets, or one event loop for many connections, and does as little as possible
per request, because it shares two cores with the server that it measures. Answers are counted, not parsed.
"""

from __future__ import annotations

import asyncio
import select
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

RECEIVE_BYTES = 1 << 18
SEND_BYTES = 1 << 16
ANSWER, ERROR = b'"mistake"', b'"error"'  # each is once in the line of an example; lines lie in the chunks of HTTP
LAST_BYTES = 400  # of an answer, with its summary
TIMEOUT = 300.0  # seconds without any progress


@dataclass(frozen=True)
class Latencies:
    """What single requests took."""

    seconds: float  # of the whole run
    each: np.ndarray  # seconds of each request, in the order in which they ended
    failures: int  # answers with another status than 200

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.each) / self.seconds

    def milliseconds(self, *percents: float) -> list[float]:
        """Percentiles."""
        return [float(value) for value in 1000 * np.percentile(self.each, percents)]


@dataclass(frozen=True)
class Streamed:
    """What came of a stream."""

    seconds: float
    lines: int  # of the answers, without the summaries
    errors: int  # lines that say that an example is invalid

    @property
    def rate(self) -> float:
        """Examples a second."""
        return self.lines / self.seconds


def request(method: str, path: str, body: bytes, content_type: str = "application/json") -> bytes:
    """A complete HTTP request that keeps its connection."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content_type}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


# ---- single requests ------------------------------------------------------------------------------------------------


class _Connection(asyncio.Protocol):
    """Sends the next request when the answer to the last one is complete, and not before its time."""

    def __init__(self, run: _Run, requests: Sequence[bytes], number: int) -> None:
        self._run, self._requests = run, requests
        self._rest, self._missing, self._sent = b"", -1, 0.0
        self._transport: Any = None
        self._due = time.perf_counter() + number * run.interval / run.connections
        self._count = number * len(requests) // run.connections  # each begins at another place

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._next()

    def _next(self) -> None:
        if not self._run.wants_more():
            self._transport.close()
            return
        if not self._run.interval:
            self._send(time.perf_counter())
            return
        self._due += self._run.interval
        wait = self._due - time.perf_counter()
        if wait <= 0:
            self._send(self._due)
        else:
            asyncio.get_running_loop().call_later(wait, self._send, self._due)

    def _send(self, due: float) -> None:
        """Send a request whose time counts from when it was due, also if earlier answers were late."""
        self._sent = due
        self._transport.write(self._requests[self._count % len(self._requests)])
        self._count += 1

    def data_received(self, data: bytes) -> None:
        self._rest += data
        if self._missing < 0:
            end = self._rest.find(b"\r\n\r\n")
            if end < 0:
                return
            self._missing = end + 4 + content_length(self._rest[:end])
        if len(self._rest) >= self._missing:
            self._run.add(time.perf_counter() - self._sent, self._rest.startswith(b"HTTP/1.1 200"))
            self._rest, self._missing = b"", -1
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        self._run.left(self._rest != b"" or self._missing >= 0 or error is not None)


class _Run:
    """What the connections of one run share."""

    def __init__(self, connections: int, stop: Callable[[int], bool], rate: float | None) -> None:
        self.times: list[float] = []
        self.connections, self.interval = connections, connections / rate if rate else 0.0  # seconds, of one connection
        self.failures, self._open, self._stop = 0, connections, stop
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wants_more(self) -> bool:
        return not self._stop(len(self.times))

    def add(self, seconds: float, is_good: bool) -> None:
        self.times.append(seconds)
        self.failures += not is_good

    def left(self, is_broken: bool) -> None:
        self._open -= 1
        self.failures += is_broken
        if self._open == 0 and not self.done.done():
            self.done.set_result(None)


def content_length(head: bytes) -> int:
    """The length that the head of an answer names."""
    at = head.find(b"content-length: ")  # as all servers write it here
    if at >= 0:
        return int(head[at + 16 :].split(b"\r", 1)[0])
    raise ValueError("The answer does not name its length.")


async def _single_requests(
    port: int, requests: Sequence[bytes], connections: int, stop: Callable[[int], bool], rate: float | None
) -> Latencies:
    run, loop = _Run(connections, stop, rate), asyncio.get_running_loop()
    begin = time.perf_counter()
    for number in range(connections):
        await loop.create_connection(partial(_Connection, run, requests, number), "127.0.0.1", port)
    await asyncio.wait_for(run.done, TIMEOUT)
    return Latencies(time.perf_counter() - begin, np.array(run.times), run.failures)


def single_requests(
    port: int,
    requests: Sequence[bytes],
    connections: int,
    count: int | None = None,
    seconds: float | None = None,
    rate: float | None = None,
) -> Latencies:
    """Send requests over kept connections, one at a time on each: ``count`` of them, or for some seconds.

    With ``rate`` they are due at regular times, so many a second over all connections; without, as soon as possible.
    """
    end = time.perf_counter() + (seconds or TIMEOUT)
    limit = float("inf") if count is None else count

    def stop(sent: int) -> bool:
        return sent >= limit or time.perf_counter() >= end

    if rate is None:
        return _busy_requests(port, requests, connections, stop)
    with asyncio.Runner(loop_factory=_quick_loop()) as runner:
        return runner.run(_single_requests(port, requests, connections, stop, rate))


def _busy_requests(port: int, requests: Sequence[bytes], connections: int, stop: Callable[[int], bool]) -> Latencies:
    """Send each request when the one before is answered. An event loop would take longer than the servers."""
    begin = time.perf_counter()
    times: list[float] = []
    failures = 0
    sockets = [socket.create_connection(("127.0.0.1", port), TIMEOUT) for _ in range(connections)]
    sent, rest = [0.0] * connections, [b""] * connections
    with select.epoll() as poll:
        places = {}
        for place, own in enumerate(sockets):
            own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            places[own.fileno()] = place
            poll.register(own, select.EPOLLIN)
            sent[place] = time.perf_counter()
            own.sendall(requests[place * len(requests) // connections])
        number, is_open = 0, connections
        while is_open:
            ready = poll.poll(TIMEOUT)
            if not ready:
                raise TimeoutError(f"no answer came within {TIMEOUT:g} s")
            for descriptor, _ in ready:
                place = places[descriptor]
                own = sockets[place]
                data = rest[place] + own.recv(RECEIVE_BYTES)
                end = data.find(b"\r\n\r\n")
                if data and (end < 0 or len(data) < end + 4 + content_length(data[:end])):
                    rest[place] = data
                    continue
                now = time.perf_counter()
                times.append(now - sent[place])
                failures += not data.startswith(b"HTTP/1.1 200")
                rest[place] = b""
                if not data or stop(len(times)):
                    poll.unregister(own)
                    own.close()
                    is_open -= 1
                    continue
                number += 1
                sent[place] = now
                own.sendall(requests[number % len(requests)])
    return Latencies(time.perf_counter() - begin, np.array(times), failures)


def _quick_loop() -> Callable[[], asyncio.AbstractEventLoop]:
    import uvloop

    return uvloop.new_event_loop


# ---- streams ---------------------------------------------------------------------------------------------------------


def stream(
    port: int,
    path: str,
    bodies: Sequence[bytes],
    content_type: str = "application/x-ndjson",
    rate: float | None = None,
    rows: Sequence[int] | None = None,
) -> Streamed:
    """Send each body over a connection of its own, all at once, and read the answers meanwhile.

    ``rate`` limits the examples a second of all connections together; ``rows`` then has their number in each body.
    """
    results: list[tuple[int, int] | BaseException] = []

    def work(number: int) -> None:
        seconds = None if rate is None or rows is None else rows[number] * len(bodies) / rate
        try:
            results.append(_one_stream(port, path, bodies[number], content_type, seconds))
        except BaseException as error:
            results.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(bodies))]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin
    for result in results:
        if isinstance(result, BaseException):
            raise result
    found = [result for result in results if isinstance(result, tuple)]
    return Streamed(seconds, sum(lines for lines, _ in found), sum(errors for _, errors in found))


def _one_stream(port: int, path: str, body: bytes, content_type: str, seconds: float | None) -> tuple[int, int]:
    """Lines and errors in the answer to one stream, sent in ``seconds`` if they are given."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content_type}\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        sender = threading.Thread(target=_send, args=(connection, head.encode(), body, seconds))
        sender.start()
        try:
            return _read_lines(connection)
        finally:
            sender.join()


def _send(connection: socket.socket, head: bytes, body: bytes, seconds: float | None) -> None:
    try:
        connection.sendall(head)
        if seconds is None:
            connection.sendall(body)
            return
        begin, view = time.perf_counter(), memoryview(body)
        piece = max(1, min(SEND_BYTES, round(len(body) / seconds / 100)))  # about 100 pieces a second
        for place in range(0, len(body), piece):
            wait = begin + seconds * place / len(body) - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
            connection.sendall(view[place : place + piece])
    except OSError:
        pass  # the reader sees the end of the answer


def _read_lines(connection: socket.socket) -> tuple[int, int]:
    """Count the answers to examples, and those that are errors; raise if the answer is not complete."""
    start, lines, errors, tail, last = b"", 0, 0, b"", b""
    is_in_head = True
    while data := connection.recv(RECEIVE_BYTES):
        if is_in_head:
            start += data
            end = start.find(b"\r\n\r\n")
            if end < 0:
                continue
            if not start.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(start.decode("utf-8", "replace"))
            data, is_in_head = start[end + 4 :], False
        lines += (tail + data).count(ANSWER)
        errors += (tail[-len(ERROR) + 1 :] + data).count(ERROR)
        tail = (tail + data)[-len(ANSWER) + 1 :]
        last = (last + data)[-LAST_BYTES:]
    if b'"summary"' not in last:
        raise RuntimeError("The answer to the stream ended without its summary.")
    return lines, errors
