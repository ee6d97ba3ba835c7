"""Delimited text as blocks: values, kinds, lines and malformed records."""

import csv
import io
import math
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.delimited import blocks as blocks_module
from novikoff.data.delimited.blocks import DelimitedBlocks
from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.source import Joined
from novikoff.data.tables.block import Invalid
from novikoff.data.tables.cells import MISSING


def reader(text, threads=1, expected=None, preferred=None, **options):
    """A pass over text, or over chunks of it with a wait after each."""
    chunks = [text] if isinstance(text, str | bytes) else text
    chunks = [chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks]
    fill = Joined(part for chunk in chunks for part in (chunk, b"")).fill
    return DelimitedBlocks("scan", "it", nullcontext(fill), DialectOptions(**options), expected, preferred, threads)


def rows_of(block, names):
    """Rows of a block as lists of values in the order of some names; None is missing."""
    columns = {
        name: [None if math.isnan(x) else x for x in block.numbers[:, j]] for j, name in enumerate(block.number_names)
    }
    for j, name in enumerate(block.string_names):
        columns[name] = [block.values[j][code] if code >= 0 else None for code in block.codes[:, j]]
    return [list(row) for row in zip(*(columns[name] for name in names), strict=True)]


def rows(text, kinds=None, **options):
    found = reader(text, **options)
    kinds = found.schema if kinds is None else kinds
    return [row for block in found.blocks(kinds) for row in rows_of(block, kinds)]


# ---- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,x\n2.5,y\n", [[1, "x"], [2.5, "y"]]),
        ("a;b\n1,5;x\n1.234,5;y\n", [[1.5, "x"], [1234.5, "y"]]),
        ('a\tb\n1\tx, y\n2\t"z\n', [[1, "x, y"], [2, '"z']]),
        ("a|b\n1|x\n2|y\n", [[1, "x"], [2, "y"]]),
        ("a b\n  1   2\n13  4\n", [[1, 2], [13, 4]]),
        ("1,x\n2,y\n", [[1, "x"], [2, "y"]]),
        ("a,b\r\n1,x\r\n\r\n2,y\r\n", [[1, "x"], [2, "y"]]),
        ("a,b\r1,x\r2,y\r", [[1, "x"], [2, "y"]]),
        ("a, b\n1, ?\n ?, x\n", [[1, None], [None, "x"]]),
        ("a,b\n1,-\n-,x\n2,y\n", [[1, "-"], [None, "x"], [2, "y"]]),
        ('a,b\n"1,234",x\n"2,345",y\n', [[1234, "x"], [2345, "y"]]),
        ('a,b\n1,"x\ny"\n2,"z ""u"""\n', [[1, "x\ny"], [2, 'z "u"']]),
        ("'a','b'\n'1','x, y'\n'2','z'\n", [[1, "x, y"], [2, "z"]]),
        ("straße;b\n1;ü\n".encode("latin-1"), [[1, "ü"]]),
        ("a,b\n1,表\n".encode("utf-16"), [[1, "表"]]),
        ("a,b\n1,ü\n".encode("utf-8-sig"), [[1, "ü"]]),
        ("1,ü\n".encode("utf-8-sig"), [[1, "ü"]]),
        ("a,b,\n1,x,\n2,y,\n", [[1, "x"], [2, "y"]]),
        ("a,b\nr1,1,x\nr2,2,y\n", [["r1", 1, "x"], ["r2", 2, "y"]]),
        ("# comment\n\na,b\n1,x\n", [[1, "x"]]),
        ("text\nI came, I saw\nno\n", [["I came, I saw"], ["no"]]),
        ("a\n1\n\n2\n", [[1], [2]]),
        ("a,b\n1,x", [[1, "x"]]),
        ("a,b\n,x\n1,\n", [[None, "x"], [1, None]]),
    ],
)
def test_the_dialects_people_have_are_read(text, expected):
    assert rows(text) == expected
    assert rows(text, threads=3) == expected


