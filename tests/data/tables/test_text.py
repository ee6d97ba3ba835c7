"""Tables that come as text: however the blocks are cut, the rows are those of the whole."""

import csv
import io
import json
from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.formats import FORMATS
from novikoff.data.hashing import Hashing
from novikoff.data.source import Joined
from novikoff.data.tables import table as tables
from novikoff.data.tables import text as text_tables
from reference.tables import hashed, keys_of

BITS = 8
fields = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=6)
numbers = st.floats(-100, 100, width=32)


@st.composite
def records(draw):
    """Rows of a number, two strings and a label; the first can be mistaken for nothing else."""
    row = st.fixed_dictionaries({"x": numbers, "s": fields, "t": fields, "label": st.integers(0, 2)})
    return [{"x": 1.5, "s": "a word", "t": "a word", "label": 1}, *draw(st.lists(row, max_size=12))]


def as_csv(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_ndjson(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def cut(data, sizes):
    """The data in chunks of the sizes given."""
    chunks, start = [], 0
    for size in sizes:
        chunks.append(data[start : start + size])
        start += size
    return [*chunks, data[start:]]


def arriving(chunks, format):
    """A reader of text that arrives in chunks, with a wait after each."""
    fill = Joined(chunk for part in chunks for chunk in (part, b"")).fill
    return FORMATS[format].reader("scan", "it", nullcontext(fill), 0)


def whole(batches):
    batches = list(batches)
    X = np.vstack([b.X.toarray() if sp.issparse(b.X) else b.X for b in batches])
    return X, np.concatenate([b.y for b in batches])


def lines(chunks, format="csv", **options):
    """Batches of text that arrives in chunks, as from a pipe."""
    chunks = [chunks] if isinstance(chunks, bytes) else chunks
    options = {"target": "label", "hashing": Hashing(n_bits=BITS)} | options
    with pytest.MonkeyPatch.context() as patch:
        fill = Joined(chunk for part in chunks for chunk in (part, b"")).fill
        patch.setattr(tables, "opened", lambda *_, **__: nullcontext(fill))
        patch.setattr(tables, "name_of", lambda _: "it")
        yield from nk.scan(io.BytesIO(), format=format, **options)


@given(records(), st.lists(st.integers(0, 40), max_size=20), st.sampled_from(["csv", "ndjson"]), st.integers(1, 9))
def test_blocks_of_any_size_give_the_rows_of_the_whole(rows, sizes, format, batch_size):
    data = {"csv": as_csv, "ndjson": as_ndjson}[format](rows)
    batches = list(lines(cut(data, [200, *sizes]), format, batch_size=batch_size))
    X, y = whole(batches)
    features = [keys_of({name: row[name] for name in ("x", "s", "t")}) for row in rows]
    np.testing.assert_allclose(X, hashed(features, BITS), rtol=1e-12)
    np.testing.assert_array_equal(y, [row["label"] for row in rows])
    assert max(len(batch.y) for batch in batches) <= batch_size


@given(rows=records())
def test_lines_are_read_as_files_are(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("lines") / "t.csv"
    path.write_bytes(as_csv(rows))
    for a, b in zip(
        whole(lines(as_csv(rows))),
        whole(nk.scan(path, target="label", hashing=Hashing(n_bits=BITS))),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


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


def test_rows_come_as_their_blocks_do():
    def blocks():
        yield b"x,label\n"
        assert taken == []
        yield b"1,0\n"
        assert taken == [0]
        yield b"2,1\n3,2"
        assert taken == [0, 1]  # the last line may go on

    taken = []
    for batch in lines(blocks()):
        taken += batch.y.tolist()
        assert batch.feature_names == ("x",)
    assert taken == [0, 1, 2]


def test_whole_numbers_at_first_and_others_later_are_all_numbers():
    X, _ = whole(lines([b"x,z,label\n1,,0\n", b"2.5,7,1\n", b"\n\n", b"1e3,,1\n"], missing="zero"))
    np.testing.assert_array_equal(X, [[1, 0], [2.5, 7], [1000, 0]])


def test_what_is_missing_in_csv_depends_on_the_column():
    data = b"x,s,body,label\n1,NA,,0\nNA,,null,1\nnan,clerk,a word,1\n"
    X, _ = whole(lines(data, missing="indicator", text="body"))
    expected = [
        {"x": 1, "s=NA": 1},
        {"x=missing": 1, "s=missing": 1, "null": 1},
        {"x=missing": 1, "s=clerk": 1, "word": 1},
    ]
    np.testing.assert_array_equal(X, hashed(expected, BITS))


def test_an_empty_string_in_json_is_a_string():
    data = b'{"s": "", "label": 0}\n{"s": null, "label": 1}\n{"label": 1}\n'
    X, _ = whole(lines(data, "ndjson", missing="indicator"))
    np.testing.assert_array_equal(X, hashed([{"s=": 1}, {"s=missing": 1}, {"s=missing": 1}], BITS))


def test_other_keys_are_ignored_if_features_are_listed():
    X, y = whole(lines([b'{"x": 1, "label": 0}\n', b'{"x": 2, "q": [1], "label": 1}\n'], "ndjson", features=["x"]))
    assert (X.ravel().tolist(), y.tolist()) == ([1, 2], [0, 1])


def test_windows_line_ends_and_a_byte_order_mark_are_ignored():
    X, y = whole(lines([b"\xef\xbb\xbfx,label\r\n1,a\r\n", b"2,b\r\n"]))
    assert (X.ravel().tolist(), y.tolist()) == ([1, 2], ["a", "b"])


def test_a_record_longer_than_the_part_of_a_thread_is_read(monkeypatch):
    monkeypatch.setattr(text_tables, "THREAD_SIZE", 64)
    long = '"' + "a\n" * 200 + '"'
    data = f"s,label\n{long},0\n" + f"b,1\n{long},2\n" * 20
    X, y = whole(lines(data.encode()))
    assert y.tolist() == [0, *([1, 2] * 20)]
    np.testing.assert_array_equal(X, X[np.array([0, *([1, 2] * 20)])])


def test_quotes_that_are_never_closed_end_in_an_error(monkeypatch):
    monkeypatch.setattr(text_tables, "MAX_RECORD_LENGTH", 1000)
    monkeypatch.setattr(text_tables, "BLOCK_SIZE", 100)
    message = "it, line 3: the record is longer than 1000 bytes, or a quote is never closed"
    with pytest.raises(nk.InvalidInputError, match=message):
        list(lines([b'x,label\n1,a\n2,"a', *([b"bc\n"] * 1000)]))


REFUSED = {
    "nothing": ([], "csv", r"^it: the file is empty\.$"),
    "header only": ([b"x,label\n", b"\n"], "csv", r"^it: the table has no rows\.$"),
    "word": (
        [b"x,label\n1,0\n2,0\n", b"3,0\n\nmany,0\n"],
        "csv",
        r"^it, line 6: column 'x' must hold a number, .* 'many'\.$",
    ),
    "ragged": ([b"x,label\n1,0\n", b"3,0\n4\n"], "csv", r"^it, line 4: the line must have 2 fields, but it has 1\.$"),
    "boolean": ([b"x,label\ntrue,0\n", b"2,0\n"], "csv", r"^it, line 3: column 'x' must hold a boolean, .* '2'\.$"),
    "infinity": (
        [b'x,s,label\n1,"\n",0\n', b'3,"\n",0\ninf,b,0\n'],
        "csv",
        r"^it, line 6: numbers in column 'x' must be finite, but there is inf\.$",
    ),
    "no utf-8": (
        [b"x,label\n1,a\n", b"3,b\n4,\xff\n"],
        "csv",
        r"^it, line 4: the text must be UTF-8, but there is the byte 0xff\.$",
    ),
    "object": (
        [b'{"x":1,"label":0}\n', b'{"x":1,"label":0}\n{"x":"a"}\n'],
        "ndjson",
        r"^it, line 3: the line must be an object.*\(Column",
    ),
    "no json": (
        [b'{"x":1,"label":0}\n', b"\n1,2\n"],
        "ndjson",
        r"^it, line 3: the line must be an object.* but it is '1,2'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_record_is_refused_with_its_line(case):
    blocks, format, message = REFUSED[case]
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        list(lines(blocks, format))
    assert "\n" not in str(refusal.value)


def test_lines_are_known_also_where_batches_are_larger_than_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(text_tables, "BLOCK_SIZE", 64)
    path = tmp_path / "t.csv"
    path.write_text("x,label\n" + "1,0\n" * 1000 + "inf,0\n" + "1,0\n" * 500)
    for batch_size in (1, 10, 700, 5000):
        with pytest.raises(nk.InvalidInputError, match=r"t\.csv, line 1002: .*but there is inf"):
            list(nk.scan(path, target="label", batch_size=batch_size))


def test_types_are_those_of_arrow(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("b,x,label\ntrue,1,yes\nfalse,2,no\n")
    frame = pa.table({"b": [True, False], "x": [1, 2], "label": ["yes", "no"]})
    for a, b in zip(whole(nk.scan(path, target=None)), whole(nk.scan(frame, target=None)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_fields_of_tsv_are_separated_by_tabs_and_have_no_quotes(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('label\tjob\tage\nham\t"he said\t1\nspam\t5" pipe, new\t2\n')
    frame = pa.table({"job": ['"he said', '5" pipe, new'], "age": [1, 2], "label": ["ham", "spam"]})
    for a, b in zip(whole(nk.scan(path)), whole(nk.scan(frame)), strict=True):
        np.testing.assert_array_equal(a, b)
