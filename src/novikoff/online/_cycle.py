"""Passes over a data set until nothing is left to learn."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff._progress import Progress, ProgressCallback
from novikoff._separability.quick import is_separable, work_of
from novikoff._threads import in_threads
from novikoff._validation import describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Extended, Floats
from novikoff.theory.rules import Rule

from ._stopping import CONVERGED, INSEPARABLE, MAX_ITER, REASONS, Stopping, Trial


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
class Ending:
    """How the passes over one binary problem ended.

    Parameters
    ----------
    run : Run
        The outcome.
    reason : str
        Why there were no more passes, one of ``_stopping.REASONS``.
    would_converge : bool
        Whether more passes would certainly have separated the rows.
    """

    run: Run
    reason: str
    would_converge: bool


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
    n_iter_no_change : int or None
        Passes without progress after which to find out whether the rows are separable; None for never.
    rule : Rule
        The rule of the kernel.
    say : callable or None
        Takes progress messages.
    """

    where: str
    max_iter: int
    shuffle: bool
    until_no_update: bool
    n_iter_no_change: int | None
    rule: Rule
    say: ProgressCallback | None

    def run_all(
        self,
        kernel: _core.OnlineLearner,
        examples: Examples,
        positives: list[int],
        names: list[str],
        seeds: list[int],
        threads: int,
    ) -> list[Ending]:
        """Solve all binary problems, several at once if there are several threads.

        Parameters
        ----------
        kernel : OnlineLearner
            Learns from the rows.
        examples : Examples
            The rows.
        positives, names, seeds : list
            Of each problem: the code of its positive class, -1 for none; its name; and the seed of its row order.
        threads : int
            How many problems to solve at once.
        """
        cancelled, progress = threading.Event(), Progress(self.say, names)

        def run_one(q: int) -> Ending:
            with progress.problem(q) as say:
                return _Passes(self, kernel, q, examples, positives[q], cancelled, say).run(seeds[q])

        with in_threads(min(threads, kernel.problems)) as each:
            try:
                return each(run_one, kernel.problems)
            except BaseException:
                cancelled.set()
                raise


@dataclass
class _Passes:
    """The passes over one binary problem."""

    cycle: Cycle
    kernel: _core.OnlineLearner
    problem: int
    examples: Examples
    positive: int
    cancelled: threading.Event
    say: ProgressCallback | None

    def run(self, seed: int) -> Ending:
        cycle, n = self.cycle, self.examples.rows.count
        random = _core.Random(seed)
        order = np.arange(n) if cycle.shuffle else None
        duals = np.zeros(n)
        batch = (self.examples.rows, self.examples.codes, self.examples.weights, self.examples.squared_norms)
        stopping = Stopping(cycle.n_iter_no_change, cycle.max_iter, self._trial(), self._is_known_to_be_separable())
        required_margin = cycle.rule.implementation().required_margin()
        passes, halted, smallest, reason = 0, False, -np.inf, None
        while reason is None and not self.cancelled.is_set():
            before = self._tally()
            if order is not None:
                random.shuffle(order)
            if passes > 0 or self.examples.examined:
                moved, mistaken, smallest = self.kernel.learn(self.problem, *batch, order, duals, 0, n)
            else:
                moved, mistaken, smallest, good = self.kernel.learn_unseen(self.problem, *batch, order, duals)
                if good < n:
                    raise describe_bad_row(cycle.where, self.examples.X, good)
            passes += 1
            after = self._tally()
            self._report(passes, before, after)
            halted = not moved
            if halted or not (mistaken or cycle.until_no_update):
                reason = CONVERGED
            elif after["margin_bound"] < required_margin:
                reason = INSEPARABLE
            else:
                counted = "updates" if cycle.until_no_update else "mistakes"
                reason = stopping.reason_to_stop(passes, after[counted] - before[counted])
            if reason is None and passes == cycle.max_iter:
                reason = MAX_ITER
        run = Run(passes, halted, smallest, Duals.of(duals))
        if self.say is not None and reason is not None:
            self.say(f"stopped after {passes:,} passes: {REASONS[reason]}", 1.0)
        would_converge = stopping.tried and stopping.is_separable is True and required_margin == 0
        return Ending(run, reason or MAX_ITER, would_converge)

    def _tally(self) -> dict[str, Any]:
        tally: dict[str, Any] = self.kernel.tally(self.problem)
        return tally

    def _is_known_to_be_separable(self) -> bool | None:
        """Whether private features make every data set separable."""
        return True if self.cycle.rule.geometry.slack_feature > 0 else None

    def _trial(self) -> Trial:
        X = self.examples.X
        nonzeros = int(X.nnz if sp.issparse(X) else X.size)
        return Trial(self._is_separable, work_of(X.shape[0], X.shape[1] + 1, nonzeros), nonzeros)

    def _is_separable(self, max_work: float) -> bool | None:
        """Decide whether a plane has the rows of this problem on its right side; rows of weight 0 do not count."""
        X, codes, fit_intercept = self.examples.X, self.examples.codes, self.cycle.rule.geometry.fit_intercept
        present = codes >= 0
        signs = np.where(codes == self.positive, 1.0, -1.0)
        if not np.all(present):
            X, signs = X[np.flatnonzero(present)], signs[present]
        weights = self.kernel.last_weights(self.problem)[: X.shape[1]]
        hint = np.pad(weights, (0, X.shape[1] - len(weights)))
        if fit_intercept:
            hint = np.append(hint, self.kernel.last_bias(self.problem))
        found = is_separable(X, signs, fit_intercept, hint, max_work)
        # Positive rows on the plane are not mistakes if ties are positive; without an intercept, all may be there.
        return None if found is False and self.cycle.rule.tie == "positive" and not fit_intercept else found

    def _report(self, passes: int, before: dict[str, Any], after: dict[str, Any]) -> None:
        if self.say is not None:
            mistakes, examples = (after[name] - before[name] for name in ("mistakes", "examples"))
            share = f"{mistakes / max(examples, 1):.2%} of the examples"
            message = f"pass {passes:,}, {mistakes:,.0f} mistakes, {share}"
            self.say(message, passes / self.cycle.max_iter)
