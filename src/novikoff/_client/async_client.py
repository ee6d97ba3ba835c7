"""The asynchronous client."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Coroutine, Iterable
from typing import Any, Self

from novikoff._client.address import DEFAULT_URL, failure_of, load_httpx
from novikoff._client.calls import Example
from novikoff._client.conversation import Answer, Conversation, Failure, Pause, Request
from novikoff._client.duplex import Duplex
from novikoff._client.methods import (
    DEFAULT_AHEAD,
    DEFAULT_MODEL,
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT,
    Methods,
    chunk_size,
)
from novikoff._client.window import Chunker, LineEncoder
from novikoff.errors import input_error

Soon = Coroutine[Any, Any, dict[str, Any]]
SoonNames = Coroutine[Any, Any, list[str]]
SoonMany = Coroutine[Any, Any, list[dict[str, Any]]]


class AsyncClient(Methods[Soon, SoonMany, SoonNames, Coroutine[Any, Any, Any]]):
    """A client of ``novikoff serve`` for asyncio. It has the methods of ``Client``, which are awaited.

    Parameters
    ----------
    url : str, default="http://127.0.0.1:8765"
        Address of the server.
    model : str, default="default"
        The model that all methods mean unless they are told another one.
    token : str, default=None
        Token of the server, if it asks for one.
    timeout : float or None, default=30.0
        Seconds to wait for a connection and for each answer; None waits forever.
    retries : int, default=7
        The most repetitions of one request. With 0 nothing is repeated, and examples get no ids by themselves.
    verify : bool, str or ssl.SSLContext, default=True
        How the certificate of the server is checked: against the usual authorities, against those in this file, by
        this context, or (False) not at all.
    transport : httpx.AsyncBaseTransport, default=None
        How httpx sends requests, for tests and proxies. Proxies that the environment names are not used.

    See Also
    --------
    Client : The same without asyncio.

    Examples
    --------
    >>> import novikoff as nk
    >>> async def main():
    ...     async with nk.AsyncClient() as client:
    ...         await client.ready()
    ...         print(await client.predict({"free": 1.0, "meeting": 2.0}))
    ...         async for answer in client.stream([({"free": 3.0}, "spam"), ({"meeting": 1.0}, "ham")]):
    ...             print(answer["predicted"], answer["mistake"])
    >>> import asyncio
    >>> asyncio.run(main())  # doctest: +SKIP
    """

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
        super().__init__(url, model, token, timeout, retries, verify)
        self._http, self._errors = httpx.AsyncClient(**self._address.httpx_options(transport)), httpx.TransportError
        self._can_stream = transport is None

    async def _run(self, conversation: Conversation) -> Any:
        outcome = None
        while True:
            try:
                step = conversation.send(outcome)
            except StopIteration as end:
                return end.value
            outcome = await (asyncio.sleep(step.seconds) if isinstance(step, Pause) else self._send(step))

    async def _send(self, request: Request) -> Answer | Failure:
        try:
            found = await self._http.request(request.method, request.path, content=request.content)
        except self._errors as error:
            return failure_of(error)
        return Answer(found.status_code, found.headers, found.content)

    def stream(
        self,
        examples: Iterable[Example] | AsyncIterable[Example],
        *,
        model: str | None = None,
        ahead: int = DEFAULT_AHEAD,
    ) -> AsyncIterator[dict[str, Any]]:
        """Predict each example of a stream, then learn from it.

        Examples are sent while answers are read, so that the stream may be of any length. If the connection breaks,
        the examples without an answer are sent again over another one.

        Parameters
        ----------
        examples : iterable or asynchronous iterable of tuple or dict
            Pairs ``(x, y)``, or dicts with the keys ``x`` or ``text``, ``y``, ``weight`` and ``id``. They are taken
            when answers are asked for.
        model : str, default=None
            Name of the model, if it is not that of the client.
        ahead : int, default=4096
            The most examples that are taken before their answers are returned. With 1, each example is answered
            before the next one is taken.

        Returns
        -------
        asynchronous iterator of dict
            One answer per example, in order: ``predicted``, ``score`` or ``scores``, ``mistake``. An invalid example
            is not learned; its answer has ``error`` and ``line``, its number in the stream from 1.
        """
        size = chunk_size(ahead)
        if not self._can_stream:
            raise input_error("AsyncClient.stream", "a stream needs a connection of its own. Leave transport out.")
        duplex = Duplex(self._address, self._path_of_stream(model), self._retries, ahead - size)
        return self._answers(duplex, examples, size)

    async def _answers(
        self, duplex: Duplex, examples: Iterable[Example] | AsyncIterable[Example], size: int
    ) -> AsyncIterator[dict[str, Any]]:
        encode, chunker = LineEncoder(self._gives_ids), Chunker(size)
        try:
            async for given in _asynchronous(examples):
                if (chunk := chunker.add(encode(given))) is not None:
                    for answer in await duplex.exchange(chunk):
                        yield answer
            for answer in await duplex.exchange(chunker.take()):
                yield answer
            while answers := await duplex.finish():
                for answer in answers:
                    yield answer
        finally:
            await duplex.close()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


async def _asynchronous(examples: Iterable[Example] | AsyncIterable[Example]) -> AsyncIterator[Example]:
    if isinstance(examples, AsyncIterable):
        async for given in examples:
            yield given
    else:
        for given in examples:
            yield given
