"""The models in memory: loaded when they are used, and dropped when others are used more recently."""

from __future__ import annotations

import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from novikoff.serve.errors import ServeError
from novikoff.serve.log.errors import CorruptRecord, StoreError
from novikoff.serve.log.store import Store

from . import snapshots
from .loading import Loader
from .model import Model
from .version import Version

log = logging.getLogger("novikoff.serve")


class Memory:
    """Models in memory. Only the writer thread loads and drops them; any thread may look one up.

    Parameters
    ----------
    loader : Loader
        Makes models from the log.
    store : Store
        The log.
    limit : int
        How many models may be in memory.
    snapshot_every : int
        Examples between two snapshots of a model.
    """

    def __init__(self, loader: Loader, store: Store, limit: int, snapshot_every: int) -> None:
        self._loader, self._store, self._limit, self._every = loader, store, limit, snapshot_every
        self._models: dict[int, Model] = {}
        self._outdated: dict[int, Model] = {}  # models that must be read from the log again, and predict until then
        self._damaged: dict[int, str] = {}  # why models do not learn
        self._changed: set[int] = set()
        self.behind: set[int] = set()  # models whose version lacks examples that they have learned
        self._snapshots = ThreadPoolExecutor(1, "novikoff-snapshots")
        self._writing: set[int] = set()
        self.snapshot_error: str | None = None
        self.loaded = 0

    def __len__(self) -> int:
        return len(self._models)

    def find(self, number: int) -> Model | None:
        """Return a model that is in memory."""
        return self._models.get(number)

    def find_to_predict(self, number: int) -> Model | None:
        """Return a model whose version can be asked, also while it has to be read from the log again."""
        return self._models.get(number) or self._outdated.get(number)

    # ---- the writer only ---------------------------------------------------------------------------------------------

    def load(self, number: int, *, to_learn: bool = False) -> Model:
        """Return a model, from the log if it is not in memory.

        Raises
        ------
        ServeError
            404 if it was deleted; 503 if its part of the log is damaged, and it is to learn or has no snapshot.
        """
        self._loader.check_alive(number)
        model = self._models.get(number)
        if model is None:
            model = self._read(number)
            self.loaded += 1
            self.add(model)
        if to_learn:
            if number in self._damaged:
                raise ServeError(503, "corrupt_log", self._damaged[number])
            self._changed.add(number)
        model.used_at = time.monotonic()
        return model

    def _read(self, number: int) -> Model:
        try:
            return self._loader.load(number)
        except CorruptRecord as error:
            message = f"The model does not learn, because its log is damaged. {error.message}"
            log.error(message)
            model = self._loader.newest_snapshot(number)
            if model is None:
                raise ServeError(503, "corrupt_log", message) from None
            self._damaged[number] = message
            return model

    def add(self, model: Model) -> None:
        """Put a model into memory, and drop the least recently used ones if there are too many."""
        model.used_at = time.monotonic()
        self._models[model.number] = model
        self._outdated.pop(model.number, None)
        while len(self._models) > self._limit:
            oldest = min(self._models.values(), key=lambda own: own.used_at if own is not model else math.inf)
            if oldest is model:
                return
            self._drop(oldest.number)

    def _drop(self, number: int) -> None:
        try:
            self._save(self._models[number])
        except (OSError, StoreError) as error:
            self.snapshot_error = str(error)  # the log has it all; only loading takes longer
        self.forget(number)

    def forget(self, number: int) -> None:
        """Drop a model without a snapshot: it is read from the log when it is used again."""
        self._models.pop(number, None)
        self._outdated.pop(number, None)
        self._changed.discard(number)

    def new_version(self, model: Model, *, is_busy: bool) -> Version | None:
        """Return a version of a model that has learned, to be published later, or remember that it is behind."""
        version = model.new_version(is_busy=is_busy)
        self._note(model)
        return version

    def _note(self, model: Model) -> None:
        if model.is_behind:
            self.behind.add(model.number)
        else:
            self.behind.discard(model.number)

    def distrust(self, model: Model) -> None:
        """Drop a model that has learned what is not in the log. Its version predicts until it has been read again."""
        self.forget(model.number)
        self._outdated[model.number] = model

    def publish_all(self) -> None:
        """Publish the versions that are behind. All that was learned must be durable."""
        for number in list(self.behind):
            model = self._models.get(number)
            if model is not None:
                model.publish(at_once=True)
            self.behind.discard(number)

    # ---- snapshots ---------------------------------------------------------------------------------------------------

    def due(self) -> list[Model]:
        """Return the models that have learned enough since their last snapshot."""
        models = [self._models[number] for number in self._changed - self._writing if number in self._models]
        return [model for model in models if model.examples - model.snapshot_examples >= self._every]

    def write_snapshots(self) -> None:
        """Begin snapshots of the models for which they are due, in another thread. All must be durable."""
        for model in self.due():
            self._begin(model)

    def _begin(self, model: Model) -> None:
        draft = snapshots.freeze(model, self._store.checksum_at(model.sequence))
        model.snapshot_examples, model.snapshot_sequence = model.examples, model.sequence
        self._writing.add(model.number)

        def write() -> None:
            try:
                self._write(draft)
            except Exception as error:  # the log has it all; only a start takes longer
                self.snapshot_error = str(error)
                log.warning("A snapshot could not be written: %s", error)
            finally:
                self._writing.discard(model.number)

        self._snapshots.submit(write)

    def _save(self, model: Model) -> None:
        """Write a snapshot of a model that has changed since its last one."""
        if model.sequence > model.snapshot_sequence and model.number not in self._damaged:
            self._write(snapshots.freeze(model, self._store.checksum_at(model.sequence)))

    def _write(self, draft: snapshots.Draft) -> None:
        self._loader.write(draft)
        self.snapshot_error = None

    def close(self) -> None:
        """Write snapshots of all models that have changed."""
        self._snapshots.shutdown()
        for model in list(self._models.values()):
            with suppress(OSError, StoreError):
                self._save(model)
