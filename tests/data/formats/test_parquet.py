"""Parquet: files that agree, and bounded memory over large ones."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nk
from memory import run_alone
from novikoff.data.formats.parquet import PARQUET, row_groups
from table_files import rows


def test_a_parquet_file_with_other_types_than_the_first_is_converted(tmp_path):
    for i, x in enumerate([[1, 2], ["3", " 4.5"], pa.array([7, 8], pa.uint8())]):
        pyarrow.parquet.write_table(pa.table({"x": x, "label": [0, 1]}), tmp_path / f"{i}.parquet")
    X, y = rows(str(tmp_path / "*.parquet"))
    assert X.ravel().tolist() == [1, 2, 3, 4.5, 7, 8]
    assert y.tolist() == [0, 1] * 3
    pyarrow.parquet.write_table(pa.table({"x": ["5", "a"], "label": [0, 1]}), tmp_path / "3.parquet")
    with pytest.raises(nk.InvalidInputError, match=r"3\.parquet, row 1: column 'x' must hold numbers, .* 'a'"):
        rows(str(tmp_path / "*.parquet"))


def test_row_groups_have_their_rows_and_are_read_alone(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"x": np.arange(25.0), "label": [0, 1] * 12 + [0]}), path, row_group_size=10)
    assert [count for count, _ in row_groups("test", str(path))] == [10, 10, 5]
    assert all(size > 0 for _, size in row_groups("test", str(path)))
    reader = PARQUET.open_pass("test", str(path), {"row_group": 1}, 4, False)
    blocks = list(reader.blocks({"x": "number"}))
    assert np.concatenate([block.numbers for block in blocks]).ravel().tolist() == list(range(10, 20))
    assert blocks[1].place(3) == f"{path}, row group 1, row 7"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(nk.InvalidInputError, match="not a readable Parquet file"):
        row_groups("test", str(path))


SCAN = """
import sys
import pyarrow.parquet, duckdb, numpy, scipy.sparse
import novikoff as nk
list(nk.scan(sys.argv[1], target="y"))  # a small one, so that everything is imported
before = peak()
rows = sum(len(batch.y) for batch in nk.scan(sys.argv[2], target="y"))
print(rows, peak() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("row_group_size", [50_000, 10**9])
def test_memory_stays_bounded_over_a_large_file(tmp_path, row_group_size):
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=1_250_000) for i in range(20)}
    table = pa.table({**columns, "y": rng.integers(0, 2, 1_250_000)})
    large, small = tmp_path / "large.parquet", tmp_path / "small.parquet"
    pyarrow.parquet.write_table(table, large, row_group_size=row_group_size, compression="none", use_dictionary=False)
    pyarrow.parquet.write_table(table.slice(0, 10), small)
    assert large.stat().st_size > 190 << 20
    found, beyond = run_alone(SCAN, small, large)
    assert found == 1_250_000
    assert beyond < 150 << 20
