"""CSV and TSV: quotes, missing values and the ends of records."""

import csv
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.tables import text as text_tables
from reference.tables import hashed
from table_files import arriving, lines, whole

BITS = 8


@given(st.lists(st.lists(st.text('ab",\n\t', max_size=4), min_size=2, max_size=2), min_size=1, max_size=6), st.data())
def test_the_last_record_end_is_the_end_of_a_record(rows, data):
    text, ends = io.StringIO(), [0]
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        ends.append(text.tell())
    at = data.draw(st.integers(0, ends[-1]))
    block = text.getvalue().encode()[:at]
    assert arriving([b"a\n1\n"], "csv").last_record_end(block) == max(end for end in ends if end <= at)


@pytest.mark.parametrize(
    ("block", "format", "end"),
    [
        (b"", "csv", 0),
        (b"a,b", "csv", 0),
        (b"a,b\nc", "csv", 4),
        (b'a,"b\nc', "csv", 0),
        (b'a,"b\n"\nc', "csv", 7),
        (b'5" pipe,1\n6" pipe,2\n', "csv", 20),
        (b'a,""\n"', "csv", 5),
        (b'a,""""\n"""\n', "csv", 7),
        (b'a\t"b\nc', "tsv", 5),
        (b'{"a": "b\\n"}\n{"a"', "ndjson", 13),
    ],
)
def test_quotes_count_in_csv_and_only_where_a_field_begins(block, format, end):
    first = b'{"a": 1}\n' if format == "ndjson" else b"a\n1\n"
    assert arriving([first], format).last_record_end(block) == end


def test_what_is_missing_in_csv_depends_on_the_column():
    data = b"x,s,body,label\n1,NA,,0\nNA,,null,1\nnan,clerk,a word,1\n"
    X, _ = whole(lines(data, missing="indicator", text="body"))
    expected = [
        {"x": 1, "s=NA": 1},
        {"x=missing": 1, "s=missing": 1, "null": 1},
        {"x=missing": 1, "s=clerk": 1, "word": 1},
    ]
    np.testing.assert_array_equal(X, hashed(expected, BITS))


def test_windows_line_ends_and_a_byte_order_mark_are_ignored():
    X, y = whole(lines([b"\xef\xbb\xbfx,label\r\n1,a\r\n", b"2,b\r\n"]))
    assert (X.ravel().tolist(), y.tolist()) == ([1, 2], ["a", "b"])


def test_quotes_that_are_never_closed_end_in_an_error(monkeypatch):
    monkeypatch.setattr(text_tables, "MAX_RECORD_LENGTH", 1000)
    monkeypatch.setattr(text_tables, "BLOCK_SIZE", 100)
    message = "it, line 3: the record is longer than 1000 bytes, or a quote is never closed"
    with pytest.raises(nk.InvalidInputError, match=message):
        list(lines([b'x,label\n1,a\n2,"a', *([b"bc\n"] * 1000)]))


def test_fields_of_tsv_are_separated_by_tabs_and_have_no_quotes(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('label\tjob\tage\nham\t"he said\t1\nspam\t5" pipe, new\t2\n')
    frame = pa.table({"job": ['"he said', '5" pipe, new'], "age": [1, 2], "label": ["ham", "spam"]})
    for a, b in zip(whole(nk.scan(path)), whole(nk.scan(frame)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("word", ["", "NA", "None", "n/a", "#N/A", "<NA>", "null"])
def test_what_pandas_takes_for_missing_in_a_column_of_numbers_is_missing(word):
    X, _ = nk.read(f"age,label\n31,0\n{word},1\n45,0\n".encode(), format="csv", missing="zero")
    assert X.tolist() == [[31.0], [0.0], [45.0]]
