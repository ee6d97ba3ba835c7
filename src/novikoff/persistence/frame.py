"""The bytes of a model file: a JSON header and arrays, as a safetensors file.

The library safetensors can open what is written here. It is not used, because its calls hold the interpreter's lock for
all arrays of a model, and copy them. A file that is cut short, is not a model, has a newer version or is damaged
gets an error of its own. Before memory is allocated for an array, the file is found to have as many bytes.
"""

from __future__ import annotations

import io
import math
import os
import struct
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from novikoff._json import Tree, from_text, to_text
from novikoff._version import __version__
from novikoff.errors import InvalidInputError, input_error, quote

FORMAT = "novikoff model"
VERSION = 1  # of the format; it stays 1 until the first release
KEY = "novikoff"  # of our header in the metadata of the safetensors file
METADATA = "__metadata__"
MAX_HEADER_BYTES = 100_000_000  # the limit of safetensors
ALIGNMENT = 8  # of the first array, by spaces at the end of the header
MAX_DIMENSIONS = 8  # of an array; states have at most 3
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "|b1", "U8": "|u1", "I8": "|i1"}
DTYPES |= {f"{sign}{8 * size}": f"<{sign.lower()}{size}" for sign in "IU" for size in (2, 4, 8)}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
Buffer = bytes | memoryview


