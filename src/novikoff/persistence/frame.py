"""The bytes of a model file: a JSON header and arrays, as a safetensors file.

A file that is cut short, is not a model, has a newer version or is damaged gets an error of its own.
"""

from __future__ import annotations

import struct
import sys
from typing import Any

from numpy.typing import NDArray

from novikoff._json import Tree, from_text, to_text
from novikoff._version import __version__
from novikoff.errors import InvalidInputError, input_error, quote

FORMAT = "novikoff model"
VERSION = 3  # of the format; any change that an older library could misread raises it
KEY = "novikoff"  # of our header in the metadata of the safetensors file
MAX_HEADER_BYTES = 100_000_000  # the limit of safetensors


def pack(tree: Tree, tensors: dict[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a file."""
    from safetensors.numpy import save  # slow to import, and not needed by those who only fit

    data = save(tensors, {KEY: to_text(tree)})
    length = _header_length(data)
    if length > MAX_HEADER_BYTES:
        raise input_error("header", f"parameters and labels need {length} bytes, the limit is {MAX_HEADER_BYTES}.")
    return data


def unpack(name: str, data: bytes) -> tuple[dict[str, Tree], dict[str, NDArray[Any]]]:
    """Return the header and the tensors of the file of this name."""
    return _header(name, data), _tensors(name, data)


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


def _header(name: str, data: bytes) -> dict[str, Tree]:
    """Return our header from the metadata of the file, if this library can read it."""
    if len(data) < 9 or len(data) < 8 + check_start(name, data):
        raise _cut_short(name, len(data))
    end = 8 + _header_length(data)
    try:
        outer = from_text(data[8:end])
        tree = from_text(outer["__metadata__"][KEY])
    except (KeyError, TypeError):
        raise _not_a_model(name) from None
    except ValueError as error:
        raise damaged(name, error) from None
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise _not_a_model(name)
    version = tree.get("version")
    if type(version) is not int or version < 1:
        raise damaged(name, f"its version is {quote(version)}")
    if version > VERSION:
        message = f"the model file has version {version}, but novikoff {__version__} reads versions up to {VERSION}"
        raise input_error(name, f"{message}. Please upgrade novikoff.")
    if len(data) < end + max(map(_end_of_tensor, outer.values()), default=0):
        raise _cut_short(name, len(data))
    return tree


def _end_of_tensor(entry: Any) -> int:
    """Return where a tensor ends; 0 for what is not a tensor."""
    match entry:
        case {"data_offsets": [_, int(end)]}:
            return end
    return 0


def _tensors(name: str, data: bytes) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError  # slow to import, and not needed by those who only fit
    from safetensors.numpy import load

    try:
        tensors = load(data)
    except (SafetensorError, KeyError) as error:  # KeyError: a type that NumPy does not have
        raise damaged(name, error) from None
    return tensors if sys.byteorder == "little" else {path: array.byteswap() for path, array in tensors.items()}


def _not_a_model(name: str) -> InvalidInputError:
    return input_error(name, "the file is not a model that novikoff.save wrote.")


def _cut_short(name: str, size: int) -> InvalidInputError:
    return input_error(name, f"the model file is cut short after {size} bytes.")
