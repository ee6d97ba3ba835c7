"""The solver contract: what a solver of binary problems is given, what it returns, and how it is chosen."""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from novikoff._progress import ProgressCallback
from novikoff._registry import Registry
from novikoff.theory.geometry import Floats

from .bounds import relative_gap
from .problem import Objective, Problem


@dataclass(frozen=True)
class SolverOptions:
    """What a solver may use, whom it reports to, and how it is cancelled.

    Parameters
    ----------
    max_iter : int
        The maximum number of steps: passes of coordinate descent, Newton steps, or what a step is for the solver.
    threads : int
        The number of threads. The result must not depend on it.
    seed : int
        The seed of everything random.
    say : callable or None
        A function of a message and the fraction completed, called after every step whose bounds are computed.
    cancelled : threading.Event
        Set by another thread to stop early. The solver then returns the best point that it has, as after ``max_iter``.
    keep_margins : bool, default=False
        Whether ``Solution.margins`` is needed. It takes one more vector of rows.
    max_time : float, default=inf
        The maximum number of seconds for one problem. The solver then returns the best point, as after ``max_iter``.
    deadline : float, default=inf
        The value of ``time.perf_counter`` at which these seconds are over; infinite until the problem is begun.
    """

    max_iter: int
    threads: int
    seed: int
    say: ProgressCallback | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    keep_margins: bool = False
    max_time: float = math.inf
    deadline: float = math.inf

    @property
    def is_over(self) -> bool:
        """Whether the solver must stop because of a cancellation or of the time."""
        return self.cancelled.is_set() or (self.deadline < math.inf and time.perf_counter() >= self.deadline)

    def begun(self) -> SolverOptions:
        """Return the options of a problem that begins now, or that has begun already."""
        if self.max_time == math.inf or self.deadline < math.inf:
            return self
        return dataclasses.replace(self, deadline=time.perf_counter() + self.max_time)

    def with_max_iter(self, max_iter: int) -> SolverOptions:
        """Return the same options with another limit."""
        return dataclasses.replace(self, max_iter=max_iter)


class Start(NamedTuple):
    """Where a solver may start: the end of an earlier solution, of this problem or of a similar one.

    Parameters
    ----------
    alpha : ndarray of shape (rows,)
        Dual variables divided by the costs.
    v : ndarray of shape (columns + 1,)
        The primal point (w, b) of the scaled problem.
    is_close : bool, default=True
        A hint: whether the start is expected to be so close to the optimum that Newton's method converges at once.
    """

    alpha: Floats
    v: Floats
    is_close: bool = True


class HistoryEntry(NamedTuple):
    """The state of a solver at one moment.

    Seconds since the start, steps, the bounds in the units of the user, their relative gap, and the method that found
    them.
    """

    time: float
    step: int
    primal: float
    dual: float
    gap: float
    method: str = ""


