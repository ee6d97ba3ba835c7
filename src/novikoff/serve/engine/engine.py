"""The engine: models that predict while they learn, with a durable log."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

import novikoff._core as _core
from novikoff._atomic import replacing
from novikoff.errors import InvalidInputError, quote
from novikoff.online.named import named
from novikoff.persistence import dumps
from novikoff.serve.errors import Asleep, ServeError
from novikoff.serve.log.store import SNAPSHOTS, Store
from novikoff.serve.names import DEFAULT_MODEL
from novikoff.serve.settings import Settings

from .commands import Commands
from .examples import Examples
from .inbox import Inbox, Job
from .loading import Loader
from .memory import Memory
from .model import Model
from .overview import certificate_of, description_of, overview_of
from .pending import Pending
from .registry import Known, Registry
from .requests import NONE, Document, features_of, read_to_learn, refuse_first
from .stream import Stream
from .writer import Writer

PENDING = "pending.msgpack"  # predictions that wait for their labels when the server stops


class Engine:
    """Models that predict while they learn.

    Parameters
    ----------
    directory : path
        The state directory.
    settings : Settings
        The settings in force.
    """

    def __init__(self, directory: str | os.PathLike[str], settings: Settings) -> None:
        self.settings, self._directory = settings, Path(directory)
        self._limits = _core.ExampleLimits(
            settings.max_features_per_row, settings.max_name_length, settings.max_id_length, settings.max_line
        )
        self._registry = Registry()
        self._pending = Pending(settings.pending_limit, settings.pending_seconds)
        self._inbox = Inbox(settings.queue)
        self.predictions = 0
        self._started_at = time.monotonic()

    # ---- start and stop ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Open the log, load the model ``default``, and begin to learn.

        Raises
        ------
        StoreError
            If the state directory cannot be used.
        """
        self.store = Store.open(self._directory, self.settings.durability)
        try:
            for record in self.store.commands():
                self._registry.apply(record)
            self._loader = Loader(self.store, self._directory / SNAPSHOTS, self._registry, self.settings)
            limits = (self.settings.models_in_memory, self.settings.snapshot_every)
            self._memory = Memory(self._loader, self.store, *limits)
            self._writer = Writer(self.store, self._inbox, self._memory, self._pending, self._limits)
            given = (self._registry, self._memory, self._pending, self._inbox, self._writer)
            self._commands = Commands(self._directory, self.settings, *given)
            self._read_pending()
            if DEFAULT_MODEL in self._registry:
                with suppress(ServeError):  # requests to it say what is wrong
                    self._memory.load(self._registry.get(DEFAULT_MODEL).number)
        except BaseException:
            self.store.close()
            raise
        self._writer.start()

    def _read_pending(self) -> None:
        with suppress(OSError, msgspec.DecodeError, ValueError, TypeError):
            self._pending.restore(msgspec.msgpack.decode((self._directory / PENDING).read_bytes()))

    def stop(self) -> None:
        """Learn what was accepted, write snapshots, and close the log."""
        self._inbox.close()
        self._writer.join()
        self._memory.close()
        with suppress(OSError), replacing(self._directory / PENDING) as file:
            file.write(msgspec.msgpack.encode(self._pending.state()))
        self.store.close()

    # ---- predicting --------------------------------------------------------------------------------------------------

    def predict(self, name: str, body: bytes) -> bytes:
        """Return the answer to a request to predict.

        Parameters
        ----------
        name : str
            The model.
        body : bytes
            An example in JSON, or an array of them.

        Raises
        ------
        ServeError
            If the request cannot be answered.
        Asleep
            If the model is not in memory. ``wake`` loads it.
        """
        model = self._find_to_predict(name)
        version = model.version  # before reading: a name that is unknown then gets a column that this version lacks
        if body[:1] != b"[":
            answer = version.answer_one(body, model.names, model.labels, self._limits)
            if answer is not None:
                self.predictions += 1
                return answer
        read = _core.read_examples(body, model.names, model.labels, self._limits, False)
        try:
            refuse_first(read)
            if read.features.any():
                places, decisions = self._decide_slowly(model, version, read)
            else:
                places, decisions = version.decide(read.rows(), lambda: _matrix(read))
        except InvalidInputError as error:
            raise ServeError(422, "bad_example", f"The example cannot be predicted: {error}") from None
        ids, count = read.ids, len(read)
        if ids is not None:
            codes = version.codes(places, count).tolist()
            for row, id in enumerate(ids):
                if id is not None:
                    self._pending.add(model.number, id, read.text_at(row), codes[row], version.number)
        self.predictions += count
        answers = version.answers(places, decisions, ids, count)
        return (f"[{','.join(answers)}]" if read.is_array else answers[0]).encode()

    def _decide_slowly(self, model: Model, version: Any, read: _core.ReadExamples) -> Any:
        """Decide about examples of which some are texts."""
        if (read.features == NONE).any():
            raise ServeError(422, "bad_example", "An example to predict needs x or text.")
        examples = features_of(model, read)
        rows = _core.csr(examples.values, examples.columns, examples.offsets, examples.width)
        return version.decide(rows, examples.matrix)

    def _find_to_predict(self, name: str) -> Model:
        """Return a model by its name whose version can be asked."""
        return self._awake(name, self._memory.find_to_predict(self._registry.get(name).number))

    def _find(self, name: str) -> Model:
        """Return a model in memory by its name."""
        return self._awake(name, self._memory.find(self._registry.get(name).number))

    def _awake(self, name: str, model: Model | None) -> Model:
        if model is None:
            raise Asleep(f"The model {quote(name)} is not in memory.")
        model.used_at = time.monotonic()
        return model

    def wake(self, name: str) -> Future[Any]:
        """Load a model into memory."""
        number = self._registry.get(name).number
        return self._commands.put(lambda: self._memory.load(number).number)

    # ---- learning ----------------------------------------------------------------------------------------------------

    def learn(self, name: str, body: bytes) -> Future[bytes]:
        """Learn the examples of a request; the future has the answer when they are durable.

        Parameters
        ----------
        name : str
            The model.
        body : bytes
            An example in JSON with its label, or an array of them.

        Raises
        ------
        ServeError
            If the request cannot be learned.
        Asleep
            If the model is not in memory. ``wake`` loads it.
        """
        model = self._find(name)
        read = read_to_learn(model, body, self._limits)
        job = Job(model.number, max(1, len(read)), Document(read, model.names))
        self._inbox.put(job)
        return job.answer

    def open_stream(self, name: str, format: str, answers: bool = True) -> Stream:
        """Begin a stream of examples.

        Parameters
        ----------
        name : str
            The model.
        format : {"ndjson", "svmlight"}
            What the bytes are.
        answers : bool, default=True
            Whether each example is answered, or only all of them at the end.
        """
        model = self._find(name)
        number = model.number
        last = [model]

        def tables() -> tuple[_core.NameTable, _core.LabelTable]:
            last[0] = self._memory.find(number) or last[0]
            return last[0].names, last[0].labels

        put = partial(self._inbox.put, is_limited=False)
        return Stream(number, tables, put, format, self._limits, answers)

    # ---- models ------------------------------------------------------------------------------------------------------

    def create(self, name: str, specification: dict[str, Any]) -> Future[dict[str, Any]]:
        """Make a model. ``created`` is False in the answer if it exists with the same specification."""
        return self._commands.create(name, specification)

    def copy(self, name: str, to: str) -> Future[dict[str, Any]]:
        """Make a copy of a model under another name, with everything that it has learned."""
        return self._commands.copy(name, to)

    def delete(self, name: str) -> Future[dict[str, Any]]:
        """Delete a model. Its examples stay in the log until it is compacted."""
        return self._commands.delete(name)

    def add_shadow(self, name: str, shadow: str, specification: dict[str, Any]) -> Future[dict[str, Any]]:
        """Let another learner learn the same examples as a model, from now on."""
        return self._commands.add_shadow(name, shadow, specification)

    def remove_shadow(self, name: str, shadow: str) -> Future[dict[str, Any]]:
        """Remove a shadow."""
        return self._commands.remove_shadow(name, shadow)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Return the names of all models."""
        return self._registry.names()

    def describe(self, name: str) -> dict[str, Any]:
        """Return the specification and the counts of a model."""
        known = self._registry.get(name)
        return description_of(known, self._find(name))

    def certificate(self, name: str) -> dict[str, Any]:
        """Return the certificate of a model as JSON has it, and which counts its bounds apply to."""
        return certificate_of(self._find(name))

    def dump(self, name: str) -> bytes:
        """Return the model file of the learner that predicts, with the names of its features."""
        model = self._find(name)
        if not model.examples:
            message = f"The model {quote(name)} has learned nothing yet. Send examples to it first."
            raise ServeError(409, "nothing_learned", message)
        learner = model.main.read(lambda learner: learner.snapshot())  # before the names, which may become more
        return dumps(named(learner, model.column_names()))

    def overview(self, name: str) -> dict[str, Any]:
        """Return what the page shows of a model."""
        known, model = self._registry.get(name), self._find(name)
        shown = overview_of(known, model)
        shown["counts"]["pending"] = self._pending.count_of(model.number)
        status = self.status()
        names = ("queue", "queue_limit", "learning", "reason")
        shown["server"] = {name: status[name] for name in names if name in status}
        return shown

    def known(self, name: str) -> Known:
        """Return what is known of a model without loading it."""
        return self._registry.get(name)

    def status(self) -> dict[str, Any]:
        """Return the state of the server."""
        reason = self._writer.reason
        return {
            "ready": True,
            "learning": "stopped" if reason is not None else "on",
            "reason": reason,
            "queue": self._inbox.examples,
            "queue_limit": self._inbox.limit,
            "models": len(self._registry),
            "in_memory": len(self._memory),
            "loaded": self._memory.loaded,
            "sequence": self.store.last,
            "examples": self._writer.committer.learned,
            "groups": self._writer.committer.rounds,
            "predictions": self.predictions,
            "pending": len(self._pending),
            "pending_dropped": self._pending.dropped,
            "log_bytes": self.store.bytes,
            "snapshot_error": self._memory.snapshot_error,
            "seconds": time.monotonic() - self._started_at,
        }


def _matrix(read: _core.ReadExamples) -> Any:
    return Examples(read.offsets, read.columns, read.values, read.codes, read.width).matrix()
