"""The asynchronous client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Coroutine, Iterable
from typing import Any, Self

from novikoff._client.address import failure_of
from novikoff._client.batches import Batches
from novikoff._client.calls import Example
from novikoff._client.client_base import DEFAULT_AHEAD
from novikoff._client.conversation import Answer, Conversation, Failure, Pause, Request
from novikoff._client.methods import Methods

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

    def _open(self, httpx: Any, options: dict[str, Any]) -> Any:
        return httpx.AsyncClient(**options)

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
            found = await self._http.request(
                request.method, request.path, content=request.content, headers={"content-type": request.content_type}
            )
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
        return self._answers(self._batches(model, ahead), examples)

    async def _answers(
        self, batches: Batches, examples: Iterable[Example] | AsyncIterable[Example]
    ) -> AsyncIterator[dict[str, Any]]:
        async for given in _asynchronous(examples):
            for call in batches.add(given):
                for answer in await self._call(call):
                    yield answer
        for call in batches.rest():
            for answer in await self._call(call):
                yield answer

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
