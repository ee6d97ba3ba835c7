"""When ``fit`` of an online learner ends before it has converged, and what it says about it.

The number of mistakes in a pass is watched. A perceptron on data that a plane separates makes finitely many mistakes,
but it may need hundreds of passes for them, with one or two mistakes in each; on other data it never ends (Block and
Levin 1970). So if there is no progress, a linear program decides which it is, as soon as its cost is in proportion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

CONVERGED, INSEPARABLE, NO_PROGRESS, MAX_ITER = "converged", "inseparable", "no progress", "max_iter"
REASONS = {
    CONVERGED: "the last pass made no mistake or no update",
    INSEPARABLE: "no plane separates the rows by the margin that is needed, so they would never end",
    NO_PROGRESS: "no progress was made, and whether a plane separates the rows is not known",
    MAX_ITER: "max_iter was reached",
}
LONG_PATIENCE_FACTOR = 4  # patience, in multiples of n_iter_no_change, where it is not known if the rows are separable
SMALL_PASS_WORK = 10_000  # values of a data set on which the test takes few milliseconds
FREE_WORK = 1e8  # values that are visited in about a third of a second


def stopped_in_words(passes: int, stopped: str | list[str]) -> str:
    """Return the number of passes and why they ended, for a person.

    Parameters
    ----------
    passes : int
        ``n_iter_`` of a learner.
    stopped : str or list of str
        Its ``stopped_``.
    """
    if isinstance(stopped, str):
        return f"{passes:,}; {REASONS[stopped]}"
    counts = {reason: stopped.count(reason) for reason in REASONS if reason in stopped}
    return f"at most {passes:,} per class; " + ", ".join(f"{reason}: {n:,}" for reason, n in counts.items())


@dataclass(frozen=True)
class Trial:
    """A test whether the rows are separable, and its work relative to that of a pass.

    Parameters
    ----------
    is_separable : callable
        Takes the work that it may do; returns whether the rows are separable by a margin that is not negligible, or
        None if it does not know.
    work, pass_work : float
        The values that are visited in the time of the test, and by a pass over the rows.
    """

    is_separable: Callable[[float], bool | None]
    work: float
    pass_work: float

    def costs_more_than(self, passes: int) -> bool:
        """Whether the test costs more than so many passes."""
        return self.work > self.pass_work * passes

    def allowance(self, passes: int) -> float:
        """Return the work that the test may do before the passes end without it."""
        return max(FREE_WORK, 2 * self.pass_work * passes)


@dataclass
class Stopping:
    """The progress of one binary problem.

    Parameters
    ----------
    n_iter_no_change : int or None
        Passes without a new minimum of the mistakes after which progress is doubted; None for never.
    max_iter : int
        Largest number of passes.
    trial : Trial
        The test whether the rows are separable.
    is_separable : bool or None, default=None
        Whether the rows are separable, if it is known.
    promises_to_halt : bool, default=False
        Whether the passes end on all separable rows, so that a reason is due if they do not.
    """

    n_iter_no_change: int | None
    max_iter: int
    trial: Trial
    is_separable: bool | None = None
    promises_to_halt: bool = False
    fewest: float = field(default=np.inf, init=False)
    fewest_at: int = field(default=0, init=False)
    tried: bool = field(default=False, init=False)

    def reason_to_stop(self, passes: int, mistakes: float) -> str | None:
        """Return why to stop after a pass with so many mistakes; None to go on.

        The test is made when it costs no more than the passes made and those that it may save. If it costs more than
        all passes that are left, they are made first, and the test only says how it ended.
        """
        if mistakes < self.fewest:
            self.fewest, self.fewest_at = mistakes, passes
        waited, left = passes - self.fewest_at, self.max_iter - passes
        if self.n_iter_no_change is None or self.is_separable or waited < self.n_iter_no_change:
            return None
        is_over = waited >= LONG_PATIENCE_FACTOR * self.n_iter_no_change + self.fewest_at // 2
        if not self.tried and self.trial.work <= self.trial.allowance(passes):
            if self.trial.costs_more_than(left) and (left > 0 or not is_over):
                return None
            if is_over or not self.trial.costs_more_than(passes):
                self._try(passes)
                if self.is_separable is not None:
                    return None if self.is_separable else INSEPARABLE
        return NO_PROGRESS if is_over and left > 0 else None

    def is_inseparable_after(self, passes: int) -> bool:
        """Whether the rows are not separable, for a fit that ends after so many passes.

        The test is made now if it was not made before and costs no more than the passes did, if there were so many
        passes that they should have ended, or if the rows are few and a reason is due.
        """
        patience = self.n_iter_no_change
        if patience is not None and self.is_separable is None and not self.tried and passes > 1:
            is_long = passes >= LONG_PATIENCE_FACTOR * patience
            is_due = is_long or (self.promises_to_halt and self.trial.pass_work <= SMALL_PASS_WORK)
            is_cheap = self.trial.work <= self.trial.allowance(passes)
            if (is_due and is_cheap) or not self.trial.costs_more_than(passes):
                self._try(passes)
        return self.is_separable is False

    def _try(self, passes: int) -> None:
        self.tried, self.is_separable = True, self.trial.is_separable(self.trial.allowance(passes))
