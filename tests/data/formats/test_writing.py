"""Rows as record batches: in parts of bounded size, with the type of their numbers."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import novikoff as nk
from novikoff.data.formats import writing

X = np.array([[0.1, -0.0, 5e-324], [1e22, 2.0, -1.7976931348623157e308], [0.0, 1 / 3, 123456789.125]])


def assert_bits(one, other):
    assert one.dtype == other.dtype
    assert one.tobytes() == other.tobytes()


def test_rows_of_parquet_lie_in_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MAX_ENTRIES", 30)
    rows = np.arange(75.0).reshape(25, 3)
    nk.write((rows, np.zeros(25, int)), tmp_path / "rows.parquet")
    assert pa.parquet.ParquetFile(tmp_path / "rows.parquet").num_row_groups == 3
    assert_bits(nk.read(tmp_path / "rows.parquet").X, rows)


def test_float32_stays_in_parquet_and_keeps_its_value_in_text(tmp_path):
    rows = X[:, :2].astype(np.float32)
    nk.write((rows, [1, 2, 3]), tmp_path / "rows.parquet")
    assert_bits(nk.read(tmp_path / "rows.parquet").X, rows)
    for ending in ("csv", "ndjson"):
        nk.write((rows, [1, 2, 3]), tmp_path / f"rows.{ending}")
        assert_bits(nk.read(tmp_path / f"rows.{ending}").X, rows.astype(np.float64))
