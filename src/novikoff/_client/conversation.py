"""What is said in one call, without input or output: requests and pauses come out, answers go in.

A conversation is a generator. It yields a ``Request``, which the client sends, or a ``Pause``, for which the client
sleeps; it is sent the ``Answer`` or the ``Failure`` of the request, and returns the result of the call. The synchronous
and the asynchronous client differ only in how they send and sleep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

from novikoff._client.calls import Call
from novikoff._client.errors import Interrupted, ServerError, answer_error, no_answer, retry_after
from novikoff._client.retries import RETRIED_STATUS, Retries

POLL_SECONDS = 0.2  # between two requests whether the server is ready


class Request(NamedTuple):
    """An HTTP request to send."""

    method: str
    path: str
    content: bytes | None = None
    content_type: str = "application/json"


class Pause(NamedTuple):
    """Seconds in which nothing is sent."""

    seconds: float


class Answer(NamedTuple):
    """An HTTP answer, whatever its status. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Failure(NamedTuple):
    """A request that got no answer.

    ``may_have_arrived`` is false if no connection was made; ``is_final`` is true if another attempt would fail, too.
    """

    message: str
    may_have_arrived: bool
    is_final: bool = False


Conversation = Generator[Request | Pause, Answer | Failure | None, Any]


def converse(call: Call, retries: Retries, url: str) -> Conversation:
    """Return the conversation of a call: its request, repeated as far as that is safe and may help.

    A request is repeated after 429 and 503, which change nothing on the server. After a broken connection it is
    repeated if the call may be made twice, or if it cannot have arrived.

    Parameters
    ----------
    call : Call
        What to ask for.
    retries : Retries
        How often, and how long to wait.
    url : str
        The address of the server, for error messages.
    """
    failures, may_be_second = 0, False
    while True:
        outcome = yield Request(call.method, call.path, call.content, call.content_type)
        if isinstance(outcome, Answer):
            if outcome.status < 300 or (may_be_second and outcome.status == call.status_of_repetition):
                try:
                    return call.read(outcome.content)
                except Interrupted as interrupted:
                    error, asked, is_final = interrupted.error, None, not call.is_repeatable
            else:
                error, asked = answer_error(outcome.status, outcome.content), retry_after(outcome.headers)
                is_final = outcome.status not in RETRIED_STATUS
        else:
            assert outcome is not None
            error, asked = no_answer(url, outcome.message), None
            is_final = outcome.is_final or (outcome.may_have_arrived and not call.is_repeatable)
            may_be_second |= outcome.may_have_arrived
        failures += 1
        wait = None if is_final else retries.wait(failures, asked)
        if wait is None:
            raise error
        yield Pause(wait)


def await_readiness(timeout: float, url: str, clock: Callable[[], float] = time.monotonic) -> Conversation:
    """Return the conversation that asks for readiness until the server is ready.

    Parameters
    ----------
    timeout : float
        Seconds after which ``ServerError`` is raised.
    url : str
        The address of the server, for error messages.
    clock : callable, default=time.monotonic
        Returns the time in seconds.
    """
    end = clock() + timeout
    call = Call("GET", "/readyz")
    while True:
        outcome = yield Request(call.method, call.path)
        if isinstance(outcome, Answer):
            if outcome.status < 300:
                return call.read(outcome.content)
            error: ServerError = answer_error(outcome.status, outcome.content)
            is_final = outcome.status not in RETRIED_STATUS
        else:
            assert outcome is not None
            error, is_final = no_answer(url, outcome.message), outcome.is_final
        if is_final or clock() + POLL_SECONDS > end:
            raise error
        yield Pause(POLL_SECONDS)
