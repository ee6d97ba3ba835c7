"""What a solver of one problem may use, its record, and its outcome."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from novikoff._progress import ProgressCallback
from novikoff.solvers.bounds import relative_gap
from novikoff.solvers.solver import HistoryEntry
from novikoff.theory.geometry import Floats


@dataclass(frozen=True)
class Options:
    """What a solver may use.

    Parameters
    ----------
    tol : float
        The relative gap at which it stops.
    max_iter : int
        The maximum number of rounds.
    threads : int
        The threads of the driver.
    seed : int
        The seed of everything random.
    partitions : int
        The number of partitions.
    max_gathered : int, default=2**30
        The number of bytes of rows that the driver may hold.
    deadline : float, default=inf
        The value of ``time.perf_counter`` at which a solver must stop.
    """

    tol: float
    max_iter: int
    threads: int
    seed: int
    partitions: int
    max_gathered: int = 2**30
    deadline: float = math.inf


@dataclass
class Record:
    """The record of one problem.

    Parameters
    ----------
    C : float
        The cost by which the scaled problem was divided.
    say : callable or None
        Takes progress messages.

    Attributes
    ----------
    method : str
        The method that works at present.
    rounds : int
        The number of rounds so far; the caller counts them.
    """

    C: float
    say: ProgressCallback | None = None
    method: str = ""
    rounds: int = 0
    history: list[HistoryEntry] = field(default_factory=list)
    start: float = field(default_factory=time.perf_counter)

    def add(self, primal: float, dual: float, options: Options) -> bool:
        """Record the bounds of a round. Return whether the solver must stop."""
        gap = self.gap_of(primal, dual)
        seconds = time.perf_counter() - self.start
        dual = max(dual, 0.0) if dual == -math.inf else dual
        entry = HistoryEntry(seconds, self.rounds, self.C * primal, self.C * dual, gap, self.method)
        self.history.append(entry)
        if self.say is not None:
            message = f"round {self.rounds}, gap {min(gap, 1.0):.2g}, {options.tol:g} wanted, {self.method}"
            self.say(message, _fraction(gap, options.tol))
        return gap <= options.tol or self.is_over(options)

    def gap_of(self, primal: float, dual: float) -> float:
        """Return the relative gap; 1 without a dual point."""
        return 1.0 if dual == -math.inf else relative_gap(primal, dual)

    def is_over(self, options: Options, more: int = 0) -> bool:
        """Return whether the solver must stop because of the time, or of the rounds after some more of them."""
        return self.rounds + more >= options.max_iter or time.perf_counter() >= options.deadline


@dataclass(frozen=True)
class Outcome:
    """Where a solver ended.

    Parameters
    ----------
    v : ndarray of shape (columns + 1,)
        The primal point of the scaled problem.
    update_width : float
        The width of the ramp whose values at v are the dual variables; 0 if the partitions have them already.
    is_done : bool, default=True
        Whether the solver may stop there; if not, another one can go on from the point and the dual variables.
    """

    v: Floats
    update_width: float
    is_done: bool = True


def _fraction(gap: float, tol: float) -> float:
    """Return how many of the digits between a gap of 1 and ``tol`` have been gained, as a fraction."""
    if gap <= tol:
        return 1.0
    return min(1.0, max(0.0, math.log(gap) / math.log(tol))) if 0 < tol < 1 else 0.0
