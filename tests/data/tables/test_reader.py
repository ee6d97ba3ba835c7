"""Passes over Arrow data: errors on the way name the table."""

import pyarrow as pa
import pytest

import novikoff as nk
from novikoff.data.tables.reader import ArrowReader

TABLE = pa.table({"x": [1.0, 2.0], "y": [0, 1]})


def test_an_error_at_the_start_or_on_the_way_names_the_table():
    def broken(needed):
        raise RuntimeError("lost\n\nand more")

    def breaking(needed):
        yield from TABLE.to_batches()
        raise RuntimeError("lost")

    with pytest.raises(nk.InvalidInputError, match=r"^it: the table cannot be read: lost\.$"):
        list(ArrowReader("it", TABLE.schema, broken).tables({"x": "number", "y": "string"}))
    with pytest.raises(nk.InvalidInputError, match=r"^it: the table cannot be read to its end: lost\.$"):
        list(ArrowReader("it", TABLE.schema, breaking).tables({"x": "number", "y": "string"}))


def test_missing_strings_whose_views_point_anywhere_are_not_followed(tmp_path):
    """Validation skips them, but pyarrow follows them when it casts the column."""
    strings = pa.array(["a", None, "longer than twelve bytes", "b"], pa.string_view())
    validity, views, *rest = strings.buffers()
    stray = bytearray(views.to_pybytes())
    stray[16:32] = b"\xff\x00\x00\x00abcd\x7f\x00\x00\x00\xff\xff\xff\x0f"  # length, prefix, number of a buffer, offset
    column = pa.Array.from_buffers(strings.type, 4, [validity, pa.py_buffer(bytes(stray)), *rest])
    for x in (column, pa.DictionaryArray.from_arrays(pa.array([0, 0, 2, 3]), column)):
        path = tmp_path / "t.arrow"
        table = pa.table({"x": x, "label": [0, 1, 0, 1]})
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
        assert nk.read(path, missing="mean").X.shape[0] == 4
