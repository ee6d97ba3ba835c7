"""Blocks: rows that can be used, or an error that names the partition and the row."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.errors import InvalidInputError


@pytest.mark.parametrize(
    ("given", "kept"), [(np.float64, np.float64), (np.float32, np.float32), (np.float16, np.float32), (int, np.float64)]
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_floats_keep_their_type_and_other_numbers_become_floats(given, kept, form):
    if form is sp.csr_matrix and given is np.float16:
        given = np.float32  # there are no sparse matrices of float16
    block = checked_block("here", form(np.array([[1, 0], [0, 2]], dtype=given)), [0, 1])
    assert (block.X.dtype, block.count, block.is_sparse) == (kept, 2, form is sp.csr_matrix)


def test_rows_in_another_order_of_memory_have_the_same_values():
    X = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    block = checked_block("here", X, None)
    assert block.X.flags.c_contiguous
    assert np.array_equal(block.X, X)
    assert (block.y, block.weights) == (None, None)


def test_sparse_rows_become_sorted_without_zeros_or_duplicates_and_the_given_ones_remain():
    X = sp.csr_matrix(([1.0, 2.0, 0.0, 4.0], [2, 0, 1, 2], [0, 4]), shape=(1, 3))
    block = checked_block("here", X, [0])
    assert (block.X.indices.tolist(), block.X.data.tolist()) == ([0, 2], [2.0, 5.0])
    assert (X.indices.tolist(), X.data.tolist()) == ([2, 0, 1, 2], [1.0, 2.0, 0.0, 4.0])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_first_row_that_is_not_finite_is_named(value, form):
    X = np.ones((5, 2))
    X[3:, 1] = value
    with pytest.raises(InvalidInputError, match=r"^part 2.*row 3"):
        checked_block("part 2", form(X), np.zeros(5))


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        ([["a"]], [0], None, r"^p: the values must be numbers"),
        (np.zeros((1, 1)) * 1j, [0], None, r"^p: the values must be numbers, but they are complex\."),
        (sp.csr_matrix(np.eye(1) * 1j), [0], None, r"^p: the values must be numbers, but they are complex\."),
        (np.zeros(3), [0, 1, 1], None, r"^p: the rows must have two dimensions, but their shape is \(3,\)"),
        (np.zeros((2, 1)), [0], None, r"^p: .*1"),
        (np.zeros((2, 1)), [0, 1], [1.0, -1.0], r"^p: .*weight"),
        (np.zeros((2, 1)), [0, 1], [1.0, np.nan], r"^p: .*weight"),
        (np.zeros((2, 1)), [0, 1], [1.0], r"^p: .*weight"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_name(X, y, weights, message):
    with pytest.raises(InvalidInputError, match=message):
        checked_block("p", X, y, weights)
