"""HTTP connections with the limits that uvicorn lacks: on headers, on their time, on open connections."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from novikoff.serve.errors import ServeError
from novikoff.serve.settings import Settings

from .answers import error_body
from .bodies import too_slow
from .direct import DirectAnswers
from .stream import ABORT

MAX_HEADER_BYTES = 1 << 16  # of the first line and all headers of a request
LINGER_SECONDS = 10.0  # after an answer that came before the end of the request, as errors do
PHRASES = {408: b"Request Timeout", 431: b"Request Header Fields Too Large", 503: b"Service Unavailable"}
SLOW_HEADERS = ServeError(408, "headers_too_slow", "The headers did not arrive in time. Send a request as a whole.")
LONG_HEADERS = ServeError(431, "headers_too_long", f"The headers are longer than {MAX_HEADER_BYTES} bytes. Send fewer.")
TOO_MANY = ServeError(503, "too_many_connections", "The server has too many open connections. Try again.", 1)


def raw_answer(error: ServeError) -> bytes:
    """Return an answer that closes the connection, for errors before there is a request."""
    body = msgspec.json.encode(error_body(error))
    retry = b"" if error.retry_after is None else b"retry-after: %d\r\n" % error.retry_after
    head = b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\n" % (error.status, PHRASES[error.status])
    return head + b"content-length: %d\r\n%sconnection: close\r\n\r\n" % (len(body), retry) + body


class LimitedProtocol(HttpToolsProtocol):
    """A connection. ``limited`` makes a subclass with the limits in force, since uvicorn makes the instances."""

    header_seconds = 10.0
    body_seconds = 300.0
    max_connections = 4096
    direct: DirectAnswers | None = None

    _model: str | None = None  # of a request that is answered here
    _body = b""
    _answered: tuple[str, int] | None = None  # the model and the length of the body of the latest one

    _used_at = 0.0  # when the latest known request was answered, by the clock of the event loop
    _timer: asyncio.TimerHandle | None = None
    _header_bytes = 0
    _has_headers = False
    _has_body = True

    # ---- opening and closing ---------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        """Refuse the connection if there are too many, and limit the time of its first headers."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(TOO_MANY)
            return
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limits of time."""
        self._stop_timer()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn returns nothing
        """Keep the connection for its answer if the client has closed its half after a complete request.

        TLS has no halves.
        """
        is_waiting = self.cycle is not None and not self.cycle.response_complete and self._has_body
        if is_waiting:
            self.cycle.keep_alive = False
        return is_waiting and self.scheme == "http"

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection; at once if its client does not take what was sent."""
        rest = self._used_at + self.timeout_keep_alive - self.loop.time()
        if rest > 0:  # it was used meanwhile, see _answer_known
            self.timeout_keep_alive_task = self.loop.call_later(rest, self.timeout_keep_alive_handler)
        elif self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    # ---- headers ---------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Count the bytes of headers, and give them to the parser."""
        if self.transport.is_closing():
            return
        is_first = self._header_bytes == 0 and self._has_body  # nothing of a request has come before
        end = data.find(b"\r\n\r\n") if is_first and self.direct is not None else -1
        if end > 0 and self._answer_known(data, end):
            return
        self._answered = None
        if not self._has_headers:
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES and not self._ends_headers(data):
                self._refuse(LONG_HEADERS)
                return
        super().data_received(data)
        if end > 0 and self._answered is not None and self.direct is not None:
            model, length = self._answered
            if len(data) == end + 4 + length:
                self.direct.remember(data[:end], model, length)
        if self._timer is None:
            if self._header_bytes:  # they are not complete
                self._expect_headers()
            elif self._model is not None:  # its body is not complete; the application would limit its time
                self._timer = self.loop.call_later(self.body_seconds, self._refuse, too_slow(self.body_seconds))

    def _ends_headers(self, data: bytes) -> bool:
        """Whether the headers end within the limit: what follows them may be a long body."""
        end = data.find(b"\r\n\r\n")
        return end >= 0 and self._header_bytes - len(data) + end <= MAX_HEADER_BYTES

    def on_message_begin(self) -> None:
        """Begin a request, whose connection ``StreamAnswer`` may abort."""
        super().on_message_begin()
        scope: Any = self.scope
        scope[ABORT] = self.transport.abort
        self._has_body = False

    def on_headers_complete(self) -> None:
        """End the limit of time of the headers."""
        self._has_headers, self._header_bytes = True, 0
        self._stop_timer()
        self._model = self._model_to_ask()
        if self._model is None:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        if self._model is None:
            super().on_body(body)
        else:
            self._body += body

    def on_message_complete(self) -> None:
        """Get ready for the next request."""
        self._has_body, self._has_headers = True, False
        self._stop_timer()
        if self._model is None or not self._answer_here():
            super().on_message_complete()

    # ---- answers without the application ---------------------------------------------------------------------------

    @property
    def _is_free(self) -> bool:
        """Whether no other answer is being sent."""
        return (self.cycle is None or self.cycle.response_complete) and not self.flow.write_paused

    def _model_to_ask(self) -> str | None:
        """Return the model of a request to predict that can be answered here."""
        if self.direct is None or not self._is_free or not self.parser.should_keep_alive():
            return None
        scope: Any = self.scope
        return self.direct.model(self.parser.get_method(), self.url, scope, self.headers)

    def _answer_known(self, data: bytes, end: int) -> bool:
        """Answer a whole request whose first line and headers, up to ``end``, were accepted before."""
        assert self.direct is not None
        known = self.direct.known(data[:end])
        if known is None or not self._is_free or len(data) != end + 4 + known[1]:
            return False
        answer = self.direct.answer(known[0], data[end + 4 :])
        if answer is None:
            return False
        self._stop_timer()
        self.transport.write(answer)
        self._used_at = self.loop.time()
        if self.timeout_keep_alive_task is None:
            super().on_response_complete()
        else:  # its time is looked at when it ends, which is quicker than a new timer for each request
            self.server_state.total_requests += 1
        return True

    def _answer_here(self) -> bool:
        """Answer a request to predict. If that fails, begin the usual way, and return False."""
        assert self.direct is not None
        assert self._model is not None
        model, body = self._model, self._body
        self._model, self._body = None, b""
        answer = self.direct.answer(model, body)
        if answer is None:
            super().on_headers_complete()
            if body:
                super().on_body(body)
            return False
        self._answered = (model, len(body))
        self.transport.write(answer)
        super().on_response_complete()
        return True

    def on_response_complete(self) -> None:
        """Limit the time in which the rest of a request is read and dropped that has been answered already."""
        super().on_response_complete()
        if not self._has_body and not self.transport.is_closing():
            self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    # ---- limits of time --------------------------------------------------------------------------------------------

    def _expect_headers(self) -> None:
        self._timer = self.loop.call_later(self.header_seconds, self._refuse, SLOW_HEADERS)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, error: ServeError) -> None:
        if self.cycle is not None and not self.cycle.response_complete:  # another answer is being sent
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.write(raw_answer(error))
            self.transport.close()


def limited(settings: Settings, direct: DirectAnswers | None = None) -> type[LimitedProtocol]:
    """Return the class of connections with the limits in force, and what answers requests without the application."""
    limits = {name: getattr(settings, name) for name in ("header_seconds", "body_seconds", "max_connections")}
    return type("Connection", (LimitedProtocol,), limits | {"direct": direct})
