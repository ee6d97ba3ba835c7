"""NDJSON: objects by lines, and sparse rows without their zeros."""

import json

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.tables import text as text_tables
from reference.tables import hashed
from table_files import lines, whole

BITS = 8


def test_an_empty_string_in_json_is_a_string():
    data = b'{"s": "", "label": 0}\n{"s": null, "label": 1}\n{"label": 1}\n'
    X, _ = whole(lines(data, "ndjson", missing="indicator"))
    np.testing.assert_array_equal(X, hashed([{"s=": 1}, {"s=missing": 1}, {"s=missing": 1}], BITS))


def test_other_keys_are_ignored_if_features_are_listed():
    X, y = whole(lines([b'{"x": 1, "label": 0}\n', b'{"x": 2, "q": [1], "label": 1}\n'], "ndjson", features=["x"]))
    assert (X.ravel().tolist(), y.tolist()) == ([1, 2], [0, 1])


def test_keys_that_the_first_lines_lack_are_ignored(monkeypatch):
    monkeypatch.setattr(text_tables, "BLOCK_SIZE", 30)
    X, y = whole(lines([b'{"x": 1, "label": 0}\n', b'{"x": 2, "q": "new", "label": 1}\n'], "ndjson"))
    assert (X.ravel().tolist(), y.tolist()) == ([1, 2], [0, 1])


def test_ndjson_of_sparse_rows_names_all_columns_once(tmp_path):
    text = b"1 3:0.5\n-1 2:1e-3\n1\n"
    nk.write(nk.scan(text, n_features=4), tmp_path / "rows.ndjson")
    lines = (tmp_path / "rows.ndjson").read_text().splitlines()
    assert lines[0] == '{"label": 1, "x1": 0.0, "x2": 0.0, "x3": 0.5, "x4": 0.0}'
    assert lines[1:] == ['{"label": -1, "x2": 0.001}', '{"label": 1}']
    batch = nk.read(tmp_path / "rows.ndjson", missing="zero")
    assert batch.feature_names == ("x1", "x2", "x3", "x4")
    assert batch.X.tolist() == [[0, 0, 0.5, 0], [0, 0.001, 0, 0], [0, 0, 0, 0]]
    with pytest.raises(nk.InvalidInputError, match='missing="zero"'):
        nk.read(tmp_path / "rows.ndjson")


GOOD = b'{"x": 1, "label": 0}\n{"x": 2, "label": 1}\n'
HOSTILE = {
    "null": (b"null\n", r"line 1: the line must be an object .* but it is 'null' \(this is not an object\)"),
    "null without line end": (b"null", r"line 1: .*'null'"),
    "rows and null": (GOOD + b"null\n", r"line 3: .*'null'"),
    "rows and null without line end": (GOOD + b"null", r"line 3: .*'null'"),
    "lists in lists": (
        GOOD + b'{"x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}\n",
        r"line 3: .*\(.* nested too deeply\)",
    ),
    "objects in objects": (b'{"x": ' * 20_000 + b"1" + b"}" * 20_000, r"line 1: .*\(.* nested too deeply\)"),
    "open lists": (GOOD + b'\n{"x": ' + b"[" * 200_000, r"line 4: .*\(.* nested too deeply\)"),
    "open object": (GOOD + b'{"x": 1\n\n', r"line 3: .*\(an object is not closed\)"),
    "open string": (b'{"x": "1}\n' + GOOD, r"line 1: .*\(there is a control character in a string, or .* not closed\)"),
    "zero byte": (GOOD + b'{"x":\0 1}\n', r"line 3: .*\(there is a character outside of a string\)"),
    "name not UTF-8": (b'{"\xff": 1}\n', r"line 1: the text must be UTF-8, but there is the byte 0xff\."),
    "overlong UTF-8": (GOOD + b'{"x": 1, "s": "\xc0\x80"}\n', r"line 3: the text must be UTF-8, .* 0xc0\."),
    "half a surrogate pair": (b'{"x": "\\ud800"}\n', r"line 1: .*surrogate"),
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("suffix", [".ndjson", ".json"])
def test_lines_that_end_the_process_in_arrow_are_refused(tmp_path, case, suffix):
    data, message = HOSTILE[case]
    path = tmp_path / f"t{suffix}"
    path.write_bytes(data)
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        nk.read(path, format="ndjson")
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 500


def test_objects_may_share_a_line_and_may_have_several(tmp_path):
    path = tmp_path / "t.ndjson"
    path.write_bytes(b'\xef\xbb\xbf{"x": 1, "label": 0} {"x": 2, "label": 1}\n\n{"x":\n3,\n"label": 1}\n{"x": 4}\n')
    with pytest.raises(nk.InvalidInputError, match=r"t\.ndjson, line 6: .* no value"):
        nk.read(path)
    path.write_bytes(path.read_bytes().replace(b'{"x": 4}', b""))
    assert nk.read(path).X.ravel().tolist() == [1, 2, 3]


def test_memory_for_absent_keys_is_bounded_by_the_size_of_the_text(tmp_path):
    path = tmp_path / "t.ndjson"
    path.write_text("".join(f'{{"k{i}": 1, "label": {i % 2}}}\n' for i in range(60_000)))
    with pytest.raises(nk.InvalidInputError, match=r"60,000 rows have 60,001 different columns, and almost all"):
        nk.read(path, missing="zero")


def test_wide_rows_are_parsed_in_parts_with_the_kinds_of_all(tmp_path, monkeypatch):
    rows = [{"a": 1}, {"b": None, "c": "2024-01-01"}, {"a": 2.5, "b": 3}, {"c": "word", "d": True}]
    path = tmp_path / "t.ndjson"
    path.write_text("".join(json.dumps({"label": i % 2, **row}) + "\n" for i, row in enumerate(rows)))
    expected = nk.read(path, missing="mean")
    monkeypatch.setattr(text_tables, "MAX_CELLS", 6)
    found = nk.read(path, missing="mean")
    assert found.columns == expected.columns
    assert found.feature_names == expected.feature_names
    np.testing.assert_array_equal(found.X.toarray(), expected.X.toarray())
    path.write_text('{"a": 1, "label": 0}\n{"a": "b", "label": 0}\n')
    monkeypatch.setattr(text_tables, "MAX_CELLS", 2)
    with pytest.raises(nk.InvalidInputError, match=r"line 1: column 'a' holds int64 .* but string in the rows"):
        nk.read(path)
