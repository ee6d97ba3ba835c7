"""Compressed bytes, recognised by what they begin with."""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from novikoff.errors import InvalidInputError

MOST_OUT = 1 << 22  # bytes that one step may give, whatever the ratio
STEP = 1 << 16  # compressed bytes that one step takes
STEP_OF_ZSTD = 1 << 10  # its decompressor takes no limit, and makes up to 32,000 bytes of one

BEGINNINGS = {  # bzip2's name and level are followed by the mark of a block, or of the end
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{b"BZh%d%b" % (level, mark): "bzip2" for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")},
}
LONGEST_BEGINNING = max(map(len, BEGINNINGS))


class DamagedError(Exception):
    """Bytes that cannot be gone on with: what is needed, and what there is. Whoever counts lines says where."""

    def __init__(self, need: str, got: str) -> None:
        super().__init__(need, got)
        self.need, self.got = need, got


def kind_of(beginning: bytes) -> str | None:
    """The kind of compression, if any."""
    return next((kind for magic, kind in BEGINNINGS.items() if beginning.startswith(magic)), None)


def is_undecided(beginning: bytes) -> bool:
    """Whether more bytes are needed to know."""
    return any(magic.startswith(beginning) and magic != beginning for magic in BEGINNINGS)


def decompressed(kind: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress chunks. Files that were joined end to end are one; an empty chunk, no more for now, is passed on."""
    new = _decompressors()[kind]
    decompressor = new()
    step = STEP_OF_ZSTD if kind == "zstd" else STEP
    began = False
    try:
        for chunk in chunks:
            if not chunk:
                yield b""
            for begin in range(0, len(chunk), step):
                data = chunk[begin : begin + step]
                while data:
                    if decompressor.eof:
                        data = data.lstrip(b"\0")  # padding
                        if not data:
                            break
                        decompressor, began = new(), False
                    yield from filter(None, _steps(kind, decompressor, data))
                    began = True
                    data = decompressor.unused_data if decompressor.eof else b""
    except InvalidInputError:  # the chunks themselves cannot be read
        raise
    except _errors() as error:
        raise DamagedError(f"A {kind} file that is whole.", f"one that is damaged ({error})") from None
    if began and not decompressor.eof:
        raise DamagedError(f"A {kind} file that is whole.", "one that ends too early")


def _steps(kind: str, decompressor: Any, data: bytes) -> Iterator[bytes]:
    """Everything that some compressed bytes give, in steps of bounded size."""
    if kind == "gzip":
        while data and not decompressor.eof:
            yield decompressor.decompress(data, MOST_OUT)
            data = decompressor.unconsumed_tail
    elif kind == "zstd":
        yield decompressor.decompress(data)
    else:
        yield decompressor.decompress(data, MOST_OUT)
        while not decompressor.needs_input and not decompressor.eof:
            yield decompressor.decompress(b"", MOST_OUT)


def _decompressors() -> dict[str, Callable[[], Any]]:
    return {
        "gzip": lambda: zlib.decompressobj(wbits=31),
        "bzip2": bz2.BZ2Decompressor,
        "xz": lzma.LZMADecompressor,
        "zstd": _zstd,
    }


def _zstd() -> Any:
    return _zstandard().ZstdDecompressor().decompressobj()


def _zstandard() -> Any:
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        raise DamagedError("The package zstandard, for zstd files (pip install zstandard).", "none") from None


@contextmanager
def compressing(name: str, file: IO[bytes]) -> Iterator[Any]:
    """A file object that compresses what is written to another, as a name's ending says."""
    openers: dict[str, Callable[[], Any]] = {
        ".gz": lambda: gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0),  # equal rows, equal bytes
        ".bz2": lambda: bz2.BZ2File(file, "wb"),
        ".xz": lambda: lzma.LZMAFile(file, "wb"),  # noqa: SIM115  # opened below
        ".zst": lambda: _zstandard().ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False),
    }
    opener = next((opener for ending, opener in openers.items() if name.endswith(ending)), None)
    if opener is None:
        yield file
        return
    with opener() as compressed:
        yield compressed


def _errors() -> tuple[type[Exception], ...]:
    """What the decompressors raise. zstandard's own error can only come once zstandard is there."""
    known = (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError)
    try:
        return (*known, importlib.import_module("zstandard").ZstdError)
    except ImportError:
        return known
