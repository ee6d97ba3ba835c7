"""Dense rows of two-byte floats, float16 and bfloat16, as float32.

Every float16 and every bfloat16 is a float32. So a certificate about the wider rows is one about the rows that were
given, and both have the same fingerprint. NumPy has no bfloat16 of its own: arrays of it come from packages such as
ml_dtypes, which register the type under this name, and from tensors of PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

SHORT_FLOATS = ("float16", "bfloat16")  # names of NumPy dtypes; those of tensors have the prefix "torch."
TENSOR_DTYPES = tuple(f"torch.{name}" for name in SHORT_FLOATS)
BLOCK_ENTRIES = 1 << 20  # that are widened at a time: 4 MB as float32


def is_short(X: Any) -> bool:
    """Return whether X is an array of two-byte floats."""
    return isinstance(X, np.ndarray) and X.dtype.itemsize == 2 and X.dtype.name in SHORT_FLOATS


def widened(X: Any) -> Any:
    """Return an array or a tensor of two-byte floats as an array of float32 in C order, and anything else as it is."""
    if is_short(X):
        with np.errstate(invalid="ignore"):  # some processors report a signalling NaN, which becomes a quiet one
            return X.astype(np.float32, order="C")
    if not isinstance(X, np.ndarray) and str(getattr(X, "dtype", "")) in TENSOR_DTYPES:
        return X.detach().cpu().float().numpy()  # NumPy cannot read a tensor of bfloat16
    return X


def as_array(X: Any) -> Any:
    """Return X as an array, with two-byte floats as float32."""
    return widened(np.asarray(widened(X)))


def widened_blocks(X: Any) -> Iterator[tuple[int, Any]]:
    """Yield blocks of rows of two-byte floats as float32, each with the number of its first row; other rows whole."""
    if not is_short(X):
        yield 0, X
        return
    step = max(1, BLOCK_ENTRIES // X.shape[1])
    for start in range(0, X.shape[0], step):
        yield start, widened(X[start : start + step])
