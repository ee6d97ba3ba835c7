"""Tables that come as text: however the blocks are cut, the rows are those of the whole."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.delimited import blocks as blocks_module
from novikoff.data.tables import text as text_tables
from novikoff.data.tables.cells import MISSING
from reference.tables import hashed, keys_of
from table_files import lines, whole

BITS = 8
CSV = {"delimiter": ",", "quote": '"', "header": True, "encoding": "utf-8", "decimal": "."}
fields = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=6).filter(
    lambda text: (
        text == text.strip() and text not in MISSING
    )  # CSV does not keep blanks and the words for missing values
)
numbers = st.floats(-100, 100, width=32)


@st.composite
def records(draw):
    """Rows of a number, two strings and a label; the first two can be mistaken for nothing else."""
    row = st.fixed_dictionaries({"x": numbers, "s": fields, "t": fields, "label": st.integers(0, 2)})
    first = [{"x": 1.5, "s": word, "t": word, "label": 1} for word in ("a word", "another one")]
    return [*first, *draw(st.lists(row, max_size=12))]


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


@given(records(), st.lists(st.integers(0, 40), max_size=20), st.sampled_from(["csv", "ndjson"]), st.integers(1, 9))
def test_blocks_of_any_size_give_the_rows_of_the_whole(rows, sizes, format, batch_size):
    data = {"csv": as_csv, "ndjson": as_ndjson}[format](rows)
    batches = list(lines(cut(data, [200, *sizes]), format, batch_size=batch_size, **CSV if format == "csv" else {}))
    X, y = whole(batches)
    features = [keys_of({name: row[name] for name in ("x", "s", "t")}) for row in rows]
    np.testing.assert_allclose(X, hashed(features, BITS), rtol=1e-12)
    np.testing.assert_array_equal(y, [row["label"] for row in rows])
    assert max(len(batch.y) for batch in batches) <= batch_size


def test_whole_numbers_at_first_and_others_later_are_all_numbers():
    X, _ = whole(lines([b"x,z,label\n1,,0\n", b"2.5,7,1\n", b"\n\n", b"1e3,,1\n"], missing="zero"))
    np.testing.assert_array_equal(X, [[1, 0], [2.5, 7], [1000, 0]])


def test_a_record_longer_than_the_part_of_a_thread_is_read(monkeypatch):
    monkeypatch.setattr(text_tables, "THREAD_SIZE", 64)
    long = "a\\n" * 200
    labels = [0, *([1, 2] * 20)]
    data = "".join(f'{{"s": "{"b" if label == 1 else long}", "label": {label}}}\n' for label in labels)
    X, y = whole(lines(data.encode(), "ndjson"))
    assert y.tolist() == labels
    np.testing.assert_array_equal(X, X[np.array(labels)])


def test_a_record_of_many_lines_is_read():
    long = '"' + "a\n" * 200 + '"'
    data = f"s,label\n{long},0\n" + f"b,1\n{long},2\n" * 20
    X, y = whole(lines(data.encode()))
    assert y.tolist() == [0, *([1, 2] * 20)]
    np.testing.assert_array_equal(X, X[np.array([0, *([1, 2] * 20)])])


def test_a_number_among_booleans_is_refused_with_its_line():
    with pytest.raises(
        nk.InvalidInputError, match=r"^it, line 3: column 'x' must hold .*, but there is '2'\. Use na= "
    ):
        list(lines([b"x,label\ntrue,0\n", b"2,0\n"]))


def test_lines_are_known_also_where_batches_are_larger_than_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 64)
    path = tmp_path / "t.csv"
    path.write_text("x,label\n" + "1,0\n" * 1000 + "inf,0\n" + "1,0\n" * 500)
    for batch_size in (1, 10, 700, 5000):
        with pytest.raises(nk.InvalidInputError, match=r"t\.csv, line 1002: .*but there is 'inf'"):
            list(nk.scan(path, target="label", batch_size=batch_size))


def test_types_are_those_of_arrow(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("b,x,label\ntrue,1,yes\nfalse,2,no\n")
    frame = pa.table({"b": [True, False], "x": [1, 2], "label": ["yes", "no"]})
    for a, b in zip(whole(nk.scan(path, target=None)), whole(nk.scan(frame, target=None)), strict=True):
        np.testing.assert_array_equal(a, b)
