"""The examples of a stream in requests of bounded size."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from novikoff._client.calls import Call, Example, example, model_path, to_json
from novikoff._client.errors import Interrupted, ServerError, answer_error
from novikoff.errors import input_error, quote

NDJSON = "application/x-ndjson"
BATCH_BYTES = 2**16  # of a request; the server reads so much, whether or not its answers are taken meanwhile


class Batches:
    """Collects the examples of a stream into calls, of which each is to be answered before the next one is made.

    Parameters
    ----------
    model : str
        Name of the model.
    most : int
        The most examples of a call.
    with_ids : bool
        Whether examples with a label but without an id get one, so that a call can be repeated. The ids of a stream are
        a random number and a count.
    """

    def __init__(self, model: str, most: int, with_ids: bool) -> None:
        if not isinstance(most, int) or most < 1:
            raise input_error("Client.stream", f"ahead must be a whole number of at least 1, but it is {quote(most)}.")
        self._path, self._most = model_path(model, "stream"), most
        self._stream = uuid.uuid4().hex if with_ids else None
        self._lines: list[bytes] = []
        self._bytes = self._count = 0

    def add(self, given: Example) -> Iterator[Call]:
        """Take an example, which is a pair ``(x, y)`` or a mapping, and yield the calls that are ready."""
        line = self._line(given)
        if self._bytes + len(line) > BATCH_BYTES:
            yield from self.rest()
        self._lines.append(line)
        self._bytes += len(line)
        if len(self._lines) >= self._most:
            yield from self.rest()

    def rest(self) -> Iterator[Call]:
        """Yield the call for the examples that were collected, if there are some."""
        lines, self._lines, self._bytes = self._lines, [], 0
        if lines:
            read = partial(read_answers, before=self._count - len(lines), count=len(lines))
            yield Call(
                "POST", self._path, b"".join(lines), read, is_repeatable=self._stream is not None, content_type=NDJSON
            )

    def _line(self, given: Example) -> bytes:
        if isinstance(given, Mapping):
            row = given
        elif isinstance(given, tuple) and len(given) == 2:
            row = example(*given)
        else:
            message = 'an example must be a pair (x, y) or a dict such as {"x": ..., "y": ...}'
            raise input_error("Client.stream", f"{message}, but it is a {type(given).__name__}.")
        if self._stream is not None and row.get("y") is not None and row.get("id") is None:
            row = {**row, "id": f"{self._stream}-{self._count}"}
        line = to_json(row, "Client.stream") + b"\n"
        self._count += 1
        return line


def read_answers(content: bytes, before: int, count: int) -> list[dict[str, Any]]:
    """Return the answers to the examples of one call.

    Parameters
    ----------
    content : bytes
        The lines of the answer.
    before, count : int
        Number of examples of the stream before this call, and of the call.

    Raises
    ------
    Interrupted
        If the server has ended its answer with an error, because it stops or cannot learn at present.
    ServerError
        If the answer is not one of novikoff.
    """
    try:
        answers = msgspec.json.Decoder(dict[str, Any]).decode_lines(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unexpected(str(error)) from error
    last = answers.pop() if answers else {}
    if "error" in last and "line" not in last:
        raise Interrupted(answer_error(200, msgspec.json.encode(last)))
    if "summary" not in last or len(answers) != count:
        raise _unexpected(f"it has {len(answers)} lines for {count} examples")
    for answer in answers:
        if "line" in answer:
            answer["line"] += before
    return answers


def _unexpected(reason: str) -> ServerError:
    return ServerError(200, "unexpected_answer", f"The answer to the stream cannot be read: {reason}.")
