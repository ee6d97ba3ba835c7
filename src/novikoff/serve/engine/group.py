"""The jobs of one model that are learned and stored together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import novikoff._core as _core
from novikoff.errors import InvalidInputError
from novikoff.serve.errors import ServeError
from novikoff.serve.log.blocks import Block, encode
from novikoff.serve.log.records import EXAMPLES, Entry

from .additions import line_refusal, refusal
from .answers import Learned, summary
from .arm import Run, part_of
from .examples import Examples, joined, no_examples
from .inbox import Job
from .model import Model
from .pending import Pending
from .requests import Prepared, prepare, refuse_first, refuse_row
from .version import Version

MAX_FEATURES = 2**23  # that are learned and stored together, unless one request has more


@dataclass(eq=False)
class Unit:
    """One job of a group."""

    job: Job
    prepared: Prepared = field(default_factory=lambda: Prepared(no_examples()))
    runs: list[Run] = field(default_factory=list)
    first: int = 0
    refused: dict[int, tuple[str, str]] = field(default_factory=dict)
    error: Exception | None = None
    answer: bytes = b""


class Group:
    """Jobs of one model. They are learned first; then the log gets what was learned; then they are answered.

    An example that the learner refuses must not come into the log. So it learns first, but nobody sees what it learned
    before it is durable: predictions go on with the version before. `learn` belongs to the writer thread; `entries` and
    what follows may be called by another one, while the model learns the next group.

    Parameters
    ----------
    model : Model
        The model.
    jobs : list of Job
        The jobs.
    pending : Pending
        Predictions that wait for their labels.
    limits : ExampleLimits
        Limits of an example.

    Attributes
    ----------
    version : Version or None
        What predicts when the group is durable; None: what predicted before.
    """

    def __init__(self, model: Model, jobs: list[Job], pending: Pending, limits: _core.ExampleLimits) -> None:
        self.model, self._pending, self._limits = model, pending, limits
        self.version: Version | None = None
        self._blocks: list[tuple[int, Block]] = []  # number of the first example, and what the log is to store
        self._learned_ids: set[str] = set()
        self._units = [Unit(job) for job in jobs]
        taken: set[str] = set()
        for unit in self._units:
            self._prepare(unit, taken)

    def _prepare(self, unit: Unit, taken: set[str]) -> None:
        own, content = set(taken), unit.job.content
        if content.names is not self.model.names:  # the model was loaded again after the request was read
            content.read = content.read.read_again(self.model.names, self.model.labels, self._limits)
            content.names = self.model.names
        try:
            if not content.is_stream:
                refuse_first(content.read)
            unit.prepared = prepare(self.model, content.read, self._pending, self._limits, own)
            if not content.is_stream:
                refuse_row(unit.prepared, content.read.is_array)
            taken |= own
        except ServeError as error:
            unit.error = error

    def __len__(self) -> int:
        """Return the number of examples that were learned."""
        return sum(len(block) for _, block in self._blocks)

    def learn(self) -> None:
        """Predict and learn all examples, and prepare the answers. What the learner refuses is left out."""
        self._learn_parts()
        for unit in self._units:
            if unit.error is None:
                try:
                    unit.answer = self._answer(unit)
                except Exception as error:  # the client must get an answer, whatever happens
                    unit.error = error

    def _learn_parts(self) -> None:
        part: list[Unit] = []
        features = 0
        for unit in self._units:
            count = len(unit.prepared.examples.columns)
            if part and features + count > MAX_FEATURES:
                self._learn_together(part)
                part, features = [], 0
            if unit.error is None:
                part.append(unit)
                features += count
        if part:
            self._learn_together(part)

    def _learn_together(self, units: list[Unit]) -> None:
        begin, first = 0, self.model.examples
        whole = joined([unit.prepared.examples for unit in units])
        if not len(whole):
            return
        try:
            runs = self._learn(whole)
        except InvalidInputError:
            for unit in units:
                self._learn_alone(unit)
            return
        for unit in units:
            end = begin + len(unit.prepared.examples)
            unit.runs, unit.first = part_of(runs, begin, end), first + begin
            unit.prepared.examples.codes = whole.codes[begin:end]
            begin = end

    def _learn(self, examples: Examples) -> list[Run]:
        """Learn examples as one block of the log, so that a replay learns them in the same way."""
        first = self.model.examples
        runs = self.model.learn(examples)
        self._blocks.append((first, self.model.block_of(examples)))
        self._learned_ids.update(id for id in examples.ids or () if id is not None)
        return runs

    def _learn_alone(self, unit: Unit) -> None:
        unit.first = self.model.examples
        self._prepare(
            unit, set(self._learned_ids)
        )  # an id that it shares with another unit may have been refused there
        if unit.job.content.is_stream:
            if len(unit.prepared.examples):
                unit.prepared.examples.codes = unit.prepared.examples.codes.copy()
                self._learn_half(unit, 0, len(unit.prepared.examples))
            return
        try:
            if len(unit.prepared.examples):
                unit.runs = self._learn(unit.prepared.examples)
        except InvalidInputError as error:
            unit.error = ServeError(422, "bad_example", refusal(error))

    def _learn_half(self, unit: Unit, begin: int, end: int) -> None:
        """Learn some examples of a stream; if they are refused, learn the two halves, down to the one at fault."""
        examples = unit.prepared.examples.taken(np.arange(begin, end))
        try:
            unit.runs += self._learn(examples)
            unit.prepared.examples.codes[begin:end] = examples.codes
        except InvalidInputError as error:
            if end - begin == 1:
                unit.refused[begin] = line_refusal(error)
                return
            middle = (begin + end) // 2
            self._learn_half(unit, begin, middle)
            self._learn_half(unit, middle, end)

    def entries(self) -> list[Entry]:
        """Return what the log is to store."""
        number = self.model.number
        return [Entry(number, EXAMPLES, first, len(block), encode(block)) for first, block in self._blocks]

    def finish(self) -> None:
        """Publish what has become durable, forget the predictions whose labels were learned, and answer the jobs."""
        if self.version is not None:
            self.model.version = self.version
        for id in self._learned_ids:
            self._pending.remove(self.model.number, id)
        for unit in self._units:
            if unit.error is not None:
                unit.job.answer.set_exception(unit.error)
            else:
                unit.job.answer.set_result(unit.answer)

    def fail(self, error: BaseException) -> None:
        """Answer all jobs with an error."""
        for unit in self._units:
            if not unit.job.answer.done():
                unit.job.answer.set_exception(error)

    def _answer(self, unit: Unit) -> bytes:
        learned = Learned(self.model, unit.prepared, unit.runs, unit.first, unit.refused)
        content: Any = unit.job.content
        if not content.is_stream:
            return learned.document(content)
        lines = learned.piece(content)
        return lines + summary(content.totals) if content.is_last else lines
