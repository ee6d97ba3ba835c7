"""Commands of clients that make, copy and delete models and shadows. The writer thread obeys them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec

from novikoff.errors import quote
from novikoff.serve.errors import ServeError
from novikoff.serve.log.records import COPY, CREATE, DELETE, SHADOW, UNSHADOW, Entry, Record
from novikoff.serve.log.store import SNAPSHOTS
from novikoff.serve.names import check_name
from novikoff.serve.settings import Settings

from . import snapshots
from .inbox import Command, Inbox
from .loading import apply, copied
from .memory import Memory
from .model import Model
from .pending import Pending
from .registry import Registry
from .specification import Specification
from .writer import Writer


class Commands:
    """Changes of the models of an engine. Each is in the log before its answer.

    Parameters
    ----------
    directory : Path
        The state directory.
    settings : Settings
        Limits.
    registry, memory, pending : Registry, Memory, Pending
        All models, those in memory, and the predictions that wait for their labels.
    inbox : Inbox
        Takes commands for the writer thread.
    writer : Writer
        Appends to the log.
    """

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        registry: Registry,
        memory: Memory,
        pending: Pending,
        inbox: Inbox,
        writer: Writer,
    ) -> None:
        self._directory, self._settings = directory, settings
        self._registry, self._memory, self._pending = registry, memory, pending
        self._inbox, self._writer = inbox, writer

    def put(self, call: Callable[[], Any]) -> Future[Any]:
        """Let the writer thread make a call."""
        command = Command(call)
        self._inbox.put(command)
        return command.answer

    def create(self, name: str, specification: dict[str, Any]) -> Future[dict[str, Any]]:
        """Make a model. ``created`` is False in the answer if it exists with the same specification."""
        check_name(name)
        made = Specification.of(specification)
        made.check_classes(self._settings.max_classes)

        def create() -> dict[str, Any]:
            if name in self._registry and self._registry.get(name).specification == made:
                return {"name": name, "created": False}
            self._registry.check_new(name, self._settings.max_models)
            record = self._append(None, CREATE, {"name": name, "specification": made.plain()})
            self._registry.apply(record)
            model = Model(record.model, made, self._settings)
            model.sequence = model.snapshot_sequence = record.sequence
            self._memory.add(model)
            return {"name": name, "created": True}

        return self.put(create)

    def copy(self, name: str, to: str) -> Future[dict[str, Any]]:
        """Make a copy of a model under another name, with everything that it has learned."""
        check_name(to)

        def copy() -> dict[str, Any]:
            known = self._registry.get(name)
            self._registry.check_new(to, self._settings.max_models)
            source = self._memory.load(known.number)
            record = self._append(None, COPY, {"name": to, "source": known.number})
            self._registry.apply(record)
            model = copied(source, record.model, self._settings)
            model.sequence, model.snapshot_sequence = record.sequence, 0
            model.publish(at_once=True)
            self._memory.add(model)
            return {"name": to, "created": True}

        return self.put(copy)

    def delete(self, name: str) -> Future[dict[str, Any]]:
        """Delete a model. Its examples stay in the log until it is compacted."""

        def delete() -> dict[str, Any]:
            known = self._registry.get(name)
            record = self._append(known.number, DELETE, {"name": name})
            self._registry.apply(record)
            self._memory.forget(record.model)
            self._pending.remove_model(record.model)
            if not self._registry.copies(record.model):
                snapshots.remove(self._directory / SNAPSHOTS, record.model)
            return {"name": name, "deleted": True}

        return self.put(delete)

    def add_shadow(self, name: str, shadow: str, specification: dict[str, Any]) -> Future[dict[str, Any]]:
        """Let another learner learn the same examples as a model, from now on."""
        check_name(shadow)
        made = Specification.of(specification)
        if made.hashing is not None:
            raise ServeError(422, "bad_specification", "A shadow has the features of its model. Leave out hashing.")

        def add() -> dict[str, Any]:
            model = self._memory.load(self._registry.get(name).number, to_learn=True)
            if shadow in model.arms:
                if model.arms[shadow].specification == made:
                    return {"name": name, "shadow": shadow, "created": False}
                message = f"The model {quote(name)} has a shadow {quote(shadow)} already. Choose another name."
                raise ServeError(409, "exists", message)
            content = {"name": shadow, "specification": made.plain()}
            apply(model, self._append(model.number, SHADOW, content))
            return {"name": name, "shadow": shadow, "created": True}

        return self.put(add)

    def remove_shadow(self, name: str, shadow: str) -> Future[dict[str, Any]]:
        """Remove a shadow."""

        def remove() -> dict[str, Any]:
            model = self._memory.load(self._registry.get(name).number, to_learn=True)
            if not shadow or shadow not in model.arms:
                message = f"The model {quote(name)} has no shadow {quote(shadow)}. GET /v1/models/{name} lists them."
                raise ServeError(404, "unknown_shadow", message)
            apply(model, self._append(model.number, UNSHADOW, {"name": shadow}))
            return {"name": name, "shadow": shadow, "deleted": True}

        return self.put(remove)

    def _append(self, number: int | None, kind: int, content: dict[str, Any]) -> Record:
        return self._writer.append([Entry(number, kind, 0, 0, msgspec.json.encode(content))])[0]
