"""One learner of a model: the one that predicts, or a shadow of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.data.batch import Batch
from novikoff.online.frozen import chosen

from .examples import Examples
from .specification import Specification
from .tally import Tally

Codes = NDArray[np.int32]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Run:
    """Examples that were predicted while the same labels were known.

    Attributes
    ----------
    keys : list of int
        Codes of these labels, one for each column of the scores; empty if none was known.
    predicted : ndarray of int32
        Codes of the predictions; -1 for none.
    scores : ndarray of shape (n, 1) or (n, n_classes)
        The scores; of shape (n, 0) if there are none.
    """

    keys: list[int]
    predicted: Codes
    scores: NDArray[np.float64]


class Arm:
    """One learner with its counts.

    Parameters
    ----------
    specification : Specification
        How the learner was made.
    learner : OnlineClassifier or Tracker, default=None
        The learner; by default a new one.
    tally : Tally, default=None
        Its counts.
    stopped : str, default=None
        Why a shadow does not learn any more.
    """

    def __init__(
        self,
        specification: Specification,
        learner: Any = None,
        tally: Tally | None = None,
        stopped: str | None = None,
    ) -> None:
        self.specification, self.stopped = specification, stopped
        self.learner = specification.make() if learner is None else learner
        self.tally = Tally() if tally is None else tally
        self._lock = threading.Lock()  # the writer thread learns, and others read, a group of examples at a time

    def read(self, reader: Callable[[Any], T]) -> T:
        """Return what a function reads of the learner, while it does not learn. Any thread may call this."""
        with self._lock:
            return reader(self.learner)

    def learn(self, examples: Examples, labels: NDArray[Any], code_of: Mapping[Any, int], width: int) -> list[Run]:
        """Predict each example, then learn from it. An example that is refused raises an error, and none is learned.

        Parameters
        ----------
        examples : Examples
            The examples, which have labels.
        labels : ndarray
            The labels by code.
        code_of : mapping
            The codes of the labels.
        width : int
            Number of columns of the model.
        """
        batch = Batch(examples.matrix(width), labels[examples.codes], examples.weights)
        runs = []
        with self._lock:
            scored = self.learner.score_then_learn(batch)
        for known, decisions in scored:
            keys = [code_of.get(label, -1) for label in known]  # a shadow may have declared other classes
            count = len(decisions)
            if not count:
                continue
            if keys:
                predicted_codes = np.array(keys, dtype=np.int32)[chosen(decisions, len(keys))]
                scores = decisions.reshape(count, -1)
            else:
                predicted_codes, scores = np.full(count, -1, dtype=np.int32), np.zeros((count, 0))
            runs.append(Run(keys, predicted_codes, np.ascontiguousarray(scores)))
        return runs


def predictions(runs: list[Run]) -> Codes:
    """Return the predictions of all examples."""
    if len(runs) == 1:
        return runs[0].predicted
    return np.concatenate([run.predicted for run in runs]) if runs else np.zeros(0, dtype=np.int32)


def part_of(runs: list[Run], begin: int, end: int) -> list[Run]:
    """Return the runs of the examples from ``begin`` to ``end``."""
    found, at = [], 0
    for run in runs:
        first, last = max(begin - at, 0), min(end - at, len(run.predicted))
        if first < last:
            whole = first == 0 and last == len(run.predicted)
            found.append(run if whole else Run(run.keys, run.predicted[first:last], run.scores[first:last]))
        at += len(run.predicted)
    return found
