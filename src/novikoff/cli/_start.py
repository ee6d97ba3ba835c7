"""A quick start: scikit-learn without the modules that take most of its time to import and that no verb needs."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

LATER = ("scipy.stats", "numpy.testing", "numpy.f2py")  # most of the time of the import, for functions not called here
NEVER = "pandas"  # imported by scikit-learn if it is there: files become rows without it


class _Later(ModuleType):
    """Stands for a module, and imports it as soon as anything in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_quickly() -> None:
    """Import scikit-learn's base classes; nothing is changed where it has been imported already."""
    if "sklearn" in sys.modules:
        return
    for name in LATER:
        if name not in sys.modules:
            sys.modules[name] = _Later(name)
            parent, _, child = name.rpartition(".")
            setattr(importlib.import_module(parent), child, sys.modules[name])
    blocked = NEVER not in sys.modules
    if blocked:
        sys.modules[NEVER] = None  # type: ignore[assignment]  # Python's own way to say that there is none
    try:
        importlib.import_module("sklearn.base")
    finally:
        if blocked:
            del sys.modules[NEVER]
