"""A quick start: scikit-learn without the modules that take most of its import time and that no subcommand needs."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

DEFERRED = ("scipy.stats", "numpy.testing", "numpy.f2py")  # imported by scikit-learn for functions not called here
BLOCKED = "pandas"  # imported by scikit-learn if installed; the command line reads files without it


class _DeferredModule(ModuleType):
    """Stands for a module, and imports it when one of its attributes is used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_quickly() -> None:
    """Import scikit-learn's base classes; if scikit-learn has been imported already, do nothing."""
    if "sklearn" in sys.modules:
        return
    for name in DEFERRED:
        if name not in sys.modules:
            sys.modules[name] = _DeferredModule(name)
            parent, _, child = name.rpartition(".")
            setattr(importlib.import_module(parent), child, sys.modules[name])
    blocked = BLOCKED not in sys.modules
    if blocked:
        sys.modules[BLOCKED] = None  # type: ignore[assignment]  # makes `import pandas` raise ImportError
    try:
        importlib.import_module("sklearn.base")
    finally:
        if blocked:
            del sys.modules[BLOCKED]
