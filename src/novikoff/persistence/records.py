"""Frozen dataclasses as a JSON tree and named arrays, and back, with every field held against its annotation.

A field may be bool, int, float, str, ``None`` or one of these, a list or tuple of one kind, a dict from str, another
dataclass, one of several (which then carries its name), or a NumPy array, which becomes a tensor named after its path:
``state.questions.0.weights``. ``Any`` stands for the label of a class. Numbers are finite, unless an annotation says
``INFINITE`` of them. No field may be missing or too much.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Annotated, Any, Union

import numpy as np

from novikoff._json import Tree

from .kinds import (
    FLAG,
    WORDS,
    Anything,
    Array,
    Kind,
    Label,
    Maybe,
    NameList,
    Number,
    OneOf,
    Record,
    Series,
    Speaker,
    Table,
    Whole,
)

INFINITE = "or an infinity"  # of a float, or of an array: it may hold infinities
PLAIN = "plain"  # of Any: any plain value, not only a label
TEXT = "text in a tensor"  # of a list of names, which may be longer than a header can be

Names = Annotated[list[str | int], TEXT]
Plain = Annotated[Any, PLAIN]


@dataclasses.dataclass(frozen=True)
class Dimensions:
    """Of an array: how many dimensions it has; one, if nothing is said."""

    count: int


def write(annotation: Any, value: Any, path: str, to: Speaker) -> Tree:
    """The tree of a value of this type; arrays are added to ``to.tensors``."""
    return kind_of(annotation).write(value, path, to)


def read(annotation: Any, tree: Tree, path: str, of: Speaker) -> Any:
    """The value of this type behind a tree; its arrays are taken out of ``of.tensors``."""
    return kind_of(annotation).read(tree, path, of)


def refuse_unused(of: Speaker) -> None:
    """Refuse tensors that nothing was read from."""
    if of.tensors:
        raise of.refuse("No tensor that the header does not name, such", next(iter(of.tensors)), "one")


_SIMPLE: dict[Any, Kind] = {bool: FLAG, int: Whole(), float: Number(), str: WORDS, Any: Label()}


@functools.cache
def kind_of(annotation: Any) -> Kind:
    """What an annotation says of a field. TypeError if no file can hold such a thing."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is np.ndarray:
        return Array(np.dtype(typing.get_args(arguments[1])[0]))
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return Series(kind_of(arguments[0]), origin)
    if origin is dict and arguments[0] is str:
        return Table(kind_of(arguments[1]))
    if dataclasses.is_dataclass(annotation):
        return _record(typing.cast("type[Any]", annotation))
    raise TypeError(f"No file can hold a {annotation}.")


def _record(cls: type[Any]) -> Record:
    hints = typing.get_type_hints(cls, include_extras=True)
    return Record(cls, {field.name: kind_of(hints[field.name]) for field in dataclasses.fields(cls)})


def _annotated(annotation: Any, said: tuple[Any, ...]) -> Kind:
    if PLAIN in said:
        return Anything()
    if TEXT in said:
        return NameList()
    kind = kind_of(annotation)
    if INFINITE in said:
        kind = Number() if annotation is float else kind
        kind = dataclasses.replace(kind, infinite=True)  # type: ignore[type-var]  # said of numbers and arrays only
    for dimensions in (word for word in said if isinstance(word, Dimensions)):
        kind = dataclasses.replace(kind, dimensions=dimensions.count)  # type: ignore[type-var]  # said of arrays only
    return kind


def _union(members: tuple[Any, ...]) -> Kind:
    rest = tuple(member for member in members if member is not types.NoneType)
    kind = kind_of(rest[0]) if len(rest) == 1 else OneOf({member.__name__: _record(member) for member in rest})
    return kind if len(rest) == len(members) else Maybe(kind)
