"""Arrays that are mostly zeros, stored as the positions and values of their other entries.

An array of the path ``state.weights`` becomes the tensors ``state.weights.indices``, positions in the flattened array
in ascending order, and ``state.weights.values``; the header has its shape under ``sparse``. An entry counts as zero if
all its bits are, so that -0.0 is kept. The size of a file so depends on the columns that occur, not on their number. An
array that is wide (``_wide_array.py``) is stored in this way, and remains compact when it is loaded. The zeros of other
arrays take memory that the file does not have, so a file may have only so many of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._json import Tree
from novikoff._wide_array import WideArray, is_wide
from novikoff.errors import input_error, quote

from .codec import Tensors
from .frame import MAX_DIMENSIONS

MAX_PATH_LENGTH = 80  # that an error message shows
MAX_INT32 = np.iinfo(np.int32).max
OVERHEAD_BYTES = 300  # of two tensors and a shape in the header, instead of one tensor
MAX_DENSE_BYTES = 2**28  # of the arrays of a file that were stored sparsely and are dense in memory
MAX_DENSE_RATIO = 8  # of these bytes to the size of the file, if it is more


def compress(tensors: Tensors) -> tuple[dict[str, list[int]], Tensors]:
    """Return the shapes of the arrays that are smaller when stored sparsely, and all tensors of the file."""
    shapes: dict[str, list[int]] = {}
    stored, dense_bytes = Tensors(), 0
    for path, array in tensors.items():
        parts = _wide_parts(array) if isinstance(array, WideArray) else None
        if parts is None and dense_bytes + array.nbytes <= MAX_DENSE_BYTES:
            parts = _nonzero(array)
            dense_bytes += 0 if parts is None else array.nbytes
        if parts is None:
            stored[path] = array
        else:
            shapes[path] = list(array.shape)
            stored |= {f"{path}.indices": parts[0], f"{path}.values": parts[1]}
    return shapes, stored


Parts = tuple[NDArray[Any], NDArray[Any]]  # positions in the flattened array, and values


def _wide_parts(array: WideArray) -> Parts:
    positions, values = array.positions()
    return positions.astype(np.int32 if array.size <= MAX_INT32 else np.int64), values


def _nonzero(array: NDArray[Any]) -> Parts | None:
    """Return the parts of a contiguous array; None if they would not need less space."""
    size = array.itemsize
    most = (array.nbytes - OVERHEAD_BYTES) // (size + 4)
    bits = array.reshape(-1).view(f"u{size}")
    if most < 0 or array.size > MAX_INT32 or np.count_nonzero(bits) > most:
        return None
    positions = np.flatnonzero(bits)
    return positions.astype(np.int32), array.reshape(-1)[positions]


def expand(shapes: Tree, tensors: Tensors) -> None:
    """Replace the parts of all sparse arrays in ``tensors`` by the arrays, after checking that they fit each other."""
    if not isinstance(shapes, dict):
        raise input_error("sparse", f"it must be an object with the shapes of arrays, but it is {quote(shapes)}.")
    for path, shape in shapes.items():
        if not isinstance(shape, list) or not shape or not all(type(side) is int and side >= 0 for side in shape):
            raise input_error(f"sparse.{_shown(path)}", f"a shape must be a list of counts, but it is {quote(shape)}.")
        if math.prod(max(1, side) for side in shape) >= 2**63 or len(shape) > MAX_DIMENSIONS:
            raise input_error(f"sparse.{_shown(path)}", f"an array cannot have the shape {quote(shape)}.")
        parts = [tensors.pop(f"{path}.{part}", None) for part in ("indices", "values")]
        if path in tensors or any(part is None or part.ndim != 1 for part in parts):
            raise input_error(_shown(path), "a sparse array must have one tensor of indices and one of values.")
        tensors[path] = _expanded(_shown(path), shape, parts, tensors)


def _expanded(path: str, shape: list[int], parts: list[Any], tensors: Tensors) -> Any:
    """Return a wide array compactly, and others densely."""
    indices, values = parts
    if indices.dtype not in (np.int32, np.int64) or len(indices) != len(values):
        raise input_error(path, "the indices must be integers of 32 or 64 bits, one per value.")
    if len(indices) and (indices[0] < 0 or indices[-1] >= math.prod(shape) or np.any(indices[1:] <= indices[:-1])):
        raise input_error(path, f"the indices must ascend, and be below {math.prod(shape)}.")
    columns = len(np.unique(indices.astype(np.int64) % max(1, shape[-1])))  # the width may have more than 32 bits
    is_compact = is_wide(shape[-1], columns)
    tensors.spend(math.prod([*shape[:-1], columns if is_compact else shape[-1]]) * values.itemsize, path)
    if is_compact:
        return WideArray.of_positions(shape, indices, values)
    array: NDArray[Any] = np.zeros(shape, values.dtype)
    array.reshape(-1)[indices] = values
    return array


def dense_allowance(file_bytes: int) -> int:
    """Return how many bytes the arrays of a file may have that were stored sparsely and are dense in memory."""
    return max(MAX_DENSE_BYTES, MAX_DENSE_RATIO * file_bytes)


def _shown(path: str) -> str:
    """Return a path that a file states, for an error message: quoted if it has other characters than paths have."""
    is_plain = path.isascii() and path.replace(".", "").replace("_", "").isalnum() and len(path) < MAX_PATH_LENGTH
    return path if is_plain else quote(path)
