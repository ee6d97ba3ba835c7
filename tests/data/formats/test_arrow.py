"""Arrow's IPC format: files and streams, with any number of record batches."""

import numpy as np
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


def damaged(path, new, columns, old=b"", bytes_=b"", **options):
    """Write columns and a label, with some of the bytes replaced."""
    table = pa.table({**columns, "label": pa.array([0, 1, 1])})
    with new(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    assert data.count(old) >= 1
    path.write_bytes(data.replace(old, bytes_))
    return path


WORDS = pa.array(["one", "two", "three"])
OFFSETS = np.array([0, 3, 6, 11], np.int32)
DAMAGES = {
    "offsets past the end": (WORDS, OFFSETS, np.array([0, 3, 6, 2**30], np.int32), "are damaged"),
    "negative offsets": (WORDS, OFFSETS, np.array([0, 3, -6, 11], np.int32), "are damaged"),
    "offsets that descend": (WORDS, OFFSETS, np.array([0, 9, 6, 11], np.int32), "are damaged"),
    "string not UTF-8": (WORDS, b"onetwothree", b"onetw\xffthree", "are damaged: .*UTF8"),
    "code without a category": (
        WORDS.dictionary_encode(),
        np.array([0, 1, 2], np.int32),
        np.array([0, 1, 2**30], np.int32),
        "are damaged: .*indices invalid",
    ),
    "name not UTF-8": (
        {"q4qq": [1, 2, 3]},
        b"q4qq",
        b"q\xffqq",
        "the name of column 1, .* is not UTF-8",
    ),
    "name in a type": (
        {"x": [{"q4qq": 1}] * 3},
        b"q4qq",
        b"q\xffqq",
        "column 'x' of features must hold numbers|the name of column 1",
    ),
}


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream], ids=["file", "stream"])
@pytest.mark.parametrize("case", DAMAGES)
def test_a_damaged_file_is_refused(tmp_path, case, new):
    column, old, bytes_, message = DAMAGES[case]
    columns = column if isinstance(column, dict) else {"x": column}
    path = damaged(tmp_path / "t.arrow", new, columns, bytes(old), bytes(bytes_))
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        nk.read(path, format="arrow")
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream], ids=["file", "stream"])
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_compressed_buffer_that_claims_gigabytes_is_refused_before_it_is_read(tmp_path, compression, new):
    columns = {"x": np.arange(3.0), "s": ["a", "b", "a"]}
    path = damaged(tmp_path / "t.arrow", new, columns, compression=compression)
    assert nk.read(path, format="arrow").X.shape == (3, 3)
    for stated in (2**31, 2**62):
        claim = (24).to_bytes(8, "little"), stated.to_bytes(8, "little")
        damaged(path, new, columns, *claim, compression=compression)
        message = r"bytes after decompression, but 64 MiB plus .* are allowed\. Write smaller record batches\.$"
        with pytest.raises(nk.InvalidInputError, match=message):
            nk.read(path, format="arrow")


def test_rows_for_which_a_file_holds_nothing_are_refused(tmp_path):
    path = tmp_path / "t.arrow"
    for stated, columns in ((2**40, 1), (2**20, 3000)):
        batch = pa.record_batch([pa.nulls(123_456)] * columns, names=[f"x{j}" for j in range(columns)])
        with pa.ipc.new_file(path, batch.schema) as writer:
            writer.write_batch(batch)
        sizes = (123_456).to_bytes(8, "little"), stated.to_bytes(8, "little")
        path.write_bytes(path.read_bytes().replace(*sizes))
        with pytest.raises(nk.InvalidInputError, match=r"a record batch of 0 bytes states .* rows"):
            nk.read(path, target=False, missing="zero")


def test_a_table_without_columns_is_refused(tmp_path):
    path = tmp_path / "t.arrow"
    with pa.ipc.new_file(path, pa.schema([])) as writer:
        writer.write_batch(pa.record_batch([], schema=pa.schema([])))
    with pytest.raises(nk.InvalidInputError, match=r"the table has no columns\.$"):
        nk.read(path, target="last")
