"""The kinds of values that a model file can hold: how each is written as JSON and tensors, and how it is read again.

Writing takes the scalars of NumPy for those of Python. Reading takes nothing on trust.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import reprlib
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff._json import LONG, Tree, from_text, int_to_tree, is_label, plain_from_tree, plain_to_tree, to_text
from novikoff.errors import InvalidInputError, invalid


@dataclasses.dataclass
class Speaker:
    """Who writes or reads, and of which file."""

    where: str
    file: str = ""
    tensors: dict[str, NDArray[Any]] = dataclasses.field(default_factory=dict)

    def refuse(self, need: str, path: str, got: object) -> InvalidInputError:
        """The error for what stands at a path."""
        return invalid(self.where, f"{need} as {path}.", f"{got} in {self.file}" if self.file else got)


class Kind(Protocol):
    """What a field can be: how it is written, and how it is read again."""

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        """The tree of a value; its arrays go to the tensors."""

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        """The value of a tree; its arrays are taken from the tensors."""


def _brief(value: Any) -> str:
    """A value in few words, whatever it is."""
    try:
        return reprlib.repr(value)
    except Exception:  # whatever the value's own code does
        return f"a {type(value).__name__}"


# ---- scalars -------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Scalar:
    """Values that are what they are in JSON."""

    words: str
    take: Callable[[Any], Any]  # the value as Python's, or None if it is of another type
    accept: Callable[[Any], bool]

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        taken = self.take(value)
        if taken is None:
            raise to.refuse(self.words, path, _brief(value))
        return taken

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        if not self.accept(tree):
            raise of.refuse(self.words, path, _brief(tree))
        return tree


FLAG = Scalar(
    "True or False", lambda v: bool(v) if isinstance(v, bool | np.bool_) else None, lambda t: isinstance(t, bool)
)
WORDS = Scalar("A text", lambda v: str(v) if isinstance(v, str) else None, lambda t: isinstance(t, str))


class Whole:
    """Integers of any length."""

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        if not isinstance(value, numbers.Integral) or isinstance(value, bool):
            raise to.refuse("An integer", path, _brief(value))
        return int_to_tree(int(value))

    def read(self, tree: Tree, path: str, of: Speaker) -> int:
        if isinstance(tree, dict) and set(tree) == {"int"} and isinstance(tree["int"], str):
            try:
                return int(tree["int"], 16)
            except ValueError:
                pass
        elif type(tree) is int and abs(tree) < LONG:
            return tree
        raise of.refuse("An integer", path, _brief(tree))


@dataclasses.dataclass(frozen=True)
class Number:
    """Floats; infinities as text. An integer stays one."""

    infinite: bool = False

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            return int_to_tree(int(value))
        number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
        if math.isnan(number) or (math.isinf(number) and not self.infinite):
            raise to.refuse(self._words, path, _brief(value))
        return number if math.isfinite(number) else str(number)

    def read(self, tree: Tree, path: str, of: Speaker) -> float:
        if self.infinite and tree in ("inf", "-inf"):
            return float(tree)
        if type(tree) not in (int, float) or not abs(tree) < math.inf or (type(tree) is int and abs(tree) >= LONG):
            raise of.refuse(self._words, path, _brief(tree))
        value: float = tree
        return value

    @property
    def _words(self) -> str:
        return "A number or an infinity" if self.infinite else "A finite number"


class Label:
    """The name of a class."""

    words = "A label that is text, a finite number of 64 bits, True or False"

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        value = value.item() if isinstance(value, np.generic) else value
        if not is_label(value):
            raise to.refuse(self.words, path, _brief(value))
        return plain_to_tree(value)

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        label = Anything().read(tree, path, of)
        if not is_label(label):
            raise of.refuse(self.words, path, _brief(tree))
        return label


class Anything:
    """Any plain value: what the parameter of a learner may be."""

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        try:
            return plain_to_tree(value)
        except (TypeError, RecursionError):
            need = "Something that can be kept in a file (numbers, text, lists, tuples and dicts of them)"
            raise to.refuse(need, path, _brief(value)) from None

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        try:
            return plain_from_tree(tree)
        except (ValueError, RecursionError) as error:
            raise of.refuse("A plain value", path, error) from None


# ---- arrays --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Array:
    """An array: in the tree its name, which is its path."""

    dtype: np.dtype[Any]
    dimensions: int = 1
    infinite: bool = False

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        self._check(value, path, to)
        to.tensors[path] = np.ascontiguousarray(value)
        return path

    def read(self, tree: Tree, path: str, of: Speaker) -> NDArray[Any]:
        if tree != path or path not in of.tensors:
            raise of.refuse("A tensor", path, f"{_brief(tree)}, which is none")
        array = of.tensors.pop(path)
        self._check(array, path, of)
        return array

    def _check(self, array: Any, path: str, speaker: Speaker) -> None:
        if not isinstance(array, np.ndarray) or array.dtype != self.dtype or array.ndim != self.dimensions:
            got = f"one of {array.dtype} {array.shape}" if isinstance(array, np.ndarray) else _brief(array)
            shape = {1: "one dimension", 2: "two dimensions"}.get(self.dimensions, f"{self.dimensions} dimensions")
            raise speaker.refuse(f"A tensor of {self.dtype}, {shape}", path, got)
        if self.dtype.kind == "f":
            bad = np.isnan(array) if self.infinite else ~np.isfinite(array)
            if bad.any():
                need = "Numbers, none of them NaN," if self.infinite else "Finite numbers"
                raise speaker.refuse(need, path, f"{array[bad][0]}")


class NameList:
    """A list of names, text or integers, as JSON in a tensor of bytes."""

    bytes_of = Array(np.dtype(np.uint8))

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        names = [str(name) if isinstance(name, str) else name for name in value]
        if not all(type(name) in (str, int) for name in names):
            raise to.refuse("Names that are text or integers", path, _brief(value))
        text = np.frombuffer(to_text(names).encode(), dtype=np.uint8)
        return self.bytes_of.write(text, path, to)

    def read(self, tree: Tree, path: str, of: Speaker) -> list[str | int]:
        text = self.bytes_of.read(tree, path, of).tobytes()
        try:
            names = from_text(text)
        except ValueError as error:
            raise of.refuse("A list of names", path, error) from None
        if not isinstance(names, list) or not all(type(name) in (str, int) for name in names):
            raise of.refuse("A list of names that are text or integers", path, _brief(names))
        return names


# ---- what holds others ---------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Series:
    """A list or a tuple of one kind."""

    kind: Kind
    container: Callable[[Any], Any]

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        if not isinstance(value, list | tuple):
            raise to.refuse("A list", path, _brief(value))
        return [self.kind.write(entry, f"{path}.{place}", to) for place, entry in enumerate(value)]

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        if not isinstance(tree, list):
            raise of.refuse("A list", path, _brief(tree))
        return self.container([self.kind.read(entry, f"{path}.{place}", of) for place, entry in enumerate(tree)])


@dataclasses.dataclass(frozen=True)
class Table:
    """A dict from text to one kind."""

    kind: Kind

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        if not isinstance(value, dict) or not all(type(key) is str for key in value):
            raise to.refuse("A dict from text", path, _brief(value))
        return {key: self.kind.write(entry, f"{path}.{key}", to) for key, entry in value.items()}

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        if not isinstance(tree, dict):
            raise of.refuse("An object", path, _brief(tree))
        return {key: self.kind.read(entry, f"{path}.{key}", of) for key, entry in tree.items()}


@dataclasses.dataclass(frozen=True)
class Maybe:
    """A kind, or None."""

    kind: Kind

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        return None if value is None else self.kind.write(value, path, to)

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        return None if tree is None else self.kind.read(tree, path, of)


@dataclasses.dataclass(frozen=True)
class Record:
    """A dataclass: an object with its fields, all of them and no other."""

    cls: type[Any]
    fields: dict[str, Kind]

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        if type(value) is not self.cls:
            raise to.refuse(f"A {self.cls.__name__}", path, _brief(value))
        return {
            name: kind.write(getattr(value, name), f"{path}.{name}" if path else name, to)
            for name, kind in self.fields.items()
        }

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        if not isinstance(tree, dict):
            raise of.refuse("An object", path or "the header", _brief(tree))
        if wrong := sorted(set(tree) ^ set(self.fields)):
            need = f"An object with the fields {', '.join(self.fields)}"
            got = f"one {'with' if wrong[0] in tree else 'without'} {_brief(wrong[0])}"
            raise of.refuse(need, path or "the header", got)
        values = {
            name: kind.read(tree[name], f"{path}.{name}" if path else name, of) for name, kind in self.fields.items()
        }
        return self.cls(**values)


@dataclasses.dataclass(frozen=True)
class OneOf:
    """One of several dataclasses: an object that says which."""

    records: dict[str, Record]

    def write(self, value: Any, path: str, to: Speaker) -> Tree:
        name = type(value).__name__
        if name not in self.records:
            raise to.refuse(f"One of {', '.join(self.records)}", path, _brief(value))
        return {"kind": name, **self.records[name].write(value, path, to)}

    def read(self, tree: Tree, path: str, of: Speaker) -> Any:
        name = tree.get("kind") if isinstance(tree, dict) else None
        if not isinstance(name, str) or name not in self.records:
            raise of.refuse(f"One of {', '.join(self.records)}", path, _brief(tree))
        return self.records[name].read({key: held for key, held in tree.items() if key != "kind"}, path, of)
