"""Dual coordinate descent for the one-vs-rest problems of dense rows, all classes in one pass.

A pass reads each row once for all classes (``cpp/include/novikoff/class_descent.hpp``), which takes about as long as
passes for two or three of them alone. A class whose gap is small enough is done. A class for which another method
promises to be faster leaves with the point that it has reached; the classes that remain go on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats, Matrix

from . import products
from .bounds import EPS, relative_gap
from .coordinate_descent import REMEASURE_RATIO, TARGET_SHRINK
from .descent_newton import LARGE_COST, expected_newton_work
from .feasible_duals import make_feasible
from .problem import Problem
from .solver import HistoryEntry, Progress, Solution, SolverOptions, Start, solve
from .workspace import Workspace

MIN_CLASSES = 3
MIN_ROWS, MIN_ELEMENTS = 2000, 2_000_000  # smaller problems are solved about as fast one after the other
MAX_SINGLE_EXPONENT = 30.0  # powers of two for lam and s, up or down, for which weights of single precision suffice
TARGET_SHARE = 0.9  # of the allowed gap; the rest is for what rounding adds when the gap is proven
PLACES = 4  # problems whose numbers lie in one vector
VISIT_COST = 1.0  # of a row, for one vector of problems, in visits of coordinate descent for one problem
FORECAST_AFTER = 0.5  # share of Newton's work before the first forecast: shrinking makes later passes cheap
METHOD = "common descent"


@dataclass(frozen=True)
class ClassPoint:
    """The dual variables of one class, the primal point that belongs to them, and their objectives."""

    alpha: Floats
    v: Floats
    primal: float
    dual: float

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


@dataclass(frozen=True)
class Descended:
    """Where a class has left a common descent.

    Parameters
    ----------
    point : ClassPoint or None
        Its last point; None if that is not finite.
    progress : Progress
        Its record.
    seconds : float
        Its share of the time.
    """

    point: ClassPoint | None
    progress: Progress
    seconds: float


def supports(problems: Sequence[Problem]) -> bool:
    """Return whether one pass for all these problems, which share a table and an objective, is worth it."""
    if len(problems) < MIN_CLASSES:
        return False
    problem = problems[0]
    is_large = problem.rows >= MIN_ROWS and problem.table.elements >= MIN_ELEMENTS
    if not is_large or problem.table.dense is None or problem.has_free_intercept:
        return False
    if len(problems) > max(_core.MAX_CLASSES_AT_ONCE, problem.table.rows.columns // 2):
        return False  # the dual variables of all problems would take more memory than rows of float32
    exponents = math.log2(problem.lam), math.log2(problem.scale)
    is_moderate = max(map(abs, exponents)) < MAX_SINGLE_EXPONENT and problem.lam * LARGE_COST >= 1
    return is_moderate and products.descent_work(problem) == math.inf


def groups(count: int) -> list[range]:
    """Return the problems of each pass. They must not depend on the number of threads, because the bits would."""
    number = -(-count // _core.MAX_CLASSES_AT_ONCE)
    cuts = [count * k // number for k in range(number + 1)]
    return [range(first, last) for first, last in pairwise(cuts)]


def descend(problems: Sequence[Problem], options: Sequence[SolverOptions]) -> list[Descended]:
    """Descend from 0 until every problem is solved, reaches a limit or should be given to another method.

    Parameters
    ----------
    problems : sequence of Problem
        At most ``MAX_CLASSES_AT_ONCE`` problems that `supports` accepts.
    options : sequence of SolverOptions
        Those of each problem.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # points that overflow are discarded
        return _Descent(problems, options).run()


def finish(problem: Problem, options: SolverOptions, descended: Descended) -> Solution:
    """Return the solution of a problem that has left a descent, found by another method unless it was solved."""
    progress, point = descended.progress, descended.point
    if point is not None and point.relative_gap <= problem.objective.tol:
        return _solution(problem, point, progress)
    left = replace(options, max_iter=max(0, options.max_iter - progress.steps), deadline=math.inf)
    if options.max_time < math.inf:
        left = replace(left, max_time=max(0.0, options.max_time - descended.seconds))
    solution = solve(problem, left, None if point is None else Start(point.alpha, point.v))
    later = [
        entry._replace(time=entry.time + descended.seconds, step=entry.step + progress.steps)
        for entry in solution.history
    ]
    history: list[HistoryEntry] = progress.history + later
    return replace(solution, steps=solution.steps + progress.steps, history=history)


