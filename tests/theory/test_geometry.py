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


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("shape", "entries", "width", "cuts"),
    [
        ((10, 3), 12, 1, [(0, 4), (4, 8), (8, 10)]),  # 30 entries in three blocks
        ((10, 3), 30, 1, [(0, 10)]),
        ((10, 3), 29, 1, [(0, 5), (5, 10)]),
        ((10, 3), 12, 4, [(0, 3), (3, 6), (6, 9), (9, 10)]),  # 40 results in four blocks
        ((10, 3), 12, 2, [(0, 4), (4, 8), (8, 10)]),  # 20 results are less than the entries
        ((4, 0), 12, 1, [(0, 4)]),
        ((0, 3), 12, 1, []),
    ],
)
def test_tables_are_cut_into_blocks_of_equal_size(shape, entries, width, cuts, sparse, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", entries)
    X = sp.csr_array(np.ones(shape)) if sparse else np.ones(shape)
    assert [(cut.start, cut.stop) for cut, _ in geometry.blocks(X, width)] == cuts


def test_rows_without_entries_need_no_blocks_of_their_own(monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 10)
    X = sp.csr_array((np.ones(4), ([0, 5, 5, 99], [0, 0, 1, 1])), shape=(100, 2))
    assert len(list(geometry.blocks(X))) == 1
    assert len(list(geometry.blocks(X, width=2))) == 20
    assert len(list(geometry.blocks(X, width=10))) == 50  # as many results as there are columns and widths


def test_a_block_takes_at_most_32_megabytes():
    X = np.broadcast_to(np.zeros(1), (2**19 + 1, 8))
    assert [block.shape[0] for _, block in geometry.blocks(X)] == [2**18 + 1, 2**18]
    assert [block.shape[0] for _, block in geometry.blocks(X[1:])] == [2**19]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_array])
def test_rows_and_transposes_are_those_of_any_table(make):
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]])
    table = make(X)
    turned = geometry.transposed(table)
    assert np.array_equal(turned.toarray() if sp.issparse(turned) else turned, X.T)
    if make is not sp.csc_array:
        for (columns, values), row in zip(geometry.each_row(table.astype(np.float32)), X, strict=True):
            full = np.zeros(3)
            full[columns] = values
            assert values.dtype == np.float64
            assert np.array_equal(full, row)


def test_values_of_sparse_rows_are_not_copied_if_they_are_doubles():
    X = sp.csr_array(np.eye(3))
    assert all(np.shares_memory(values, X.data) for _, values in geometry.each_row(X))


def test_a_table_has_no_duplicate_entries_and_the_matrix_given_is_unchanged():
    given = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    table = geometry.as_table(given)
    assert (table.nnz, given.nnz) == (2, 3)
    assert np.array_equal(table.toarray(), [[0.0, 3.0], [4.0, 0.0]])
    plain = sp.csr_array(np.eye(2))
    assert geometry.as_table(plain) is plain or np.shares_memory(geometry.as_table(plain).data, plain.data)
    assert geometry.as_table([[1, 2]]).tolist() == [[1, 2]]
    assert geometry.as_table(np.ones((1, 1), dtype=np.float16)).dtype == np.float32


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_by_hand(make, dtype):
    """|(2, 2, 1)| = 3, and |(3, 0, 4, 12)| = 13: with an intercept, or a private feature, or both."""
    X = make(np.array([[2.0, 2.0], [0.0, 0.0]], dtype=dtype))
    plain, lifted = geometry.Lifted(X, geometry.Geometry(False)), geometry.Lifted(X, geometry.Geometry())
    weights = np.array([1.0, -3.0])
    assert plain.lengths.tolist() == [8**0.5, 0.0]
    assert plain.scores(weights, 7.0).tolist() == [-4.0, 0.0]
    assert (len(plain), len(lifted)) == (2, 2)
    assert lifted.lengths.tolist() == [3.0, 1.0]
    assert lifted.scores(weights, 7.0).tolist() == [3.0, 7.0]
    private = geometry.Lifted(X, geometry.Geometry(slack_feature=4.0))
    assert private.lengths.tolist() == [5.0, 17**0.5]
    assert private.scores(weights, 7.0).tolist() == [3.0, 7.0]
    unit = geometry.Lifted(X, geometry.Geometry(normalize=True, slack_feature=0.75))
    assert unit.lengths.tolist() == [1.25, 1.25]
    assert unit.scores(weights, 7.0) == pytest.approx([1.0, 7.0], rel=1e-15)
    nothing = geometry.Lifted(X, geometry.Geometry(False, normalize=True, slack_feature=0.75))
    assert nothing.lengths.tolist() == [1.25, 0.75]
    assert nothing.scores(weights, 7.0) == pytest.approx([-(2**0.5), 0.0], rel=1e-15)
    short = geometry.Lifted(X / dtype(16), geometry.Geometry(False, normalize=True))
    assert short.lengths.tolist() == [1.0, 0.0]


def test_lengths_by_hand():
    assert geometry.length_of(np.array([3.0, 0.0]), 4.0) == 5.0
    assert geometry.length_of(np.array([3.0]), 4.0, np.array([2.0, 4.0, 4.0]), 2.0) == 13.0
    assert geometry.length_of(np.array([3.0]), 4.0, np.ones(3)) == 5.0
    assert geometry.length_of(np.array([3.0]), 4.0, None, 9.0) == 5.0


def test_a_weight_is_that_of_whole_copies_and_a_part_of_one():
    index, copies = geometry.copies_apart(np.array([2.5, 0.0, 1.0, 0.25, 3.0, 1.125]))
    assert index.tolist() == [0, 0, 0, 1, 2, 3, 4, 4, 4, 5, 5]
    assert copies.tolist() == [1.0, 1.0, 0.5, 0.0, 1.0, 0.25, 1.0, 1.0, 1.0, 1.0, 0.125]
    assert copies.flags.c_contiguous
