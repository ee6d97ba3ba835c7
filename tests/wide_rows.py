"""Sparse rows so wide that a dense vector of their width takes 16 GiB, and a check that none is made."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from novikoff._wide_array import WideArray

HUGE = 2**31 - 1


def wide_rows(classes=2):
    """One row of two numbers per class, and the labels."""
    columns = np.array([[label, HUGE - 1 - label] for label in range(classes)])
    values = np.array([[2.0 + label, -1.0] for label in range(classes)])
    begins = np.arange(0, 2 * classes + 1, 2)
    return sp.csr_array((values.ravel(), columns.ravel(), begins), shape=(classes, HUGE)), np.arange(classes)


def cut(X):
    """The rows with only the columns that occur; indexing of SciPy would allocate a vector of the width."""
    return sp.csr_array((X.data, np.unique(X.indices, return_inverse=True)[1], X.indptr))


@contextmanager
def never_dense():
    """Fail if the dense array of a wide one is made."""

    def refuse(array, dtype=None, copy=None):
        raise AssertionError(f"an array of shape {array.shape} was to become dense")

    with patch.object(WideArray, "__array__", refuse):
        yield
