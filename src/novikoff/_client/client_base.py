"""What both clients have besides their methods: the constructor, conversations and the beginning of a stream."""

from __future__ import annotations

import ssl
from abc import ABC, abstractmethod
from typing import Any

from novikoff._client.address import DEFAULT_URL, Address, load_httpx
from novikoff._client.batches import Batches
from novikoff._client.calls import Call
from novikoff._client.conversation import Conversation, converse
from novikoff._client.retries import Retries
from novikoff.errors import input_error, quote

DEFAULT_MODEL = "default"
DEFAULT_RETRIES = 7  # at most 13 s in all: a server restarts within that time
DEFAULT_TIMEOUT = 30.0
DEFAULT_AHEAD = 512


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

        Examples are sent in batches of at most 64 KiB. Each batch is answered before the next one is sent, and sent
        again if the connection breaks: examples have ids, so that each is learned once, and in order.

        Parameters
        ----------
        examples : iterable of tuple or dict
            Pairs ``(x, y)``, or dicts with the keys ``x`` or ``text``, ``y``, ``weight`` and ``id``. They are taken
            when answers are asked for. ``AsyncClient`` also takes an asynchronous iterable.
        model : str, default=None
            Name of the model, if it is not that of the client.
        ahead : int, default=512
            The most examples of a batch. With 1, each example is answered
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

    def _batches(self, model: str | None, ahead: int) -> Batches:
        return Batches(model or self._model, ahead, self._gives_ids)

    @property
    def _gives_ids(self) -> bool:
        return self._retries.limit > 0
