"""Bytes of a file, a pipe or memory, decompressed on the way and cut where lines end."""

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
from novikoff.errors import InvalidInputError, invalid, unreadable

from .ahead import ahead
from .compression import LONGEST_BEGINNING, DamagedError, compressing, decompressed, is_undecided, kind_of

CHUNK = 1 << 20
BLOCK = 1 << 23  # bytes that are parsed at a time
MOST_LINE = 1 << 26  # bytes of a line in a stream, whose memory is bounded
PAUSE = 0.05  # seconds between two looks at a growing file

Fill = Callable[[memoryview], int]  # writes the next bytes, at least one; 0 at the end


def name_of(source: Any) -> str:
    """What a source is called in a message."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return "<bytes>"
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>"


def is_path(source: Any) -> bool:
    """Whether a source lies in the file system; "-" is standard input."""
    return isinstance(source, os.PathLike) or (isinstance(source, str) and source != "-")


def is_pipe(path: Any) -> bool:
    """Whether a path leads to something that gives its bytes once, as they come."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def is_lasting(source: Any) -> bool:
    """Whether a source can be read more than once."""
    if is_path(source):
        return os.path.isfile(source)
    return isinstance(source, bytes | bytearray | memoryview)


@contextmanager
def opened(where: str, source: Any, *, threads: int = 1, follow: bool = False) -> Iterator[Fill]:
    """Open a path, bytes, a binary file object, or "-"; what is compressed is decompressed, whatever its name."""
    name = name_of(source)
    if is_path(source):
        with _open(where, name, source) as file:
            plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode) and not follow
            if plain and kind_of(os.pread(file.fileno(), LONGEST_BEGINNING, 0)) is None:
                yield _WholeFile(where, name, file, threads).fill
                return
            with _chunks(_followed(where, name, source, file) if follow else _read(where, name, file)) as fill:
                yield fill
        return
    if follow:
        raise invalid(where, "The path of a file, where follow=True.", name)
    stream: Any = source
    if isinstance(source, bytes | bytearray | memoryview):
        stream = io.BytesIO(source.tobytes() if isinstance(source, memoryview) else source)
    elif isinstance(source, str):
        stream = getattr(sys.stdin, "buffer", sys.stdin)
    if not hasattr(stream, "read"):
        raise invalid(where, 'A path, bytes, a binary file object, or "-" for standard input.', repr(stream))
    with _chunks(_read(where, name, stream)) as fill:
        yield fill


def _open(where: str, name: str, path: Any) -> Any:
    try:
        return open(path, "rb", buffering=0)
    except (OSError, ValueError) as error:
        raise unreadable(where, name, error) from None


class _WholeFile:
    """A regular file, read on several threads. It must keep its size: half a line may look like a whole one."""

    def __init__(self, where: str, name: str, file: Any, threads: int) -> None:
        self.where, self.name, self.file, self.threads = where, name, file.fileno(), threads
        self.size, self.offset = os.fstat(self.file).st_size, 0

    def fill(self, room: memoryview) -> int:
        try:
            count = _core.read_at(self.file, self.offset, room, self.threads)
        except OSError as error:
            raise unreadable(self.where, self.name, error) from None
        self.offset += count
        if count == 0 and self.offset != self.size:
            got = f"{self.name}, which went from {self.size} to {self.offset} bytes"
            raise invalid(self.where, "A file that does not change while it is read (or follow=True, for scan).", got)
        return count


def _read(where: str, name: str, file: BinaryIO) -> Iterator[bytes]:
    """Chunks of a file object; an empty one where a pipe has no more for now."""
    if isinstance(file, io.TextIOBase):
        raise _not_binary(where, name, "gives str")
    read = getattr(file, "read1", file.read)
    has_more = _watched(file)
    while True:
        try:
            chunk = read(CHUNK)
        except (OSError, ValueError) as error:
            raise unreadable(where, name, error) from None
        if not isinstance(chunk, bytes | bytearray):
            raise _not_binary(where, name, f"gives {type(chunk).__name__}")
        if not chunk:
            return
        yield bytes(chunk)
        if not has_more():
            yield b""


def _not_binary(where: str, name: str, does: str) -> InvalidInputError:
    return invalid(where, "A file object that is opened in binary mode.", f"{name}, which {does}")


def _watched(file: Any) -> Callable[[], Any]:
    """Whether a file object has more right now: on a pipe, a socket or a terminal one may have to wait."""
    try:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            watch = select.poll()
            watch.register(file, select.POLLIN)
            return lambda: watch.poll(0)
    except (AttributeError, OSError, ValueError):
        pass
    return lambda: True


