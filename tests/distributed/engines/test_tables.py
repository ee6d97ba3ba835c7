"""Partitions of tables as blocks."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import novikoff as nk
from novikoff.distributed.engines.tables import HashedTable, check_columns, feature_names, table_block, unwrapped
from novikoff.errors import InvalidInputError

COLUMNS = {"a": np.array([1.5, -2.0, 0.0]), "b": np.array([1, 2, 3]), "c": np.array([True, False, True])}
X = np.array([[1.5, 1.0, 1.0], [-2.0, 2.0, 0.0], [0.0, 3.0, 1.0]])
MORE = {"y": np.array(["no", "yes", "no"]), "w": np.array([1.0, 2.0, 0.5])}
MAKERS = {"pandas": pd.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("kind", MAKERS)
def test_columns_become_rows(kind):
    block = table_block("t", MAKERS[kind]({**COLUMNS, **MORE}), "y", "w")
    assert block.X.tolist() == X.tolist()
    assert block.X.dtype == np.float64
    assert block.y.tolist() == ["no", "yes", "no"]
    assert block.y.dtype.kind == "U"
    assert block.weights.tolist() == [1.0, 2.0, 0.5]


@pytest.mark.parametrize("kind", MAKERS)
def test_values_that_are_given_apart(kind):
    block = table_block("t", MAKERS[kind](COLUMNS), np.array([0, 1, 1]), None)
    assert block.X.tolist() == X.tolist()
    assert block.y.tolist() == [0, 1, 1]
    assert block.weights is None


@pytest.mark.parametrize("kind", MAKERS)
def test_single_precision_remains(kind):
    block = table_block("t", MAKERS[kind]({"a": COLUMNS["a"].astype(np.float32)}), None, None)
    assert block.X.dtype == np.float32


@pytest.mark.parametrize("kind", MAKERS)
def test_empty_partitions_keep_their_columns(kind):
    table = MAKERS[kind]({name: values[:0] for name, values in {**COLUMNS, **MORE}.items()})
    block = table_block("t", table, "y", "w")
    assert block.X.shape == (0, 3)


@pytest.mark.parametrize("kind", MAKERS)
def test_text_is_refused_with_its_column(kind):
    with pytest.raises(InvalidInputError) as caught:
        table_block("t: partition 3", MAKERS[kind]({**COLUMNS, **MORE}), None, "w")
    assert str(caught.value).startswith("t: partition 3: column 'y' holds text, not numbers.")


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"a": pa.array([1.0, None])}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([1.5, None], dtype="Float64")}),
    ],
)
def test_missing_values_are_refused_with_their_row(table):
    with pytest.raises(InvalidInputError, match="row 1"):
        table_block("t", table, None, None)


def vectors(rows):
    """A column of Spark's vectors, as Arrow has it: dense lists, or dicts of a sparse row of 4 columns."""
    entries = [
        {"type": 0, "size": 4, "indices": list(row), "values": list(row.values())}
        if isinstance(row, dict)
        else {"type": 1, "size": None, "indices": None, "values": row}
        for row in rows
    ]
    kinds = {"type": pa.int8(), "size": pa.int32(), "indices": pa.list_(pa.int32()), "values": pa.list_(pa.float64())}
    return pa.array(entries, type=pa.struct(list(kinds.items())))


def test_dense_vectors_are_rows():
    block = table_block("t", pa.table({"v": vectors([[1.0, 2.0], [3.0, 4.0]])}), None, None)
    assert block.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_sparse_vectors_are_sparse_rows():
    rows = [{1: 5.0, 3: 2.0}, {}, [1.0, 0.0, 7.0, 8.0]]
    whole = pa.table({"v": vectors(rows), "n": [1.0, 2.0, 3.0]})
    for table in (whole, pa.concat_tables([whole.slice(0, 1), whole.slice(1)])):
        block = table_block("t", table, None, None)
        assert block.is_sparse
        assert block.X.toarray().tolist() == [[0, 5, 0, 2, 1], [0, 0, 0, 0, 2], [1, 0, 7, 8, 3]]


@pytest.mark.parametrize("kind", MAKERS)
def test_hashed_columns_are_those_of_scan(kind):
    columns = {
        "age": np.array([39.0, 50.0, 38.0]),
        "job": np.array(["clerk", "smith", "clerk"], dtype=object),
        "note": np.array(["a kind man", "man of iron", "iron"], dtype=object),
        "y": np.array([1, 0, 1]),
        "w": np.array([1.0, 2.0, 3.0]),
    }
    hashed = HashedTable(None, nk.Hashing(n_bits=12), text=("note",))
    whole = nk.read(pd.DataFrame(columns), target="y", weight="w", hashing=nk.Hashing(n_bits=12), text=["note"])
    for rows in (slice(0, 3), slice(1, 2), slice(3, 3)):
        part = MAKERS[kind]({name: values[rows] for name, values in columns.items()})
        block = table_block("t", part, "y", "w", hashed)
        assert block.X.shape[1] == 4096
        assert (whole.X[rows] != block.X).nnz == 0
        assert block.y.tolist() == whole.y[rows].tolist()
        assert block.weights is None or block.weights.tolist() == columns["w"][rows].tolist()
        assert (block.weights is None) == (rows.start == 3)


def test_missing_strings_are_refused_with_the_partition():
    table = pd.DataFrame({"job": ["clerk", None], "y": [0, 1]})
    hashed = HashedTable(table, nk.Hashing(n_bits=8))
    assert unwrapped(hashed)[0] is table
    assert unwrapped("X") == ("X", None)
    with pytest.raises(InvalidInputError, match=r"t: partition 2: .*column 'job' has no value"):
        table_block("t: partition 2", table, "y", None, unwrapped(hashed)[1])


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("missing", ["zero", "indicator"])
def test_a_partition_whose_only_strings_are_missing_is_hashed_as_the_others(kind, missing):
    columns = {
        "age": np.array([39.0, 50.0, 38.0]),
        "job": np.array(["clerk", None, None], dtype=object),
        "y": np.array([1, 0, 1]),
    }
    hashed = HashedTable(None, nk.Hashing(n_bits=8), missing=missing)
    whole = table_block("t", pd.DataFrame(columns), "y", None, hashed)
    part = table_block("t", MAKERS[kind]({name: values[1:] for name, values in columns.items()}), "y", None, hashed)
    assert part.is_sparse
    assert (whole.X[1:] != part.X).nnz == 0


def test_names_of_columns():
    assert feature_names(["a", "y", "b"], "y", None) == ("a", "b")
    assert feature_names(["a", "y", "b"], np.zeros(3), None) == ("a", "y", "b")
    with pytest.raises(InvalidInputError) as caught:
        check_columns("t", "y", "z", ["a", "b"])
    assert str(caught.value) == "t: y='z' is not a column. The columns are ['a', 'b']."


@pytest.mark.parametrize("kind", MAKERS)
def test_labels_that_are_true_or_false_remain_so(kind):
    block = table_block("t", MAKERS[kind](COLUMNS), "c", None)
    assert (block.y.tolist(), block.y.dtype.kind) == ([True, False, True], "b")
