"""The parser of delimited text: every value is what the csv module and float() give, however the text is cut."""

import csv
import io
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import _core

MISSING = [b"NA", b"?", b"-999"]
ALPHABET = ["a", "b", "1", "23", ".5", "-", "e", "NA", "?", " ", '"', '""', ",", "\n", "\r\n", "é", "x" * 20]
quoted = st.text(alphabet='ab1 ,\n"é', max_size=20).map(lambda text: '"' + text.replace('"', '""') + '"')
words = st.sampled_from(["", "a", "ab", "NA", " ?", "-999", " b ", "long" * 7, "longer" * 5, 'in"ner', "nan", "-Inf"])
numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-(10**9), 10**9).map(str)
fields = quoted | words | numbers | numbers.map(lambda text: f' "{text}" ')
line_ends = st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\n \r\n"])


@st.composite
def tables(draw):
    """A text of records of equal length, and the roles of their fields."""
    roles = draw(st.text(alphabet="nnss-", min_size=1, max_size=5))
    records = draw(st.lists(st.lists(fields, min_size=len(roles), max_size=len(roles)), max_size=8))
    return "".join(",".join(record) + draw(line_ends) for record in records), roles


def reference(text, roles, trim=True):
    """Return rows of values (float, bytes or None) and the first line of each record; the line of a malformed one."""
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
    reader = csv.reader(iter(lines), skipinitialspace=trim)
    rows, starts, begin = [], [], 0
    for record in reader:
        blank = not "".join(lines[begin : reader.line_num]).strip(" \r\n")
        if not blank:
            if len(record) != len(roles):
                return begin
            rows.append(
                [value_of(field.strip(" ") if trim else field, role) for field, role in zip(record, roles, strict=True)]
            )
            starts.append(begin)
        begin = reader.line_num
    return rows, starts


def value_of(text, role):
    number = text.strip(" ")
    if role == "-" or (number if role == "n" else text).encode() in [b"", *MISSING]:
        return None
    if role == "s":
        return text.encode()
    is_number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", number, re.ASCII)
    return float(number) if is_number and math.isfinite(float(number)) else None


def parse(blocks, roles, threads=1, trim=True, **dialect):
    """Return the rows as values, or the result of the first block that is malformed."""
    dialect = {"delimiter": ",", "quote": '"', "decimal": ".", "thousands": "", **dialect}
    parser = _core.DelimitedParser(**dialect, roles=roles, missing=MISSING, trim=trim, threads=threads)
    rows = []
    for block in blocks:
        result = parser.feed(block)
        if len(result) == 3:
            return result
        numbers, codes = result
        assert (numbers.dtype, codes.dtype) == (np.float64, np.int32)
        values = [parser.values(j, 0) for j in range(codes.shape[1])]
        for x, c in zip(numbers, codes, strict=True):
            x, c = iter(x), iter(values[j][code] if code >= 0 else None for j, code in enumerate(c))
            rows.append([None if role == "-" else next(x) if role == "n" else next(c) for role in roles])
    return [[None if isinstance(value, float) and math.isnan(value) else value for value in row] for row in rows]


def cut(text, draw):
    """Cut a text at some record ends."""
    blocks = []
    while text:
        size = draw(st.integers(1, len(text)))
        end = _core.record_end(text[:size], '"', ",") or _core.record_end(text, '"', ",") or len(text)
        blocks.append(text[:end])
        text = text[end:]
    return blocks


@given(tables(), st.sampled_from([1, 3]), st.data())
def test_values_are_those_of_the_csv_module(table, threads, data):
    text, roles = table
    rows, starts = reference(text, roles)
    assert parse([text.encode()], roles, threads) == rows
    assert parse(cut(text.encode(), data.draw), roles, threads) == rows
    assert _core.record_lines(text.encode(), '"', ",").tolist() == starts


@given(st.lists(st.sampled_from(ALPHABET), max_size=30).map("".join), st.booleans())
def test_any_text_is_split_as_the_csv_module_does(text, trim):
    if '"' in text:
        text += '"' * ("unclosed quote" in parse([text.encode()], "s", trim=trim))
    expected, result = reference(text, "ss", trim), parse([text.encode()], "ss", trim=trim)
    if isinstance(expected, int):
        assert result[0] == expected
        assert result[1] in ("too few fields", "too many fields", "unclosed quote")
    else:
        assert result == expected[0]


def test_codes_are_in_order_of_first_appearance_on_any_number_of_threads():
    random = np.random.default_rng(0)
    strings = [f"value {k * k}" for k in random.integers(0, 3000, 200_000)]
    text = "".join(f"{k},{value}\n" for k, value in enumerate(strings)).encode()
    expected = list(dict.fromkeys(value.encode() for value in strings))
    code = {value: k for k, value in enumerate(expected)}
    for threads in (1, 3):
        parser = _core.DelimitedParser(",", '"', ".", "", "ns", [], True, threads)
        numbers, codes = parser.feed(text)
        assert parser.values(0, 0) == expected
        assert parser.values(0, 2990) == expected[2990:]
        assert codes[:, 0].tolist() == [code[value.encode()] for value in strings]
        assert np.array_equal(numbers[:, 0], np.arange(len(strings)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1;2\n3\n", (1, "too few fields", 1)),
        (b"\n1;2\n\n3;4;5", (3, "too many fields", 3)),
        (b"1;2;\n", (0, "too many fields", 3)),
        (b'1;"a\nb"\n3;"4\n', (2, "unclosed quote", 2)),
    ],
)
def test_a_malformed_record_adds_nothing(text, expected):
    parser = _core.DelimitedParser(";", '"', ".", "", "ns", [], True, 2)
    parser.feed(b"1;a\nx;b\n")
    assert parser.feed(b"y;c\n" + text) == (expected[0] + 1, *expected[1:])
    assert parser.values(0, 0) == [b"a", b"b"]
    assert parser.invalid(0) == (1, 1, b"x", 1)
    numbers, codes = parser.feed(b"2;c\n")
    assert (numbers.tolist(), codes.tolist()) == ([[2.0]], [[2]])


