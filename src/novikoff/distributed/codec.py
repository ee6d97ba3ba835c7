"""Plain data as bytes and back, bit for bit, without pickle: no bytes of a file can name code to run.

Plain data are None, bool, int, float, str, bytes, ``Fraction``, NumPy arrays, scalars and dtypes, CSR matrices, tuples,
lists, dicts, and dataclasses of these that a module of novikoff defines. The bytes are the length of a JSON text, the
text, and the memory of all arrays. In the text, a list is a list, and what JSON lacks is an object with one key, which
names the type.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._json import LONG, Tree, from_text, to_text

PACKAGE = "novikoff"
RAW_KINDS = "biufcUSmM"  # kinds of arrays whose memory is stored
CSR_TYPES = {"matrix": sp.csr_matrix, "array": sp.csr_array}


def encode(value: Any) -> bytes:
    """Return plain data as bytes. Other values raise TypeError."""
    memory: list[bytes] = []
    text = to_text({"value": _tree(value, memory), "sizes": [len(part) for part in memory]}).encode()
    return b"".join([struct.pack("<Q", len(text)), text, *memory])


def decode(data: bytes) -> Any:
    """Return the value that `encode` wrote, with arrays that can be written to. Other bytes raise ValueError."""
    try:
        length = int.from_bytes(data[:8], "little")
        header = from_text(data[8 : 8 + length])
        memory, at = [], 8 + length
        for size in header["sizes"]:
            memory.append(data[at : at + size])
            at += size
        if at != len(data) or any(map(lambda part, size: len(part) != size, memory, header["sizes"])):
            raise ValueError("the sizes of the arrays are not those of the data")
        return _value(header["value"], memory)
    except ValueError:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ImportError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"the data are damaged: {error}") from None


def _tree(value: Any, memory: list[bytes]) -> Tree:
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return value if abs(value) < LONG else {"int": hex(value)}
    if type(value) is float:
        return value if math.isfinite(value) else {"float": struct.pack("<d", value).hex()}
    if type(value) is list:
        return [_tree(entry, memory) for entry in value]
    if type(value) is tuple:
        return {"tuple": [_tree(entry, memory) for entry in value]}
    if type(value) is dict:
        return {"dict": [[_tree(key, memory), _tree(entry, memory)] for key, entry in value.items()]}
    if type(value) is bytes:
        memory.append(value)
        return {"bytes": len(memory) - 1}
    if type(value) is Fraction:
        return {"fraction": [hex(value.numerator), hex(value.denominator)]}
    return _numeric_tree(value, memory)


def _numeric_tree(value: Any, memory: list[bytes]) -> Tree:
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if isinstance(value, np.generic):
        return {"scalar": _tree(np.asarray(value), memory)}
    if type(value) is np.ndarray:
        return {"array": _array_tree(value, memory)}
    for name, kind in CSR_TYPES.items():
        if type(value) is kind:
            parts = [_tree(part, memory) for part in (value.data, value.indices, value.indptr)]
            return {"csr": [name, *parts, list(value.shape)]}
    kind = type(value)
    if dataclasses.is_dataclass(value) and _is_own(kind.__module__):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {"object": [f"{kind.__module__}:{kind.__qualname__}", _tree(fields, memory)]}
    raise TypeError(f"a {kind.__module__}.{kind.__qualname__} is not plain data, so a checkpoint cannot hold it")


def _array_tree(array: NDArray[Any], memory: list[bytes]) -> Tree:
    if array.dtype.kind == "O":
        return [list(array.shape), "O", [_tree(entry, memory) for entry in array.ravel().tolist()]]
    if array.dtype.kind not in RAW_KINDS:
        raise TypeError(f"an array of {array.dtype} is not plain data, so a checkpoint cannot hold it")
    order: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    memory.append(array.tobytes(order))
    return [list(array.shape), array.dtype.str, order, len(memory) - 1]


def _value(tree: Tree, memory: list[bytes]) -> Any:
    if isinstance(tree, list):
        return [_value(entry, memory) for entry in tree]
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    return READERS[kind](content, memory)


def _read_array(content: Any, memory: list[bytes]) -> NDArray[Any]:
    shape, dtype = content[:2]
    if dtype == "O":
        flat = np.empty(len(content[2]), dtype=object)
        for place, entry in enumerate(content[2]):
            flat[place] = _value(entry, memory)
        return flat.reshape(shape)
    if np.dtype(dtype).kind not in RAW_KINDS or content[2] not in ("C", "F"):
        raise ValueError(f"an array cannot hold {dtype}")
    raw = memory[content[3]]
    if np.dtype(dtype).itemsize == 0 or not raw:
        return np.zeros(shape, dtype)
    return np.frombuffer(bytearray(raw), dtype).reshape(shape, order=content[2])


def _read_csr(content: Any, memory: list[bytes]) -> Any:
    kind, *parts, shape = content
    data, indices, offsets = (_value(part, memory) for part in parts)
    return CSR_TYPES[kind]((data, indices, offsets), shape=tuple(shape))


def _read_object(content: Any, memory: list[bytes]) -> Any:
    module, _, name = content[0].partition(":")
    if not _is_own(module):
        raise ValueError(f"{module} is not a module of {PACKAGE}")
    kind = getattr(importlib.import_module(module), name)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__module__ == module):
        raise ValueError(f"{content[0]} is not a dataclass")
    return kind(**_value(content[1], memory))


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


READERS: dict[str, Callable[[Any, list[bytes]], Any]] = {
    "int": lambda content, _: int(content, 16),
    "float": lambda content, _: struct.unpack("<d", bytes.fromhex(content))[0],
    "tuple": lambda content, memory: tuple(_value(entry, memory) for entry in content),
    "dict": lambda content, memory: {_value(key, memory): _value(entry, memory) for key, entry in content},
    "bytes": lambda content, memory: memory[content],
    "fraction": lambda content, _: Fraction(int(content[0], 16), int(content[1], 16)),
    "dtype": lambda content, _: np.dtype(content),
    "scalar": lambda content, memory: _value(content, memory)[()],
    "array": _read_array,
    "csr": _read_csr,
    "object": _read_object,
}