def test_booleans_and_dates_are_numbers():
    text = "ok,day,when\ntrue,1970-01-02,1/2/1970 12:00\nFalse,1970-01-11,1/31/1970\n,,\n"
    found = reader(text)
    assert found.schema == {"ok": "boolean", "day": "date", "when": "date"}
    (block,) = found.blocks(found.schema)
    assert rows_of(block, found.schema) == [[1, 1, 1.5], [0, 10, 30], [None, None, None]]
    assert block.numbers.flags.c_contiguous
    assert block.codes.shape == (3, 0)


def test_the_order_of_dates_is_known_where_it_matters():
    assert reader("a,b\n25/12/2024,1\n").day_first is True
    assert reader("a,b\n01/02/2024,1\n").day_first is False
    assert reader("a,b\n01/02/2024,1\n", day_first=True).day_first is True
    assert reader("a,b\n2024-12-25,1\n").day_first is None
    assert nk.read(b"when,label\n25/12/2024,1\n24/12/2024,0\n").day_first is True


def test_the_columns_that_are_asked_for_are_read_in_the_order_of_the_table():
    found = reader("a,b,c,d\n1,x,true,2\n3,y,false,4\n")
    (block,) = found.blocks({"d": "number", "b": "string", "c": "boolean", "a": "string"})
    assert (block.number_names, block.string_names) == (("d", "c"), ("a", "b"))
    assert block.numbers.tolist() == [[2, 1], [4, 0]]
    assert (block.codes.tolist(), block.values) == ([[0, 0], [1, 1]], (["1", "3"], ["x", "y"]))
    assert block.codes.dtype == np.int32
    assert block.codes.flags.c_contiguous


def test_numbers_can_be_asked_for_as_strings():
    assert rows("a\n01\n1.50\nNA\n", {"a": "string"}) == [["01"], ["1.50"], [None]]


def test_columns_that_do_not_exist_are_refused():
    with pytest.raises(nk.InvalidInputError, match="it: there is no column 'c'"):
        rows("a,b\n1,2\n", {"c": "number"})


def test_codes_keep_their_meaning_from_block_to_block(monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 16)
    found = reader("a,b\n" + "".join(f"{i},w{i % 5}\n" for i in range(40)))
    blocks = list(found.blocks(found.schema))
    assert len(blocks) > 5
    assert [row for block in blocks for row in rows_of(block, ["a", "b"])] == [[i, f"w{i % 5}"] for i in range(40)]
    assert blocks[-1].values == (["w0", "w1", "w2", "w3", "w4"],)


# ---- what is not of its kind -----------------------------------------------------------------------------------------


def test_what_is_not_of_its_kind_is_missing_and_counted(monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 64)
    text = "a,ok,day\n" + "1,true,2024-01-01\n" * 5 + "x,maybe,soon\n" + "1,true,2024-01-01\n" * 5 + "y,maybe,late\n"
    found = reader(text)
    kinds = {"a": "number", "ok": "boolean", "day": "date"}
    values = [row for block in found.blocks(kinds) for row in rows_of(block, kinds)]
    assert values[5] == values[-1] == [None, None, None]
    assert found.invalid == {
        "a": Invalid(2, "x", "it, line 7", 2),
        "ok": Invalid(2, "maybe", "it, line 7", 1),
        "day": Invalid(2, "soon", "it, line 7", 2),
    }


def test_a_dash_in_a_column_of_numbers_is_a_missing_value():
    found = reader("a,b\n1,2\n-,3\n2,word\n")
    list(found.blocks({"a": "number", "b": "number"}))
    assert list(found.invalid) == ["b"]


def test_booleans_may_also_be_written_as_digits():
    assert rows("a\n1\n0\n", {"a": "boolean"}) == [[1], [0]]