def test_invalid_numbers_are_counted_over_all_blocks():
    parser = _core.DelimitedParser(",", "", ".", "", "nn", [b"?"], True, 1)
    parser.feed(b"1,2\n")
    numbers, _ = parser.feed(b"NaN,low\n1e400,low\n?,low\n")
    assert np.isnan(numbers).all()
    parser.feed(b"+1,high\n")
    assert parser.invalid(0) == (1, 2, b"1e400", 1)
    assert parser.invalid(1) == (4, 1, b"low", 2)


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ({"delimiter": ";", "decimal": ",", "thousands": "."}, b"1.234.567,5;-1.234\n", [1234567.5, -1234.0]),
        ({"delimiter": ";", "decimal": ",", "thousands": ""}, b"1,5;1.5\n", [1.5, None]),
        ({"delimiter": ",", "thousands": ","}, b'"1,234",1.5\n', [1234.0, 1.5]),
        ({"delimiter": ";", "thousands": ","}, b"1,23;1234,567\n", [None, None]),
        ({"delimiter": ";", "thousands": ","}, b"1,234,56;12345\n", [None, 12345.0]),
        ({"delimiter": ";", "thousands": ","}, b"12,345.25;1.234,5\n", [12345.25, None]),
        ({"delimiter": ";", "thousands": ",", "quote": ""}, b'"1";,123\n', [None, None]),
        ({"delimiter": ";", "thousands": " "}, b" 1 234 ;\t2e3\n", [1234.0, 2000.0]),
        ({"delimiter": ";", "thousands": "\u00a0"}, "1\u00a0234;5".encode(), [1234.0, 5.0]),
        ({"delimiter": "\t", "quote": "'"}, b"'7'\t 8 \r\n", [7.0, 8.0]),
        ({"delimiter": " "}, b" \t1 \t '2  \n", [1.0, None]),
        ({"delimiter": " "}, b'1   "2"\t\r\n', [1.0, 2.0]),
        ({"delimiter": "-"}, b"1-2", [1.0, 2.0]),
        ({"delimiter": ",", "decimal": ","}, b'1,"2,5"', [1.0, 2.5]),
        ({}, b"-0.0,+12\n", [-0.0, 12.0]),
        ({}, b'"-999",-999.0\n', [None, -999.0]),
        ({}, b"12345678901234567890,0.1234567890123456789\n", [12345678901234567890.0, 0.12345678901234568]),
    ],
)
def test_numbers_of_other_dialects(dialect, text, expected):
    assert parse([text], "nn", **dialect) == [expected]


def test_runs_of_blanks_separate_strings():
    text = b'  a "b c"\t\td"e  \n\n   \n"" "x""y"z w\n'
    assert parse([text], "sss", delimiter=" ") == [[b"a", b"b c", b'd"e'], [None, b'x"yz', b"w"]]
    assert _core.record_lines(text, '"', " ").tolist() == [0, 3]


def test_blanks_are_kept_without_trim():
    assert parse([b' a," b ", "c"\n'], "sss", trim=False) == [[b" a", b" b ", b' "c"']]
    assert _core.record_end(b' "a\nb', '"', ",", trim=False) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", 0),
        (b"a", 0),
        (b"a\nb", 2),
        (b'a\n"b\nc', 2),
        (b'a\n"b\n"\n"', 7),
        (b'a"b\n', 4),
        (b'"a""\n', 0),
        (b"\r\n", 2),
    ],
)
def test_a_record_ends_at_a_line_end_outside_quotes(text, expected):
    assert _core.record_end(text, '"', ",") == expected
    assert _core.record_end(np.frombuffer(text, np.uint8), '"', ",") == expected


@given(st.lists(st.lists(st.text('ab",\n\t', max_size=4), min_size=2, max_size=2), min_size=1, max_size=6), st.data())
def test_the_last_record_end_is_the_end_of_a_record(rows, data):
    text, ends = io.StringIO(), [0]
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        ends.append(text.tell())
    at = data.draw(st.integers(0, ends[-1]))
    block = text.getvalue().encode()[:at]
    assert _core.record_end(block, '"', ",", trim=False) == max(end for end in ends if end <= at)


@pytest.mark.parametrize(
    "change",
    [
        {"delimiter": ""},
        {"delimiter": "é"},
        {"delimiter": "\n"},
        {"quote": ","},
        {"decimal": "e"},
        {"thousands": "."},
        {"thousands": "1"},
        {"roles": "nx"},
    ],
)
def test_a_dialect_that_contradicts_itself_is_refused(change):
    good = {"delimiter": ",", "quote": '"', "decimal": ".", "thousands": "", "roles": "n"}
    with pytest.raises(ValueError, match="DelimitedParser: "):
        _core.DelimitedParser(**{**good, **change}, missing=[], trim=True, threads=1)
