"""Encodings of text."""

import pytest

import novikoff as nk
from novikoff.data.delimited.text_encoding import (
    converted,
    decoded,
    encoding_of,
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


def test_damaged_text_is_refused_while_it_is_converted():
    fill = converted("it", Joined(iter(["a\nb".encode("utf-16-le") + b"\x00\xdc\x00"])).fill, "utf-16-le")
    with pytest.raises(nk.InvalidInputError, match="it, after line 1: the text is not utf-16-le"):
        fill(memoryview(bytearray(100)))
    fill = converted("it", Joined(iter(["ab".encode("utf-16-le")[:-1]])).fill, "utf-16-le")
    with pytest.raises(nk.InvalidInputError, match="it, after line 1: the text is not utf-16-le"):
        list(iter(lambda: fill(memoryview(bytearray(100))), 0))
