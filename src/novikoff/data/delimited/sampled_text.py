"""Text of which the beginning is looked at before it is read: files, pipes, other encodings, other line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from novikoff.data.compression import DamagedError
from novikoff.data.source import CHUNK_SIZE, Fill, Joined
from novikoff.errors import input_error

from .text_encoding import UTF8_MARK, converted, encoding_of, needs_conversion

SAMPLE_SIZE = 1 << 19  # bytes that are looked at
MAX_RECORD_LENGTH = 64 << 20
RECORD = re.compile(rb"^(?!#)[^\S\n]*\S", re.MULTILINE)  # the beginning of a line that is not blank or a comment


class SampledText:
    """Text as UTF-8, or in an encoding in which ASCII bytes mean ASCII characters, and its beginning.

    Parameters
    ----------
    name : str
        What error messages call the text.
    fill : Fill
        The bytes.
    encoding : str or None
        The encoding that the user named.

    Attributes
    ----------
    sample : bytes
        The lines at the beginning that have been read so far, without a byte order mark.
    ended : bool
        Whether the sample is the whole text.
    encoding : str
        The encoding of the text as it was stored.
    codec : str
        The encoding of the bytes that ``fill`` gives.
    """

    def __init__(self, name: str, fill: Fill, encoding: str | None) -> None:
        self.name, self._fill = name, fill
        self._buffer, self._filled = bytearray(SAMPLE_SIZE), 0
        self._damage: DamagedError | None = None
        self.ended = False
        self._read()
        first = bytes(self._buffer[: self._filled])
        self.encoding = encoding or encoding_of(name, first)
        self.codec = "utf-8" if self.encoding.startswith(("utf-8", "utf8")) else self.encoding
        if needs_conversion(self.encoding):
            self._restart(converted(name, self._again(), self.encoding))
            self.codec = "utf-8"
        if b"\n" not in first and b"\r" in first[:-1] and self.codec == self.encoding:
            self._restart(Joined(_with_line_feeds(self._again())).fill)
        while not RECORD.search(self.sample) and not self.ended:
            self.read_more()

    @property
    def sample(self) -> bytes:
        """The beginning of the text, up to the end of a line."""
        text = (
            self._buffer[: self._filled]
            if self.ended
            else self._buffer[: self._buffer.rfind(b"\n", 0, self._filled) + 1]
        )
        return bytes(text).removeprefix(UTF8_MARK if self.codec == "utf-8" else b"")

    def read_more(self) -> None:
        """Read further lines."""
        if self._filled == len(self._buffer):
            if self._filled >= MAX_RECORD_LENGTH:
                raise input_error(f"{self.name}, line 1", f"the line is longer than {MAX_RECORD_LENGTH} bytes.")
            self._buffer = self._buffer + bytes(len(self._buffer))
        self._read()

    def _read(self) -> None:
        try:
            count = self._fill(memoryview(self._buffer)[self._filled :])
        except DamagedError as error:  # reported when all lines before the damaged part have been read
            count, self._damage = 0, error
        self._filled += count
        self.ended = count == 0

    def _restart(self, fill: Fill) -> None:
        self._fill, self._filled, self.ended = fill, 0, False
        self._buffer = bytearray(SAMPLE_SIZE)
        self._read()

    def _again(self) -> Fill:
        """Return a function that gives the bytes from the first, also those that have been read."""
        rest, fill, damage = memoryview(bytes(self._buffer[: self._filled])), self._fill, self._damage

        def again(buffer: memoryview) -> int:
            nonlocal rest
            if not rest:
                if damage is not None:
                    raise damage
                return fill(buffer)
            count = min(len(rest), len(buffer))
            buffer[:count] = rest[:count]
            rest = rest[count:]
            return count

        return again

    def after(self, lines: int) -> Fill:
        """Return a function that gives the text after some lines of the sample."""
        position = len(UTF8_MARK) if self.codec == "utf-8" and self._buffer.startswith(UTF8_MARK) else 0
        for _ in range(lines):
            position = self._buffer.find(b"\n", position, self._filled) + 1 or self._filled
        self._buffer = self._buffer[position:]
        self._filled -= position
        return self._again()


def _with_line_feeds(fill: Fill) -> Iterator[bytes]:
    """Return text whose lines end with a carriage return, as text whose lines end with a line feed."""
    buffer = bytearray(CHUNK_SIZE)
    while count := fill(memoryview(buffer)):
        yield bytes(buffer[:count]).replace(b"\r", b"\n")
        yield b""  # there may be no more for now
