"""The order of rows whose labels come late."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.data.late import late_order, rows_at, stacked_rows


@pytest.mark.parametrize(
    ("waiting", "rows", "labels"), [(0, 4, 4), (3, 3, 3), (2, 7, 5), (2, 7, 7), (5, 6, 1), (3, 3, 1)]
)
def test_each_new_row_is_predicted_and_the_oldest_learned_after_it(waiting, rows, labels):
    order, is_learned = late_order(waiting, rows, labels)
    queue, served = list(range(waiting)), list(range(waiting, rows))
    for row, learns in zip(order.tolist(), is_learned.tolist(), strict=True):
        if learns:
            assert queue.pop(0) == row
        else:
            assert served.pop(0) == row
            queue.append(row)
    assert not served
    assert order[is_learned].tolist() == list(range(labels))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_array, np.ndarray.tolist, tuple])
def test_rows_are_taken_in_any_order(kind):
    X = np.arange(12.0).reshape(4, 3)
    found = rows_at(kind(X), np.array([2, 0, 2]))
    assert np.array_equal(found.toarray() if sp.issparse(found) else np.asarray(found), X[[2, 0, 2]])


def test_sparse_rows_of_different_widths_are_stacked():
    first, second = np.eye(2), np.ones((1, 3))
    found = stacked_rows(sp.csr_array(first), sp.csr_array(second))
    assert np.array_equal(found.toarray(), [[1, 0, 0], [0, 1, 0], [1, 1, 1]])
    assert np.array_equal(stacked_rows(second, sp.csr_array(first)).toarray(), [[1, 1, 1], [1, 0, 0], [0, 1, 0]])
    assert np.array_equal(stacked_rows(first, first), np.vstack([first, first]))
