"""The spread of rows, and the C that follows from it."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.spread import cost_for_spread, spread

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 7)) * [1, 2, 3, 0.5, 10, 0.1, 1] + [0, 5, -100, 1, 0, 3, 1e4]


def test_spread_is_the_sum_of_the_variances_of_the_columns():
    assert spread(X, None, centered=True) == pytest.approx(X.var(axis=0).sum(), rel=1e-9)


def test_spread_without_centering_is_the_mean_squared_length():
    assert spread(X, None, centered=False) == pytest.approx(np.mean((X**2).sum(axis=1)), rel=1e-12)


@pytest.mark.parametrize("centered", [True, False])
def test_sparse_and_dense_rows_have_the_same_spread(centered):
    table = X * (RNG.random(X.shape) < 0.3)
    assert spread(sp.csr_array(table), None, centered) == pytest.approx(spread(table, None, centered), rel=1e-9)


def test_integer_weights_are_copies_of_rows():
    weights = RNG.integers(0, 4, len(X)).astype(float)
    copies = np.repeat(X, weights.astype(int), axis=0)
    assert spread(X, weights, centered=True) == pytest.approx(spread(copies, None, centered=True), rel=1e-9)


@pytest.mark.parametrize("factor", [1e-150, 1e-3, 1e100])
def test_spread_follows_the_unit_of_the_rows(factor):
    assert spread(factor * X, None, centered=True) == pytest.approx(factor**2 * spread(X, None, centered=True))


@pytest.mark.parametrize("value", [0.0, 0.1, -3.0, 1e100])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_equal_rows_have_no_spread(value, storage):
    weights = np.array([1.0, 1 / 3, 0.7, 2.0, 1.0])
    assert spread(storage(np.full((5, 3), value)), weights, centered=True) == 0


def test_without_spread_the_cost_is_one():
    assert cost_for_spread(0.0, 3) == 1.0
    assert cost_for_spread(5e-324, 3) == 1.0


def test_standardised_columns_cost_one_divided_by_their_number():
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    assert cost_for_spread(spread(standardised, None, centered=True), 7) == pytest.approx(1 / 7, rel=1e-2)


def test_columns_with_large_units_do_not_lower_the_cost_further():
    assert cost_for_spread(spread(X, None, centered=True), 7) == float(f"{1 / 7:.3g}")


def test_the_cost_has_three_digits():
    assert cost_for_spread(0.123456, 9) == 8.1
