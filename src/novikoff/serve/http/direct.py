"""Requests to predict that are answered within the connection that reads them.

An application of ASGI costs a task, several awaits and a dozen dicts per request, which takes longer than the
prediction itself. A request to predict whose model is in memory needs none of them. All others, and all that are not
plain, take the usual way: an error is answered there, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from time import monotonic, perf_counter
from typing import Any

from novikoff.errors import NovikoffError
from novikoff.serve.errors import ServeError
from novikoff.serve.names import MODEL_NAME

from .answers import ALL_HEADERS, JSON, Header
from .calls import CURL_DEFAULT
from .roles import Role
from .security import Gate, check_role
from .service import Service

PATH = re.compile(f"/v1/models/({MODEL_NAME.pattern})/predict".encode())
LONGEST = 1 << 16  # bytes of a body; longer ones are left to the application
MAX_HEADS = 4096  # that are remembered
KNOWN_SECONDS = 1.0  # for which they are
PLAIN_TYPES = (b"", JSON, CURL_DEFAULT.encode())
UNUSUAL = frozenset({b"content-encoding", b"transfer-encoding", b"expect", b"upgrade"})
HEAD = b"HTTP/1.1 200 OK\r\n" + b"".join(
    name + b": " + value + b"\r\n" for name, value in [(b"content-type", JSON), *ALL_HEADERS]
)


class DirectAnswers:
    """Answers plain requests to predict.

    Parameters
    ----------
    service : Service
        What all requests share.
    gate : Gate
        Decides who may ask.
    """

    def __init__(self, service: Service, gate: Gate) -> None:
        self._service, self._gate = service, gate
        self._heads: dict[bytes, tuple[str, int]] = {}
        self._forget_at = 0.0

    def model(self, method: bytes, url: bytes, scope: dict[str, Any], headers: Iterable[Header]) -> str | None:
        """Return the model that a request asks to predict; None if it is left to the application.

        Parameters
        ----------
        method, url : bytes
            The first line of the request.
        scope : dict
            That of ASGI, of which this uses the headers.
        headers : list
            The headers, whose names are in lower case.
        """
        match = PATH.fullmatch(url)
        if match is None or method != b"POST" or not self._service.is_started:
            return None
        for name, value in headers:
            if name in UNUSUAL or (name == b"content-type" and value not in PLAIN_TYPES):
                return None
            if name == b"content-length" and not (value.isdigit() and int(value) <= LONGEST):
                return None
        try:
            scope["method"] = "POST"
            self._gate.decide(scope)
            check_role(scope, Role.PREDICT)
        except ServeError:
            return None
        return match[1].decode()

    def remember(self, head: bytes, model: str, length: int) -> None:
        """Remember the bytes of a first line and headers that were accepted, and the length of the body after them."""
        if len(self._heads) < MAX_HEADS:
            self._heads[head] = (model, length)

    def known(self, head: bytes) -> tuple[str, int] | None:
        """Return the model and the length of the body of a head that was accepted less than a second ago.

        Clients send the same headers again and again. After a second they are checked again, because a token may have
        been withdrawn.
        """
        now = monotonic()
        if now >= self._forget_at:
            self._heads.clear()
            self._forget_at = now + KNOWN_SECONDS
        return self._heads.get(head)

    def answer(self, model: str, body: bytes) -> bytes | None:
        """Return a whole answer; None if the request is left to the application."""
        begin = perf_counter()
        try:
            content = self._service.engine.predict(model, body)
        except NovikoffError:
            return None
        self._service.latencies["predict"].add(perf_counter() - begin)
        return b"%scontent-length: %d\r\n\r\n%s" % (HEAD, len(content), content)
