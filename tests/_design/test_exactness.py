"""Numbers that float64 would round are refused, with their place."""

import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff._design.exactness import first_rounded

LARGE = 2**53
Y = [0, 1, 0, 1]
COLUMN = [0, LARGE, LARGE + 1, 5]
LONG = np.dtype(np.longdouble).itemsize > 8  # otherwise a long double is a float64
TABLE = pd.DataFrame({"x": [1.0, 2, 4, 3], "id": COLUMN})


@pytest.mark.parametrize(
    "X",
    [
        [[x, 0] for x in COLUMN],
        np.array([[x, 0] for x in COLUMN], dtype=np.uint64),
        np.array([[-x, 0] for x in COLUMN], dtype=object),
        np.array([[x, 0] for x in COLUMN]).T.copy().T,
        sp.csr_array(np.array([[x, 0] for x in COLUMN])),
        sp.coo_array(np.array([[x, 0] for x in COLUMN])),
        sp.lil_array(np.array([[x, 0] for x in COLUMN])),
        [[0, 0], [1, 0], [2**70 + 1, 0], [0, 0]],
        [[0, 0], [1, 0], [10**400, 0], [0, 0]],
    ],
)
def test_arrays(X):
    with pytest.raises(
        nk.InvalidInputError, match=r"^separability: X has -?\d+ in row 2, column 0, which float64 would round\."
    ):
        nk.separability(X, Y)


@pytest.mark.skipif(not LONG, reason="long doubles are float64 (run the tests on Linux on x86_64)")
def test_long_doubles():
    X = np.array([[0.0], [1.0], [0.5], [3.0]], dtype=np.longdouble)
    assert nk.separability(X, Y).verify(X, Y)
    X[2] += np.finfo(np.longdouble).eps
    for rows in (X, X.astype(object)):
        with pytest.raises(nk.InvalidInputError, match="in row 2, column 0, which float64 would round"):
            nk.separability(rows, Y)


@pytest.mark.parametrize(
    "frame",
    [
        TABLE,
        TABLE.astype({"id": object}),
        TABLE.astype({"id": "Int64"}),
        pl.DataFrame(TABLE),
        pl.DataFrame(TABLE).to_arrow(),
        pl.DataFrame({"x": [1.0, 2, 4, 3, 0], "id": [*COLUMN, None]}),
        pl.DataFrame({"x": [1.0, 2, 4, 3, 0], "id": [*COLUMN, None]}).to_arrow(),
        pd.DataFrame({"x": [1.0, 2, 4, 3, 0], "id": pd.array([*COLUMN, None], dtype="Int64")}),
    ],
)
def test_data_frames(frame):
    labels, weights = [*Y, 0][: len(frame)], [1, 1, 1, 1, 0][: len(frame)]
    with pytest.raises(
        nk.InvalidInputError, match=f"column 'id' has {LARGE + 1} in row 2, which float64 would round. Subtract"
    ):
        nk.separability(frame, labels, sample_weight=weights)


def test_rows_of_weight_0_may_have_any_number_and_rows_keep_their_numbers():
    X = np.array([[LARGE + 1], [0], [2], [1], [LARGE + 1]])
    y = [0, 0, 1, 1, 1]
    assert nk.separability(X, y, sample_weight=[0, 1, 1, 1, 0]).verify(X, y, sample_weight=[0, 1, 1, 1, 0])
    with pytest.raises(nk.InvalidInputError, match="in row 4, column 0"):
        nk.separability(X, y, sample_weight=[0, 1, 1, 1, 1])


def test_verify_refuses_them_too():
    found = nk.separability([[LARGE], [LARGE + 2]], [0, 1])
    assert found.kind == "complete"
    assert found.verify([[LARGE], [LARGE + 2]], [0, 1])
    assert "would round" in found.verify([[LARGE], [LARGE + 1]], [0, 1]).failures[0].detail


def test_large_numbers_that_float64_holds_are_accepted():
    X = np.array([[-(2**63)], [2**62], [LARGE + 2], [0]])
    assert nk.separability(X, Y).verify(X, Y)
    frame = pd.DataFrame({"x": [decimal.Decimal("0.1"), fractions.Fraction(1, 3), 2, 2**80]}, dtype=object)
    assert nk.separability(frame, Y).verify(frame, Y)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.integers(0, 62))
def test_integers_are_refused_exactly_if_they_change(values, shift):
    shifted = [value >> shift for value in values]
    expected = next((place for place, value in enumerate(shifted) if int(float(value)) != value), None)
    assert first_rounded(np.array(shifted, dtype=np.int64)) == expected
    assert first_rounded(np.array(shifted, dtype=object)) == expected
