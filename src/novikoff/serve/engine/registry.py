"""All models of a log, in memory or not, by name and number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from novikoff.errors import quote
from novikoff.serve.errors import ServeError
from novikoff.serve.log.records import COPY, CREATE, DELETE, Record
from novikoff.serve.names import check_name

from .specification import Specification


@dataclass(frozen=True)
class Known:
    """A model that exists.

    Attributes
    ----------
    number : int
        Its number, which is the sequence number of the record that made it.
    name : str
        Its name.
    specification : Specification
        How it was made.
    source : int or None
        Number of the model that it was copied from.
    """

    number: int
    name: str
    specification: Specification
    source: int | None = None


class Registry:
    """The models of a log. The writer changes it; others read it."""

    def __init__(self) -> None:
        self._by_name: dict[str, Known] = {}
        self._by_number: dict[int, Known] = {}
        self._history: dict[int, Known] = {}  # also models that were deleted, from which others were copied
        self._copies: dict[int, list[int]] = {}  # of each model that was copied

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def names(self) -> list[str]:
        """Return all names in ascending order."""
        return sorted(self._by_name)

    def get(self, name: str) -> Known:
        """Return a model by its name; a ServeError if there is none."""
        found = self._by_name.get(name)
        if found is None:
            raise ServeError(404, "unknown_model", f"There is no model {quote(name)}. PUT /v1/models/NAME makes one.")
        return found

    def numbers(self) -> list[int]:
        """Return the numbers of all models."""
        return list(self._by_number)

    def number(self, number: int) -> Known:
        """Return a model by its number."""
        return self._by_number[number]

    def ever(self, number: int) -> Known:
        """Return a model by its number, also if it was deleted."""
        return self._history[number]

    def is_alive(self, number: int) -> bool:
        """Whether a model exists."""
        return number in self._by_number

    def copies(self, number: int) -> dict[int, list[int]]:
        """Return the copies of a model, and for each of them the models that exist and come from it, itself included.

        Copies from which no model comes that exists are left out.
        """
        found = {}
        for copy in list(self._copies.get(number, ())):
            own = [copy] if self.is_alive(copy) else []
            for others in self.copies(copy).values():
                own += others
            if own:
                found[copy] = own
        return found

    def apply(self, record: Record) -> None:
        """Take over a record that makes or deletes a model."""
        if record.kind == DELETE:
            known = self._by_number.pop(record.model)
            del self._by_name[known.name]
        elif record.kind in (CREATE, COPY):
            content: dict[str, Any] = msgspec.json.decode(record.payload)
            if record.kind == CREATE:
                known = Known(record.model, content["name"], msgspec.convert(content["specification"], Specification))
            else:
                source = self._history[content["source"]]
                known = Known(record.model, content["name"], source.specification, source.number)
                self._copies.setdefault(source.number, []).append(known.number)
            self._by_name[known.name] = self._by_number[known.number] = self._history[known.number] = known

    def check_new(self, name: str, limit: int) -> None:
        """Refuse a name that a new model cannot have."""
        check_name(name)
        if name in self._by_name:
            raise ServeError(409, "exists", f"There is a model {quote(name)} already. Choose another name.")
        if len(self._by_name) >= limit:
            message = f"There are {limit} models already. Delete one, or raise the setting max_models."
            raise ServeError(409, "too_many_models", message)
