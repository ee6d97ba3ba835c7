"""Arrow tables as blocks: every type that holds numbers, booleans, dates or strings, and what is refused."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.tables.arrow_blocks import ArrowBlocks, is_utf8, kind_of
from novikoff.data.tables.block import Invalid
from novikoff.data.tables.reader import ArrowReader


def reader(*tables):
    batches = [batch for table in tables for batch in table.to_batches()]
    return ArrowBlocks("scan", ArrowReader("it", tables[0].schema, lambda needed: iter(batches)))


def column(array, kind=None):
    """The values of a column, with None for missing ones."""
    found = reader(pa.table({"c": array}))
    kind = kind or found.schema["c"]
    values = []
    for block in found.blocks({"c": kind}):
        if kind == "string":
            values += [block.values[0][code] if code >= 0 else None for code in block.codes[:, 0]]
        else:
            values += [None if np.isnan(value) else value for value in block.numbers[:, 0].tolist()]
    return values


DAY = datetime.datetime(1970, 1, 2, 12)


@pytest.mark.parametrize(
    ("array", "kind", "expected"),
    [
        (pa.array([1, None, 3], pa.int8()), "number", [1, None, 3]),
        (pa.array([2**63], pa.uint64()), "number", [2.0**63]),
        (pa.array([1.5, float("nan"), None]), "number", [1.5, None, None]),
        (pa.array([1.5, None], pa.float32()), "number", [1.5, None]),
        (pa.array([np.float16(0.5)], pa.float16()), "number", [0.5]),
        (pa.array([decimal.Decimal("1.25"), None]), "number", [1.25, None]),
        (pa.nulls(2), "number", [None, None]),
        (pa.array([True, None, False]), "boolean", [1, None, 0]),
        (pa.array([DAY.date(), None]), "date", [1, None]),
        (pa.array([DAY.date()], pa.date64()), "date", [1]),
        *((pa.array([DAY, None], pa.timestamp(unit)), "date", [1.5, None]) for unit in ("s", "ms", "us", "ns")),
        (pa.array([DAY], pa.timestamp("us", tz="Europe/Vienna")), "date", [1.5]),
        (pa.array([datetime.time(6), None]), "date", [0.25, None]),
        (pa.array([21_600], pa.time32("s")), "date", [0.25]),
        (pa.array(["a", None, ""]), "string", ["a", None, ""]),
        (pa.array(["a", None], pa.large_string()), "string", ["a", None]),
        (pa.array(["a", None], pa.string_view()), "string", ["a", None]),
        (pa.array(["b", None, "b", "a"]).dictionary_encode(), "string", ["b", None, "b", "a"]),
        (pa.array([5, None, 7]).dictionary_encode(), "string", ["5", None, "7"]),
        (pa.chunked_array([["a"], ["b", "a"]]), "string", ["a", "b", "a"]),
    ],
    ids=str,
)
def test_every_type_has_its_kind_and_values(array, kind, expected):
    assert reader(pa.table({"c": array})).schema == {"c": kind}
    assert column(array) == expected


@pytest.mark.parametrize(
    ("array", "kind", "expected"),
    [
        (["1", " -2.5 ", "1e3", None, "inf", "nan", "many", "1,5", ""], "number", [1, -2.5, 1000, *[None] * 6]),
        (["true", "False", " TRUE ", None, "yes", "1", ""], "boolean", [1, 0, 1, *[None] * 4]),
        (["1970-01-02", "1970-01-01T12:00:00", "1969-12-31", "soon", ""], "date", [1, 0.5, -1, None, None]),
        (["1970-01-01T02:00:00+02:00", "1970-01-01 06:00"], "date", [0, 0.25]),
        ([1, 2, None], "string", ["1", "2", None]),
        ([1.5, float("nan")], "string", ["1.5", None]),
        ([True, None], "string", ["true", None]),
        ([DAY.date()], "string", ["1970-01-02"]),
        ([DAY.date()], "number", [1]),
        ([True, False], "number", [1, 0]),
    ],
)
def test_a_column_may_be_asked_for_as_another_kind(array, kind, expected):
    assert column(pa.array(array), kind) == expected


def test_what_is_not_of_the_kind_is_counted():
    found = reader(pa.table({"c": ["1", "x", None]}), pa.table({"c": ["y", "2", ""]}))
    assert found.invalid == {}
    blocks = list(found.blocks({"c": "number"}))
    assert found.invalid == {"c": Invalid(2, "x", "it, row 1", 2)}
    assert blocks[-1].invalid() == found.invalid
    same = reader(pa.table({"c": ["x", "1"]}), pa.table({"c": ["x", "2"]}))
    list(same.blocks({"c": "number"}))
    assert same.invalid == {"c": Invalid(2, "x", "it, row 0", 1)}


def test_codes_keep_their_meaning_from_block_to_block():
    tables = [pa.table({"s": words, "x": [1.0] * len(words)}) for words in (["b", "a", None], ["c", "a"], ["b"])]
    blocks = list(reader(*tables).blocks({"s": "string", "x": "number"}))
    assert [block.codes[:, 0].tolist() for block in blocks] == [[0, 1, -1], [2, 1], [0]]
    assert list(blocks[-1].values[0]) == ["b", "a", "c"]
    assert [block.place(0) for block in blocks] == ["it, row 0", "it, row 3", "it, row 5"]
    assert all(block.codes.dtype == np.int32 and block.codes.flags.c_contiguous for block in blocks)


def test_float32_is_kept_only_if_all_numbers_have_it():
    table = pa.table({"a": pa.array([1.5], pa.float32()), "b": pa.array([2.5], pa.float32()), "c": [1.0]})
    (block,) = reader(table).blocks({"a": "number", "b": "number"})
    assert block.numbers.dtype == np.float32
    (block,) = reader(table).blocks({"a": "number", "c": "number"})
    assert block.numbers.dtype == np.float64


def test_labels_have_the_kind_of_their_categories():
    table = pa.table({"n": pa.array([5, 7]).dictionary_encode(), "s": pa.array(["a", "b"]).dictionary_encode()})
    assert reader(table).label_kinds == {"n": "number", "s": "string"}


@pytest.mark.parametrize("type_", [pa.list_(pa.int64()), pa.struct({"a": pa.int64()}), pa.binary(), pa.duration("s")])
def test_other_types_are_called_by_their_name(type_):
    assert kind_of(pa, type_) == str(type_)
    assert kind_of(pa, pa.dictionary(pa.int8(), pa.binary())) == "dictionary<values=binary, indices=int8, ordered=0>"


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        (pa.table({"c": [1.0, float("inf")]}), "number", "it, row 1: numbers in column 'c' must be finite, .* inf"),
        (pa.table({"c": pa.array([b"a", b"\xff"]).view(pa.string())}), "string", r"it, row 1: .* UTF-8.*b'\\xff'"),
    ],
)
def test_values_that_cannot_be_used_are_refused_with_their_row(table, kind, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        list(reader(table).blocks({"c": kind}))


@pytest.mark.parametrize(("names", "called"), [(["a", "a"], "are called 'a'"), (["", ""], "have an empty name")])
def test_names_must_differ(names, called):
    with pytest.raises(nk.InvalidInputError, match=f"it: two columns {called}"):
        reader(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names))


@given(st.binary(max_size=6))
def test_utf8_is_what_python_decodes(data):
    assert is_utf8(data) == (data.decode(errors="replace").encode() == data)
