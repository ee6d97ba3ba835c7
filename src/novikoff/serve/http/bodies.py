"""Bodies of requests: their limits of length and time, and their compression.

A short compressed body may stand for a very long one. Bodies are therefore decompressed in steps of bounded length, and
refused as soon as they exceed the limit.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

from starlette.types import Receive, Scope

from novikoff.errors import quote
from novikoff.serve.errors import ServeError

STEP = 1 << 20  # bytes that one step of decompression may produce; of zstd, see below
ZSTD_SLICE = 64  # bytes; a block of 4 bytes may stand for 128 KiB, so a piece has at most 2 MiB
ZSTD_WINDOW = 8 << 20  # bytes, as RFC 9659 asks for
IN_THREAD = 1 << 16  # bytes of a compressed body from which on it is decompressed in another thread
CUT = ServeError(400, "bad_encoding", "The compressed body ends too early. Send all of it.")
CLOSED = ServeError(400, "incomplete_body", "The connection was closed before the body was complete.")


class Decoder(Protocol):
    """Turns compressed bytes into pieces of bounded length."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Take bytes, and return what they stand for, piece by piece."""
        ...

    def is_complete(self) -> bool:
        """Whether the data may end here."""
        ...


class Identity:
    """Data that is not compressed."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """See ``Decoder``."""
        if data:
            yield data

    def is_complete(self) -> bool:
        """See ``Decoder``."""
        return True


class Gzip:
    """gzip, also several files one after the other."""

    def __init__(self) -> None:
        self._inflate: Any = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        """See ``Decoder``."""
        while data:
            if self._inflate is None:
                self._inflate = zlib.decompressobj(wbits=31)
            try:
                piece = self._inflate.decompress(data, STEP)
            except zlib.error:
                raise _damaged("gzip") from None
            if piece:
                yield piece
            if self._inflate.eof:
                data, self._inflate = self._inflate.unused_data, None
            else:
                data = self._inflate.unconsumed_tail

    def is_complete(self) -> bool:
        """See ``Decoder``."""
        return self._inflate is None


class Zstd:
    """Zstandard, also several frames one after the other."""

    def __init__(self) -> None:
        import zstandard

        self._context = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
        self._error: type[Exception] = zstandard.ZstdError
        self._frame: Any = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        """See ``Decoder``."""
        for begin in range(0, len(data), ZSTD_SLICE):
            rest = data[begin : begin + ZSTD_SLICE]
            while rest:
                if self._frame is None:
                    self._frame = self._context.decompressobj()
                try:
                    piece = self._frame.decompress(rest)
                except self._error:
                    raise _damaged("zstd") from None
                if piece:
                    yield piece
                rest = b""
                if self._frame.eof:
                    rest, self._frame = self._frame.unused_data, None

    def is_complete(self) -> bool:
        """See ``Decoder``."""
        return self._frame is None


def _damaged(name: str) -> ServeError:
    return ServeError(400, "bad_encoding", f"The body is not valid {name}, as its header Content-Encoding says.")


DECODERS: dict[bytes, type[Identity | Gzip | Zstd]] = {
    b"": Identity,
    b"identity": Identity,
    b"gzip": Gzip,
    b"x-gzip": Gzip,
    b"zstd": Zstd,
}


def header(scope: Scope, name: bytes) -> bytes:
    """Return the value of a header of a request; empty if it is missing."""
    for found, value in scope["headers"]:
        if found == name:
            assert isinstance(value, bytes)
            return value
    return b""


def decoder(scope: Scope) -> Decoder:
    """Return the decoder for the compression of a request.

    Raises
    ------
    ServeError
        The compression is not supported.
    """
    name = header(scope, b"content-encoding").strip().lower()
    if name not in DECODERS:
        message = f"The Content-Encoding {quote(name.decode('latin-1'))} is not supported. Use gzip or zstd, or none."
        raise ServeError(415, "unsupported_encoding", message)
    return DECODERS[name]()


def too_long(limit: int) -> ServeError:
    """Return the error of a body that exceeds the limit."""
    message = f"The body is longer than {limit} bytes. Send several requests, use /stream, or raise max_body."
    return ServeError(413, "body_too_long", message)


def too_slow(seconds: float) -> ServeError:
    """Return the error of a body that did not arrive in time."""
    message = f"The body did not arrive within {seconds:g} seconds. Send it faster, or raise body_seconds."
    return ServeError(408, "body_too_slow", message)


async def read_body(scope: Scope, receive: Receive, limit: int, seconds: float) -> bytes:
    """Return the whole body of a request, decompressed.

    Parameters
    ----------
    scope, receive : Scope, Receive
        The request, as ASGI passes it.
    limit : int
        Most bytes, compressed or not.
    seconds : float
        Time in which the body must arrive.

    Raises
    ------
    ServeError
        The body is too long, too slow, incomplete, or not compressed as it says.
    """
    announced = header(scope, b"content-length")
    if announced.isdigit() and int(announced) > limit:
        raise too_long(limit)
    found = decoder(scope)
    body = await whole_body(receive, limit, seconds)
    if isinstance(found, Identity):
        return body
    if len(body) < IN_THREAD:
        return decompressed(found, body, limit)
    return await asyncio.get_running_loop().run_in_executor(None, decompressed, found, body, limit)


async def whole_body(receive: Receive, limit: int, seconds: float) -> bytes:
    """Return the body as it came; a ServeError as of ``read_body`` if it is too long, too slow or incomplete."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise CLOSED
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > limit:
                    raise too_long(limit)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise too_slow(seconds) from None


def decompressed(found: Decoder, body: bytes, limit: int) -> bytes:
    """Return what a compressed body stands for; refuse it if that is longer than the limit."""
    parts, size = [], 0
    for piece in found.decode(body):
        size += len(piece)
        if size > limit:
            raise too_long(limit)
        parts.append(piece)
    if not found.is_complete():
        raise CUT
    return b"".join(parts)


async def until_disconnected(receive: Receive) -> None:
    """Return when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
