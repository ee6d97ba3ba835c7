"""Pages of Parquet files that state other sizes than they have."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novikoff as nk
from novikoff.data.tables.parquet_pages import check_pages

DATA_PAGE = b"\x15\x00\x15"  # field 1 is an integer, 0; field 2 is an integer: the uncompressed size
TABLE = pa.table({"x": [float(k) for k in range(1000)], "word": ["a", "b"] * 500, "list": [[1], []] * 500})


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_files_of_all_kinds_pass(tmp_path, compression, version, dictionary):
    path = tmp_path / "t.parquet"
    pq.write_table(
        TABLE, path, compression=compression, data_page_version=version, use_dictionary=dictionary, data_page_size=100,
        row_group_size=300, write_page_index=True, write_page_checksum=True,
    )  # fmt: skip
    check_pages(str(path))


def test_a_long_header_passes(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": ["a" * 200_000, "b" * 200_000]}), path, use_dictionary=False)
    check_pages(str(path))


def test_large_values_that_compress_well_pass(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [0.0] * 3_000_000}), path, use_dictionary=False, compression="zstd")
    check_pages(str(path))


@pytest.mark.parametrize("stated", [1 << 28, 1 << 30, 2**31 - 1])
def test_a_page_that_states_far_more_than_it_has_is_refused(tmp_path, stated):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1.0] * 100_000, "label": [0, 1] * 50_000}), path, use_dictionary=False)
    data = path.read_bytes()
    assert data[4:].startswith(DATA_PAGE)
    begin = 4 + len(DATA_PAGE)
    end = next(k + 1 for k in range(begin, begin + 5) if data[k] < 0x80)
    path.write_bytes(data[:begin] + varint(2 * stated) + data[end:])
    refusal = r"not a readable Parquet file: [^\n]*(states that it has|ends outside)"
    with pytest.raises(nk.InvalidInputError, match=refusal):
        check_pages(str(path))


@pytest.mark.parametrize("cut", range(5, 60, 7))
def test_bytes_that_are_not_a_page_header_are_refused(tmp_path, cut):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1.0, 2.0, 3.0], "label": [0, 1, 0]}), path, use_dictionary=False, compression="none")
    data = bytearray(path.read_bytes())
    data[4:cut] = b"\xff" * (cut - 4)
    path.write_bytes(data)
    with pytest.raises(nk.InvalidInputError, match="not a readable Parquet file"):
        check_pages(str(path))


def test_one_row_group_is_checked_without_the_others(tmp_path):
    path = tmp_path / "t.parquet"
    options = {"use_dictionary": False, "compression": "none", "row_group_size": 500, "write_statistics": False}
    pq.write_table(TABLE.select(["x"]), path, **options)
    content = bytearray(path.read_bytes())
    second = pq.read_metadata(path).row_group(1).column(0).data_page_offset
    content[second : second + 8] = b"\xff" * 8
    path.write_bytes(content)
    check_pages(str(path), 0)
    for group in (1, None):
        with pytest.raises(nk.InvalidInputError, match="header of a page"):
            check_pages(str(path), group)


def test_a_file_that_was_replaced_is_checked_anew(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE.select(["x"]), path, row_group_size=500)
    check_pages(str(path), 1)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(nk.InvalidInputError, match="metadata is damaged"):
        check_pages(str(path), 1)
