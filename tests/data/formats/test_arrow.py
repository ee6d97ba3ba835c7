"""Arrow's IPC format: files and streams, with any number of record batches."""

import pyarrow as pa
import pytest

import novikoff as nk
from table_files import FRAME, assert_same, rows


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream], ids=["file", "stream"])
@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_files_and_streams_are_told_apart_by_their_content(tmp_path, new, chunk):
    path = tmp_path / "t.arrow"
    with new(path, FRAME.schema) as writer:
        writer.write_table(FRAME, max_chunksize=chunk)
    assert_same(rows(path), rows(FRAME))


def test_a_written_file_has_a_column_per_feature(tmp_path):
    nk.write(([[1.0, 2.0]], ["dog"]), tmp_path / "t.arrow")
    with pa.ipc.open_file(tmp_path / "t.arrow") as file:
        assert file.read_all().to_pylist() == [{"label": "dog", "x1": 1.0, "x2": 2.0}]
