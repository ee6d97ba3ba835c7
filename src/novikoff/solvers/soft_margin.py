"""The solver that chooses: coordinate descent where it is fast, Newton's method where it is not."""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from dataclasses import dataclass, field

import numpy as np

import novikoff._core as _core
from novikoff._progress import Say
from novikoff.theory.geometry import Floats

from . import newton as _newton
from .coordinate_descent import Descent
from .linear_system import FEW_COLUMNS
from .problem import Bounds, Problem, relative_gap

NARROW_STEPS, WIDE_STEPS = 14, 40  # of Newton's method: how many it is taken to need, fewer than it often does
NARROW_STEP, WIDE_STEP = 0.8, 20.0  # what one costs, in passes of coordinate descent, as measured
NARROW_SHARE, WIDE_SHARE = 0.05, 0.2  # of its work that coordinate descent does before it is thought of
NEAR = 1e-9  # the gap below which it is the shorter way in any case, if columns are few
NOTHING = 1e-9  # of the primal value: a dual value this small may be rounding
MOST_ATTEMPTS = 3  # in a row that neither halve the gap nor double the dual value: then rounding keeps them there
STEEP, GENTLE = 1e14, 1e8  # of C |x|^2: where the rows leave no room for rounding, and where they leave plenty
MORE_PATIENCE = 4.0  # with coordinate descent, each time that rounding stops Newton's method


@dataclass(frozen=True)
class Moment:
    """One line of the history: seconds, steps, and the bounds on the optimum."""

    time: float
    step: int
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative gap."""
        return relative_gap(self.primal, self.dual)


@dataclass
class Solution:
    """Where the solver ended, in the units of the user's problem."""

    weights: Floats
    bias: float
    duals: Floats  # a_i of every row
    primal: float
    dual: float
    history: list[Moment]
    end: tuple[Floats, Floats] = field(repr=False)  # where another may start: dual numbers and the primal point

    @property
    def steps(self) -> int:
        """Passes of coordinate descent and steps of Newton's method."""
        return self.history[-1].step


class Progress:
    """Takes note of every step and of the best primal point, and says when to stop.

    That is when the gap is small enough, or ``max_iter`` steps are made.
    """

    def __init__(self, problem: Problem, max_iter: int, say: Say | None, cancelled: threading.Event) -> None:
        self.problem, self.max_iter, self.say, self.cancelled = problem, max_iter, say, cancelled
        self.began = time.perf_counter()
        self.history: list[Moment] = []
        self.step = 0
        self.best: Floats | None = None
        self.least = math.inf
        if problem.free_intercept:
            self.best, self.least = problem.without_weights()

    def __call__(self, bounds: Bounds, steps: int = 1) -> bool:
        self.step += steps
        if bounds.primal < self.least:
            self.least, self.best = bounds.primal, bounds.v
        self.note(bounds)
        return bounds.relative_gap <= self.problem.objective.tol or self.left == 0

    @property
    def left(self) -> int:
        """How many more steps may be made."""
        return 0 if self.cancelled.is_set() else max(0, self.max_iter - self.step)

    def note(self, bounds: Bounds) -> None:
        """Add a line to the history."""
        C = self.problem.objective.C
        moment = Moment(time.perf_counter() - self.began, self.step, C * bounds.primal, C * bounds.dual)
        self.history.append(moment)
        if self.say is not None:
            words = f"step {moment.step}: primal {moment.primal:.8g}, dual {moment.dual:.8g}, gap {moment.gap:.2e}"
            self.say(words, self._share(moment.gap))

    def _share(self, gap: float) -> float:
        """How much of the way from a gap of 1 to the one asked for is behind, in digits."""
        goal = self.problem.objective.tol
        return 1.0 if gap <= goal else min(1.0, max(0.0, math.log(gap) / math.log(goal))) if goal < 1 else 0.0


def solve(problem: Problem, progress: Progress, seed: int, start: tuple[Floats, Floats] | None = None) -> Solution:
    """Solve one question to the gap it asks for."""
    if start is None and problem.lam * STEEP < 1:
        gentler = _gentler(problem, progress, seed)
        return _better(problem, solve_near(problem, progress, seed, gentler), gentler, progress)
    v = np.zeros(problem.columns + 1) if start is None else _begin(problem, start)
    patience = _newton_work(problem)
    impatience, near = (NARROW_SHARE, NEAR) if problem.columns < FEW_COLUMNS else (WIDE_SHARE, 0.0)
    least, most, attempts = math.inf, 0.0, 0
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows proves nothing, and is left behind
        while True:
            bounds = Descent(problem, v, _core.Random(seed)).run(progress, patience, impatience, near)
            bounds = bounds or _newton.solve(problem, v, progress)
            v = v if bounds is None else bounds.v
            proof = _proof(problem, v, progress)
            if proof.relative_gap <= problem.objective.tol or progress.left == 0:
                break
            has_gained = proof.relative_gap < 0.5 * least or proof.dual > 2 * most
            attempts = 0 if has_gained else attempts + 1
            if attempts == MOST_ATTEMPTS:
                break
            least, most = min(least, proof.relative_gap), max(most, proof.dual)
            patience, near = patience * MORE_PATIENCE, 0.0
    return _solution(problem, proof, progress)


