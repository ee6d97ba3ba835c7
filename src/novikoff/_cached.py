"""Attributes that are computed when they are first read, without a lock."""

from __future__ import annotations

import functools
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # named like the one that it replaces
    """The attribute of the same name in ``functools``, as it is from Python 3.12 on.

    Before that, a lock of the class is held while a value is computed. Threads then wait for those that compute the
    value of other objects, and a process that was forked meanwhile waits forever. Here, two threads may compute a value
    at the same time, and both get the one that was ready first.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        known = vars(instance)
        name = self.attrname
        assert name is not None
        return known[name] if name in known else known.setdefault(name, self.func(instance))
