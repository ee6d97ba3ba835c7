"""Compressed bytes: recognised by their first bytes when reading, chosen by the file name when writing."""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from novikoff.errors import InvalidInputError

MAX_STEP_OUTPUT = 1 << 22  # bytes that one decompression step may return, whatever the ratio


class DamagedError(Exception):
    """Bytes that cannot be decompressed or cut into lines. The caller, who counts lines, adds where that is."""


@dataclass(frozen=True)
class Compression:
    """A compression: the ending of file names, the first bytes, and how to open it in both directions."""

    name: str
    suffix: str
    magics: tuple[bytes, ...]
    decompressor: Callable[[], Any]
    compressed: Callable[[IO[bytes]], Any]
    step: int = 1 << 16  # compressed bytes that are decompressed at a time


def _zstandard() -> Any:
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        message = "zstd needs the package zstandard. Install it with: pip install zstandard"
        raise DamagedError(message) from None


COMPRESSIONS = (
    Compression(
        "gzip",
        ".gz",
        (b"\x1f\x8b",),
        lambda: zlib.decompressobj(wbits=31),
        lambda file: gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0),  # equal rows give equal bytes
    ),
    Compression(
        "bzip2",
        ".bz2",
        # The level is followed by the magic number of a block, or of the end.
        tuple(b"BZh%d%b" % (level, mark) for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
        bz2.BZ2Decompressor,
        lambda file: bz2.BZ2File(file, "wb"),
    ),
    Compression(
        "xz",
        ".xz",
        (b"\xfd7zXZ\x00",),
        lzma.LZMADecompressor,
        lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115  # ``compressing`` closes it
    ),
    Compression(
        "zstd",
        ".zst",
        (b"\x28\xb5\x2f\xfd",),
        lambda: _zstandard().ZstdDecompressor().decompressobj(),
        lambda file: _zstandard().ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False),
        step=1 << 10,  # its decompressor has no output limit, and expands one byte to up to 32,000
    ),
)
LONGEST_MAGIC = max(len(magic) for compression in COMPRESSIONS for magic in compression.magics)


def compression_of(beginning: bytes) -> Compression | None:
    """Return the compression of data that begins like this, if any."""
    return next((c for c in COMPRESSIONS if beginning.startswith(c.magics)), None)


def is_undecided(beginning: bytes) -> bool:
    """Return whether more bytes are needed to know the compression."""
    magics = (magic for compression in COMPRESSIONS for magic in compression.magics)
    return any(magic.startswith(beginning) and magic != beginning for magic in magics)


def compression_named(name: str) -> Compression | None:
    """Return the compression that a file name ends in, if any."""
    return next((c for c in COMPRESSIONS if os.path.splitext(name.lower())[1] == c.suffix), None)


def uncompressed_name(name: str) -> str:
    """Return a file name without the ending of a compression."""
    return os.path.splitext(name)[0] if compression_named(name) else name


def decompressed(compression: Compression, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress chunks. Concatenated files count as one; empty chunks, which mean "no more for now", are passed on."""
    decompressor = compression.decompressor()
    started = False
    try:
        for chunk in chunks:
            if not chunk:
                yield b""
            for begin in range(0, len(chunk), compression.step):
                data = chunk[begin : begin + compression.step]
                while data:
                    if decompressor.eof:
                        data = data.lstrip(b"\0")  # padding between files
                        if not data:
                            break
                        decompressor, started = compression.decompressor(), False
                    yield from filter(None, _steps(compression, decompressor, data))
                    started = True
                    data = decompressor.unused_data if decompressor.eof else b""
    except InvalidInputError:  # the chunks themselves cannot be read
        raise
    except _decompression_errors() as error:
        raise DamagedError(f"the {compression.name} data is damaged ({error})") from None
    if started and not decompressor.eof:
        raise DamagedError(f"the {compression.name} data ends too early")


def _steps(compression: Compression, decompressor: Any, data: bytes) -> Iterator[bytes]:
    """Decompress some bytes completely, in steps of bounded output."""
    if compression.name == "gzip":
        while data and not decompressor.eof:
            yield decompressor.decompress(data, MAX_STEP_OUTPUT)
            data = decompressor.unconsumed_tail
    elif compression.name == "zstd":
        yield decompressor.decompress(data)
    else:
        yield decompressor.decompress(data, MAX_STEP_OUTPUT)
        while not decompressor.needs_input and not decompressor.eof:
            yield decompressor.decompress(b"", MAX_STEP_OUTPUT)


@contextmanager
def compressing(name: str, file: IO[bytes]) -> Iterator[Any]:
    """Return a file object that compresses into another as the file name says; the file itself if it says nothing."""
    compression = compression_named(name)
    if compression is None:
        yield file
        return
    with compression.compressed(file) as compressed:
        yield compressed


def _decompression_errors() -> tuple[type[Exception], ...]:
    """Return what the decompressors raise. The error class of zstandard exists only where zstandard is installed."""
    known = (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError)
    try:
        return (*known, importlib.import_module("zstandard").ZstdError)
    except ImportError:
        return known
