"""Encodings of text."""

import pytest

import novikoff as nk
from novikoff.data.delimited.text_encoding import (
    checked_encoding,
    converted,
    decoded,
    encoding_of,
    needs_conversion,
)
from novikoff.data.source import Joined


@pytest.mark.parametrize(
    ("sample", "encoding"),
    [
        (b"plain", "utf-8"),
        ("naïve".encode(), "utf-8"),
        ("naïve".encode()[:-3], "utf-8"),  # ends inside a character
        ("naïve".encode("utf-8-sig"), "utf-8"),
        ("naïve".encode("latin-1"), "latin-1"),
        ("€ 5".encode("cp1252"), "cp1252"),
        (b"\x81\x8d", "latin-1"),  # not in cp1252
        ("naïve".encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + "naïve".encode("utf-16-be"), "utf-16"),
        ("naïve".encode("utf-32"), "utf-32"),
        (b"", "utf-8"),
    ],
)
def test_the_encoding_is_recognised(sample, encoding):
    assert encoding_of("it", sample) == encoding


def test_zero_bytes_are_not_text():
    with pytest.raises(nk.InvalidInputError, match=r'it: the file is not text: it has a zero byte.*encoding="utf-16"'):
        encoding_of("it", b"a\0b")


def test_text_is_decoded_without_its_mark():
    assert decoded("it", "naïve".encode("utf-8-sig"), "utf-8") == "naïve"
    assert decoded("it", "naïve".encode()[:3], "utf-8") == "na"
    with pytest.raises(
        nk.InvalidInputError, match=r'it, line 2: the text is not utf-8: there is the byte 0xef.*"latin-1"'
    ):
        decoded("it", b"a\nna\xefve", "utf-8")


def test_encodings_are_checked():
    assert checked_encoding("scan", "Latin-1") == "latin-1"
    for unknown in ("klingon", 5, "base64"):
        with pytest.raises(nk.InvalidInputError, match="scan: encoding must be the name of a text encoding"):
            checked_encoding("scan", unknown)


def test_only_encodings_in_which_bytes_may_mean_something_else_are_converted():
    assert not any(map(needs_conversion, ("utf-8", "latin-1", "cp1252", "ascii", "koi8-r")))
    assert all(map(needs_conversion, ("utf-16", "utf-16-le", "utf-32", "shift-jis", "gbk")))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "shift-jis"])
def test_conversion_gives_utf8_whatever_the_chunks(encoding):
    text = "b,a\n表|示\n" * 50
    data = text.encode(encoding)
    for size in (1, 7, len(data)):
        chunks = [data[i : i + size] for i in range(0, len(data), size)]
        fill = converted("it", Joined(iter(chunks)).fill, encoding)
        found, buffer = b"", bytearray(13)
        while count := fill(memoryview(buffer)):
            found += buffer[:count]
        assert found.decode() == text


def test_damaged_text_is_refused_while_it_is_converted():
    fill = converted("it", Joined(iter(["a\nb".encode("utf-16-le") + b"\x00\xdc\x00"])).fill, "utf-16-le")
    with pytest.raises(nk.InvalidInputError, match="it, after line 1: the text is not utf-16-le"):
        fill(memoryview(bytearray(100)))
