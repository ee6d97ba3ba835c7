"""Matrices as data frames of the user's package."""

import numpy as np
import pandas as pd
import patsy
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from novikoff._design.frames import as_frame

VALUES, NAMES, ROWS = np.array([[1.0, 2.0], [3.0, 4.0]]), ("a", "b"), np.array([2, 0])
TABLE = pd.DataFrame({"a": [1, 2, 3]}, index=["x", "y", "z"])


def test_pandas_keeps_its_index():
    frame = as_frame(TABLE, sp.csr_array(VALUES), NAMES, ROWS)
    assert frame.equals(pd.DataFrame(VALUES, columns=["a", "b"], index=["z", "x"]))


@pytest.mark.parametrize("like", [pl.DataFrame(TABLE), pl.DataFrame(TABLE).lazy()])
def test_polars(like):
    assert as_frame(like, VALUES, NAMES, ROWS).equals(pl.DataFrame({"a": [1.0, 3.0], "b": [2.0, 4.0]}))


def test_pyarrow():
    assert as_frame(pa.table({"a": [1]}), VALUES, NAMES, ROWS).to_pydict() == {"a": [1.0, 3.0], "b": [2.0, 4.0]}


def test_formulas():
    assert as_frame(patsy.dmatrix("a", TABLE), VALUES, NAMES, ROWS) is VALUES
    frame = as_frame(patsy.dmatrix("a", TABLE, return_type="dataframe"), VALUES, NAMES, ROWS)
    assert frame.index.tolist() == ["z", "x"]


def test_other_matrices_stay_as_they_are():
    assert as_frame(np.eye(2), VALUES, NAMES, ROWS) is VALUES
    assert as_frame(TABLE, VALUES, None, ROWS) is VALUES
