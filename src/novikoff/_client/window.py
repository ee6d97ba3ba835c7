"""The examples of a stream that were sent and not answered, without input or output."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from novikoff._client.calls import Example, example, to_json
from novikoff._client.errors import ServerError, answer_error
from novikoff.errors import input_error

CHUNK_BYTES = 2**16  # lines are sent in chunks of about this size
WINDOW_BYTES = 2**22  # of lines that were sent and not answered
MAX_ANSWER_BYTES = 2**24  # of one line of an answer
_DECODER = msgspec.json.Decoder(dict[str, Any])


class LineEncoder:
    """Turns examples into lines of NDJSON.

    Parameters
    ----------
    with_ids : bool
        Whether examples with a label but without an id get one, so that they can be sent again. The ids of a stream
        are a random number and a count.
    """

    def __init__(self, with_ids: bool) -> None:
        self._stream = uuid.uuid4().hex if with_ids else None
        self._count = 0

    def __call__(self, given: Example) -> bytes:
        """Return the line of an example, which is a pair ``(x, y)`` or a mapping as the server reads it."""
        if isinstance(given, Mapping):
            row = given
        elif isinstance(given, tuple) and len(given) == 2:
            row = example(*given)
        else:
            message = 'an example must be a pair (x, y) or a dict such as {"x": ..., "y": ...}'
            raise input_error("Client.stream", f"{message}, but it is a {type(given).__name__}.")
        if self._stream is not None and row.get("y") is not None and row.get("id") is None:
            row = {**row, "id": f"{self._stream}-{self._count}"}
        self._count += 1
        return to_json(row, "Client.stream") + b"\n"


class Chunker:
    """Collects lines until there are enough to send."""

    def __init__(self, most: int) -> None:
        self._most, self._lines, self._bytes = most, list[bytes](), 0

    def add(self, line: bytes) -> list[bytes] | None:
        """Take a line, and return all that were collected if they are enough."""
        self._lines.append(line)
        self._bytes += len(line)
        return self.take() if len(self._lines) >= self._most or self._bytes >= CHUNK_BYTES else None

    def take(self) -> list[bytes]:
        """Return what was collected."""
        lines, self._lines, self._bytes = self._lines, [], 0
        return lines


def chunks(lines: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """Yield lines in lists of at most ``most`` and of about ``CHUNK_BYTES``."""
    chunker = Chunker(most)
    for line in lines:
        if (full := chunker.add(line)) is not None:
            yield full
    if rest := chunker.take():
        yield rest


class Window:
    """Lines in the order of the stream: first those that wait for their answers, then those that are not sent."""

    def __init__(self) -> None:
        self.answered = 0  # examples whose answers came
        self.is_complete = False  # the summary came
        self.refusal: ServerError | None = None  # why the server ended the stream
        self.bytes = 0
        self._lines: deque[bytes] = deque()
        self._unsent = 0  # at the end of the lines
        self._before = 0  # examples that were answered over earlier connections
        self._rest = b""  # of an answer that has not arrived completely

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def waiting(self) -> int:
        """How many examples were sent over this connection and not answered."""
        return len(self._lines) - self._unsent

    @property
    def unsent(self) -> int:
        """How many examples have to be sent."""
        return self._unsent

    def add(self, lines: list[bytes]) -> None:
        """Append lines that are to be sent."""
        self._lines.extend(lines)
        self._unsent += len(lines)
        self.bytes += sum(map(len, lines))

    def take(self) -> bytes:
        """Return the lines that are to be sent, which then wait for their answers."""
        sent = len(self._lines) - self._unsent
        data = b"".join(self._lines if sent == 0 else list(self._lines)[sent:])
        self._unsent = 0
        return data

    def restart(self) -> None:
        """Begin anew over another connection: every line without an answer has to be sent again."""
        self._unsent, self._rest, self._before = len(self._lines), b"", self.answered
        self.is_complete, self.refusal = False, None

    def receive(self, data: bytes) -> list[dict[str, Any]]:
        """Return the answers in bytes from the server, one per example, without the summary at the end."""
        data = self._rest + data
        end = data.rfind(b"\n") + 1
        self._rest = data[end:]
        if len(self._rest) > MAX_ANSWER_BYTES:
            raise _unexpected("a line of it is too long")
        try:
            found = _DECODER.decode_lines(data[:end])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _unexpected(str(error)) from error
        answers = [answer for answer in found if self._is_of_example(answer)]
        if len(answers) > self.waiting:
            raise _unexpected("it has more lines than were sent")
        for _ in answers:
            self.bytes -= len(self._lines.popleft())
        self.answered += len(answers)
        return answers

    def _is_of_example(self, answer: dict[str, Any]) -> bool:
        if "summary" in answer:
            self.is_complete = True
            return False
        if "error" in answer:
            if "line" not in answer:  # the server ends the stream: it stops, or cannot learn any more
                self.refusal = answer_error(200, msgspec.json.encode(answer))
                return False
            answer["line"] += self._before
        return True


def _unexpected(reason: str) -> ServerError:
    return ServerError(200, "unexpected_answer", f"The answer to the stream cannot be read: {reason}.")
