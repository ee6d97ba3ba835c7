"""Arrays that NumPy has saved: a matrix, with labels in .npz."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.data.source import name_of
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library
from novikoff.errors import input_error

from .frame import frame_blocks
from .table import TableFormat

MAGIC, ZIP_MAGIC = b"\x93NUMPY", b"PK\x03\x04"


class NumpyArrays(TableFormat):
    """The arrays X and y of an .npz file, or its one matrix and its one vector; or the matrix of an .npy file.

    The columns of the matrix are called x0, x1, ..., as ``TableEncoder`` calls those of an array, and the labels y.
    """

    name = "numpy"
    suffixes = (".npy", ".npz")

    def recognizes(self, beginning: bytes) -> bool:
        return beginning.startswith(MAGIC) or (beginning.startswith(ZIP_MAGIC) and b".npy" in beginning[:300])

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        path, arrow = name_of(source), library(where, "pyarrow")
        with explaining(path, "the file is not a readable array of NumPy"):
            arrays = _loaded(path)
        X, y = _matrix_and_vector(path, arrays)
        with explaining(path, "Arrow cannot convert the arrays"):
            columns = {f"x{j}": arrow.array(X[:, j]) for j in range(X.shape[1])}
            columns |= {} if y is None else {"y": arrow.array(y.tolist() if y.dtype.kind == "U" else y)}
            table = arrow.table(columns)
        return frame_blocks(where, table, options, batch_size, path)


def _loaded(path: str) -> dict[str, Any]:
    """Return the arrays of a file by name; the one array of an .npy file is called X."""
    try:
        loaded = np.load(path, allow_pickle=False)
        return {"X": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except MemoryError:  # the header, which may be wrong, says how much is needed
        raise ValueError("its arrays do not fit in memory") from None


def _matrix_and_vector(path: str, arrays: dict[str, Any]) -> tuple[Any, Any]:
    """Return the matrix of numbers, and the vector of labels if there is one."""
    matrices = [arrays["X"]] if "X" in arrays else [array for array in arrays.values() if array.ndim == 2]
    vectors = [arrays["y"].squeeze()] if "y" in arrays else [array for array in arrays.values() if array.ndim == 1]
    X, y = (found[0] if len(found) == 1 else None for found in (matrices, vectors))
    if X is None or X.ndim != 2 or X.dtype.kind not in "biuf" or len(vectors) > 1:
        shapes = ", ".join(f"{name} {array.dtype} {array.shape}" for name, array in arrays.items())
        needed = "a matrix X of numbers and a vector y of labels are needed, or one of each under other names"
        raise input_error(path, f"{needed}, but the file has {shapes or 'no arrays'}.")
    if y is not None and y.shape != X.shape[:1]:
        raise input_error(path, f"y must have one label per row, {len(X):,} in all, but its shape is {y.shape}.")
    return X, y


NUMPY = NumpyArrays()
