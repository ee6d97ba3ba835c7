"""CSV and TSV as formats: which files they are, how they are read, and how they are written."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.formats import FORMATS
from novikoff.data.source import opened


def reader(text, format="csv", **options):
    return FORMATS[format].reader("scan", "it", opened("scan", text), options, 0)


def test_csv_may_have_any_delimiter_and_tsv_prefers_tabs():
    assert reader(b"a;b\n1,5;2\n").note == ";-separated, header, decimal comma"
    text = b"a\tb,c,d\nu\tx,y,z\nv\tx,y,z\n"
    assert reader(text).dialect.delimiter == ","
    assert reader(text, "tsv").dialect.delimiter == "\t"


def test_options_of_the_dialect_are_passed_on():
    found = reader(b"a;b\n1;?\n2;x\n", header=False, names=["p", "q"], na=["x"])
    assert (found.dialect.names, found.dialect.header) == (("p", "q"), False)
    assert "x" in found.dialect.missing
    assert reader(b"a;b\n1;2\n", dialect=DialectOptions(delimiter="|")).dialect.delimiter == "|"


def test_expected_names_are_those_of_columns_without_a_header():
    assert list(reader(b"1,2\n3,4\n", expected=["p", "q"]).schema) == ["p", "q"]
    assert list(reader(b"1,2\n3,4\n", expected=["p", "q", "label"], label="label").schema) == ["p", "q"]


def test_fields_of_tsv_may_have_quotes_that_surround_nothing(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('label\tjob\tage\nham\t"he said\t1\nspam\t5" pipe, new\t2\n')
    found = reader(path.read_bytes(), "tsv")
    (block,) = found.blocks(found.schema)
    assert block.values == (["ham", "spam"], ['"he said', '5" pipe, new'])


def test_windows_line_ends_and_a_byte_order_mark_are_ignored():
    X, y = nk.read(b"\xef\xbb\xbfx,label\r\n1,a\r\n2,b\r\n", format="csv")
    assert (np.asarray(X).shape[0], y.tolist()) == (2, ["a", "b"])


@pytest.mark.parametrize("word", ["", "NA", "None", "n/a", "#N/A", "<NA>", "null", "?", " ?", "nan"])
def test_words_for_missing_values_are_missing(word):
    found = reader(f"age,job,label\n31,cook,0\n{word},{word},1\n45,clerk,0\n".encode())
    assert found.schema["age"] == "number"
    (block,) = found.blocks(found.schema)
    assert np.isnan(block.numbers[1, 0])
    assert block.codes[:, 0].tolist() == [0, -1, 1]


def test_what_is_missing_depends_on_the_column():
    found = reader(b"x,s,label\n1,none,0\n2,cook,0\nNA,,1\nnone,clerk,1\n")
    (block,) = found.blocks({"x": "number", "s": "string"})
    assert np.isnan(block.numbers[:, 0]).tolist() == [False, False, True, True]
    assert block.codes[:, 0].tolist() == [0, 1, -1, 2]
    assert found.invalid == {}


def test_the_row_that_is_written_is_read():
    cells = {"x": "a", "y z": "b,c", 'q"': "5\n6", "w": ""}
    (header, row) = csv.reader(io.StringIO(FORMATS["csv"].one_row(cells).decode()))
    assert dict(zip(header, row, strict=True)) == cells


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        (b"a,b\n1,2\n", True),
        (b"a,b\n1,2\n3", True),  # the last line may be cut
        (b"1 1:0.5 2:1\n", False),
        (b'{"a": 1, "b": 2}\n', False),
        (b"word\n", False),
        (b"\x00,\x01\n", False),
        (b"", False),
    ],
)
def test_text_with_a_delimiter_is_recognised(text, is_table):
    assert FORMATS["csv"].recognizes(text) == is_table


LABELS = st.lists(st.text('ab",;\né ', min_size=1, max_size=5).map(str.strip).filter(bool), min_size=2, max_size=6)


@given(LABELS)
def test_labels_that_are_written_are_read_back(labels):
    X, file = np.arange(len(labels), dtype=float)[:, None], io.BytesIO()
    nk.write((X, np.array(labels)), file, format="csv")
    rows = list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))
    assert rows[0] == ["label", "x1"]
    assert [row[0] for row in rows[1:]] == labels
    assert nk.read(file.getvalue(), format="csv", delimiter=",").y.tolist() == labels


def test_quotation_marks_in_texts_with_tabs_are_read_as_text():
    lines = ["label\tmessage", 'ham\t"see you', "spam\twin now", "ham\tfine", 'ham\tbye"', 'spam\t5" screen']
    batch = nk.read("\n".join(lines).encode(), text="message")
    assert batch.y.tolist() == ["ham", "spam", "ham", "ham", "spam"]
