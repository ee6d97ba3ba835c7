"""Arrays that are mostly zeros, stored as the positions and values of their other entries.

An array of the path ``state.weights`` becomes the tensors ``state.weights.indices``, positions in the flattened array
in ascending order, and ``state.weights.values``; the header has its shape under ``sparse``. An entry counts as zero if
all its bits are, so that -0.0 is kept. The size of a file so depends on the columns that occur, not on their number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._json import Tree
from novikoff.errors import input_error, quote

from .codec import Tensors

OVERHEAD_BYTES = 300  # of two tensors and a shape in the header, instead of one tensor
MAX_ENTRIES = 2**29  # of all sparse arrays of a file, zeros included; larger models store the rest of them densely


def compress(tensors: Tensors) -> tuple[dict[str, list[int]], Tensors]:
    """Return the shapes of the arrays that are smaller when stored sparsely, and all tensors of the file."""
    shapes: dict[str, list[int]] = {}
    stored: Tensors = {}
    entries = 0
    for path, array in tensors.items():
        places = _nonzero(array) if entries + array.size <= MAX_ENTRIES else None
        if places is None:
            stored[path] = array
        else:
            entries += array.size
            shapes[path] = list(array.shape)
            stored |= {f"{path}.indices": places.astype(np.int32), f"{path}.values": array.ravel()[places]}
    return shapes, stored


def _nonzero(array: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the positions of the nonzero entries of a contiguous array; None if they would not need less space."""
    size = array.itemsize
    most = (array.nbytes - OVERHEAD_BYTES) // (size + 4)
    if most < 0:
        return None
    is_stored = array.ravel().view(f"u{size}") != 0
    return np.flatnonzero(is_stored) if np.count_nonzero(is_stored) <= most else None


def expand(shapes: Tree, tensors: Tensors) -> None:
    """Replace the parts of all sparse arrays in ``tensors`` by the arrays, after checking that they fit each other.

    A file can ask for zeros that it does not contain: for ``MAX_ENTRIES`` entries at most.
    """
    if not isinstance(shapes, dict):
        raise input_error("sparse", f"it must be an object with the shapes of arrays, but it is {quote(shapes)}.")
    entries = 0
    for path, shape in shapes.items():
        if not isinstance(shape, list) or not all(type(side) is int and side >= 0 for side in shape):
            raise input_error(f"sparse.{path}", f"a shape must be a list of counts, but it is {quote(shape)}.")
        entries += math.prod(shape)
        if entries > MAX_ENTRIES:
            raise input_error(f"sparse.{path}", f"the sparse arrays must have at most {MAX_ENTRIES} entries in all.")
        parts = [tensors.pop(f"{path}.{part}", None) for part in ("indices", "values")]
        if path in tensors or any(part is None or part.ndim != 1 for part in parts):
            raise input_error(path, "a sparse array must have one tensor of indices and one of values.")
        tensors[path] = _dense(path, shape, *parts)


def _dense(path: str, shape: list[int], indices: Any, values: Any) -> NDArray[Any]:
    if indices.dtype != np.int32 or len(indices) != len(values):
        raise input_error(path, "the indices must be integers of 32 bits, one per value.")
    if len(indices) and (indices[0] < 0 or indices[-1] >= math.prod(shape) or np.any(np.diff(indices) <= 0)):
        raise input_error(path, f"the indices must ascend, and be below {math.prod(shape)}.")
    try:
        array: NDArray[Any] = np.zeros(shape, values.dtype)
    except MemoryError:
        raise input_error(path, f"out of memory for {math.prod(shape)} numbers.") from None
    array.reshape(-1)[indices] = values
    return array
