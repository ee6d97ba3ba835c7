"""Check the docstrings of all public names with numpydoc: python tools/check_docstrings.py. `make lint` runs it.

Public are the names in ``novikoff/__init__.pyi``, what the public modules among them define, and the public methods and
properties of their classes.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
from collections.abc import Iterator
from typing import Any

from numpydoc.validate import validate

import novikoff

NOT_CHECKED = {
    "GL01": "the summary stands on the line of the quotes, as pydocstyle wants it",
    "GL02": "so do the quotes of a docstring of one line",
    "ES01": "a short docstring needs no extended summary",
    "SA01": "not everything has something related",
    "RT02": "scikit-learn writes `self : object`",
}
WITHOUT_EXAMPLE = {"EX01": "methods, exceptions and results such as certificates are shown where they are used"}
OF_ENUMERATION = {"PR01": "its parameters are those of the standard library; its members are documented"}
OVERRIDING = {code: "the docstring of the base class says it" for code in ("GL08", "PR01", "RT01")}


def public_names() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the dotted name of everything public, and the codes that are not checked in it."""
    for name in sorted(novikoff.__all__):
        thing = getattr(novikoff, name)
        if name.startswith("_"):
            continue
        if not inspect.ismodule(thing):
            yield from _with_members(f"{thing.__module__}.{thing.__qualname__}", thing)
            continue
        yield from _of_module(thing)


def _of_module(module: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in sorted(getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])):
        value = getattr(module, name)
        if module is novikoff.theory and inspect.ismodule(value) and name.endswith("bounds"):
            yield from _of_module(value)
        elif getattr(value, "__module__", "").startswith(module.__name__) and callable(value):
            yield from _with_members(f"{value.__module__}.{value.__qualname__}", value)


def _with_members(path: str, thing: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not inspect.isclass(thing):
        yield path, ()
        return
    is_result = issubclass(thing, Exception) or dataclasses.is_dataclass(thing) or inspect.isabstract(thing)
    codes = tuple(OF_ENUMERATION) if issubclass(thing, enum.Enum) else ()
    yield path, tuple(WITHOUT_EXAMPLE) if is_result and not hasattr(thing, "fit") else codes
    for name, value in vars(thing).items():
        is_code = inspect.isroutine(value) or isinstance(value, property | classmethod | staticmethod)
        if is_code and not name.startswith("_"):
            overrides = any(name in vars(base) for base in thing.__mro__[1:])
            yield f"{path}.{name}", (*WITHOUT_EXAMPLE, *(OVERRIDING if overrides else ()))


def main() -> int:
    """Print what is wrong, and return the exit code."""
    wrong = []
    for name, skipped in dict.fromkeys(public_names()):
        errors = validate(name)["errors"]
        wrong += [f"{name}: {code} {text}" for code, text in errors if code not in {*NOT_CHECKED, *skipped}]
    print("\n".join([*wrong, f"{len(wrong)} errors in docstrings"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
