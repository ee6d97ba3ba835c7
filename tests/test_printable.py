"""Control characters become visible, and nothing else changes."""

import sys
import unicodedata

import pytest

from novikoff._printable import CONTROLS as ESCAPED
from novikoff._printable import printable

CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
ALL = "".join(map(chr, range(sys.maxunicode + 1)))
JOINERS = "\u200c\u200d"  # format characters that Persian, Indic scripts and emoji need
CONTROLS = {c for c in ALL if unicodedata.category(c) in CATEGORIES} - set(JOINERS)


def test_all_control_and_format_characters_are_escaped_and_no_others():
    escaped = set(ESCAPED.findall(ALL))
    assert escaped >= CONTROLS, "Unicode has more format characters now"
    assert {unicodedata.category(c) for c in escaped - CONTROLS} <= {"Cn"}  # assigned in later versions of Unicode


def test_escapes_are_plain_ascii_and_those_of_repr():
    for character in CONTROLS:
        shown = printable(character)
        assert shown.isascii()
        assert shown.isprintable()
        assert shown.encode().decode("unicode_escape") == character


@pytest.mark.parametrize("text", ["", "spam", "größe", "C:\\temp\\x1b", "日本", "می‌خواهم", "👩‍🚀", "a\u00a0b"])
def test_other_text_is_returned_as_it_is(text):
    assert printable(text) == text


def test_an_escape_sequence_is_visible_in_its_place():
    assert printable("a\x1b[31mred\x1b[0m\tb\x7f") == r"a\x1b[31mred\x1b[0m\tb\x7f"
    assert printable("abc\u202etxt.exe") == r"abc\u202etxt.exe"
    assert printable("caf\udcff") == r"caf\udcff"


def test_lines_may_be_kept():
    assert printable("a\nb\rc", keep="\n") == "a\nb\\rc"
