"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, Self

from novikoff._client.address import failure_of
from novikoff._client.batches import Batches
from novikoff._client.calls import Example
from novikoff._client.client_base import DEFAULT_AHEAD
from novikoff._client.conversation import Answer, Conversation, Failure, Pause, Request
from novikoff._client.methods import Methods


class Client(Methods[dict[str, Any], list[dict[str, Any]], list[str], Any]):
    """A client of ``novikoff serve``.

    A request is repeated, with longer and longer pauses, if the server is overloaded (429) or not available (503), or
    if the connection breaks. That is safe for learning, too: examples have ids, and the server learns an id once.
    Several threads may use one client.

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
    transport : httpx.BaseTransport, default=None
        How httpx sends requests, for tests and proxies. Proxies that the environment names are not used.

    See Also
    --------
    AsyncClient : The same for asyncio.

    Examples
    --------
    >>> import novikoff as nk
    >>> with nk.Client() as client:  # doctest: +SKIP
    ...     client.ready()
    ...     client.predict({"free": 1.0, "meeting": 2.0}, id="mail-1")
    ...     client.label("mail-1", "ham")
    ...     for answer in client.stream([({"free": 3.0}, "spam"), ({"meeting": 1.0}, "ham")]):
    ...         print(answer["predicted"], answer["mistake"])
    """

    def _open(self, httpx: Any, options: dict[str, Any]) -> Any:
        return httpx.Client(**options)

    def _run(self, conversation: Conversation) -> Any:
        outcome: Answer | Failure | None = None
        while True:
            try:
                step = conversation.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                outcome = None
            else:
                outcome = self._send(step)

    def _send(self, request: Request) -> Answer | Failure:
        try:
            found = self._http.request(
                request.method, request.path, content=request.content, headers={"content-type": request.content_type}
            )
        except self._errors as error:
            return failure_of(error)
        return Answer(found.status_code, found.headers, found.content)

    def stream(
        self, examples: Iterable[Example], *, model: str | None = None, ahead: int = DEFAULT_AHEAD
    ) -> Iterator[dict[str, Any]]:
        return self._answers(self._batches(model, ahead), examples)

    def _answers(self, batches: Batches, examples: Iterable[Example]) -> Iterator[dict[str, Any]]:
        for given in examples:
            for call in batches.add(given):
                yield from self._call(call)
        for call in batches.rest():
            yield from self._call(call)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
