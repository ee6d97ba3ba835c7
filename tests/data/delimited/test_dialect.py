"""Dialects of delimited text: found by content, or given."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.delimited.dialect import Dialect, DialectOptions, sniff
from real_data import real


def found(text, expected=None, preferred=None, **options):
    data = text.encode() if isinstance(text, str) else text
    return sniff("scan", "it", data, DialectOptions(**options), expected, preferred).dialect


# ---- what is found ---------------------------------------------------------------------------------------------------

NAMES_3 = ("x1", "x2", "x3")
PANEL = {
    "commas": ("a,b\n1,2\n3,4\n", "comma-separated, header", ("a", "b")),
    "semicolons": ("a;b\n1;x\n3;y\n", ";-separated, header", ("a", "b")),
    "tabs": ("a\tb\n1\tx, y\n3\ty\n", "tab-separated, header", ("a", "b")),
    "pipes": ("a|b\n1|x\n3|y\n", "|-separated, header", ("a", "b")),
    "blanks": (" a  b\n 1  2\n13  4\n", "blank-separated, header", ("a", "b")),
    "no header": ("1,x\n2,y\n3,x\n", "comma-separated, no header", ("x1", "x2")),
    "latin-1": ("stra\xdfe;n\nx;1\n".encode("latin-1"), ";-separated, header, latin-1", ("straße", "n")),
    "cp1252": ("price in €,n\nx,1\n".encode("cp1252"), "comma-separated, header, cp1252", ("price in €", "n")),
    "BOM": ("a,b\n1,2\n".encode("utf-8-sig"), "comma-separated, header", ("a", "b")),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), "comma-separated, header, utf-16", ("a", "b")),
    "Windows": ("a,b\r\n1,2\r\n3,4\r\n", "comma-separated, header", ("a", "b")),
    "old Mac": ("a,b\r1,2\r3,4\r", "comma-separated, header", ("a", "b")),
    "marks for missing values": ("a, b\n1, ?\n ?, x\n3, NA\n", "comma-separated, header, missing: ?, NA", ("a", "b")),
    "dashes": ("a,b\n1,-\n2,-\n-,x\n", "comma-separated, header, missing: -", ("a", "b")),
    "dashes alone": ("a,b\n1,-\n2,-\n", "comma-separated, header", ("a", "b")),
    "decimal comma": ("a;b\n1,5;2\n2,5;3\n", ";-separated, header, decimal comma", ("a", "b")),
    "thousands": ('a,b\n"1,234",2\n"2,345",3\n', "comma-separated, header, thousands as 1,234", ("a", "b")),
    "spaces in names": (
        "class label,sepal length\nIris setosa,5\n",
        "comma-separated, header",
        ("class label", "sepal length"),
    ),
    "quoted newlines": ('a,"b\nc"\n1,"x\ny"\n2,z\n', "comma-separated, header", ("a", "b\nc")),
    "apostrophes": ("'a','b'\n'x, y','1'\n'z','2'\n", "comma-separated, header, quoted by '", ("a", "b")),
    "dates": ("when,b\n25/12/2024,1\n01/02/2024,2\n", "comma-separated, header, day before month", ("when", "b")),
    "one column": ("a\n1\n2\n", "one column, header", ("a",)),
    "one row": ("1,2,x\n", "comma-separated, no header", ("x1", "x2", "x3")),
    "header only": ("a,b,c\n", "comma-separated, header", ("a", "b", "c")),
    "names of rows": ("a,b\nr1,1,2\nr2,3,4\n", "comma-separated, header", ("row", "a", "b")),
    "trailing delimiter": ("a,b,\n1,2,\n3,4,\n", "comma-separated, header", ("a", "b")),
    "trailing delimiter of values": ("a,b\n1,2,\n3,4,\n", "comma-separated, header", ("a", "b")),
    "trailing delimiter of the header": ("a,b,\n1,2\n3,4\n", "comma-separated, header", ("a", "b")),
    "repeated and empty names": ("a,a,,b\n1,2,3,4\n", "comma-separated, header", ("a", "a.2", "x3", "b")),
    "comments": ("# from a machine\n\na,b\n1,2\n", "comma-separated, header, 2 lines skipped", ("a", "b")),
    "a title": ("About flowers\n\na,b,c\n1,2,x\n", "comma-separated, header, 2 lines skipped", ("a", "b", "c")),
    "adult.test": (
        "|1x3 Cross validator\n25, a, x.\n38, b, y.\n",
        "comma-separated, no header, 1 line skipped",
        NAMES_3,
    ),
    "a marked header": ("# by numpy\n# a,b\n1,2\n", "comma-separated, header, 1 line skipped", ("a", "b")),
    "hashtags": ("#a,1\n#b,2\n#c,3\n", "comma-separated, no header", ("x1", "x2")),
    "Excel": ("sep=;\na;b\n1,5;2\n", ";-separated, header, decimal comma, 1 line skipped", ("a", "b")),
    "without last line end": ("a,b\n1,2", "comma-separated, header", ("a", "b")),
}


@pytest.mark.parametrize("case", PANEL)
def test_the_dialects_people_have_are_found(case):
    text, note, names = PANEL[case]
    dialect = found(text)
    assert dialect.note() == note
    assert dialect.names == names


@pytest.mark.parametrize(
    ("name", "note", "columns"),
    [
        ("raw/abalone.csv", "comma-separated, no header", 9),
        ("raw/auto_imports.csv", "comma-separated, no header, missing: ?", 26),
        ("raw/breast-cancer.csv", "comma-separated, no header, quoted by ', missing: nan", 10),
        ("raw/ionosphere.csv", "comma-separated, no header", 35),
        ("raw/oil-spill.csv", "comma-separated, no header", 50),
        ("raw/phoneme.csv", "comma-separated, no header", 6),
        ("raw/pima-indians-diabetes.csv", "comma-separated, no header", 9),
        ("raw/sonar.csv", "comma-separated, no header", 61),
        ("endometrial.csv", "comma-separated, header", 4),
        ("lizards.csv", "comma-separated, header", 6),
    ],
)
def test_real_files_are_understood(name, note, columns):
    dialect = found(real(name).read_bytes())
    assert (dialect.note(), len(dialect.names)) == (note, columns)


def test_the_lines_of_preamble_and_header_are_counted():
    dialect = found('# a comment\n"a\nb",c\n1,2\n')
    assert (dialect.skipped, dialect.header_lines) == (1, 2)
    assert found("1,2\n3,4\n").header_lines == 0


def test_a_code_such_as_minus_999_is_a_number():
    assert found("a,b\n-999,1\n2,-999\n").seen == ()


def test_expected_names_tell_a_header_from_values():
    assert found("red,blue\ngreen,red\n", expected=["red", "blue"]).header
    assert not found("red,blue\ngreen,yellow\n", expected=["front", "back"]).header


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it: the file is empty."),
        (" \n\r\n", "it: the file is empty."),
        (b"\x7fELF\x00\x01", "it: the file is not text: it has a zero byte."),
        ("sep=;\n", "it: the table has no rows."),
    ],
)
def test_what_is_not_a_table_is_refused(text, message):
    with pytest.raises(nk.InvalidInputError, match=f"^{message}"):
        found(text)


@given(st.binary(max_size=300))
def test_any_bytes_are_understood_or_refused(data):
    try:
        dialect = found(data)
    except nk.InvalidInputError:
        return
    assert len(set(dialect.names)) == len(dialect.names) > 0
    assert dialect.note()


# ---- what is given ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["semicolon", ";", "SEMICOLON"])
def test_delimiters_have_names(word):
    assert found("a,b;c\n1,2;3\n", delimiter=word).names == ("a,b", "c")


def test_options_replace_what_would_be_found():
    assert found("a,b\n1,2\n", header=False).names == ("x1", "x2")
    assert found("1,2\n3,4\n", header=True).names == ("1", "2")
    assert found("1,2\n3,4\n", names=["p", "q"]).names == ("p", "q")
    named = found("a,b\n1,2\n", names=["p", "q"])
    assert (named.names, named.header) == (("p", "q"), True)
    assert found("a;b\n1;2\n", decimal=",").decimal == ","
    assert found(b"\xe4;b\n1;2\n", encoding="cp1250").encoding == "cp1250"
    marked = found("a,b\nunknown,2\n-9,3\n", na=["unknown", "-9"])
    assert marked.seen == ("unknown", "-9")
    assert "?" in marked.missing
    assert found('a,b\n"1,2"\n', quote="").quote == ""
    assert found("a,b\n01/02/2024,2\n", day_first=True).day_first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "delimiter must be one ASCII character, or tab, comma, semicolon, space or pipe"),
        ({"delimiter": 5}, "delimiter must be one ASCII character"),
        ({"delimiter": "\n"}, "delimiter must be one ASCII character"),
        ({"delimiter": ";", "quote": ";"}, "delimiter and quote must differ"),
        ({"delimiter": ",", "decimal": ","}, "delimiter and decimal must differ"),
        ({"decimal": "!"}, "decimal must be"),
        ({"header": "yes"}, "header must be"),
        ({"names": 5}, "names must be a list of strings"),
        ({"names": ["a", "a"]}, "names must differ"),
        ({"na": [5]}, "na must be a list of strings"),
        *(({"encoding": unknown}, "encoding must be the name of a text") for unknown in ("klingon", 5, "base64")),
        ({"quote": "''"}, "quote must be one ASCII character"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        found("a,b\n1,2\n", **options)


def test_names_must_be_as_many_as_the_columns():
    with pytest.raises(nk.InvalidInputError, match="it: names= lists 3 columns, but the records have 2 fields"):
        found("a,b\n1,2\n", names=["p", "q", "r"])


def test_names_may_include_labels_that_the_text_lacks():
    options = DialectOptions(names=("p", "label", "q"), header=False)
    sniffed = sniff("scan", "it", b"1,2\n3,4\n", options, optional="label")
    assert sniffed.dialect.names == ("p", "q")


def test_the_note_says_what_is_unusual_only():
    plain = Dialect(",", '"', ".", "", "utf-8", True, ("a",), ())
    assert plain.note() == "comma-separated, header"
    assert plain.separated == "commas"
    odd = Dialect(";", "'", ",", ".", "latin-1", False, ("a",), ("?",), day_first=True, skipped=2, seen=("?",))
    note = ";-separated, no header, quoted by ', decimal comma, thousands as 1.234, day before month, latin-1"
    assert odd.note() == f"{note}, 2 lines skipped, missing: ?"


# ---- what Python writes ----------------------------------------------------------------------------------------------

WORDS = st.text("abc,;| \n\"'é", min_size=1, max_size=6).filter(lambda word: word == word.strip() != "")
ROWS = st.lists(st.tuples(WORDS, st.floats(-1e6, 1e6).map(repr), WORDS), min_size=5, max_size=12)


@given(ROWS, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
def test_what_python_writes_is_found_in_clear_cases(rows, delimiter, end):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["first", "second", "third"])
    writer.writerows([a, float(b), c] for a, b, c in rows)
    dialect = found(text.getvalue())
    assert dialect.delimiter == delimiter
    assert (dialect.quote, dialect.header, dialect.names) == ('"', True, ("first", "second", "third"))
