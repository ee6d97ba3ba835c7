"""Rows that wait for their labels: they come back as they were stored, and damaged ones are refused."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.data.late_rows import LateRows
from novikoff.errors import InvalidInputError
from novikoff.persistence.codec import Tensors, decode, encode

DENSE = np.array([[1.0, -0.0, 2.5], [0.0, 4.0, 1e-300]])
SPARSE = sp.csr_array((np.array([1.0, 0.0, -3.0]), np.array([2, 0, 5]), np.array([0, 2, 3])), shape=(2, 7))


def stored(X=DENSE, labels=("a", "b"), weights=None):
    return LateRows.of(X, np.array(labels), None if weights is None else np.array(weights))


def through_a_file(rows):
    """The rows as a model file gives them back."""
    tensors = Tensors()
    tree = encode(LateRows, rows, "unlearned", tensors)
    return decode(LateRows, tree, "unlearned", tensors)


@pytest.mark.parametrize("X", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_rows_come_back_to_the_last_bit(X):
    again = through_a_file(stored(X)).rows()
    assert sp.issparse(again) == sp.issparse(X)
    assert again.shape == X.shape
    parts = (lambda m: (m.data, m.indices, m.indptr)) if sp.issparse(X) else lambda m: (m,)
    for part, known in zip(parts(again), parts(X), strict=True):
        assert part.tolist() == known.tolist()
        assert np.signbit(part).tolist() == np.signbit(known).tolist()


@pytest.mark.parametrize(
    "labels", [["a", "long label"], [1, -3], [True, False], [0.5, 1.5], np.array([1, "a"], object)]
)
def test_labels_come_back_with_their_type(labels):
    again = through_a_file(stored(labels=labels)).label_array()
    assert again.dtype == np.array(labels).dtype
    assert again.tolist() == np.array(labels).tolist()


def test_weights_come_back():
    again = through_a_file(stored(weights=[0.0, 2.5]))
    assert again.weights.tolist() == [0.0, 2.5]
    assert len(again) == 2
    assert through_a_file(stored()).weights is None


@pytest.mark.parametrize(
    "change",
    [
        {"width": 2},
        {"values": np.zeros(5)},
        {"labels": np.array([0, 9])},
        {"labels": np.array([-1, 0])},
        {"labels": np.zeros(0, np.int64)},
        {"weights": np.array([1.0])},
        {"weights": np.array([1.0, -1.0])},
        {"label_type": "int64"},
        {"label_type": "no type"},
        {"label_type": "datetime64[s]"},
        {"names": (1, 2, 3)},
        {"starts": np.array([0, 3, 6])},
    ],
)
def test_parts_that_do_not_fit_are_refused(change):
    whole = stored(weights=[1.0, 1.0])
    with pytest.raises(InvalidInputError, match="late rows"):
        dataclasses.replace(whole, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"columns": np.array([2, 0, 7])},
        {"columns": np.array([2, -1, 5])},
        {"columns": None},
        {"starts": np.array([0, 4, 3])},
        {"starts": np.array([1, 2, 3])},
        {"starts": np.array([0, 3])},
        {"starts": np.array([0, 2, 2])},
    ],
)
def test_sparse_rows_that_do_not_fit_are_refused(change):
    with pytest.raises(InvalidInputError, match="late rows"):
        dataclasses.replace(stored(SPARSE), **change)
