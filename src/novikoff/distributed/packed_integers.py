"""Vectors of integers of any length as arrays of bytes, which are sent and stored faster than lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.elimination import IntegerVector

Packed = NDArray[np.uint8]


def packed(vector: IntegerVector) -> Packed:
    """Return integers as an array with one row for each: its bytes in two's complement, the lowest first."""
    size = max((entry.bit_length() for entry in vector), default=0) // 8 + 1
    content = b"".join([entry.to_bytes(size, "little", signed=True) for entry in vector])
    return np.frombuffer(content, dtype=np.uint8).reshape(len(vector), size)


def unpacked(array: Packed) -> IntegerVector:
    """Return the integers of an array that `packed` has made."""
    content, size = array.tobytes(), array.shape[1]
    return [int.from_bytes(content[k : k + size], "little", signed=True) for k in range(0, len(content), size)]
