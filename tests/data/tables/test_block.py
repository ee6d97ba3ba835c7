"""Blocks of raw rows: columns by name, missing altogether where the block lacks them."""

import numpy as np

from novikoff.data.tables.block import Block

NUMBERS = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
CODES = np.array([[0], [-1], [1]], dtype=np.int32)
BLOCK = Block(("a", "b"), NUMBERS, ("s",), CODES, (["x", "y", "later"],), lambda row: f"row {row}")


def test_columns_of_numbers_are_chosen_by_name():
    assert BLOCK.number_columns(["a", "b"]) is NUMBERS
    np.testing.assert_array_equal(BLOCK.number_columns(["b", "q", "a"])[0], [2.0, np.nan, 1.0])
    assert BLOCK.number_columns([]).shape == (3, 0)
    single = Block(("a",), NUMBERS[:, :1].astype(np.float32), (), CODES[:, :0], (), str)
    assert single.number_columns(["q", "a"]).dtype == np.float32


def test_a_column_of_strings_that_the_block_lacks_is_missing_throughout():
    codes, values = BLOCK.string_column("s")
    assert [values[code] if code >= 0 else None for code in codes] == ["x", None, "y"]
    codes, values = BLOCK.string_column("q")
    assert (codes.tolist(), list(values), codes.dtype) == ([-1, -1, -1], [], np.int32)


def test_a_part_of_a_block_knows_where_its_rows_are():
    part = BLOCK.slice(1, 3)
    assert part.rows == 2
    assert part.place(0) == "row 1"
    assert part.slice(1, 2).place(0) == "row 2"
    np.testing.assert_array_equal(part.codes, CODES[1:])
    assert part.values is BLOCK.values
    assert part.invalid() == {}
