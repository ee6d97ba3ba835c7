"""Arrays that came over a network, at addresses that NumPy and the kernels can work with.

Dask makes arrays from pieces of a message, which may begin at any byte. NumPy does not give such arrays to BLAS, so
that products would have other bits than those of the same array elsewhere, and the compiled core must not read them.
"""

from __future__ import annotations

import copy
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


def aligned(value: Any) -> Any:
    """Return a command, a state, a reply or a block whose arrays are aligned. Only those that are not are copied."""
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if sp.issparse(value) and value.format == "csr":
        return _with(value, ("data", "indices", "indptr"))
    if isinstance(value, tuple) and type(value) is not tuple:
        return type(value)(*map(aligned, value))
    if isinstance(value, tuple | list):
        return type(value)(map(aligned, value))
    if isinstance(value, dict):
        return {key: aligned(entry) for key, entry in value.items()}
    if is_dataclass(value) and not isinstance(value, type) and hasattr(value, "__dict__"):
        return _with(value, tuple(vars(value)))
    return value


def _with(value: Any, names: tuple[str, ...]) -> Any:
    """Return an object with aligned attributes: itself, or a copy."""
    entries = {name: getattr(value, name) for name in names}
    found = {name: aligned(entry) for name, entry in entries.items()}
    if all(found[name] is entries[name] or not _has_arrays(entries[name]) for name in names):
        return value
    result = copy.copy(value)
    for name, entry in found.items():
        object.__setattr__(result, name, entry)
    return result


def _has_arrays(value: Any) -> bool:
    return isinstance(value, np.ndarray | tuple | list | dict) or sp.issparse(value) or is_dataclass(value)