def pack(tree: Tree, tensors: dict[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a file."""
    return b"".join(pieces(tree, tensors))


def pieces(tree: Tree, tensors: dict[str, NDArray[Any]]) -> list[Buffer]:
    """Return the bytes of a file in order, as the header and the memory of each array, which is not copied."""
    header: dict[str, Any] = {METADATA: {KEY: to_text(tree)}}
    arrays: list[Buffer] = []
    end = 0
    for name in sorted(tensors, key=lambda name: (-tensors[name].itemsize, name)):  # so that all arrays are aligned
        array = np.ascontiguousarray(tensors[name], tensors[name].dtype.newbyteorder("<"))
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": NAMES[array.dtype], "shape": list(tensors[name].shape), "data_offsets": [begin, end]}
        arrays.append(array.reshape(-1).view(np.uint8).data)
    text = to_text(header).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > MAX_HEADER_BYTES:
        raise input_error("header", f"parameters and labels need {len(text)} bytes, the limit is {MAX_HEADER_BYTES}.")
    return [struct.pack("<Q", len(text)) + text, *arrays]


def unpack(name: str, data: bytes) -> tuple[dict[str, Tree], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file that has this name and these bytes."""
    return read(name, io.BytesIO(data))


def read(name: str, file: IO[bytes]) -> tuple[dict[str, Tree], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of an open file that can be read at any position."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    start = file.read(9)
    if len(start) < 9 or size < 8 + check_start(name, start):
        raise _cut_short(name, size)
    text = start[8:] + file.read(_header_length(start) - 1)
    tree, places = check_header(name, text, size)
    return tree, {path: _array(name, file, *place) for path, place in places.items()}


Place = tuple[np.dtype[Any], list[int], int, int]  # dtype, shape, and the bytes of an array after the header


def quick_from_text(text: str | bytes) -> Tree:
    """Read JSON that was just written, without the checks that other text needs."""
    import msgspec  # not needed by those who only fit

    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:  # text that UTF-8 cannot hold
        return from_text(text)


def check_header(
    name: str, text: bytes, size: int, parse: Callable[[str | bytes], Tree] = from_text
) -> tuple[dict[str, Tree], dict[str, Place]]:
    """Return the header of a file of ``size`` bytes, and the places of its arrays in the order of their bytes.

    Parameters
    ----------
    name : str
        The file, for error messages.
    text : bytes
        The JSON text after the first eight bytes.
    size : int
        The size of the whole file.
    parse : callable, default=from_text
        How JSON is read.
    """
    try:
        outer = parse(text)
        tree = parse(outer[METADATA][KEY])
    except (KeyError, TypeError):
        raise _not_a_model(name) from None
    except ValueError as error:
        raise damaged(name, error) from None
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise _not_a_model(name)
    version = tree.get("version")
    if type(version) is not int or version < 1:
        raise damaged(name, f"its version is {quote(version)}")
    if version != VERSION:
        message = f"the model file has version {version}, but novikoff {__version__} reads version {VERSION}"
        raise input_error(name, f"{message}. Fit the model again.")
    del outer[METADATA]
    return tree, _places(name, outer, size - 8 - len(text), size)


def check_start(name: str, start: bytes) -> int:
    """Return the length of the header by the first 9 bytes of a file; refuse a file that is not a safetensors file."""
    length = _header_length(start.ljust(8, b"\0"))
    if not 2 <= length <= MAX_HEADER_BYTES or start[8:9] != b"{":
        raise _not_a_model(name)
    return length


def is_model_start(beginning: bytes) -> bool:
    """Whether a file that begins with these bytes looks like a saved model.

    Parameters
    ----------
    beginning : bytes
        The first 64 KiB of the file, or all of it.

    Returns
    -------
    bool
        True if ``load`` is worth trying.
    """
    length = _header_length(beginning.ljust(8, b"\0"))
    return 2 <= length <= MAX_HEADER_BYTES and beginning[8:9] == b"{" and b'"novikoff"' in beginning  # of the metadata


def damaged(name: str, what: object) -> InvalidInputError:
    """Return the error of a file whose content is not what ``save`` writes."""
    return input_error(name, f"the model file is damaged: {str(what).rstrip('.')}.")


def _header_length(data: bytes) -> int:
    (length,) = struct.unpack("<Q", data[:8])
    return int(length)


def _places(name: str, outer: dict[str, Any], available: int, size: int) -> dict[str, Place]:
    """Return the places of all arrays, which must follow each other and fill the rest of the file."""
    found = {path: _place(name, path, entry) for path, entry in outer.items()}
    ordered = dict(sorted(found.items(), key=lambda item: item[1][2:]))
    if available < max((place[3] for place in found.values()), default=0):
        raise _cut_short(name, size)
    end = 0
    for path, place in ordered.items():
        if place[2] != end:
            raise damaged(name, f"the array {quote(path)} does not begin where the previous one ends")
        end = place[3]
    if end != available:
        raise damaged(name, f"{available - end} bytes follow the last array")
    return ordered


def _place(name: str, path: str, entry: Any) -> Place:
    """Return the place of one array, whose shape must need the bytes that it has."""
    match entry:
        case {"dtype": str(kind), "shape": [*shape], "data_offsets": [begin, end]} if len(entry) == 3:
            is_whole = all(type(number) is int and 0 <= number < 2**63 for number in (*shape, begin, end))
            if is_whole and kind in DTYPES and len(shape) <= MAX_DIMENSIONS:
                dtype = np.dtype(DTYPES[kind])
                if math.prod(shape) * dtype.itemsize == end - begin:
                    return dtype, shape, begin, end
    raise damaged(name, f"the type, shape and position of the array {quote(path)} do not fit each other")


def _array(name: str, file: IO[bytes], dtype: np.dtype[Any], shape: list[int], begin: int, end: int) -> NDArray[Any]:
    """Read an array; the file is at its beginning."""
    memory = np.empty(end - begin, np.uint8)
    if file.readinto(memory.data) != end - begin:  # type: ignore[attr-defined]  # files of bytes have it
        raise _cut_short(name, file.tell())
    if dtype.kind == "b" and memory.max(initial=0) > 1:
        raise damaged(name, "a bool is neither 0 nor 1")
    try:
        return memory.view(dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)
    except ValueError as error:  # a shape with a 0 and absurd sides
        raise damaged(name, error) from None


def _not_a_model(name: str) -> InvalidInputError:
    return input_error(name, "the file is not a model that novikoff.save wrote.")


def _cut_short(name: str, size: int) -> InvalidInputError:
    return input_error(name, f"the model file is cut short after {size} bytes.")