# ---- where rows are --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a,b\n1,2\n3,4\n", [2, 3]),
        ("1,2\r\n3,4\r\n", [1, 2]),
        ("# c\n\na,b\n1,2\n\n3,4", [4, 6]),
        ('a,b\n1,"x\ny"\n3,z\n5,"u\nv"\n', [2, 4, 5]),
        ('"a\nc",b\n1,2\n3,4\n', [3, 4]),
        ("\ufeffa,b\n1,2\n3,4\n", [2, 3]),
        ("a,b\n1,2\n\n\n", [2]),
    ],
)
@pytest.mark.parametrize("size", [1 << 20, 8])
def test_rows_know_their_lines(text, lines, size, monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", size)
    found = reader(text)
    places = [block.place(row) for block in list(found.blocks(found.schema)) for row in range(block.rows)]
    assert places == [f"it, line {line}" for line in lines]


# ---- malformed text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,b,c\n1,2,3\n1,2\n",
            "it, line 3: the line has 2 fields, but the header has 3. Correct the line, or use delimiter= ",
        ),
        (
            "1;2\n3;4\n5\n",
            "it, line 3: the line has 1 field, but the table has 2 columns. Correct the line, or use delimiter= ",
        ),
        ('a,b\n1,"x\n2,"y"z\n3,"', 'it, line 4: a quote is opened and never closed. Use quote="" if'),
        ("# only a comment\n\n", "it: the table has no rows."),
        (b"\x00\x01\x02", "it: the file is not text: it has a zero byte."),
    ],
)
def test_malformed_text_is_refused_with_its_line(text, message):
    with pytest.raises(nk.InvalidInputError) as error:
        rows(text, quote='"' if '"' in str(text) else None)
    assert str(error.value).startswith(message)


def test_records_of_any_length_up_to_a_bound_are_read(monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 16)
    assert rows(f'a,b\n1,"{"x" * 100}\n"\n') == [[1, "x" * 100 + "\n"]]
    monkeypatch.setattr(blocks_module, "MAX_RECORD_LENGTH", 64)
    with pytest.raises(
        nk.InvalidInputError, match=r"it, line 3: the record is longer than 64 bytes, or a quote is never"
    ):
        rows('a,b\n1,x\n2,"' + "x\n" * 1000, quote='"', delimiter=",")
    with pytest.raises(nk.InvalidInputError, match="it, line 2: the line is longer than 64 bytes"):
        rows("a\tb\n1\t" + "x" * 1000)


# ---- what Python writes ----------------------------------------------------------------------------------------------

CELLS = st.text("ab1,;|'\"\n\té表 -", max_size=5).map(str.strip).filter(lambda cell: cell not in MISSING)
TABLES = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=8))


@given(
    TABLES,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030"]),
    st.sampled_from([1 << 20, 8]),
    st.integers(1, 100),
)
def test_what_python_writes_is_read_back_with_the_right_dialect(table, delimiter, end, encoding, size, step):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    names = [f"c{j}" for j in range(len(table[0]))]
    writer.writerows([names, *table])
    data = text.getvalue().encode(encoding)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks_module, "BLOCK_SIZE", size)
        found = rows(
            [data[i : i + step] for i in range(0, len(data), step)],
            dict.fromkeys(names, "string"),
            delimiter=delimiter,
            header=True,
            quote='"',
            encoding=encoding,
        )
    assert found == [[cell or None for cell in row] for row in table]


TEXT = st.lists(
    st.sampled_from(
        ["a", "1", "2.5", "-", "?", "NA", ",", ";", "\t", " ", '"', "'", "\n", "\r\n", "#", "é", "1/2/2024", "true"]
    ),
    max_size=60,
).map("".join)


@given(st.binary(max_size=200) | TEXT.map(str.encode) | TEXT.map(lambda text: text.encode("latin-1")))
def test_any_bytes_are_read_or_refused(data):
    try:
        found = reader([data[:20], data[20:]])
        blocks = list(found.blocks(found.schema))
    except nk.InvalidInputError:
        return
    assert sum(block.rows for block in blocks) > 0
    for block in blocks:
        assert set(block.number_names) | set(block.string_names) == set(found.schema)
        assert all(block.place(row).startswith("it, line ") for row in range(block.rows))
        assert all(block.codes[:, j].max(initial=-1) < len(values) for j, values in enumerate(block.values))