@dataclass
class Solution:
    """What a solver returns, in the units of the user.

    Parameters
    ----------
    weights : ndarray of shape (columns,)
        The weights w.
    bias : float
        The intercept b.
    duals : ndarray of shape (rows,)
        The dual variables a_i. They are feasible, and their dual objective is ``dual``.
    primal, dual : float
        The objectives, as the solver computes them. The certificate has bounds of its own.
    steps : int
        The number of steps.
    history : list of HistoryEntry
        One entry each time the bounds were computed. The last one is that of the result.
    end : Start
        Where a later call may start.
    margins : ndarray of shape (rows,) or None
        The margins of ``weights`` and ``bias``, if `SolverOptions.keep_margins` is set.
    """

    weights: Floats
    bias: float
    duals: Floats
    primal: float
    dual: float
    steps: int
    history: list[HistoryEntry]
    end: Start = field(repr=False)
    margins: Floats | None = field(default=None, repr=False)

    @property
    def relative_gap(self) -> float:
        """The duality gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


class Solver(Protocol):
    """A solver of soft-margin problems, on whatever hardware.

    Its result must depend on the problem, the seed and the start alone.
    """

    def supports(self, problem: Problem) -> bool:
        """Return whether this solver can solve the problem."""

    def solve(self, problem: Problem, options: SolverOptions, start: Start | None = None) -> Solution:
        """Solve the problem until its relative gap is at most ``problem.objective.tol``.

        If that is not reached, because of a limit, a cancellation or rounding, the best point is returned.
        """


SOLVERS: Registry[Solver] = Registry("solver", {"descent-newton": "novikoff.solvers.descent_newton:SOLVER"})


def solve(problem: Problem, options: SolverOptions, start: Start | None = None) -> Solution:
    """Solve a problem with the solver that was registered last among those that support it."""
    name = next(name for name in reversed(list(SOLVERS)) if SOLVERS[name].supports(problem))
    return SOLVERS[name].solve(problem, options, start)


class Minimization(Protocol):
    """What `Progress` needs to know of a problem, with one weight vector or with several."""

    @property
    def objective(self) -> Objective:
        """What is minimised."""

    @property
    def has_free_intercept(self) -> bool:
        """Whether intercepts are not penalised."""

    def best_without_weights(self) -> tuple[Floats, float]:
        """Return the best point known with w = 0 and free intercepts, and its objective."""


class ProvenPoint(Protocol):
    """A primal point, its objective, and a lower bound on the optimum."""

    @property
    def v(self) -> Floats:
        """The primal point."""

    @property
    def primal(self) -> float:
        """Its objective."""

    @property
    def dual(self) -> float:
        """The lower bound."""

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""


class Progress:
    """The record of a running solver: its history, its best primal point, and whether it must stop.

    Parameters
    ----------
    problem : Problem or JointProblem
        The problem that is being solved.
    options : SolverOptions
        The limit on the steps, the listener and the cancellation.

    Attributes
    ----------
    method : str
        The name of the method that works at present, for the history and the listener. The method sets it.
    """

    def __init__(self, problem: Minimization, options: SolverOptions) -> None:
        self.problem, self.options = problem, options.begun()
        self.history: list[HistoryEntry] = []
        self.steps = 0
        self.method = ""
        self.best_point: Floats | None = None
        self.best_primal = math.inf
        if problem.has_free_intercept:
            self.best_point, self.best_primal = problem.best_without_weights()
        self._start = time.perf_counter()

    @property
    def steps_left(self) -> int:
        """The number of steps that are still allowed; 0 after a cancellation, or if the time is over."""
        return 0 if self.options.is_over else max(0, self.options.max_iter - self.steps)

    def advance(self, bounds: ProvenPoint, steps: int = 1) -> bool:
        """Record the bounds after some steps. Return whether the solver must stop."""
        self.steps += steps
        if bounds.primal < self.best_primal:
            self.best_primal, self.best_point = bounds.primal, bounds.v
        self.record(bounds.primal, bounds.dual)
        return bounds.relative_gap <= self.problem.objective.tol or self.steps_left == 0

    def record(self, primal: float, dual: float) -> None:
        """Add an entry to the history, and report it."""
        C = self.problem.objective.C
        primal, dual = C * primal, C * dual
        gap, seconds = relative_gap(primal, dual), time.perf_counter() - self._start
        self.history.append(HistoryEntry(seconds, self.steps, primal, dual, gap, self.method))
        if self.options.say is not None:
            message = f"gap {min(gap, 1.0):.2g}, {self.problem.objective.tol:g} wanted, step {self.steps}"
            message += f", {self.method}" if self.method else ""
            self.options.say(message, self._fraction_completed(gap))

    def _fraction_completed(self, gap: float) -> float:
        """Return how many of the digits between a gap of 1 and ``tol`` have been gained, as a fraction."""
        tol = self.problem.objective.tol
        if gap <= tol:
            return 1.0
        return min(1.0, max(0.0, math.log(gap) / math.log(tol))) if tol < 1 else 0.0
