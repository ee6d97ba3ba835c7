"""Columns of data frames of three packages."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import novikoff as nk
from novikoff._design.columns import BOOLEAN, FACTOR, NUMBER, factor, frame_columns, is_frame, series_column

CELLS = {
    "age": [20, 30, 40],
    "income": [1.5, 2.5, -1.0],
    "colour": ["red", "blue", "red"],
    "smokes": [True, False, True],
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
frames = pytest.mark.parametrize("package", FRAMES)


@frames
def test_each_kind_of_column_is_recognised(package):
    frame = FRAMES[package](CELLS)
    assert is_frame(frame)
    columns = frame_columns("f", frame)
    assert [column.name for column in columns] == list(CELLS)
    assert [column.kind for column in columns] == [NUMBER, NUMBER, FACTOR, BOOLEAN]
    assert columns[2].levels == ("blue", "red")
    assert columns[2].values.tolist() == [1, 0, 1]
    assert columns[3].values.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "X", [np.zeros((2, 2)), [[1, 2]], pd.Series([1, 2]), pl.Series([1]), pd.Categorical(["a"]), "text"]
)
def test_other_objects_are_not_frames(X):
    assert not is_frame(X)


@pytest.mark.parametrize(
    "colour",
    [
        pd.Series(pd.Categorical(["b", "a", None], categories=["c", "b", "a"])),
        pl.Series(["b", "a", None], dtype=pl.Enum(["c", "b", "a"])),
        pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([1, 2, None]), pa.array(["c", "b", "a"]))]),
    ],
)
def test_categories_keep_their_order(colour):
    column = series_column("f", colour)
    assert (column.kind, column.levels, column.values.tolist()) == (FACTOR, ("c", "b", "a"), [1, 2, -1])
    assert column.missing.tolist() == [False, False, True]


def test_the_categories_of_polars_are_sorted():
    """The physical order of a Categorical depends on what the process saw before."""
    assert series_column("f", pl.Series(["b", "a", "b"], dtype=pl.Categorical)).levels == ("a", "b")


@frames
def test_missing_values_are_found(package):
    cells = {"n": [1, None, 3], "x": [1.5, 2.5, None], "s": [None, "b", "a"], "b": [True, None, False]}
    columns = frame_columns("f", FRAMES[package](cells))
    assert [column.missing.tolist().index(True) for column in columns] == [1, 2, 0, 1]
    assert [int(column.missing.sum()) for column in columns] == [1, 1, 1, 1]


def test_nullable_types_of_pandas_are_numbers_strings_and_booleans():
    frame = pd.DataFrame({"n": [1, None], "b": [True, None], "s": ["x", None], "a": [1, 2]})
    frame = frame.astype({"n": "Int64", "b": "boolean", "s": "string", "a": "int64[pyarrow]"})
    columns = frame_columns("f", frame)
    assert [column.kind for column in columns] == [NUMBER, BOOLEAN, FACTOR, NUMBER]
    assert [column.missing.tolist() for column in columns] == [[False, True]] * 3 + [[False, False]]
    assert columns[3].values.dtype.kind in "if"


def test_sparse_columns_of_pandas_are_numbers():
    (column,) = frame_columns("f", pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0.0, 2.0])}))
    assert (column.kind, column.values.tolist()) == (NUMBER, [0.0, 0.0, 2.0])


@frames
def test_decimals_are_numbers(package):
    (column,) = frame_columns("f", FRAMES[package]({"a": [decimal.Decimal("1.5"), decimal.Decimal("2")]}))
    assert (column.kind, column.values.tolist()) == (NUMBER, [1.5, 2.0])


@frames
@pytest.mark.parametrize("value", [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), datetime.timedelta(1)])
def test_dates_are_refused_by_name(package, value):
    with pytest.raises(nk.InvalidInputError, match=r"f: column 'when' holds dates or times. Convert them to numbers"):
        frame_columns("f", FRAMES[package]({"when": [value, value]}))


REFUSED = [
    (pd.DataFrame({"when": pd.period_range("2020", periods=2, freq="D")}), "'when' holds dates"),
    (pd.DataFrame({"a": [[1], [2]]}), "column 'a' holds values of type list"),
    (pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)}), "column 'a' holds values of type int, str"),
    (pd.DataFrame({"a": [1j]}), "column 'a' holds complex numbers"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns of X are named 'a'"),
]


def test_columns_that_cannot_be_used_are_refused():
    for frame, message in REFUSED:
        with pytest.raises(nk.InvalidInputError, match=message):
            frame_columns("f", frame)


def test_some_rows_keep_the_levels_that_occur_in_them():
    column = factor("a", ["x", "z", "y", None], ["z", "y", "x"])
    some = column.only(np.array([0, 2, 3]))
    assert (some.levels, some.values.tolist()) == (("y", "x"), [1, 0, -1])
    assert column.only(None).levels == ("z", "y", "x")


@pytest.mark.parametrize(
    ("series", "name", "levels"),
    [
        (pd.Series([1, 2], name="HG"), "HG", ()),
        (pl.Series("HG", [1, 2]), "HG", ()),
        (pd.Series([1, 2]), "y", ()),
        (pl.Series([1, 2]), "y", ()),
        (pd.Categorical(["b", "a"], categories=["b", "a"]), "y", ("b", "a")),
        (pa.array(["b", "a"]), "y", ("a", "b")),
    ],
)
def test_series_have_names_or_are_y(series, name, levels):
    column = series_column("f", series)
    assert (column.name, tuple(column.levels or ())) == (name, levels)
    assert series_column("f", np.array([1, 2])) is None
