"""Anything as a table without labels: arrays, frames, files and SQL."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data.encoding.tables_of import ArrayBlocks, raw_table


def test_an_array_is_one_block_of_numbers():
    X = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0]])
    found = ArrayBlocks(X, ["a", "b", "c"])
    assert found.schema == {"a": "number", "b": "number", "c": "number"}
    assert (found.name, found.note, found.invalid) == ("X", "", {})
    (block,) = found.blocks({"c": "number", "a": "number"})
    assert block.numbers.tolist() == [[3, 1], [6, 4]]
    assert block.numbers.flags.c_contiguous
    assert block.place(1) == "X, row 1"
    assert block.codes.shape == (2, 0)


def test_a_table_has_no_labels_unless_a_target_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,0\n2,1\n")
    frame = pl.DataFrame({"x": [1.0, 2.0], "y": [0, 1]})
    for source in (tmp_path / "t.csv", str(tmp_path / "t.csv"), [str(tmp_path / "t.csv")], b"x,y\n1,0\n2,1\n", frame):
        found = raw_table("it", source, None)
        assert (found.columns.target, found.columns.features) == (None, ["x", "y"])
    assert raw_table("it", frame, None, target="y").columns.features == ["x"]
    assert raw_table("it", frame, None, features=["y"]).columns.features == ["y"]
    assert raw_table("it", found, None) is found


def test_numbers_in_lists_are_an_array():
    assert raw_table("it", [[1, 2], [3, 4]], None).columns.features == ["x0", "x1"]
    assert raw_table("it", np.eye(2, dtype=np.int8), None).columns.features == ["x0", "x1"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (sp.eye(2, format="csr"), "it: the table must be dense, but it is a sparse matrix"),
        (np.array([["a"]]), "it: an array must hold numbers. Use a data frame"),
        (np.array([[None]], dtype=object), "it: an array must hold numbers. Use a data frame"),
        (np.array([(1, 2.5)], dtype=[("a", int), ("b", float)]), "it: an array must hold numbers. Use a data frame"),
        (np.array([[1j]]), "Complex data not supported"),
        (None, "it: the table must be an array, a data frame, a path or SQL, but it is None"),
        ({"a": [1.0]}, "it: the table must be an array, a data frame, a path or SQL, but it is {"),
        (np.ones(3), "Expected 2D array"),
        (np.array([[np.inf]]), "infinity"),
        (np.ones((2, 3)), "X has 3 features, but it is expecting 2 features"),
    ],
)
def test_what_is_not_a_table_is_refused(source, message):
    with pytest.raises(ValueError, match=message):
        raw_table("it", source, None, ["a", "b"])


def test_svmlight_is_refused(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:2\n")
    with pytest.raises(nk.InvalidInputError, match="it: the source must be a table, but it is svmlight"):
        raw_table("it", tmp_path / "t.svm", None)


def test_columns_that_a_model_does_not_know_are_ignored():
    known = {"b": "string", "c": "number"}
    found = raw_table("it", pd.DataFrame({"a": [1], "b": ["x"]}), known, ["b", "c"], missing_columns="impute")
    assert found.columns.kinds == {"b": "string"}
    assert found.columns.absent == ["c"]
