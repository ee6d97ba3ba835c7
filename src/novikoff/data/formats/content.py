"""The format of a file by its content, for files whose names do not say it, or say something else."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from novikoff.data.compression import DamagedError, compression_of, decompressed
from novikoff.data.source import is_path

SNIFFED_BYTES = 1 << 14  # of the beginning of a file, after decompression
CHUNK_SIZE = 1 << 16  # bytes that are read at a time
MAX_COMPRESSED = 1 << 21  # bytes that are read of a compressed file; bzip2 needs up to 900,000 for the first of text

# Possessive quantifiers: a line of many numbers that are separated by commas must not be tried in every way.
NUMBER = rb"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?"
PAIR = rb"(?:[0-9]++|qid):%b" % NUMBER
SVMLIGHT = re.compile(rb"%b(?:,%b)*+((?:[ \t]++%b)*+)[ \t]*+(?:#.*)?" % (NUMBER, NUMBER, PAIR))
OBJECT = re.compile(rb'\{\s*["}]')
BLANK = b"\xef\xbb\xbf \t\r\n"  # before the first character of text
OTHER_KINDS = {  # files that people have beside their data: how they begin
    "a picture (PNG)": rb"\x89PNG\r\n",
    "a picture (JPEG)": rb"\xff\xd8\xff",
    "a picture (GIF)": rb"GIF8[79]a",
    "a PDF document": rb"%PDF-",
    "a SQLite database": rb"SQLite format 3\x00",
    "a pickle of Python": rb"\x80[\x02-\x05]",
    "a model file": rb".{6}\x00\x00\{\s*\"",  # safetensors: the length of a header, and the header
    "a JSON array (NDJSON has an object per line)": rb"(?:\xef\xbb\xbf)?\s*\[\s*[\{\]]",
    "a web page": rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)\b",
}


def beginning_of(source: Any) -> bytes | None:
    """Return the first bytes of a file, of standard input or of bytes in memory, decompressed.

    None for what cannot be read twice, such as a named pipe, and for what cannot be read at all, which is reported when
    it is opened. The first bytes of standard input are waited for, unless a person types them.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        return _decompressed(iter([bytes(source[:MAX_COMPRESSED])]))
    if isinstance(source, str) and source == "-":
        return _beginning_of_input()
    if not is_path(source) or not os.path.isfile(source):
        return None
    try:
        with open(source, "rb") as file:
            return _decompressed(_chunks(file))
    except OSError:
        return None


def _beginning_of_input() -> bytes | None:
    """Return what standard input has in its buffer, up to the end of a line, without reading it."""
    stream: Any = getattr(sys.stdin, "buffer", None)
    try:
        if stream is None or sys.stdin.isatty():
            return None
        if hasattr(stream, "peek"):
            found = stream.peek()
        else:  # what tests and notebooks put in place of it
            found = stream.read(SNIFFED_BYTES)
            stream.seek(-len(found), os.SEEK_CUR)
    except (OSError, ValueError):
        return None
    if compression_of(found) is None:
        whole = found[: found.rfind(b"\n") + 1]
        return bytes(whole or found) or None
    return _decompressed(iter([bytes(found)])) or None


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    for _ in range(MAX_COMPRESSED // CHUNK_SIZE):
        if not (chunk := file.read(CHUNK_SIZE)):
            return
        yield chunk


def _decompressed(chunks: Iterator[bytes]) -> bytes:
    first = next(chunks, b"")
    if (compression := compression_of(first)) is None:
        return first[:SNIFFED_BYTES]
    found = b""
    try:
        for part in decompressed(compression, _chain(first, chunks)):
            found += part
            if len(found) >= SNIFFED_BYTES:
                break
    except DamagedError:  # reported when the file is read
        pass
    return found[:SNIFFED_BYTES]


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def other_kind(beginning: bytes) -> str | None:
    """Return what a file is that holds no examples, if its first bytes say so."""
    matches = (kind for kind, start in OTHER_KINDS.items() if re.match(start, beginning, re.DOTALL | re.IGNORECASE))
    return next(matches, None)


def is_svmlight(beginning: bytes) -> bool:
    """Return whether most lines are a label and pairs of an index and a value."""
    lines = beginning.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")
    if len(beginning) >= SNIFFED_BYTES:  # the last line may be cut
        lines = lines[:-1] or [lines[0].rpartition(b" ")[0]]
    matches = [
        SVMLIGHT.fullmatch(line.strip()) for line in lines if line.strip() and not line.lstrip().startswith(b"#")
    ]
    has_pairs = any(match is not None and match[1] for match in matches)
    return has_pairs and sum(match is not None for match in matches) >= len(matches) / 2


def is_object(beginning: bytes) -> bool:
    """Return whether text begins with a JSON object."""
    return OBJECT.match(beginning.lstrip(BLANK)) is not None
