"""Passes over a data set until one of them makes no mistake, or no update."""

from __future__ import annotations

import math
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff._core as _core
from novikoff._counts import counted
from novikoff._progress import Progress, ProgressCallback
from novikoff._separability.quick_verdict import UNKNOWN, QuickVerdict
from novikoff._threads import in_threads
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.evidence import Evidence
from novikoff.theory.geometry import Extended, Floats, Lifted, as_table, length_of
from novikoff.theory.mixing import Mixing
from novikoff.theory.online_checks import OnlineChecks
from novikoff.theory.rules import Rule

from ._examples import Examples
from ._stopping import CONVERGED, INSEPARABLE, MAX_ITER, NO_PROGRESS, REASONS, Stopping, Trial
from ._together import Together, groups_of


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
        If it halted, a lower bound on the margins y v.u of all rows, with rounding counted in; else the smallest margin
        that the last pass found.
    duals : Duals
        The weights as a combination of the rows.
    mixing : Mixing or None, default=None
        The partitions and rounds, if the weights were mixed from those of partitions. Each round is then a pass.
    """

    passes: int
    halted: bool
    smallest_margin: Extended
    duals: Duals
    mixing: Mixing | None = None


@dataclass(frozen=True)
class Ending:
    """How the passes over one binary problem ended.

    Parameters
    ----------
    run : Run
        The outcome.
    reason : str
        Why there were no more passes, one of ``_stopping.REASONS``.
    is_separable : bool or None
        Whether a plane separates the rows; None if it is not known.
    witness : Duals or None
        Rows that balance each other, which is proven, with weights that add up to 1, if none does.
    is_negligible : bool
        Whether no plane with a margin above 1e-9 of the length of the rows was found, and it is not known if there is
        one with a smaller margin.
    margin_upper_bound : float
        The smallest |v|/M of the run, which no margin exceeds.
    passes_needed : float or None
        If the rows are separable and ``max_iter`` was reached, the passes that are enough by the theorem of the rule.
    """

    run: Run
    reason: str
    is_separable: bool | None
    witness: Duals | None
    is_negligible: bool
    margin_upper_bound: Extended
    passes_needed: float | None


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
        seed: int,
        threads: int,
    ) -> list[Ending]:
        """Solve all binary problems, several at once if there are several threads.

        Parameters
        ----------
        kernel : OnlineLearner
            Learns from the rows.
        examples : Examples
            The rows.
        positives, names : list
            Of each problem: the code of its positive class, -1 for none; and its name.
        seed : int
            Seed of the row order, which is the same for all problems.
        threads : int
            Number of threads, each of which solves one group of problems at a time.
        """
        cancelled, progress = threading.Event(), Progress(self.say, names)
        groups = groups_of(kernel.problems, kernel, examples, self.rule)

        def run_group(g: int) -> list[Ending]:
            together = Together(self.where, kernel, examples, groups[g])
            with ExitStack() as reports:
                says = [reports.enter_context(progress.problem(q)) for q in groups[g]]
                passes = [_Passes(self, together, q, positives[q], say) for q, say in zip(groups[g], says, strict=True)]
                return self._run_together(passes, together, seed, cancelled)

        with in_threads(min(threads, len(groups))) as each:
            try:
                return [ending for endings in each(run_group, len(groups)) for ending in endings]
            except BaseException:
                cancelled.set()
                raise

    def _run_together(
        self, problems: list[_Passes], together: Together, seed: int, cancelled: threading.Event
    ) -> list[Ending]:
        """Make passes over the rows, each of which is one of all problems that have not ended."""
        random = _core.Random(seed)
        order = np.arange(together.examples.rows.count) if self.shuffle else None
        endings: dict[int, Ending] = {}
        running = problems
        while running and not cancelled.is_set():
            if order is not None:
                random.shuffle(order)
            for problem, report in zip(running, together.learn(order), strict=True):
                problem.after_pass(*report)
            ended = [problem for problem in running if problem.reason is not None]
            for problem, duals in zip(ended, together.leave([problem.number for problem in ended]), strict=True):
                endings[problem.number] = problem.ending(duals)
            running = [problem for problem in running if problem.reason is None]
        return [endings[problem.number] for problem in problems if problem.number in endings]


class _Passes:
    """The passes over one binary problem.

    Parameters
    ----------
    cycle : Cycle
        The settings.
    together : Together
        The kernel, the rows, and the problems that learn with this one.
    number : int
        The number of the problem in the kernel.
    positive : int
        The code of the positive class.
    say : callable or None
        Takes progress messages.

    Attributes
    ----------
    reason : str or None
        Why the passes have ended; None if they have not.
    """

    def __init__(
        self, cycle: Cycle, together: Together, number: int, positive: int, say: ProgressCallback | None
    ) -> None:
        self.cycle, self.together, self.number = cycle, together, number
        self.kernel, self.examples = together.kernel, together.examples
        self.positive, self.say = positive, say
        self.verdict: QuickVerdict = UNKNOWN
        self.reason: str | None = None
        self.before = self._tally()
        self.is_new = self.before["updates"] == 0
        self.rule, known = cycle.rule.implementation(), self._is_known_to_be_separable()
        self.stopping = Stopping(
            cycle.n_iter_no_change, cycle.max_iter, self._trial(), known, self.rule.promises_to_halt
        )
        self.passes, self.halted, self.smallest = 0, False, -math.inf

    def after_pass(self, moved: bool, mistaken: bool, smallest: float) -> None:
        """Decide whether to go on after a pass.

        Parameters
        ----------
        moved, mistaken : bool
            Whether the pass made an update, and a mistake.
        smallest : float
            The smallest margin that it found.
        """
        cycle, before, after = self.cycle, self.before, self._tally()
        self.before, self.passes, self.smallest, self.halted = after, self.passes + 1, smallest, not moved
        self._report(self.passes, before, after)
        if self.halted or not (mistaken or cycle.until_no_update):
            self.reason = CONVERGED
        elif _rounded_up(after["margin_bound"]) < self.rule.required_margin():
            self.reason = INSEPARABLE
        else:
            kind = "updates" if cycle.until_no_update else "mistakes"
            self.reason = self.stopping.reason_to_stop(self.passes, after[kind] - before[kind])
        if self.reason is None and self.passes == cycle.max_iter:
            self.reason = INSEPARABLE if self.stopping.is_inseparable_after(self.passes) else MAX_ITER
        if self.reason == INSEPARABLE and self._is_negligible():
            self.reason = NO_PROGRESS

    def ending(self, duals: Duals) -> Ending:
        """Return how the passes ended, with the weights as a combination of the rows."""
        reason = self.reason or MAX_ITER
        margin = self._proven_margin(self.smallest, duals) if self.halted else self.smallest
        run = Run(self.passes, self.halted, margin, duals)
        if self.say is not None:
            self.say(f"stopped after {counted(self.passes, 'pass')}: {REASONS[reason]}", 1.0)
        bound = _rounded_up(self._tally()["margin_bound"])
        needed = self._passes_needed() if reason == MAX_ITER and self.is_new and self.stopping.is_separable else None
        is_separable = None if self._is_negligible() else self.stopping.is_separable
        return Ending(run, reason, is_separable, self.verdict.witness, self._is_negligible(), bound, needed)

    def _is_negligible(self) -> bool:
        return self.verdict.is_negligible and self.verdict.is_separable is None

    def _tally(self) -> dict[str, Any]:
        tally: dict[str, Any] = self.kernel.tally(self.number)
        return tally

    def _is_known_to_be_separable(self) -> bool | None:
        """Whether private features make every data set separable."""
        return True if self.cycle.rule.geometry.slack_feature > 0 else None

    def _trial(self) -> Trial:
        from novikoff._separability.quick import work_of  # and its solvers, which a stream does not need

        X = self.examples.X
        nonzeros = int(X.nnz if sp.issparse(X) else X.size)
        return Trial(self._is_separable, work_of(X.shape[0], X.shape[1] + 1, nonzeros), nonzeros)

    def _is_separable(self, max_work: float) -> bool | None:
        """Decide whether a plane has the rows of this problem on its right side; rows of weight 0 do not count.

        False also if all margins are too small for the passes to end in any time, whether one is positive or not.
        """
        X, codes, fit_intercept = self.examples.X, self.examples.codes, self.cycle.rule.geometry.fit_intercept
        present = codes >= 0
        signs = self._signs()
        if not np.all(present):
            X, signs = X[np.flatnonzero(present)], signs[present]
        self.together.release()
        weights = self.kernel.last_weights(self.number)[: X.shape[1]]
        hint = np.pad(weights, (0, X.shape[1] - len(weights)))
        if fit_intercept:
            hint = np.append(hint, self.kernel.last_bias(self.number))
        from novikoff._separability.quick import decide_quickly  # as above

        found = decide_quickly(X, signs, fit_intercept, hint, max_work)
        # Positive rows on the plane are not mistakes if ties are positive; without an intercept, all may be there.
        if found.is_negligible and self.cycle.rule.tie == "positive" and not fit_intercept:
            return None
        if found.witness is not None:
            found = found._replace(witness=Duals(np.flatnonzero(present)[found.witness.rows], found.witness.weights))
        self.verdict = found
        return False if found.is_negligible else found.is_separable

    def _signs(self) -> Floats:
        return np.where(self.examples.codes == self.positive, 1.0, -1.0)

    def _passes_needed(self) -> float | None:
        """Return the passes after which the theorem of the rule promises the end, by the margin of a plane.

        Each pass but the last makes a mistake or an update, of a weight of at least 1. With private features of value
        delta, the plane of the weights y_i / delta on them alone has margin delta / sqrt(n).
        """
        geometry, weights, present = self.cycle.rule.geometry, self.examples.weights, self.examples.codes >= 0
        if weights is not None and weights[present].min() < 1:
            return None
        radius = math.sqrt(self._tally()["squared_radius"])
        if geometry.slack_feature > 0:
            margin = geometry.slack_feature / math.sqrt(np.count_nonzero(present))
        elif self.verdict.direction is None:
            return None
        else:
            plane = np.append(self.verdict.direction, [] if geometry.fit_intercept else [0.0])
            scores = Lifted(as_table(self.examples.X), geometry).scores(plane[:-1], float(plane[-1]))
            margin = float(np.min((self._signs() * scores)[present])) / length_of(plane[:-1], float(plane[-1]))
        rule = self.cycle.rule.implementation()
        bound = rule.update_bound if self.cycle.until_no_update else rule.bound
        most = bound(radius, margin) if margin > 0 else math.inf
        return math.ceil(most) + 1 if most < math.inf else None

    def _proven_margin(self, found: float, duals: Duals) -> float:
        """Return a lower bound on the margins of all rows, given the smallest one that the last pass found.

        Rounding can make a margin of 0 look positive. So if it may have decided that, the margins are computed again,
        with bounds on their errors, and exactly where these do not decide.
        """
        X, codes = as_table(self.examples.X), self.examples.codes
        weights = self.kernel.last_weights(self.number)
        weights = np.pad(weights[: X.shape[1]], (0, max(0, X.shape[1] - len(weights))))
        model = Evidence(weights, self.kernel.last_bias(self.number), self.cycle.rule.geometry, 1, duals)
        rounding = 2 * (X.shape[1] + 16) * EPS * model.length() * math.sqrt(self._tally()["squared_radius"])
        least: float = found - rounding - X.shape[1] * math.ulp(0.0)
        if found <= 0 or least > 0:
            return least
        weights = np.ones(len(codes)) if self.examples.weights is None else self.examples.weights
        copies = np.where(codes >= 0, weights, 0.0)
        return OnlineChecks(model, X, self._signs(), copies, exact=True).least_margin()

    def _report(self, passes: int, before: dict[str, Any], after: dict[str, Any]) -> None:
        if self.say is not None:
            mistakes, examples = (after[name] - before[name] for name in ("mistakes", "examples"))
            share = f"{mistakes / max(examples, 1):.2%} of the examples"
            message = f"pass {passes:,}, {counted(mistakes, 'mistake')}, {share}"
            self.say(message, passes / self.cycle.max_iter)


def _rounded_up(margin_bound: Any) -> float:
    """Return the bound |v|/M of the kernel with its rounding error added."""
    return float(margin_bound) * (1 + 8 * EPS)
