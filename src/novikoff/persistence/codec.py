"""Frozen dataclasses as a JSON tree and named arrays, and back.

A field may be a bool, int, float, str, ``None``, a list or tuple of one type, a dict with text keys, a dataclass, a
``Certificate`` of any registered kind, or a NumPy array. In the tree, an array is the name of its tensor, which is its
path: ``state.questions.0.weights``. ``Any`` stands for a class label. Numbers are finite unless the annotation says
``INFINITE``, and arrays have one dimension unless it says ``Dimensions``.

msgspec checks the types of what is read. It does not see paths or the metadata of ``Annotated``, and it ignores unknown
fields of dataclasses; so a tree is accepted only if ``encode``, which checks all values, returns it for what was read.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff._json import TREE, Tree, from_text, is_label, to_text
from novikoff.errors import input_error, quote
from novikoff.theory.certificate import CERTIFICATES, Certificate, Duals
from novikoff.theory.geometry import Dimensions, Extended

T = TypeVar("T")
Tensors = dict[str, NDArray[Any]]
Bytes = NDArray[np.uint8]
INFINITE = typing.get_args(Extended)[1]  # metadata of a float or of an array: infinities are allowed
KIND = "certificate kind"  # key of the class name of a certificate; the space keeps it apart from names of fields
MAX_COUNT = 2**63  # counters of the kernels have 64 bits


def encode(annotation: Any, value: Any, path: str, tensors: Tensors) -> Tree:
    """Return the JSON tree of a value of this type, and add its arrays to ``tensors``."""
    kind, origin, arguments, marks = _parts(annotation)
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or kind in (bool, int, str) or TREE in marks:
        return value
    if origin in (types.UnionType, typing.Union):  # X | None is the only one
        return encode(next(member for member in arguments if member is not types.NoneType), value, path, tensors)
    if origin is np.ndarray:
        _check_array(np.dtype(typing.get_args(arguments[1])[0]), marks, value, path)
        tensors[path] = np.ascontiguousarray(value)
        return path
    if kind is Any and not is_label(value):
        raise input_error(
            path, f"a label must be text, a finite number of 64 bits or a bool, but it is {quote(value)}."
        )
    if isinstance(value, list | tuple):
        return [encode(arguments[0], entry, f"{path}.{place}", tensors) for place, entry in enumerate(value)]
    if isinstance(value, dict):
        return {key: encode(arguments[1], entry, f"{path}.{key}", tensors) for key, entry in value.items()}
    if dataclasses.is_dataclass(value):
        name = {KIND: type(value).__name__} if kind is Certificate else {}
        prefix = f"{path}." if path else ""
        hints = _hints(value.__class__)
        return name | {f: encode(hint, getattr(value, f), prefix + f, tensors) for f, hint in hints.items()}
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value) or INFINITE not in marks:
            raise input_error(path, f"the number must be finite, but it is {value}.")
        return str(value)
    return value


def _check_array(dtype: np.dtype[Any], marks: tuple[Any, ...], array: Any, path: str) -> None:
    dimensions = next((mark.count for mark in marks if isinstance(mark, Dimensions)), 1)
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != dimensions:
        found = f"has {array.dtype} and {array.ndim}" if isinstance(array, np.ndarray) else f"is {quote(array)}"
        raise input_error(path, f"the tensor must have dtype {dtype} and {dimensions} dimensions, but it {found}.")
    if dtype.kind == "f" and not (~np.isnan(array) if INFINITE in marks else np.isfinite(array)).all():
        raise input_error(path, "the tensor has NaN or infinity among its values.")


def decode(annotation: type[T], tree: Tree, path: str, tensors: Tensors) -> T:
    """Return the value of this type that has this tree, and remove its arrays from ``tensors``."""
    import msgspec  # not needed by those who only fit

    def stored(kind: Any, tree: Any) -> Any:
        if kind is Certificate:
            name = tree.get(KIND) if isinstance(tree, dict) else None
            if not isinstance(name, str) or name not in CERTIFICATES:
                raise ValueError(CERTIFICATES.unknown(name))
            return msgspec.convert(tree, CERTIFICATES[name], strict=False, dec_hook=stored)
        if not isinstance(tree, str) or tree not in tensors:
            raise ValueError(f"there is no tensor named {quote(tree)}")
        return tensors[tree]

    try:  # strict=False admits "inf" for a float; that no other text was converted is checked below
        value: T = msgspec.convert(tree, annotation, strict=False, dec_hook=stored)
    except (msgspec.ValidationError, RecursionError) as error:
        raise input_error(path or "header", f"{error}.") from None
    used: Tensors = {}
    wrong = _difference(tree, encode(annotation, value, path, used), path or "header")
    if wrong is not None:
        raise input_error(wrong, "a field is missing or unknown, or has another type than novikoff writes.")
    for name in used:
        del tensors[name]
    return value


def completed(annotation: Any, tree: Tree) -> Tree:
    """Return the tree of an older version with the fields that were added to dataclasses since, at their defaults.

    So a field that is added to a stored dataclass must have a default that keeps the meaning of files without it.
    """
    kind, origin, arguments, _ = _parts(annotation)
    if tree is None or origin in (types.UnionType, typing.Union):
        return None if tree is None else completed(next(m for m in arguments if m is not types.NoneType), tree)
    if isinstance(tree, list) and arguments:
        return [completed(arguments[0], entry) for entry in tree]
    if isinstance(tree, dict) and arguments:
        return {key: completed(arguments[1], entry) for key, entry in tree.items()}
    if kind is Certificate and isinstance(tree, dict) and (name := str(tree.get(KIND))) in CERTIFICATES:
        kind = CERTIFICATES[name]
    if not isinstance(tree, dict) or not dataclasses.is_dataclass(kind):
        return tree
    hints = _hints(typing.cast("Any", kind))
    known = {name: completed(hints[name], entry) if name in hints else entry for name, entry in tree.items()}
    missing = {field.name: field.default for field in dataclasses.fields(kind) if field.name not in tree}
    added = {name: default for name, default in missing.items() if default is not dataclasses.MISSING}
    return known | {name: encode(hints[name], default, name, {}) for name, default in added.items()}


def _difference(tree: Tree, expected: Tree, path: str) -> str | None:
    """Return the path of the first difference of two trees; an integer may stand for a float."""
    if isinstance(tree, dict) and isinstance(expected, dict) and tree.keys() == expected.keys():
        found = (_difference(tree[key], expected[key], f"{path}.{key}") for key in tree)
        return next(filter(None, found), None)
    if isinstance(tree, list) and isinstance(expected, list) and len(tree) == len(expected):
        found = (_difference(*pair, f"{path}.{place}") for place, pair in enumerate(zip(tree, expected, strict=True)))
        return next(filter(None, found), None)
    of_one_type = type(tree) is type(expected) or (type(tree), type(expected)) == (int, float)
    return None if of_one_type and tree == expected else path


@functools.cache
def _parts(annotation: Any) -> tuple[Any, Any, tuple[Any, ...], tuple[Any, ...]]:
    """Return the type of an annotation, its origin and arguments, and the metadata of ``Annotated``."""
    is_annotated = typing.get_origin(annotation) is Annotated
    kind, marks = (annotation.__origin__, annotation.__metadata__) if is_annotated else (annotation, ())
    return kind, typing.get_origin(kind), typing.get_args(kind), marks


@functools.cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    """Return the annotations of the fields of a dataclass."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


