"""Bytes of files, pipes and memory: opened, decompressed, and cut into blocks of whole lines."""

from __future__ import annotations

import errno
import io
import itertools
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import novikoff._core as _core
from novikoff._atomic import replacing
from novikoff._handles import read_at
from novikoff.errors import InvalidInputError, file_error, input_error, quote

from .compression import LONGEST_MAGIC, DamagedError, compressing, compression_of, decompressed, is_undecided
from .prefetch import prefetched
from .waiting import is_watched, notify

CHUNK_SIZE = 1 << 20  # bytes per read from pipes, file objects and compressed files
BLOCK_SIZE = 1 << 23  # bytes that are parsed at a time
MAX_LINE_LENGTH = 1 << 26  # bytes of a line in a stream, whose memory is bounded
CHUNKS_AHEAD = 8  # decompressed chunks that wait for the parser
ROTATE = "rotate"  # follow a file until another one takes its place
POLL_SECONDS = 0.05  # between two looks at a growing file

# Writes the next bytes into a buffer and returns their number: at least 1, or 0 at the end.
Fill = Callable[[memoryview], int]


def name_of(source: Any) -> str:
    """Return what error messages call a source."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return "<bytes>"
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>"


def is_path(source: Any) -> bool:
    """Return whether a source is a path; "-" is standard input."""
    return isinstance(source, os.PathLike) or (isinstance(source, str) and source != "-")


def is_pipe(path: Any) -> bool:
    """Return whether a path is a pipe, a device or the like, whose bytes can be read only once."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def is_lasting(source: Any) -> bool:
    """Return whether a source can be read more than once."""
    if is_path(source):
        return os.path.isfile(source)
    return isinstance(source, bytes | bytearray | memoryview)


@contextmanager
def opened(where: str, source: Any, *, threads: int = 1, follow: bool | str = False) -> Iterator[Fill]:
    """Open a path, bytes, a binary file object or "-"; compressed data is decompressed, whatever its name."""
    name = name_of(source)
    if is_path(source):
        with _open(name, source) as file:
            plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode) and not follow
            if plain and compression_of(_beginning(name, file)) is None:
                yield _WholeFile(name, file, threads).fill
                return
            with _filled_from(
                _followed(name, source, file, follow == ROTATE) if follow else _chunks(name, file)
            ) as fill:
                yield fill
        return
    if follow:
        raise input_error(where, f"follow=True needs the path of a file, but the source is {name}.")
    stream: Any = source
    if isinstance(source, bytes | bytearray | memoryview):
        stream = io.BytesIO(source.tobytes() if isinstance(source, memoryview) else source)
    elif isinstance(source, str):
        stream = getattr(sys.stdin, "buffer", sys.stdin)
    if not hasattr(stream, "read"):
        expected = 'a path, bytes, a binary file object or "-" (standard input)'
        raise input_error(where, f"the source must be {expected}, but it is {quote(stream)}.")
    with _filled_from(_chunks(name, stream)) as fill:
        yield fill


def _open(name: str, path: Any) -> Any:
    try:
        return open(path, "rb", buffering=0)
    except (OSError, ValueError) as error:
        raise file_error(name, error) from None


def _beginning(name: str, file: Any) -> bytes:
    try:
        return read_at(file.fileno(), LONGEST_MAGIC, 0)
    except OSError as error:
        raise file_error(name, error) from None


class _WholeFile:
    """A regular file, read by several threads. Its size must not change: half a line may look like a whole one."""

    def __init__(self, name: str, file: Any, threads: int) -> None:
        self.name, self.file, self.threads = name, file.fileno(), threads
        self.size, self.offset = os.fstat(self.file).st_size, 0

    def fill(self, buffer: memoryview) -> int:
        try:
            count = _core.read_at(self.file, self.offset, buffer, self.threads)
        except OSError as error:
            raise file_error(self.name, error) from None
        self.offset += count
        if count == 0 and self.offset != self.size:
            message = f"the file changed while it was read, from {self.size} to {self.offset} bytes."
            raise input_error(self.name, f"{message} Use scan(..., follow=True) for a file that grows.")
        return count


def _chunks(name: str, file: BinaryIO) -> Iterator[bytes]:
    """Read chunks of a file object; an empty chunk means that a pipe has no more for now."""
    if isinstance(file, io.TextIOBase):
        raise _not_binary(name, "returns str")
    read = getattr(file, "read1", file.read)
    has_more = _watched(file)
    while True:
        try:
            chunk = read(CHUNK_SIZE)
        except (OSError, ValueError) as error:
            raise file_error(name, error) from None
        if not isinstance(chunk, bytes | bytearray):
            raise _not_binary(name, f"returns {type(chunk).__name__}")
        if not chunk:
            return
        yield bytes(chunk)
        if not has_more(0):
            yield b""
            while is_watched() and not has_more(POLL_SECONDS):
                notify()


def _not_binary(name: str, does: str) -> InvalidInputError:
    return input_error(name, f"the file object must be opened in binary mode, but it {does}.")


def _watched(file: Any) -> Callable[[float], Any]:
    """Return a function that tells whether a file object has data, or has them after so many seconds at most.

    Only pipes, sockets and terminals may have none.
    """
    try:
        if sys.platform != "win32" and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            watch = select.poll()
            watch.register(file, select.POLLIN)
            return lambda seconds: watch.poll(1000 * seconds)
    except (AttributeError, OSError, ValueError):
        pass
    return lambda _: True


