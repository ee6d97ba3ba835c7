"""How text is stored as bytes: recognised, and converted where a parser of bytes needs it."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from novikoff.data.source import Fill, Joined
from novikoff.errors import input_error, quote

BYTE_ORDER_MARKS = {  # the longer ones first, because one begins with another
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
UTF8_MARK = codecs.BOM_UTF8
SINGLE_BYTE = ("ascii", "utf-8", "iso8859", "cp125", "koi8", "mac")  # ASCII bytes mean ASCII characters in all of them
CHUNK_SIZE = 1 << 20  # bytes that are converted at a time


def checked_encoding(where: str, encoding: object) -> str:
    """Return the name of an encoding that a user gave."""
    try:
        if isinstance(encoding, str):
            "".encode(encoding)
            return encoding.lower()
    except (LookupError, ValueError):
        pass
    raise input_error(where, f'encoding must be the name of a text encoding, such as "latin-1", not {quote(encoding)}.')


def encoding_of(name: str, sample: bytes) -> str:
    """Return the encoding of text that begins like this: "utf-8", "utf-16", "utf-32", "latin-1" or "cp1252".

    Parameters
    ----------
    name : str
        What error messages call the text.
    sample : bytes
        The beginning of the text, which may end inside a character.
    """
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if sample.startswith(mark):
            return encoding
    if 0 in sample:
        remedy = 'Use encoding="utf-16" if it is text of that encoding.'
        raise input_error(name, f"the file is not text: it has a zero byte. {remedy}")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252" if any(128 <= byte < 160 for byte in set(sample)) else "latin-1"


def decoded(name: str, sample: bytes, encoding: str) -> str:
    """Return the beginning of a text; it may end inside a character. A byte order mark is left out."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = sample.count(10, 0, error.start) + 1
        raise not_encoded(f"{name}, line {line}", sample[error.start], encoding) from None


def not_encoded(place: str, byte: int, encoding: str) -> Exception:
    """Return the error of a byte that an encoding does not have."""
    other = "latin-1" if encoding.startswith("utf") else "utf-8"
    remedy = f'Use encoding= to name the encoding of the text, such as encoding="{other}".'
    return input_error(place, f"the text is not {encoding}: there is the byte 0x{byte:02x}. {remedy}")


def needs_conversion(encoding: str) -> bool:
    """Return whether text must be converted to UTF-8 before bytes such as the comma can be found in it."""
    return not codecs.lookup(encoding).name.startswith(SINGLE_BYTE)


def converted(name: str, fill: Fill, encoding: str) -> Fill:
    """Convert text to UTF-8, without its byte order mark."""
    return Joined(_chunks(name, fill, encoding)).fill


def _chunks(name: str, fill: Fill, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    buffer, lines, first = bytearray(CHUNK_SIZE), 0, True
    while True:
        count = fill(memoryview(buffer))
        try:
            text = decoder.decode(bytes(buffer[:count]), final=count == 0)
        except UnicodeDecodeError as error:
            raise not_encoded(f"{name}, after line {lines + 1}", error.object[error.start], encoding) from None
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        lines += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")
        if count == 0:
            return
        yield b""  # there may be no more for now
