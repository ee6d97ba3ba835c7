"""Running means and deviations: as NumPy has them for all rows so far, and finite for all finite numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from novikoff.data.encoding.moments import Moments

FEW = st.floats(-1e6, 1e6)


def fresh(columns, standardise=True):
    return Moments(standardise, *[[0] * columns] * 4)


def test_each_row_is_standardised_with_all_rows_up_to_it():
    X = np.random.default_rng(0).normal([5.0, 1e9, -3e-9], [1.0, 2.0, 1e-9], size=(50, 3))
    found = fresh(3).learn(X, np.isnan(X))
    expected = [(row - X[: i + 1].mean(0)) / X[: i + 1].std(0) for i, row in enumerate(X) if i > 0]
    np.testing.assert_allclose(found[1:], expected, rtol=1e-5, atol=1e-5)
    assert not found[0].any()


@given(arrays(np.float64, (6, 2), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_no_finite_number_gives_one_that_is_not(X):
    for moments in (fresh(2), fresh(2, standardise=False)):
        for rows in (moments.learn(X, np.isnan(X)), moments.apply(-X, np.isnan(X))):
            assert np.isfinite(rows).all()
        assert np.isfinite([*moments.as_tuples()["sums"], *moments.as_tuples()["squares"]]).all()


def test_a_missing_value_is_the_mean():
    X = np.array([[np.nan], [2.0], [4.0], [np.nan]])
    assert fresh(1, standardise=False).learn(X, np.isnan(X)).tolist() == [[0.0], [2.0], [4.0], [3.0]]
    assert fresh(1).learn(X, np.isnan(X))[[0, 3]].tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("value", [0.1, 1e300, -7.0])
def test_a_constant_column_is_0(value):
    X = np.full((1000, 1), value)
    assert not fresh(1).learn(X, np.isnan(X)).any()
