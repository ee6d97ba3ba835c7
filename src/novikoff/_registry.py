"""A registry: the one table of all implementations of a contract, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from novikoff.errors import quote

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Implementations of one contract, by name.

    Parameters
    ----------
    kind : str
        What the entries are, in the singular, for error messages: ``"online rule"``.
    entries : mapping of str to object or str, default={}
        The built-in entries. A string ``"module:attribute"`` is imported when the entry is first used.

    Examples
    --------
    >>> losses = Registry("loss", {"square root": "math:sqrt"})
    >>> losses["square root"](4.0)
    2.0
    >>> losses.register("absolute", abs)
    >>> sorted(losses)
    ['absolute', 'square root']
    """

    def __init__(self, kind: str, entries: Mapping[str, T | str] | None = None) -> None:
        self.kind = kind
        self._entries: dict[str, T | str] = dict(entries or {})

    def register(self, name: str, value: T) -> None:
        """Add an entry. A name that is already taken by another value is refused."""
        if name in self._entries and self[name] is not value:
            raise ValueError(f"The name {name!r} is already taken: {self.kind}.")
        self._entries[name] = value

    def unregister(self, name: str) -> None:
        """Remove an entry, for tests that add one."""
        del self._entries[name]

    def __getitem__(self, name: str) -> T:
        entry = self._entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = cast(T, getattr(import_module(module), attribute))
            self._entries[name] = entry
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: Any) -> bool:
        return name in self._entries

    def unknown(self, name: object) -> str:
        """A sentence that says that there is no such entry, and which there are."""
        return f"there is no {self.kind} named {quote(name)}; known: {', '.join(sorted(self._entries))}."
