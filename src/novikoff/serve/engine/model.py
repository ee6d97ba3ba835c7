"""A model in memory: its tables of names and labels, its learners, and the version that predicts."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.errors import NovikoffError
from novikoff.online.frozen import frozen
from novikoff.serve.log.blocks import Block
from novikoff.serve.settings import Settings

from .additions import Additions
from .arm import Arm, Run, predictions
from .examples import Examples, not_served
from .ids import LearnedIds, Remembered
from .specification import Specification
from .version import Version

PUBLISHING = 0.05  # share of the time that goes into new versions, if one takes long
SHORT = 0.003  # seconds that a version may take whenever nothing else waits
LATEST = 20  # mistakes that are kept to be shown


class Mistake(NamedTuple):
    """An example that was predicted wrongly, to be shown."""

    number: int
    code: int
    predicted: int
    score: float | None
    columns: NDArray[np.int32]
    values: NDArray[np.float64]


class Model:
    """A model in memory. The writer thread changes it; others read ``version``.

    Parameters
    ----------
    number : int
        Its number in the log.
    specification : Specification
        How it was made.
    settings : Settings
        Limits.

    Attributes
    ----------
    examples : int
        Number of examples that were learned.
    sequence : int
        The last record of the log that was applied.
    names, labels : NameTable, LabelTable
        Columns of features and codes of labels.
    arms : dict
        The learners by name; that of the name "" predicts, others are shadows.
    version : Version
        What predictions are made from.
    used_at : float
        When it was last used.
    """

    def __init__(self, number: int, specification: Specification, settings: Settings) -> None:
        self.number, self.specification = number, specification
        self.hashing = specification.make_hashing()
        self._limits = (settings.max_names, settings.max_classes)
        buckets = 0 if self.hashing is None else 2**self.hashing.n_bits
        self.names, self.labels = _core.NameTable(settings.max_names, buckets), _core.LabelTable(settings.max_classes)
        self.ids = LearnedIds(settings.remembered_ids)
        self.arms = {"": Arm(specification)}
        self.labels.add(specification.classes or [])
        self.examples = self.sequence = self.stored_names = 0
        self.stored_labels = len(self.labels)
        self.latest_mistakes: deque[Mistake] = deque(maxlen=LATEST)
        self.used_at = 0.0
        self.snapshot_examples = self.snapshot_sequence = 0
        self._additions: Additions | None = None  # of the latest examples; the tables may not have them yet
        self._known_labels: tuple[NDArray[Any], dict[Any, int]] = (np.zeros(0), {})
        self._published_at, self._cost = 0.0, 0.0
        self.version = self._newest = Version(0, frozen(self.main.learner), {})  # the newest waits to be durable

    @property
    def main(self) -> Arm:
        """The learner that predicts."""
        return self.arms[""]

    @property
    def width(self) -> int:
        """Number of columns that have been learned."""
        return self._width(len(self.names))

    def _width(self, names: int) -> int:
        return max(1, names) if self.hashing is None else int(2**self.hashing.n_bits)

    def label_values(self) -> list[Any]:
        """Return the labels by code."""
        return list(self._labels()[1])

    def column_name(self, column: int) -> str:
        """Return the name of a column that has a weight; that of a hashed one is its number.

        Any thread may call this, after it has read the weights. The learner gets a new column before the table of names
        does; until then its name is found among the additions.
        """
        if self.hashing is not None:
            return f"column {column}"
        additions = self._additions  # read before the table
        if additions is None or column < len(self.names):
            return self.names.name(column)
        return additions.names[column - additions.first_name]

    def column_names(self) -> list[str]:
        """Return the names of all columns, and perhaps of some that are not learned yet; none if they are hashed.

        Any thread may call this, after it has copied the learner.
        """
        additions = self._additions
        names = self.names.since(0)
        return names if additions is None else names + additions.names[len(names) - additions.first_name :]

    def _labels(self) -> tuple[NDArray[Any], dict[Any, int]]:
        """Return the labels as an array, and their codes. Other threads than the writer may ask, too."""
        known = self._known_labels
        if len(self.labels) > len(known[1]):
            values = self.labels.since(0)
            self._known_labels = known = (np.array(values), {label: code for code, label in enumerate(values)})
        return known

    def restore_tables(self, names: list[str], labels: list[Any]) -> None:
        """Fill the tables of a new model with what the log has stored of it."""
        self.names.add(names)
        self.labels.add(labels[len(self.labels) :])
        self.stored_names = len(self.names)
        self.stored_labels = len(self.labels)

    # ---- learning ----------------------------------------------------------------------------------------------------

    def learn(self, examples: Examples) -> list[Run]:
        """Predict and learn examples. If they are refused, an error is raised, and nothing has changed.

        New names and labels of the examples get their columns and codes.
        """
        values, code_of = self._labels()
        additions = Additions(self.names, self.labels, code_of, *self._limits)
        additions.settle(examples)
        if additions.labels:
            labels = [*code_of, *additions.labels]
            values, code_of = np.array(labels), {label: code for code, label in enumerate(labels)}
        given = (examples, values, code_of, self._width(len(self.names) + len(additions.names)))
        self._additions = additions
        runs = self.main.learn(*given)
        additions.accept()
        predicted = predictions(runs)
        is_mistake = self.main.tally.count(examples, predicted, is_main=True)
        for name, arm in self.arms.items():
            if name and arm.stopped is None:
                try:
                    arm.tally.count(examples, predictions(arm.learn(*given)), is_main=False)
                except NovikoffError as error:
                    arm.stopped = str(error)
        if examples.ids is not None:
            served = (examples.served or not_served(len(examples)))[0]
            own = zip(examples.ids, predicted.tolist(), is_mistake.tolist(), served.tolist(), strict=True)
            for id, *answered in own:
                if id is not None:
                    self.ids.add(id, Remembered(*answered))
        self._keep_mistakes(examples, runs, np.flatnonzero(is_mistake)[-LATEST:].tolist())
        self.examples += len(examples)
        return runs

    def _keep_mistakes(self, examples: Examples, runs: list[Run], rows: list[int]) -> None:
        begin, at = 0, 0
        for run in runs:
            end = begin + len(run.predicted)
            while at < len(rows) and rows[at] < end:
                row = rows[at]
                score = float(run.scores[row - begin, 0]) if run.scores.shape[1] == 1 else None
                codes = (int(examples.codes[row]), int(run.predicted[row - begin]))
                self.latest_mistakes.append(Mistake(self.examples + row, *codes, score, *examples.features(row)))
                at += 1
            begin = end

    def block_of(self, examples: Examples) -> Block:
        """Return what the log stores of examples that were learned, with the names and labels that are new in it."""
        names = self.names.since(self.stored_names)
        labels = self.labels.since(self.stored_labels)
        block = Block(
            self.stored_names,
            names,
            self.stored_labels,
            labels,
            examples.offsets.astype(np.int64),
            examples.columns,
            examples.values,
            examples.codes,
            examples.weights,
            examples.ids,
            examples.served,
        )
        self.stored_names += len(names)
        self.stored_labels += len(labels)
        return block

    def replay(self, block: Block) -> None:
        """Learn a block of the log."""
        if block.first_name != len(self.names) or block.first_label != len(self.labels):
            raise ValueError("names or labels are missing")
        self.names.add(block.names)
        self.labels.add(block.labels)
        self.stored_names, self.stored_labels = len(self.names), len(self.labels)
        examples = Examples(
            block.indptr.astype(np.int32),
            block.columns,
            block.values,
            block.codes,
            1,
            block.weights,
            block.ids,
            block.served,
        )
        self.learn(examples)

    # ---- shadows -----------------------------------------------------------------------------------------------------

    def add_shadow(self, name: str, specification: Specification) -> None:
        """Add a learner that learns the same examples from now on."""
        self.arms = self.arms | {name: Arm(specification)}  # a new dict: other threads may iterate over the old one

    def remove_shadow(self, name: str) -> None:
        """Remove a shadow."""
        self.arms = {own: arm for own, arm in self.arms.items() if own != name}

    # ---- versions ----------------------------------------------------------------------------------------------------

    @property
    def is_behind(self) -> bool:
        """Whether examples were learned after the last version that was made."""
        return self._newest.number != self.examples

    def new_version(self, *, at_once: bool = False, is_busy: bool = False) -> Version | None:
        """Make a version of what was learned; None if nothing was, or if it would take too large a share of the time.

        Parameters
        ----------
        at_once : bool, default=False
            Make it however long it takes.
        is_busy : bool, default=False
            Whether other examples wait to be learned: then even a short time is kept to its share.
        """
        if not self.is_behind:
            return None
        begin = time.perf_counter()
        is_early = begin - self._published_at < self._cost / PUBLISHING
        if not at_once and is_early and (is_busy or self._cost > SHORT):
            return None
        self._newest = Version(self.examples, frozen(self.main.learner), self._labels()[1])
        self._published_at = time.perf_counter()
        self._cost = self._published_at - begin
        return self._newest

    def publish(self, *, at_once: bool = False) -> None:
        """Let a new version predict, if one is made; all that was learned must be durable."""
        self.version = self.new_version(at_once=at_once) or self._newest
