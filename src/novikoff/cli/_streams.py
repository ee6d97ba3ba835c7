"""Standard input, output and error of the process, also if they are closed, full, or a pipe that nobody reads.

What cannot be printed as a result is an ``OutputError``, which differs from an error of a file. What cannot be printed
as a message is dropped: there is nowhere to say so, and the exit code must remain that of the work.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class OutputError(Exception):
    """Standard output cannot take a result. It is not an OSError, for which typer has exit codes of its own.

    Parameters
    ----------
    errno : int or None
        The number of the reason.
    reason : str
        The reason in words.
    """

    def __init__(self, errno: int | None, reason: str) -> None:
        super().__init__(f"Cannot write to standard output: {reason}.")
        self.errno = errno


class _ResultFile(io.FileIO):
    """Standard output, whose first failure is an ``OutputError``; everything after it is dropped.

    Buffers keep what could not be written, and Python tries to write it again when the process ends.
    """

    has_failed = False

    def write(self, content: Any) -> int:
        if self.has_failed:
            return len(content)
        try:
            return super().write(content)
        except OSError as error:
            self.has_failed = True
            raise OutputError(error.errno, error.strerror or str(error)) from None


class _MessageFile(io.FileIO):
    """Standard error, which drops what it cannot write."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError:
            return len(content)


def prepare_streams() -> None:
    """Replace the three standard streams of this process by streams that fail in a known way."""
    _open_closed_descriptors()
    sys.stdout = _rewrapped(sys.stdout, _ResultFile(1, "w", closefd=False), "strict")
    sys.stderr = _rewrapped(sys.stderr, _MessageFile(2, "w", closefd=False), "backslashreplace")
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115  # for as long as the process runs


def _open_closed_descriptors() -> None:
    """Open closed descriptors in the wrong direction, so that their use fails, and no other file gets their numbers."""
    for number, direction in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, direction)  # the operating system takes the lowest free number


def _rewrapped(stream: Any, file: io.FileIO, errors: str) -> io.TextIOWrapper:
    """Return text on top of a file, encoded and buffered as the stream that it replaces."""
    buffer = io.BufferedWriter(file)
    if stream is None:
        return io.TextIOWrapper(buffer, "utf-8", errors)
    lines, at_once = stream.line_buffering, stream.write_through
    return io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=lines, write_through=at_once)
