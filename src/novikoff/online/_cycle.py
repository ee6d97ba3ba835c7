"""Cycling over a data set until nothing is left to learn."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff._progress import Say
from novikoff._validation import describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Extended, Floats


@dataclass
class Examples:
    """Rows with all that stands beside them."""

    X: Any
    rows: _core.Rows
    codes: Codes
    weights: NDArray[np.float64] | None
    squared_norms: Floats
    examined: bool = False
    jobs: int = 1  # how many questions learn from them at a time

    @classmethod
    def of(cls, where: str, X: Any, codes: Codes, weights: NDArray[np.float64] | None) -> Examples:
        """View a matrix as rows; nothing is copied."""
        rows = as_rows(where, X)
        return cls(X, rows, codes, weights, np.empty(rows.count))

    def examine(self, where: str) -> None:
        """Look at every row before any is learned from, so that a bad row spoils nothing."""
        self.squared_norms, good = self.rows.squared_norms()
        if good < self.rows.count:
            raise describe_bad_row(where, self.X, good)
        self.examined = True


@dataclass(frozen=True)
class Run:
    """What cycling leaves of one question: the proof that goes into its certificate."""

    passes: int
    halted: bool  # the last pass found nothing to change
    smallest_margin: Extended  # of the last pass; the model's own if it halted
    duals: Duals  # the model as a combination of the rows


@dataclass(frozen=True)
class Cycle:
    """How to cycle: how often, in which order, until when, and what to say on the way."""

    where: str
    max_iter: int
    shuffle: bool
    until_still: bool  # stop after a pass without an update; otherwise one without a mistake will do
    say: Say | None
    cancelled: threading.Event

    def run(self, learner: _core.OnlineLearner, question: int, examples: Examples, seed: int) -> Run:
        """Pass over the rows until nothing is left to do, or ``max_iter`` passes are made."""
        n = examples.rows.count
        random = _core.Random(seed)
        order = np.arange(n) if self.shuffle else None
        duals = np.zeros(n)
        beside = (examples.rows, examples.codes, examples.weights, examples.squared_norms, order, duals)
        passes, halted, smallest = 0, False, -np.inf
        began = time.perf_counter()
        while passes < self.max_iter and not self.cancelled.is_set():
            if order is not None:
                random.shuffle(order)
            if passes > 0 or examples.examined:
                moved, mistaken, smallest = learner.learn(question, *beside, 0, n)
            else:
                moved, mistaken, smallest, good = learner.learn_unseen(question, *beside)
                if good < n:
                    raise describe_bad_row(self.where, examples.X, good)
            passes += 1
            if self.say is not None:
                self.say(self._words(learner, question, passes, time.perf_counter() - began), None)
            halted = not moved
            if halted or not (mistaken or self.until_still):
                break
        return Run(passes, halted, smallest, Duals.of(duals))

    def _words(self, learner: _core.OnlineLearner, question: int, passes: int, seconds: float) -> str:
        """How far a question has come."""
        tally = learner.tally(question)
        place = f"question {question + 1} of {learner.problems}, " if learner.problems > 1 else ""
        mistakes, examples = tally["mistakes"], tally["examples"]
        error, rate = mistakes / max(examples, 1), examples / max(seconds, 1e-9)
        return f"{place}pass {passes}: {mistakes:,.0f} mistakes so far, {error:.2%} of the examples, {rate:,.0f} rows/s"
