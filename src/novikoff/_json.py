"""Plain values as JSON, and back to equal values: None, bool, int, float, str, list, tuple and dict."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from novikoff._wide_array import WideArray

Tree = Any  # a value that the json module can write
TREE = "JSON tree"  # metadata of Any: the value is a JSON tree already
MIN_SPARSE_LENGTH = 256  # shorter arrays are lists, however many zeros they have
MAX_SPARSE_SHARE = 0.25  # of entries that are not 0: an index takes about twice the space of a zero
LONG = 2**64  # integers of 64 bits or more are written in hexadecimal: readers of JSON limit decimal digits


def to_text(tree: Tree) -> str:
    """Return a tree as JSON in ASCII, without spaces."""
    return _ENCODER.encode(tree)


def from_text(text: str | bytes) -> Tree:
    """Read JSON. Invalid JSON, NaN, a repeated key, too deep nesting and a huge integer raise ValueError."""
    try:
        return _DECODER.decode(text if isinstance(text, str) else str(text, "utf-8"))
    except RecursionError:
        raise ValueError("lists are nested too deeply") from None
    except ValueError as error:
        if "set_int_max_str_digits" in str(error):  # advice for programmers
            raise ValueError("an integer has too many digits") from None
        raise


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        raise ValueError("an object has the same key twice")
    return tree


_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeated_keys)


def plain(value: Any, unknown: Callable[[Any], Any] | None = None) -> Tree:
    """Return a value as JSON for other programs, which cannot be converted back: arrays are lists, keys are text.

    A long vector that is mostly zeros becomes an object with its ``length``, and the ``indices`` and ``values`` of the
    other entries. A value that JSON cannot express becomes ``unknown(value)``; without ``unknown``, numbers that are
    not finite become null.
    """
    if isinstance(value, WideArray) and value.ndim == 1:
        columns, values = value.positions()
        return {"length": value.width, "indices": columns.tolist(), "values": values.tolist()}
    if isinstance(value, WideArray):
        value = list(value)
    if isinstance(value, np.ndarray | np.generic):
        value = _sparse(value) or value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(entry, unknown) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry, unknown) for entry in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if unknown is not None:
        return unknown(value)
    return None if isinstance(value, float) else value


def _sparse(array: Any) -> dict[str, Any] | None:
    """Return the object that stands for an array of mostly zeros; None for others. -0.0 does not count as zero."""
    if array.ndim != 1 or len(array) < MIN_SPARSE_LENGTH or array.dtype.kind not in "fi":
        return None
    indices = np.flatnonzero((array != 0) | np.signbit(array))
    if len(indices) > MAX_SPARSE_SHARE * len(array):
        return None
    return {"length": len(array), "indices": indices, "values": array[indices].tolist()}


def plain_to_tree(value: Any) -> Tree:
    """Return a plain value as JSON, with a tag for types that JSON lacks. Other values raise TypeError.

    Arrays of numbers or text become lists, and NumPy scalars become Python scalars.
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.dtype.kind in "biufU"):
        value = value.tolist()
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return value if abs(value) < LONG else {"int": hex(value)}
    if isinstance(value, float) and not math.isnan(value):
        return float(value) if math.isfinite(value) else {"float": str(value)}
    if type(value) is list:
        return [plain_to_tree(entry) for entry in value]
    if type(value) is tuple:
        return {"tuple": [plain_to_tree(entry) for entry in value]}
    if type(value) is dict:
        return {"dict": [[plain_to_tree(key), plain_to_tree(entry)] for key, entry in value.items()]}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def plain_from_tree(tree: Tree) -> Any:
    """Return the value that ``plain_to_tree`` wrote. Other trees raise ValueError."""
    if isinstance(tree, list):
        return [plain_from_tree(entry) for entry in tree]
    if not isinstance(tree, dict):
        if isinstance(tree, float) and not math.isfinite(tree):
            raise ValueError("a number is too large")
        return tree
    match list(tree.items()):
        case [("int", str(digits))]:
            return int(digits, 16)
        case [("float", "inf" | "-inf" as infinity)]:
            return float(infinity)
        case [("tuple", list(entries))]:
            return tuple(map(plain_from_tree, entries))
        case [("dict", list(entries))]:
            try:
                return {plain_from_tree(key): plain_from_tree(entry) for key, entry in entries}
            except TypeError:
                raise ValueError("a dict has an invalid key or entry") from None
    raise ValueError("an object does not stand for a value")


def is_label(value: Any) -> bool:
    """Whether a value can be stored as a class label: text, a finite number of 64 bits, or a bool."""
    if type(value) is int:
        return abs(value) < LONG
    return type(value) in (str, bool) or (type(value) is float and math.isfinite(value))
