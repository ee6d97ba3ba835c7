"""Arrays at odd addresses."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from novikoff.distributed.block import Block
from novikoff.distributed.engines.alignment import aligned


@dataclass(frozen=True)
class Nested:
    vector: object
    others: object


def misplaced(array):
    """The same array, one byte after an address that is a multiple of 64."""
    buffer = np.zeros(array.nbytes + 128, dtype=np.uint8)
    first = (-buffer.ctypes.data) % 64 + 1
    found = buffer[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


def test_arrays_are_copied_only_if_they_are_misplaced():
    array = np.arange(6.0).reshape(2, 3)
    assert aligned(array) is array
    moved = aligned(misplaced(array))
    assert moved.flags.aligned
    assert moved.tobytes() == array.tobytes()


def test_nested_values_keep_their_types():
    array = np.arange(3.0)
    value = {"a": (1, [misplaced(array), None]), 2: Nested(misplaced(array), (Fraction(1, 3), "text", True))}
    found = aligned(value)
    assert found["a"][1][0].flags.aligned
    assert found["a"][0] == 1
    assert found["a"][1][1] is None
    assert isinstance(found[2], Nested)
    assert found[2].vector.flags.aligned
    assert found[2].others == (Fraction(1, 3), "text", True)
    assert not value[2].vector.flags.aligned


def test_sparse_rows_of_a_block():
    X = sp.csr_matrix(np.array([[0.0, 2.0], [3.0, 0.0]]))
    bad = X.copy()
    bad.data = misplaced(X.data)
    block = Block(bad, np.array([1, -1]), None, "t")
    found = aligned(block)
    assert found.X.data.flags.aligned
    assert (found.X != X).nnz == 0
    assert found.name == "t"
    assert aligned(found) is found
