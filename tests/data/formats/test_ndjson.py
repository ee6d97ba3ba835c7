"""NDJSON: objects by lines, and sparse rows without their zeros."""

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
