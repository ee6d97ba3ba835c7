"""Answers to requests: bytes with the headers that all answers have, and errors as JSON."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from novikoff.serve.errors import ServeError
from novikoff.serve.page import page

Header = tuple[bytes, bytes]

JSON, NDJSON, HTML = b"application/json", b"application/x-ndjson", b"text/html; charset=utf-8"
ALL_HEADERS: list[Header] = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
PAGE_HEADERS: list[Header] = [(name.lower().encode(), value.encode()) for name, value in page.HEADERS.items()]
CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed"}
INTERNAL = ServeError(500, "internal", "Internal error; please report it. The server's own messages have the details.")
logger = logging.getLogger("novikoff.serve")


class Answer:
    """An answer that is complete, as an ASGI application.

    Parameters
    ----------
    body : bytes
        The content.
    status : int, default=200
        The status.
    content_type : bytes, default=JSON
        The type of the content.
    headers : iterable of (bytes, bytes), default=()
        Further headers.
    common : list of (bytes, bytes), default=ALL_HEADERS
        The headers that all answers of a kind have.
    """

    __slots__ = ("body", "headers", "status")

    def __init__(
        self,
        body: bytes,
        status: int = 200,
        content_type: bytes = JSON,
        headers: Iterable[Header] = (),
        common: list[Header] = ALL_HEADERS,
    ) -> None:
        self.body, self.status = body, status
        self.headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(body)), *headers, *common]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


def json_answer(value: Any, status: int = 200, headers: Iterable[Header] = ()) -> Answer:
    """Return a value as JSON. Numbers that are not finite become null."""
    return Answer(msgspec.json.encode(value), status, headers=headers)


def error_body(error: ServeError) -> dict[str, Any]:
    """Return the JSON object of an error."""
    return {"error": {"code": error.code, "message": error.message}}


def error_answer(error: ServeError, headers: Iterable[Header] = ()) -> Answer:
    """Return the answer to a request that cannot be answered otherwise."""
    retry = [] if error.retry_after is None else [(b"retry-after", b"%d" % error.retry_after)]
    return json_answer(error_body(error), error.status, [*headers, *retry])


async def on_http_exception(request: Request, error: Exception) -> Any:
    """Answer an exception of Starlette: an unknown path or method."""
    assert isinstance(error, HTTPException)
    message = {404: "There is nothing at this address. See /docs."}.get(error.status_code, str(error.detail))
    code = CODES.get(error.status_code, "error")
    headers = [(name.lower().encode(), value.encode()) for name, value in (error.headers or {}).items()]
    return error_answer(ServeError(error.status_code, code, message), headers)