def _begin(problem: Problem, start: tuple[Floats, Floats]) -> Floats:
    """Take over dual numbers, and the primal point that is returned, from a problem that may have been another."""
    np.minimum(start[0], problem.top, out=problem.alpha)
    v = start[1].copy()
    if problem.objective.intercept == "none":
        v[-1] = 0.0
    return v


def _gentler(problem: Problem, progress: Progress, seed: int) -> tuple[Floats, Floats]:
    """Where the same question ends at a smaller C. If the data can be separated, that is often the answer itself."""
    C = GENTLE * problem.scale * problem.scale
    gentler = Problem(problem.table, problem.positive, dataclasses.replace(problem.objective, C=C), problem.threads)
    solution = solve(gentler, Progress(gentler, progress.left, None, progress.cancelled), seed)
    progress.step += solution.steps
    alpha, v = solution.end
    return C / problem.objective.C * alpha, v


def _better(problem: Problem, solution: Solution, start: tuple[Floats, Floats], progress: Progress) -> Solution:
    """The solution, or the start if that is worth more: rounding may have led the solver astray."""
    if relative_gap(solution.primal, solution.dual) <= problem.objective.tol:
        return solution
    alpha, v = solution.end[0].copy(), _begin(problem, start)
    with np.errstate(over="ignore", invalid="ignore"):
        if problem.worst(v) < problem.worst(solution.end[1]):
            return _solution(problem, _proof(problem, v), progress)
    return dataclasses.replace(solution, end=(alpha, solution.end[1]))


def _newton_work(problem: Problem) -> float:
    """What Newton's method costs, in visits of rows by coordinate descent."""
    if problem.columns >= FEW_COLUMNS:
        return WIDE_STEPS * WIDE_STEP * problem.rows
    per_row = problem.table.elements / problem.rows + 4
    factoring = problem.columns**3 / 3 / 8  # its flops are cheaper
    return NARROW_STEPS * (NARROW_STEP * problem.rows + factoring / per_row)


def _proof(problem: Problem, v: Floats, progress: Progress | None = None) -> Bounds:
    """The bounds anew, from a primal point and the dual numbers alone, over all rows.

    If a better point was met on the way, it takes the place of the primal one: rounding may have led away from it.
    """
    rounding = problem.rounding()
    problem.measure(v)
    proof = problem.bounds(problem.stretch(v), rounding=rounding)
    if progress is None or progress.best is None or not progress.least < proof.primal:
        return proof
    problem.measure(progress.best)
    return min(proof, problem.bounds(problem.stretch(progress.best), rounding=rounding), key=lambda found: found.primal)


def _solution(problem: Problem, proof: Bounds, progress: Progress) -> Solution:
    """The final points in the units of the user. A dual point that is worth next to nothing is left out."""
    if not (np.isfinite(proof.v).all() and math.isfinite(proof.primal)):  # it overflowed: (0, 0) is a model, too
        problem.alpha[:] = 0.0
        proof = _proof(problem, np.zeros_like(proof.v))
    C, dual = problem.objective.C, proof.dual
    if not NOTHING * proof.primal < dual <= proof.primal * (1 + NOTHING):  # or it is more than can be
        problem.alpha[:], dual = 0.0, 0.0
    progress.note(dataclasses.replace(proof, dual=dual))
    return Solution(
        weights=proof.v[:-1] * problem.scale,
        bias=float(proof.v[-1]),
        duals=_dual_variables(problem, proof.shares),
        primal=C * proof.primal,
        dual=C * dual,
        history=progress.history,
        end=(problem.alpha, proof.v),
    )


def _dual_variables(problem: Problem, shares: tuple[float, float]) -> Floats:
    """Return a_i of every row, in the vector of rates. The problem gets another, still empty."""
    duals, problem.rates = problem.rates, np.empty(problem.rows)
    positive = problem.table.codes == problem.positive
    np.multiply(problem.alpha, problem.objective.C * shares[1], out=duals, where=positive)
    np.multiply(problem.alpha, problem.objective.C * shares[0], out=duals, where=~positive)
    if problem.table.costs is not None:
        duals *= problem.table.costs
    return duals


def solve_near(problem: Problem, progress: Progress, seed: int, start: tuple[Floats, Floats]) -> Solution:
    """Solve from where a problem that differs little ended, in C or in some rows: its dual numbers and primal point.

    Where columns are few, Newton's method comes first: it gains the most from such a start.
    """
    v = _begin(problem, start)
    tol = problem.objective.tol
    with np.errstate(over="ignore", invalid="ignore"):
        problem.measure(v)
        if problem.bounds(v).relative_gap > tol and problem.columns < FEW_COLUMNS and progress.left > 0:
            bounds = _newton.solve(problem, v, progress)
            v = v if bounds is None else bounds.v
        proof = _proof(problem, v, progress)
    if proof.relative_gap > tol and progress.left > 0:
        return solve(problem, progress, seed, (problem.alpha.copy(), v))
    return _solution(problem, proof, progress)
