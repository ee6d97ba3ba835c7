"""The beginning of a text, and the text from there on."""

import pytest

import novikoff as nk
from novikoff.data.compression import DamagedError
from novikoff.data.delimited import sampled_text
from novikoff.data.delimited.sampled_text import SampledText
from novikoff.data.source import Joined


def sampled(*chunks, encoding=None):
    """Text that arrives in chunks, with a wait after each."""
    return SampledText("it", Joined(part for chunk in chunks for part in (chunk, b"")).fill, encoding)


def rest(text, lines, size=7):
    fill, found, buffer = text.after(lines), b"", bytearray(size)
    while count := fill(memoryview(buffer)):
        found += buffer[:count]
    return found


def test_the_sample_is_what_has_come_in_whole_lines():
    text = sampled(b"a,b\n1,", b"2\n3,4")
    assert (text.sample, text.ended) == (b"a,b\n", False)
    text.read_more()
    assert text.sample == b"a,b\n1,2\n"
    text.read_more()
    assert (text.sample, text.ended) == (b"a,b\n1,2\n3,4", True)


def test_blank_lines_and_comments_are_not_waited_at():
    assert sampled(b"\n", b"# comment\n", b"  \n", b"a\n", b"b\n").sample == b"\n# comment\n  \na\n"
    assert sampled(b"\n", b"#\n").ended


def test_the_text_goes_on_after_some_lines():
    for lines, expected in enumerate([b"a,b\n1,2\n3,4", b"1,2\n3,4", b"3,4", b""]):
        assert rest(sampled(b"a,b\n1,2\n3,4"), lines) == expected
    assert rest(sampled(b"a,b\n1,", b"2\n3,4"), 1) == b"1,2\n3,4"


def test_carriage_returns_alone_end_lines():
    assert rest(sampled(b"a\rb\r", b"c\r"), 1) == b"b\nc\n"
    assert rest(sampled(b"a\r\nb\rc\r\n"), 1) == b"b\rc\r\n"
    assert sampled(b"a\r", b"\nb\r\n").sample == b"a\r\nb\r\n"


def test_lines_before_a_damaged_part_are_given_first():
    def chunks():
        yield b"a\nb\n"
        raise DamagedError("damaged")

    text = SampledText("it", Joined(chunks()).fill, None)
    text.read_more()
    assert (text.sample, text.ended) == (b"a\nb\n", True)
    fill, buffer = text.after(1), bytearray(10)
    assert fill(memoryview(buffer)) == 2
    with pytest.raises(DamagedError, match="damaged"):
        fill(memoryview(buffer))


def test_long_lines_are_read_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(sampled_text, "SAMPLE_SIZE", 4)
    assert sampled(b"abcdefgh\n1").sample == b"abcdefgh\n"
    monkeypatch.setattr(sampled_text, "MAX_RECORD_LENGTH", 16)
    with pytest.raises(nk.InvalidInputError, match="it, line 1: the line is longer than 16 bytes"):
        sampled(b"a" * 100)