# ---- values that states have in common -----------------------------------------------------------------------------


def names_to_bytes(names: list[Any]) -> Bytes:
    """Return names of features, text or integers, as an array: they may be too many for a JSON header."""
    return np.frombuffer(to_text([str(name) if isinstance(name, str) else name for name in names]).encode(), np.uint8)


def names_from_bytes(stored: Bytes, path: str) -> list[Any]:
    """Return the names that ``names_to_bytes`` stored."""
    try:
        names = from_text(stored.tobytes())
    except ValueError as error:
        raise input_error(path, f"the names are not JSON: {error}.") from None
    if not isinstance(names, list) or not all(type(name) in (str, int) for name in names):
        raise input_error(path, "the names must be a list of texts and integers.")
    return names


def check_count(value: float, path: str, *, at_least: int = 0) -> None:
    """Refuse a number that cannot be a count."""
    if not at_least <= value < MAX_COUNT:
        raise input_error(path, f"the number must be at least {at_least} and below 2**63, but it is {quote(value)}.")


def check_duals(duals: Duals, path: str) -> None:
    """Refuse duals whose rows do not ascend, or that do not have one weight per row."""
    rows = duals.rows
    if rows.shape != duals.weights.shape or np.any(np.diff(rows, prepend=-1) <= 0):
        raise input_error(path, "the row numbers must ascend, with one weight for each.")
