"""Plain values as JSON, and back to the same values: text, numbers of any length, lists, tuples and dicts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Tree = Any  # what JSON can hold
LONG = 2**64  # integers from here on are written in hexadecimal: Python reads but so many decimal digits
SHOWN = 2**8192  # longer ones it does not even show, so that no error could speak of them


def to_text(tree: Tree) -> str:
    """JSON in ASCII, without blanks."""
    return json.dumps(tree, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def from_text(text: str | bytes) -> Tree:
    """Read JSON. ValueError if it is none, if a key is there twice, or if it nests too deep."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_without_repetition)
    except RecursionError:
        raise ValueError("lists within lists, too deep to be read") from None


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word}, which is no number")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        raise ValueError("a key that is there twice")
    return tree


def plain(value: Any, unknown: Callable[[Any], Any] | None = None) -> Tree:
    """A value for others to read, with no way back: arrays are lists, keys are text.

    What JSON has no word for is as ``unknown`` has it; without that, numbers that are not finite are null.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(entry, unknown) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry, unknown) for entry in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if unknown is not None:
        return unknown(value)
    return None if isinstance(value, float) else value


def int_to_tree(value: int) -> Tree:
    """JSON of an integer of any length."""
    return value if abs(value) < LONG else {"int": hex(value)}


def plain_to_tree(value: Any) -> Tree:
    """JSON of a plain value, with a tag where JSON has no such kind. TypeError if it is not plain.

    Arrays of numbers or of text become lists, and the numbers of NumPy those of Python.
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.dtype.kind in "biufU"):
        value = value.tolist()
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        if abs(value) >= SHOWN:
            raise TypeError("an integer too long to be shown")
        return int_to_tree(value)
    if type(value) is float:
        if math.isnan(value):
            raise TypeError("NaN")
        return value if math.isfinite(value) else {"float": "inf" if value > 0 else "-inf"}
    if type(value) is list:
        return [plain_to_tree(entry) for entry in value]
    if type(value) is tuple:
        return {"tuple": [plain_to_tree(entry) for entry in value]}
    if type(value) is dict:
        return {"dict": [[plain_to_tree(key), plain_to_tree(entry)] for key, entry in value.items()]}
    raise TypeError(f"{type(value).__name__}")


def plain_from_tree(tree: Tree) -> Any:
    """Read what ``plain_to_tree`` wrote. ValueError if it did not write this."""
    if isinstance(tree, list):
        return [plain_from_tree(entry) for entry in tree]
    if isinstance(tree, float) and not math.isfinite(tree):
        raise ValueError("a number that is too large")
    if not isinstance(tree, dict):
        return tree
    if len(tree) != 1:
        raise ValueError("an object that stands for no value")
    [(tag, held)] = tree.items()
    if tag == "int" and isinstance(held, str):
        number = int(held, 16)
        if abs(number) >= SHOWN:
            raise ValueError("an integer too long to be shown")
        return number
    if tag == "float" and held in ("inf", "-inf"):
        return float(held)
    if tag == "tuple" and isinstance(held, list):
        return tuple(plain_from_tree(entry) for entry in held)
    if tag == "dict" and isinstance(held, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in held):
        try:
            return {plain_from_tree(key): plain_from_tree(entry) for key, entry in held}
        except TypeError:
            raise ValueError("a key that is a list") from None
    raise ValueError("an object that stands for no value")


def is_label(value: Any) -> bool:
    """Whether a value can be kept as the name of a class: text, a finite number of 64 bits, True or False."""
    if type(value) is int:
        return abs(value) < LONG
    return type(value) in (str, bool) or (type(value) is float and math.isfinite(value))
