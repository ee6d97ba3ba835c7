"""What both clients have besides their methods: the constructor, conversations and the beginning of a stream."""

from __future__ import annotations

import ssl
from abc import ABC, abstractmethod
from typing import Any

from novikoff._client.address import DEFAULT_URL, Address, load_httpx
from novikoff._client.calls import Call, model_path
from novikoff._client.conversation import Conversation, converse
from novikoff._client.duplex import Duplex
from novikoff._client.retries import Retries
from novikoff.errors import input_error, quote

DEFAULT_MODEL = "default"
DEFAULT_RETRIES = 7  # at most 13 s in all: a server restarts within that time
DEFAULT_TIMEOUT = 30.0
DEFAULT_AHEAD = 4096
CHUNKS_AHEAD = 8  # a stream is sent in this many chunks of what may be ahead


class ClientBase(ABC):
    """Base class of the clients. ``Client`` describes the parameters."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        model: str = DEFAULT_MODEL,
        token: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        retries: int = DEFAULT_RETRIES,
        verify: bool | str | ssl.SSLContext = True,
        transport: Any = None,
    ) -> None:
        httpx = load_httpx()
        if not isinstance(retries, int) or retries < 0:
            raise input_error("Client", f"retries must be a whole number of at least 0, but it is {quote(retries)}.")
        self._address = Address(url.rstrip("/") if isinstance(url, str) else url, token, timeout, verify)
        self._model, self._retries = model, Retries(retries)
        self._can_stream = transport is None
        self._http, self._errors = self._open(httpx, self._address.httpx_options(transport)), httpx.TransportError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._address.url!r}, model={self._model!r})"

    @abstractmethod
    def _open(self, httpx: Any, options: dict[str, Any]) -> Any:
        """Return the client of httpx that sends requests."""

    @abstractmethod
    def _run(self, conversation: Conversation) -> Any:
        """Send the requests of a conversation and return its result, or what is awaited to get it."""

    @abstractmethod
    def stream(self, examples: Any, *, model: str | None = None, ahead: int = DEFAULT_AHEAD) -> Any:
        """Predict each example of a stream, then learn from it.

        Examples are sent while answers are read, so that the stream may be of any length. If the connection breaks,
        the examples without an answer are sent again over another one.

        Parameters
        ----------
        examples : iterable of tuple or dict
            Pairs ``(x, y)``, or dicts with the keys ``x`` or ``text``, ``y``, ``weight`` and ``id``. They are taken
            when answers are asked for. ``AsyncClient`` also takes an asynchronous iterable.
        model : str, default=None
            Name of the model, if it is not that of the client.
        ahead : int, default=4096
            The most examples that are taken before their answers are returned. With 1, each example is answered
            before the next one is taken.

        Returns
        -------
        iterator of dict
            One answer per example, in order: ``predicted``, ``score`` or ``scores``, ``mistake``. An invalid example
            is not learned; its answer has ``error`` and ``line``, its number in the stream from 1. That of
            ``AsyncClient`` is an asynchronous iterator.
        """

    def _call(self, call: Call) -> Any:
        return self._run(converse(call, self._retries, self._address.url))

    def _duplex(self, model: str | None, size: int, ahead: int) -> Duplex:
        """Return the connection of a stream of which ``size`` examples are sent at once."""
        if not self._can_stream:
            where = f"{type(self).__name__}.stream"
            raise input_error(where, "a stream needs a connection of its own. Leave transport out.")
        return Duplex(self._address, model_path(model or self._model, "stream"), self._retries, ahead - size)

    @property
    def _gives_ids(self) -> bool:
        return self._retries.limit > 0


def chunk_size(ahead: int) -> int:
    """Return how many examples of a stream are sent at once, if ``ahead`` of them may wait for answers."""
    if not isinstance(ahead, int) or ahead < 1:
        raise input_error("Client.stream", f"ahead must be a whole number of at least 1, but it is {quote(ahead)}.")
    return max(1, ahead // CHUNKS_AHEAD)
