"""Tables cut into blocks: every row once, in float64, without a copy where none is needed."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import geometry
from strategies import LAYOUTS, laid_out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 3), (20, 3), (5, 40)])
def test_blocks_are_the_rows_in_order(shape, layout, dtype, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 12)
    X = np.random.default_rng(0).normal(size=shape).astype(dtype)
    found = list(geometry.blocks(laid_out(X, layout, dtype)))
    parts = [block.toarray() if sp.issparse(block) else block for _, block in found]
    assert all(part.dtype == np.float64 for part in parts)
    np.testing.assert_array_equal(np.vstack([np.empty((0, shape[1])), *parts]), X)
    assert [row for cut, _ in found for row in range(*cut.indices(shape[0]))] == list(range(shape[0]))


def test_a_block_is_small_and_a_view_where_it_can_be(monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 100)
    X = np.zeros((1000, 10))
    assert all(block.size <= 100 and np.shares_memory(block, X) for _, block in geometry.blocks(X))


def test_a_wide_sparse_table_is_not_cut_into_more_blocks_than_its_columns_are_worth(monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 4)
    assert len(list(geometry.blocks(sp.eye_array(100, 1000, format="csr")))) == 1


@pytest.mark.parametrize("layout", ["C", "csr"])
def test_rows_of_many_results_make_small_blocks(layout, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 100)
    X = laid_out(np.eye(50, 2), layout, np.float64)
    assert max(block.shape[0] for _, block in geometry.blocks(X)) == 50
    assert max(block.shape[0] for _, block in geometry.blocks(X, width=50)) <= 2
    assert sum(block.shape[0] for _, block in geometry.blocks(X, width=1000)) == 50


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("delta", [0.0, 0.5])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_matrix_of_the_vectors_has_their_lengths_and_scores(intercept, normalize, delta, make):
    X = np.array([[3.0, 0.0], [0.0, -4.0], [1.0, 1.0]])
    lifted = geometry.Lifted(make(X), geometry.Geometry(intercept, normalize, delta))
    U = lifted.as_matrix()
    U = U.toarray() if sp.issparse(U) else U
    assert U.shape == (3, 2 + intercept + (3 if delta else 0))
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), lifted.lengths)
    v = np.array([1.0, -2.0, 0.5][: 2 + intercept])
    np.testing.assert_allclose(U[:, : len(v)] @ v, lifted.scores(v[:2], 0.5))
    np.testing.assert_array_equal(U[:, 2 + intercept :], delta * np.eye(3) if delta else np.empty((3, 0)))


def test_small_blocks_of_sparse_rows_and_their_transposes_share_the_memory_of_the_table(monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 12)
    X = sp.csr_array(np.random.default_rng(0).normal(size=(40, 3)))
    parts = list(geometry.blocks(X))
    assert len(parts) > 3
    for cut, block in parts:
        turned = geometry.transposed(block)
        assert np.array_equal(block.toarray(), X.toarray()[cut])
        assert np.array_equal(turned.toarray(), X.toarray()[cut].T)
        for part in (block, turned):
            assert np.shares_memory(part.data, X.data)
            assert np.shares_memory(part.indices, X.indices)
