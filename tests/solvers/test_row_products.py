"""The products of all rows, whole and in part, for every kind of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.data.rows import as_rows
from novikoff.solvers import row_products
from novikoff.solvers.row_products import MAX_ROWS, RowProducts


def products_of(X, scale=1.0):
    return RowProducts(X, as_rows("test", X), scale)


def random_rows(rows, columns, density, seed=0):
    return sp.random(rows, columns, density, format="csr", random_state=seed)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [3, 300])
def test_products_of_dense_rows_are_those_of_doubles(rows, dtype):
    X = np.random.default_rng(0).normal(size=(rows, 400)).astype(dtype)
    expected = X.astype(np.float64) @ X.T.astype(np.float64)
    np.testing.assert_allclose(products_of(X).matrix(1), expected, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("rows", [40, 300])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_no_more_than_a_part_of_the_columns_is_copied_at_a_time(rows, kind, monkeypatch):
    X = kind(np.random.default_rng(0).normal(size=(rows, 400)).astype(np.float32))
    monkeypatch.setattr(row_products, "BLOCK_COLUMNS", 150)
    sizes, original = [], row_products._block
    monkeypatch.setattr(row_products, "_block", lambda *given: sizes.append(original(*given).shape) or original(*given))
    expected = X.astype(np.float64) @ X.T.astype(np.float64)
    expected = expected.toarray() if sp.issparse(expected) else expected
    np.testing.assert_allclose(products_of(X).matrix(1), expected, rtol=1e-12, atol=1e-10)
    assert {width for _, width in sizes} == {100, 150}


@pytest.mark.parametrize("density", [0.01, 0.3, 1.0])
def test_products_of_sparse_rows_are_those_of_dense_ones(density):
    X = random_rows(280, 500, density)
    np.testing.assert_allclose(products_of(X).matrix(1), X.toarray() @ X.toarray().T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("X", [np.random.default_rng(1).normal(size=(300, 310)), random_rows(300, 900, 0.01)])
def test_the_number_of_threads_does_not_change_a_bit(X):
    assert np.array_equal(products_of(X).matrix(1), products_of(X).matrix(3))


@pytest.mark.parametrize("exponent", [-500, 0, 500])
def test_scaled_rows_neither_overflow_nor_underflow(exponent):
    X = np.ldexp(np.random.default_rng(2).normal(size=(4, 6)), exponent)
    found = products_of(X, 2.0**-exponent).matrix(1)
    np.testing.assert_allclose(found, np.ldexp(X, -exponent) @ np.ldexp(X, -exponent).T, rtol=1e-13)


def test_a_part_has_the_products_of_its_rows():
    X = random_rows(30, 80, 0.2)
    whole, chosen = products_of(X), np.array([3, 4, 20])
    part = whole.part(X[chosen], as_rows("test", X[chosen]), chosen)
    assert np.array_equal(part.matrix(1), whole.matrix(1)[np.ix_(chosen, chosen)])


def test_products_are_for_few_rows_of_many_columns():
    assert products_of(np.ones((5, 6))).is_suitable
    assert products_of(np.ones((100, 34))).is_suitable
    assert not products_of(np.ones((101, 100))).is_suitable
    assert not products_of(np.ones((5, 1))).is_suitable
    assert not products_of(sp.csr_array((MAX_ROWS + 1, MAX_ROWS + 1))).is_suitable


def test_more_uses_make_the_matrix_cheaper():
    products = products_of(np.ones((400, 500)))
    alone = products.passes
    products.uses = 10
    assert alone / 10 < products.passes < alone


def test_the_time_of_solving_over_many_rows_is_expected():
    thin = products_of(random_rows(2000, 3000, 0.002))
    thin.uses = 10**9
    assert thin.passes > 1000
