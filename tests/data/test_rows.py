"""Views of matrices and examples: without copies where the memory layout allows, and refused where they cannot be."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data.rows import as_rows, csr, is_keyed, one_row


@pytest.mark.parametrize(
    "make", [np.asarray, sp.csr_array, sp.csr_matrix, lambda X: sp.csr_array(X.astype(np.float32))]
)
def test_dense_and_sparse_matrices_are_rows(make):
    rows = as_rows("fit", make(np.eye(3)))
    assert rows.count == 3


def test_row_offsets_that_leave_the_data_are_refused():
    X = sp.csr_array(np.eye(2))
    X.indptr = np.array([0, 1, 900], X.indptr.dtype)
    with pytest.raises(nk.InvalidInputError, match=r"^fit: the sparse matrix is not valid: "):
        as_rows("fit", X)


def test_csr_shares_its_arrays():
    values, columns, offsets = np.ones(2), np.array([0, 1], np.int32), np.array([0, 1, 2], np.int32)
    X = csr(values, columns, offsets, 4)
    assert X.shape == (2, 4)
    assert X.data is values
    assert X.has_canonical_format


def test_dicts_name_their_features_and_dok_matrices_do_not():
    assert is_keyed({"a": 1})
    assert not is_keyed(sp.dok_array((2, 2)))
    assert not is_keyed([1, 2])


@pytest.mark.parametrize(
    "x", [[1, 2], (1.0, 2.0), np.array([1, 2]), sp.csr_array([[1.0, 2.0]]), sp.coo_array([[1, 2]])]
)
def test_one_example_is_a_matrix_of_one_row(x):
    row = one_row("learn_one", x, 2)
    assert (row.toarray() if sp.issparse(row) else row).tolist() == [[1.0, 2.0]]


def test_other_examples_are_refused():
    for x, message in (([[1], [2]], r"of 2 features, but its shape is \(2, 1\)"), (["a", "b"], "must be real numbers")):
        with pytest.raises(nk.InvalidInputError, match=message):
            one_row("learn_one", x, 2)
