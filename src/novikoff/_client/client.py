"""The synchronous client."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from typing import Any, Self

from novikoff._client.address import DEFAULT_URL, failure_of, load_httpx
from novikoff._client.calls import Example
from novikoff._client.conversation import Answer, Conversation, Failure, Pause, Request
from novikoff._client.duplex import Duplex
from novikoff._client.loop_thread import LoopThread
from novikoff._client.methods import (
    DEFAULT_AHEAD,
    DEFAULT_MODEL,
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT,
    Methods,
    chunk_size,
)
from novikoff._client.window import LineEncoder, chunks
from novikoff.errors import input_error


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
        self._http, self._errors = httpx.Client(**self._address.httpx_options(transport)), httpx.TransportError
        self._streams = None if transport is not None else LoopThread()

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
            found = self._http.request(request.method, request.path, content=request.content)
        except self._errors as error:
            return failure_of(error)
        return Answer(found.status_code, found.headers, found.content)

    def stream(
        self, examples: Iterable[Example], *, model: str | None = None, ahead: int = DEFAULT_AHEAD
    ) -> Iterator[dict[str, Any]]:
        """Predict each example of a stream, then learn from it.

        Examples are sent while answers are read, so that the stream may be of any length. If the connection breaks,
        the examples without an answer are sent again over another one.

        Parameters
        ----------
        examples : iterable of tuple or dict
            Pairs ``(x, y)``, or dicts with the keys ``x`` or ``text``, ``y``, ``weight`` and ``id``. They are taken
            when answers are asked for.
        model : str, default=None
            Name of the model, if it is not that of the client.
        ahead : int, default=4096
            The most examples that are taken before their answers are returned. With 1, each example is answered
            before the next one is taken.

        Returns
        -------
        iterator of dict
            One answer per example, in order: ``predicted``, ``score`` or ``scores``, ``mistake``. An invalid example
            is not learned; its answer has ``error`` and ``line``, its number in the stream from 1.
        """
        size = chunk_size(ahead)
        if self._streams is None:
            raise input_error("Client.stream", "a stream needs a connection of its own. Leave transport out.")
        duplex = Duplex(self._address, self._path_of_stream(model), self._retries, ahead - size)
        return self._answers(self._streams, duplex, map(LineEncoder(self._gives_ids), examples), size)

    def _answers(
        self, thread: LoopThread, duplex: Duplex, lines: Iterable[bytes], size: int
    ) -> Iterator[dict[str, Any]]:
        try:
            for chunk in chunks(lines, size):
                yield from thread.call(duplex.exchange(chunk))
            while answers := thread.call(duplex.finish()):
                yield from answers
        finally:
            thread.call(duplex.close())

    def close(self) -> None:
        """Close all connections."""
        self._http.close()
        if self._streams is not None:
            self._streams.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
