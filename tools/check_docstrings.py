"""Check the docstrings of all public names with numpydoc: python tools/check_docstrings.py. `make lint` runs it.

Public are the names in ``novikoff/__init__.pyi``, what the public modules among them define, and the public methods and
properties of their classes.
"""

from __future__ import annotations

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
}
WITHOUT_EXAMPLE = {"EX01": "methods are shown by the example of their class, and exceptions by what raises them"}
NOT_YET = (  # packages whose docstrings are still being rewritten
    *("novikoff.online", "novikoff.data", "novikoff.svm"),
    "novikoff.export",
)


def public_names() -> Iterator[tuple[str, bool]]:
    """Yield the dotted name of everything public, and whether it needs an example of its own."""
    for name in sorted(novikoff.__all__):
        thing = getattr(novikoff, name)
        if name.startswith("_"):
            continue
        if not inspect.ismodule(thing):
            yield from _with_members(f"{thing.__module__}.{thing.__qualname__}", thing)
            continue
        for member in sorted(getattr(thing, "__all__", [n for n in vars(thing) if not n.startswith("_")])):
            value = getattr(thing, member)
            if getattr(value, "__module__", "").startswith(thing.__name__) and callable(value):
                yield from _with_members(f"{value.__module__}.{value.__qualname__}", value)


def _with_members(path: str, thing: Any) -> Iterator[tuple[str, bool]]:
    yield path, not (inspect.isclass(thing) and issubclass(thing, Exception))
    if not inspect.isclass(thing):
        return
    for name, value in vars(thing).items():
        is_code = inspect.isroutine(value) or isinstance(value, property | classmethod | staticmethod)
        if is_code and not name.startswith("_") and not (value.__doc__ is None and inspect.getdoc(value)):
            yield f"{path}.{name}", False


def main() -> int:
    """Print what is wrong, and return the exit code."""
    wrong = []
    for name, needs_example in dict.fromkeys(public_names()):
        if name.startswith(NOT_YET):
            continue
        skipped = NOT_CHECKED | ({} if needs_example else WITHOUT_EXAMPLE)
        wrong += [f"{name}: {code} {text}" for code, text in validate(name)["errors"] if code not in skipped]
    print("\n".join([*wrong, f"{len(wrong)} errors in docstrings"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