def _followed(name: str, path: Any, file: Any, rotates: bool = False) -> Iterator[bytes]:
    """Read chunks of a growing file, without an end; an empty chunk means that there is no more for now.

    If the file rotates, the chunks end when another file has its name, or when it is cut and begins anew. As long as no
    file has the name, its writer may still hold it open and write to it.
    """
    begin = os.fstat(file.fileno())
    if not stat.S_ISREG(begin.st_mode):
        message = "follow=True needs a regular file. Leave it out for a pipe, which is waited for anyway."
        raise input_error(name, message)
    while True:
        try:
            chunk = file.read(CHUNK_SIZE)
        except OSError as error:
            raise file_error(name, error) from None
        yield chunk
        if chunk:
            continue
        if (size := os.fstat(file.fileno()).st_size) < file.tell():
            if rotates:
                return
            raise input_error(name, f"the file was cut from {file.tell()} to {size} bytes while it was followed.")
        try:
            same = os.path.samestat(begin, os.stat(path))
        except OSError:
            same = rotates
        if not same and rotates:
            yield from iter(lambda: file.read(CHUNK_SIZE), b"")  # what came between the last read and the change
            return
        if not same:
            raise input_error(name, "the file was removed or replaced while it was followed.")
        time.sleep(POLL_SECONDS)


@contextmanager
def _filled_from(chunks: Iterator[bytes]) -> Iterator[Fill]:
    """Fill buffers from chunks; compressed ones are decompressed in a thread of their own."""
    first = b""
    for chunk in chunks:
        first += chunk
        if not is_undecided(first):
            break
        if not chunk:
            notify()
    whole = itertools.chain([first], chunks)
    if (compression := compression_of(first)) is None:
        yield Joined(whole).fill
    else:
        with prefetched(decompressed(compression, whole), CHUNKS_AHEAD) as ready:
            yield Joined(ready).fill


class Joined:
    """Chunks of any size, joined and copied into buffers of any size."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks, self.pending = chunks, memoryview(b"")
        self.damage: DamagedError | None = None

    def fill(self, buffer: memoryview) -> int:
        """Write the next bytes, until the buffer is full or there are no more for now; return 0 at the end."""
        filled = 0
        while filled < len(buffer):
            if not self.pending:
                chunk = self.next_chunk()
                if chunk is None or (not chunk and filled):
                    break
                if not chunk:
                    notify()
                self.pending = memoryview(chunk)
                continue
            count = min(len(self.pending), len(buffer) - filled)
            buffer[filled : filled + count] = self.pending[:count]
            self.pending = self.pending[count:]
            filled += count
        if self.damage is not None and not filled:
            raise self.damage
        return filled

    def next_chunk(self) -> bytes | None:
        """Return the next chunk, or None at the end and at damaged data, which ``fill`` reports later."""
        try:
            return None if self.damage else next(self.chunks, None)
        except DamagedError as error:
            self.damage = error
            return None


@contextmanager
def writable(where: str, target: Any) -> Iterator[Any]:
    """Open a path for writing, atomically and compressed as its name says; a file object is written to as it is."""
    if not is_path(target):
        if not hasattr(target, "write"):
            raise input_error(where, f"the target must be a path or a binary file object, but it is {quote(target)}.")
        if isinstance(target, io.TextIOBase):
            raise _not_binary(name_of(target), "takes str")
        yield _WholeWrites(target) if isinstance(target, io.RawIOBase) else target
        return
    try:
        with replacing(target) as file, compressing(os.fspath(target), file) as compressed:
            yield compressed
    except DamagedError as error:
        raise input_error(name_of(target), f"{error}.") from None


class _WholeWrites:
    """An unbuffered file object, whose own ``write`` may write only a part."""

    def __init__(self, file: io.RawIOBase) -> None:
        self.file = file

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            if (count := self.file.write(rest)) is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            rest = rest[count:]


def _last_line_end(buffer: bytearray, begin: int, end: int) -> int:
    """Return the end of the last whole line, 0 if there is none; no line ends before ``begin``."""
    return buffer.rfind(b"\n", begin, end) + 1


def line_blocks(
    fill: Fill,
    size: int = BLOCK_SIZE,
    max_size: int | None = None,
    find_end: Callable[[bytearray, int, int], int] = _last_line_end,
    too_long: str = "the line is longer than {max_size} bytes",
) -> Iterator[memoryview]:
    """Cut bytes into blocks of whole lines, of ``size`` bytes, or up to ``max_size`` if a line is that long.

    A block is valid until the next one is requested. Lines before a damaged part of a compressed file are delivered
    before ``DamagedError`` is raised.
    """
    buffer, filled = bytearray(size), 0
    while True:
        damage = None
        try:
            count = fill(memoryview(buffer)[filled:])
        except DamagedError as error:
            count, damage = 0, error
        cut = find_end(buffer, filled, filled + count)
        filled += count
        if count == 0:
            cut = filled if damage is None else find_end(buffer, 0, filled)
        if cut:
            yield memoryview(buffer)[:cut]
            buffer[: filled - cut] = buffer[cut:filled]
            filled -= cut
        if damage is not None:
            raise damage
        if count == 0:
            return
        if filled == len(buffer):
            if max_size is not None and filled >= max_size:
                raise DamagedError(too_long.format(max_size=max_size))
            if 0 in buffer:  # binary data, perhaps without any line end
                raise DamagedError("the file is not text: it has a zero byte")
            larger = bytearray(2 * len(buffer))
            larger[:filled] = buffer
            buffer = larger