def _solution(problem: Problem, point: ClassPoint, progress: Progress) -> Solution:
    C = problem.objective.C
    duals = point.alpha * C
    if problem.table.costs is not None:
        duals *= problem.table.costs
    make_feasible(problem, duals)
    return Solution(
        weights=point.v[:-1] * problem.scale,
        bias=float(point.v[-1]),
        duals=duals,
        primal=C * point.primal,
        dual=C * point.dual,
        steps=progress.steps,
        history=progress.history,
        end=Start(point.alpha, point.v),
    )


class _Descent:
    """One descent. Arrays of the running problems have one entry per problem; those of rows and columns have places."""

    def __init__(self, problems: Sequence[Problem], options: Sequence[SolverOptions]) -> None:
        first, count = problems[0], len(problems)
        self.problem, self.problems = first, list(problems)
        shared = [replace(own, max_time=own.max_time * count) for own in options]
        self.progress = [Progress(problem, own) for problem, own in zip(problems, shared, strict=True)]
        for progress in self.progress:
            progress.method = METHOD
        table = first.table
        self.kernel = _core.ClassDescent(
            table.rows_without_zeros(), table.codes, table.costs, first.scale, first.has_intercept, first.loss.name
        )
        self.squared_norms = Workspace(first, threads=1).squared_norms()
        self.rho = 1 / first.kappa if first.kappa > 0 else 0.0
        self.costs = np.ones(first.rows) if table.costs is None else table.costs
        self.random = _core.Random(options[0].seed)
        self.running = list(range(count))  # the numbers of the problems
        self.positive = np.array([problem.positive for problem in problems], dtype=np.int32)
        places = -(-count // PLACES) * PLACES
        self.alpha: Matrix = np.zeros((first.rows, places))
        self.weights: NDArray[np.float32] = np.zeros((first.columns, places), dtype=np.float32)
        self.intercepts = np.zeros(count)
        self.derivatives: Matrix = np.tile([math.inf, -math.inf], (count, 1))
        self.excluded = np.zeros(first.rows, dtype=np.uint16)
        self.order: NDArray[np.int32] = np.arange(first.rows, dtype=np.int32)
        self.active = first.rows
        self.targets = np.full(count, TARGET_SHARE * first.objective.tol)
        self.last_gaps, self.last_work, self.work = np.ones(count), 0.0, 0.0  # work in visits for one problem

    @property
    def _vectors(self) -> int:
        """The number of vectors that hold one number of each problem."""
        return int(self.alpha.shape[1]) // PLACES

    def run(self) -> list[Descended]:
        begin, count = time.perf_counter(), len(self.problems)
        found: dict[int, Descended] = {}
        visited = 0.0
        while self.running:
            visits, passes, seem_reached = self._passes(max(2.0 * self.problem.rows, REMEASURE_RATIO * visited))
            visited += visits
            self.work += VISIT_COST * self._vectors * visits / len(self.running)
            points = self._measure()
            leaves = []
            for place, point in enumerate(points):
                progress = self.progress[self.running[place]]
                is_finite = math.isfinite(point.primal) and math.isfinite(point.dual)
                must_stop = progress.advance(point, passes) if is_finite else True
                if must_stop or self._is_slow(place, point.relative_gap):
                    share = (time.perf_counter() - begin) / count
                    found[self.running[place]] = Descended(point if is_finite else None, progress, share)
                    leaves.append(place)
                elif seem_reached[place]:
                    self.targets[place] *= TARGET_SHRINK * self.problem.objective.tol / point.relative_gap
            self.last_gaps, self.last_work = np.array([point.relative_gap for point in points]), self.work
            self._drop(leaves)
        return [found[k] for k in range(count)]

    def _passes(self, max_visits: float) -> tuple[float, int, NDArray[np.bool_]]:
        """Pass over the rows until all gaps seem small enough, or ``max_visits`` rows were visited.

        Returns the number of visited rows and of passes, and which problems seem to be solved.
        """
        visits, passes = 0.0, 0
        steps_left = min(self.progress[k].steps_left for k in self.running)
        seem_reached = np.zeros(len(self.running), dtype=bool)
        while visits < max_visits and passes < steps_left and not seem_reached.all():
            largest, least, gaps, self.active, visited = self.kernel.descend(
                self.positive,
                self.alpha,
                self.squared_norms,
                self.weights,
                self.intercepts,
                self.excluded,
                self.order,
                self.derivatives,
                self.active,
                self.problem.lam,
                self.rho,
                self.random,
            )
            self.derivatives = np.column_stack([largest, least])
            visits, passes = visits + visited, passes + 1
            duals = self._dual_objectives(self.costs @ self.alpha, self.costs @ (self.alpha * self.alpha), self.weights)
            seem_reached = gaps <= self.targets * (gaps + duals)
            if any(self.progress[k].steps_left == 0 for k in self.running):
                break
        return visits, passes, seem_reached

    def _dual_objectives(self, a: Floats, a_alpha: Floats, weights: NDArray[np.floating]) -> Floats:
        """Return the dual objective of each problem, given sums over the rows and the weights that belong to them."""
        count = len(self.running)
        return a[:count] - 0.5 * self.problem.loss.ridge * a_alpha[:count] - self._regularization(weights)

    def _regularization(self, weights: NDArray[np.floating]) -> Floats:
        """Return lam/2 |w|^2 + kappa/2 b^2 of each problem."""
        squares = np.einsum("jc,jc->c", weights, weights, dtype=np.float64)[: len(self.running)]
        return np.asarray(0.5 * (self.problem.lam * squares + self.problem.kappa * self.intercepts**2))

    def _measure(self) -> list[ClassPoint]:
        """Return the points of the running problems, computed afresh from the dual variables in double precision."""
        problem, count = self.problem, len(self.running)
        weights = np.empty((problem.columns, self.alpha.shape[1]))
        totals = np.empty(count)
        self.kernel.sums(self.positive, self.alpha, weights, totals)
        weights /= problem.lam
        self.intercepts = totals * self.rho
        self.weights = weights.astype(np.float32)
        losses, a, a_alpha, _, self.active = self.kernel.measure(
            self.positive, self.alpha, weights, self.intercepts, self.derivatives, self.excluded, self.order
        )
        primals = self._regularization(weights) + losses
        lengths = np.sqrt(2 * self._regularization(weights))
        roundings = EPS * ((self.costs * np.sqrt(self.squared_norms)) @ self.alpha)[:count] / math.sqrt(problem.lam)
        duals = self._dual_objectives(a, a_alpha, weights) - roundings * (lengths + roundings)
        return [
            ClassPoint(
                self.alpha[:, k].copy(),
                np.append(weights[:, k], self.intercepts[k]),
                float(primals[k]),
                float(duals[k]),
            )
            for k in range(count)
        ]

    def _is_slow(self, place: int, gap: float) -> bool:
        """Return whether another method promises to be faster for a problem."""
        limit, last_gap = expected_newton_work(self.problem), float(self.last_gaps[place])
        if self.work <= FORECAST_AFTER * limit:
            return False
        rate = math.log(last_gap / gap) / (self.work - self.last_work) if 0 < gap < last_gap else 0.0
        forecast = math.log(gap / self.problem.objective.tol) / rate if rate > 0 else math.inf
        return forecast > limit or self.work > limit

    def _drop(self, leaves: list[int]) -> None:
        """Remove problems that have left, and bring the others together in fewer places."""
        if not leaves:
            return
        stay = [place for place in range(len(self.running)) if place not in leaves]
        places = -(-len(stay) // PLACES) * PLACES
        alpha, weights = (
            np.zeros((self.problem.rows, places)),
            np.zeros((self.problem.columns, places), dtype=np.float32),
        )
        alpha[:, : len(stay)], weights[:, : len(stay)] = self.alpha[:, stay], self.weights[:, stay]
        self.alpha, self.weights = alpha, weights
        excluded = np.zeros_like(self.excluded)
        for new, old in enumerate(stay):
            excluded |= ((self.excluded >> old) & 1) << np.uint16(new)
        self.excluded = excluded
        self.running = [self.running[place] for place in stay]
        self.positive, self.intercepts = self.positive[stay], self.intercepts[stay]
        self.derivatives, self.targets = self.derivatives[stay], self.targets[stay]
        self.last_gaps = self.last_gaps[stay]
        is_excluded = excluded == (1 << len(stay)) - 1
        self.order = np.argsort(is_excluded, kind="stable").astype(np.int32)
        self.active = int(np.count_nonzero(~is_excluded))
