"""Passes over a data set until nothing is left to learn."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff._progress import ProgressCallback
from novikoff._threads import in_threads
from novikoff._validation import describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Extended, Floats


@dataclass
class Examples:
    """Rows with their class codes, weights and squared norms."""

    X: Any
    rows: _core.Rows
    codes: Codes
    weights: NDArray[np.float64] | None
    squared_norms: Floats
    examined: bool = False

    @classmethod
    def of(cls, where: str, X: Any, codes: Codes, weights: NDArray[np.float64] | None) -> Examples:
        """Wrap a matrix without copying it."""
        rows = as_rows(where, X)
        return cls(X, rows, codes, weights, np.empty(rows.count))

    def examine(self, where: str) -> None:
        """Check every row before any is learned from, so that a bad row has no effect."""
        self.squared_norms, good = self.rows.squared_norms()
        if good < self.rows.count:
            raise describe_bad_row(where, self.X, good)
        self.examined = True


@dataclass(frozen=True)
class Run:
    """The outcome of the passes over one binary problem; its certificate is based on it.

    Parameters
    ----------
    passes : int
        Number of passes.
    halted : bool
        Whether the last pass made no update.
    smallest_margin : float
        The smallest margin y v.u of the last pass; that of the model, if it halted.
    duals : Duals
        The weights as a combination of the rows.
    """

    passes: int
    halted: bool
    smallest_margin: Extended
    duals: Duals


@dataclass(frozen=True)
class Cycle:
    """The settings of the passes.

    Parameters
    ----------
    where : str
        The class of the learner, for error messages.
    max_iter : int
        Largest number of passes.
    shuffle : bool
        Whether each pass visits the rows in a new random order.
    until_no_update : bool
        Whether to stop after a pass without an update; otherwise a pass without a mistake is enough.
    say : callable or None
        Takes progress messages.
    """

    where: str
    max_iter: int
    shuffle: bool
    until_no_update: bool
    say: ProgressCallback | None

    def run_all(self, kernel: _core.OnlineLearner, examples: Examples, seeds: list[int], threads: int) -> list[Run]:
        """Solve all binary problems, several at once if there are several threads."""
        cancelled = threading.Event()
        with in_threads(min(threads, kernel.problems)) as each:
            try:
                return each(lambda q: self._run(kernel, q, examples, seeds[q], cancelled), kernel.problems)
            except BaseException:
                cancelled.set()
                raise

    def _run(
        self, kernel: _core.OnlineLearner, problem: int, examples: Examples, seed: int, cancelled: threading.Event
    ) -> Run:
        n = examples.rows.count
        random = _core.Random(seed)
        order = np.arange(n) if self.shuffle else None
        duals = np.zeros(n)
        batch = (examples.rows, examples.codes, examples.weights, examples.squared_norms, order, duals)
        passes, halted, smallest = 0, False, -np.inf
        began = time.perf_counter()
        while passes < self.max_iter and not cancelled.is_set():
            if order is not None:
                random.shuffle(order)
            if passes > 0 or examples.examined:
                moved, mistaken, smallest = kernel.learn(problem, *batch, 0, n)
            else:
                moved, mistaken, smallest, good = kernel.learn_unseen(problem, *batch)
                if good < n:
                    raise describe_bad_row(self.where, examples.X, good)
            passes += 1
            if self.say is not None:
                self.say(_progress(kernel, problem, passes, time.perf_counter() - began), None)
            halted = not moved
            if halted or not (mistaken or self.until_no_update):
                break
        return Run(passes, halted, smallest, Duals.of(duals))


def _progress(kernel: _core.OnlineLearner, problem: int, passes: int, seconds: float) -> str:
    tally = kernel.tally(problem)
    place = f"problem {problem + 1} of {kernel.problems}, " if kernel.problems > 1 else ""
    mistakes, examples = tally["mistakes"], tally["examples"]
    error, rate = mistakes / max(examples, 1), examples / max(seconds, 1e-9)
    return f"{place}pass {passes}: {mistakes:,.0f} mistakes so far, {error:.2%} of the examples, {rate:,.0f} rows/s"