def _followed(where: str, name: str, path: Any, file: Any) -> Iterator[bytes]:
    """Chunks of a file that others append to, without an end; an empty one wherever there is no more for now."""
    begin = os.fstat(file.fileno())
    if not stat.S_ISREG(begin.st_mode):
        raise invalid(where, "A regular file, where follow=True (a pipe is waited for without it).", name)
    while True:
        try:
            chunk = file.read(CHUNK)
        except OSError as error:
            raise unreadable(where, name, error) from None
        yield chunk
        if chunk:
            continue
        if (size := os.fstat(file.fileno()).st_size) < file.tell():
            raise invalid(where, "A file that only grows.", f"{name}, cut from {file.tell()} to {size} bytes")
        try:
            same = os.path.samestat(begin, os.stat(path))
        except OSError:
            same = False
        if not same:
            raise invalid(where, "A file that stays in its place.", f"{name}, which was removed or replaced")
        time.sleep(PAUSE)


@contextmanager
def _chunks(chunks: Iterator[bytes]) -> Iterator[Fill]:
    """Fill from chunks, decompressed in a thread of their own if need be."""
    first = b""
    for chunk in chunks:
        first += chunk
        if not is_undecided(first):
            break
    whole = itertools.chain([first], chunks)
    if (kind := kind_of(first)) is None:
        yield Joined(whole).fill
    else:
        with ahead(decompressed(kind, whole), 8) as ready:
            yield Joined(ready).fill


class Joined:
    """Chunks of any size, joined and handed out as they are asked for."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks, self.pending = chunks, memoryview(b"")
        self.damage: DamagedError | None = None

    def fill(self, room: memoryview) -> int:
        """Write the next bytes, all there is room for or all there are for now; 0 at the end."""
        filled = 0
        while filled < len(room):
            if not self.pending:
                chunk = self.next_chunk()
                if chunk is None or (not chunk and filled):  # an empty one: no more for now
                    break
                self.pending = memoryview(chunk)
                continue
            count = min(len(self.pending), len(room) - filled)
            room[filled : filled + count] = self.pending[:count]
            self.pending = self.pending[count:]
            filled += count
        if self.damage is not None and not filled:
            raise self.damage
        return filled

    def next_chunk(self) -> bytes | None:
        """The next chunk, or None at the end and where the damage begins: what was there before comes first."""
        try:
            return None if self.damage else next(self.chunks, None)
        except DamagedError as error:
            self.damage = error
            return None


@contextmanager
def writable(where: str, target: Any) -> Iterator[Any]:
    """Open a path, to be there as a whole or not at all, compressed as its name says; or take a file object."""
    if not is_path(target):
        if not hasattr(target, "write"):
            raise invalid(where, "A path, or a binary file object.", repr(target))
        if isinstance(target, io.TextIOBase):
            raise _not_binary(where, name_of(target), "takes str")
        yield _WholeWrites(target) if isinstance(target, io.RawIOBase) else target
        return
    try:
        with replacing(where, target) as file, compressing(os.fspath(target), file) as compressed:
            yield compressed
    except DamagedError as error:
        raise invalid(where, error.need, error.got) from None


class _WholeWrites:
    """A file object without a buffer, whose own ``write`` may stop half-way."""

    def __init__(self, file: io.RawIOBase) -> None:
        self.file = file

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            if (count := self.file.write(rest)) is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            rest = rest[count:]


def _last_line_end(buffer: bytearray, begin: int, end: int) -> int:
    """Where the last whole line ends, 0 if none does; nothing before ``begin`` does."""
    return buffer.rfind(b"\n", begin, end) + 1


def line_blocks(
    fill: Fill,
    size: int = BLOCK,
    most: int | None = None,
    find_end: Callable[[bytearray, int, int], int] = _last_line_end,
    longer: str = "a longer one",
) -> Iterator[memoryview]:
    """Blocks of whole lines, of ``size`` bytes or, for the sake of a long line, up to ``most``.

    A block is good until the next one is asked for. Where a compressed file is damaged, all lines before come first.
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
            if most is not None and filled >= most:
                raise DamagedError(f"Lines of at most {most} bytes.", longer)
            if 0 in buffer:  # no text, and perhaps without an end
                raise DamagedError("Lines of text.", "a zero byte")
            larger = bytearray(2 * len(buffer))
            larger[:filled] = buffer
            buffer = larger
