"""The bytes of a model file: a JSON header and tensors, in the frame of safetensors.

A file that is cut short, of another kind, of a newer version or damaged is told from the others, and each is refused in
a sentence of its own.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._json import Tree, from_text, to_text
from novikoff._version import __version__
from novikoff.errors import InvalidInputError, invalid

FORMAT = "novikoff model"
VERSION = 1  # of the format; whatever could make an older library misread a file raises it
KEY = "novikoff"  # in the metadata
MOST_HEADER = 100_000_000  # bytes; safetensors reads no longer one
DTYPES = {"F64": "<f8", "I64": "<i8", "I32": "<i4", "I8": "|i1", "U8": "|u1", "BOOL": "|u1"}


def pack(where: str, tree: Tree, tensors: dict[str, NDArray[Any]]) -> bytes:
    """The bytes of a file."""
    from safetensors.numpy import save  # slow to import, and needed here only

    data = save(tensors, {KEY: to_text(tree)})
    (length,) = struct.unpack("<Q", data[:8])
    if length > MOST_HEADER:
        raise invalid(where, f"Parameters and labels that fit into {MOST_HEADER} bytes.", f"{length} bytes of them")
    return data


def unpack(where: str, name: str, data: bytes) -> tuple[dict[str, Tree], dict[str, NDArray[Any]]]:
    """The header and the tensors of a file."""
    return _header(where, name, data), _tensors(where, name, data)


def check_start(where: str, name: str, start: bytes) -> int:
    """The length of the header, by the first bytes of a file that may be a safetensors file."""
    (length,) = struct.unpack("<Q", start[:8].ljust(8, b"\0"))
    if not 2 <= length <= MOST_HEADER or start[8:9] != b"{":
        raise invalid(where, "A model that novikoff.save wrote.", f"{name}, a file of another kind")
    return int(length)


def _header(where: str, name: str, data: bytes) -> dict[str, Tree]:
    """Our header out of the metadata, once it is known to be one that this library can read."""
    if len(data) < 9:
        raise _cut_short(where, name, len(data))
    length = check_start(where, name, data)
    if len(data) < 8 + length:
        raise _cut_short(where, name, len(data))
    try:
        outer = from_text(data[8 : 8 + length])
        tree = from_text(outer["__metadata__"][KEY])
    except (KeyError, TypeError):
        raise invalid(where, "A model that novikoff.save wrote.", f"{name}, a file of another kind") from None
    except ValueError as error:
        raise _damaged(where, name, error) from None
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise invalid(where, "A model that novikoff.save wrote.", f"{name}, a file of another kind")
    version = tree.get("version")
    if type(version) is not int or version < 1:
        raise _damaged(where, name, f"its version is {version!r}"[:80])
    if version > VERSION:
        need = f"A model file of version {VERSION} or older: upgrade novikoff, this is {__version__}."
        raise invalid(where, need, f"{name}, which has version {version}")
    ends = [entry["data_offsets"][1] for entry in outer.values() if _has_offsets(entry)]
    if len(data) < 8 + length + max(ends, default=0):
        raise _cut_short(where, name, len(data))
    return tree


def _has_offsets(entry: Any) -> bool:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    return isinstance(offsets, list) and len(offsets) == 2 and type(offsets[1]) is int


def _tensors(where: str, name: str, data: bytes) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError, deserialize  # slow to import, and needed here only

    tensors = {}
    try:
        stored = deserialize(data)  # type: ignore[no-untyped-call]  # it comes without types
    except SafetensorError as error:
        raise _damaged(where, name, error) from None
    for path, tensor in stored:
        if tensor["dtype"] not in DTYPES:
            raise _damaged(where, name, f"tensor {path[:80]!r} is of type {tensor['dtype']}")
        array = np.frombuffer(tensor["data"], dtype=DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
        if tensor["dtype"] == "BOOL":
            if np.any(array > 1):
                raise _damaged(where, name, f"tensor {path[:80]!r} has truths beside 0 and 1")
            array = array.astype(np.bool_)
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        tensors[path] = np.require(native, requirements=["C", "A", "W"])  # a model may be changed, its file may not
    return tensors


def _cut_short(where: str, name: str, size: int) -> InvalidInputError:
    return invalid(where, "A whole model file.", f"{name}, which is cut short after {size} bytes")


def _damaged(where: str, name: str, what: object) -> InvalidInputError:
    return invalid(where, "A model file as novikoff.save wrote it.", f"{name}, which is damaged: {what}")
