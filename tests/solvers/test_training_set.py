"""Validation of training data."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from binary_problems import training_set
from novikoff.solvers.training_set import validate_training_set


def test_rows_are_not_copied_if_their_layout_allows():
    X = np.random.default_rng(0).normal(size=(6, 2))
    data = training_set(X, [0, 1, 0, 1, 2, 2])
    assert np.shares_memory(data.X, X)
    assert data.table.dense is data.X
    assert data.classes.tolist() == [0, 1, 2]
    assert data.codes.tolist() == [0, 1, 0, 1, 2, 2]
    assert data.strategy.positive_codes == [0, 1, 2]
    assert data.largest == np.abs(X).max()


def test_unsorted_indices_are_sorted_in_a_copy():
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 2, 3])), shape=(2, 2))
    data = training_set(X, [0, 1])
    assert X.indices.tolist() == [1, 0, 0]
    assert data.X.indices.tolist() == [0, 1, 0]
    assert data.table.dense is None


def test_rows_of_weight_0_define_no_class():
    data = training_set(np.eye(3), ["a", "b", "c"], [1.0, 2.0, 0.0])
    assert data.classes.tolist() == ["a", "b"]
    assert data.weights.tolist() == [1.0, 2.0, 0.0]


@pytest.mark.parametrize(
    ("y", "weights", "class_weight", "message"),
    [
        ([1, 1], None, None, "test: y has only one class, 1"),
        ([0, 1], [0.0, 0.0], None, "test: sample_weight is zero for every row"),
        ([0, 1], [1.0, 0.0], None, "only one class, 0"),
        ([0, 1], None, {1: 0.0}, "test: all rows of a class have zero weight"),
    ],
)
def test_labels_and_weights_that_make_no_problem_are_refused(y, weights, class_weight, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        validate_training_set(nk.LinearSVM(), "test", [[0.0], [1.0]], y, weights, class_weight)
