"""A quick start: learners without scikit-learn, and SciPy without modules that take most of its import time."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from novikoff._plain_estimators import use_plain_estimators

DEFERRED = ("numpy.testing", "numpy.f2py", "numpy.ma", "numpy.polynomial")
"""Modules that scipy.sparse imports and does not call."""


class _DeferredModule(ModuleType):
    """Stands for a module, and imports it when one of its attributes is used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def start_quickly() -> None:
    """Prepare the imports of a subcommand; if scikit-learn has been imported already, do nothing."""
    if "sklearn" in sys.modules:
        return
    use_plain_estimators()
    for name in DEFERRED:
        if name not in sys.modules:
            sys.modules[name] = _DeferredModule(name)
            parent, _, child = name.rpartition(".")
            setattr(importlib.import_module(parent), child, sys.modules[name])
