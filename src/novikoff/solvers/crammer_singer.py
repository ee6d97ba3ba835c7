"""Dual block coordinate descent for the joint machine of several classes (Keerthi et al. 2008).

A step redistributes the mass of one row over the classes. Rows that keep all of it on one class, by a lead that no
other row is likely to close, are skipped until the duality gap is next computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats
from novikoff.theory.joint_duals import JointDuals

from .bounds import EPS, MAX_STRETCH_EXCESS, relative_gap
from .circulation import balanced
from .joint_problem import JointProblem, JointSolution, JointStart
from .problem import Objective
from .solver import Progress, SolverOptions
from .training_set import TrainingSet

REMEASURE_RATIO = 0.5  # the gap is computed at the latest when the visits since the last time have grown by this ratio
TARGET_SHRINK = 0.8  # factor by which the next gap target shrinks after an estimate proved too low


@dataclass(frozen=True)
class JointBounds:
    """A primal point v = (w, b) of shape (columns + 1, classes), its objective, and a lower bound on the optimum."""

    v: Floats
    primal: float
    dual: float
    betas: Floats

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


def solve_joint(
    data: TrainingSet, objective: Objective, options: SolverOptions, start: JointStart | None = None
) -> JointSolution:
    """Solve the joint machine of all classes until its relative gap is at most ``objective.tol``.

    If that is not reached, because of ``max_iter``, a cancellation or rounding, the best point is returned. The result
    depends on the data, the seed and the start alone.

    Parameters
    ----------
    data : TrainingSet
        The rows, their classes and weights.
    objective : Objective
        What is minimised. The loss must be the hinge.
    options : SolverOptions
        The limit on the passes, the threads, the seed, and whom to report to.
    start : JointStart, optional
        The end of an earlier solution of the same rows, for the same or another C.
    """
    problem = JointProblem(data.table, len(data.classes), objective)
    with np.errstate(over="ignore", invalid="ignore"):  # points that overflow are discarded
        return _Run(problem, options, start).solve()


class _Run:
    """One call of the solver.

    Attributes
    ----------
    alpha : ndarray of shape (rows, classes)
        The mass of each row on each class.
    v : ndarray of shape (columns + 1, classes)
        The primal point (w, b) of ``alpha``.
    """

    def __init__(self, problem: JointProblem, options: SolverOptions, start: JointStart | None) -> None:
        self.problem, self.options = problem, options
        table, rows = problem.table, problem.rows
        self.kernel = _core.JointMachine(
            table.rows,
            table.codes,
            problem.classes,
            table.costs,
            problem.scale,
            problem.has_intercept,
            table.elements,
            options.threads,
        )
        self.progress = Progress(problem, options)
        self.random = _core.Random(options.seed)
        self.squared_norms = np.empty(rows)
        self.kernel.squared_norms(self.squared_norms)
        self.margins = np.empty(rows)
        self.row_order: NDArray[np.int32] = np.empty(rows, dtype=np.int32)
        self.shrunk = np.zeros((rows + 7) // 8, dtype=np.uint8)
        self.violation, self.primal_bound = math.inf, math.inf
        self.alpha = np.zeros((rows, problem.classes))
        self.v = np.zeros((problem.columns + 1, problem.classes))
        self.sums = np.zeros_like(self.v)
        self.rho = self._augmentation()
        self._begin(start)

    def _augmentation(self) -> float:
        """Return the weight of the constraints on the intercepts; see `novikoff.solvers.coordinate_descent.Descent`."""
        problem = self.problem
        if problem.has_free_intercept:
            square = float(np.mean(self.squared_norms)) or 1.0
            return square / problem.lam / math.sqrt(min(problem.rows, problem.columns))
        return 1 / problem.kappa if problem.kappa > 0 else 0.0

    def _begin(self, start: JointStart | None) -> None:
        """Set ``alpha`` and ``v`` to the start, or to 0."""
        problem, codes = self.problem, self.problem.table.codes
        every = np.arange(problem.rows)
        if start is not None:
            self.alpha[:] = start.fractions.dense(problem.rows, problem.classes)
            self.alpha[every, codes] = 0.0
            totals = self.alpha.sum(axis=1)
            self.alpha /= np.maximum(totals, 1.0)[:, None]
            if problem.has_intercept:
                self.v[-1] = start.intercepts
        self.alpha[every, codes] = np.maximum(0.0, 1.0 - self.alpha.sum(axis=1))
        self._move_to_duals()

    def _move_to_duals(self) -> None:
        """Set v to the primal point of ``alpha``; free intercepts stay as they are."""
        problem = self.problem
        self.kernel.sums(self.alpha, self.sums)
        np.divide(self.sums[:-1], problem.lam, out=self.v[:-1])
        if problem.kappa > 0:
            np.divide(self.sums[-1], problem.kappa, out=self.v[-1])
        self.imbalance = self.sums[-1].copy()

    def solve(self) -> JointSolution:
        """Pass over the rows until the gap is small enough, or ``progress`` says stop."""
        visits, target, tol = 0.0, self.problem.objective.tol, self.problem.objective.tol
        bounds = self._bounds()
        is_done = self.progress.advance(bounds, 0)
        while not is_done:
            done, passes, seems_reached = self._passes(max(2.0 * self.problem.rows, REMEASURE_RATIO * visits), target)
            visits += done
            bounds = self._bounds()
            is_done = self.progress.advance(bounds, passes)
            if seems_reached and not is_done:
                target *= TARGET_SHRINK * tol / bounds.relative_gap
        return self._solution(bounds)

    def _passes(self, max_visits: float, target: float) -> tuple[float, int, bool]:
        """Pass over the rows until the gap seems to be at most ``target``, or ``max_visits`` rows were visited.

        Returns the number of visited rows and of passes, and whether the gap seems to have reached the target.
        """
        visits, passes = 0.0, 0
        active = self.kernel.order_active_first(self.shrunk, self.row_order)
        while visits < max_visits and passes < self.progress.steps_left:
            visits += active
            passes += 1
            active, gap = self._one_pass(active)
            if gap <= target * self.primal_bound:
                return visits, passes, True
        return visits, passes, False

    def _one_pass(self, active: int) -> tuple[int, float]:
        """Make one pass. Returns the number of active rows, and the sum of the rows' gaps when they were visited."""
        problem, v = self.problem, self.v
        if problem.has_free_intercept:
            v[-1] += self.rho * self.imbalance
        before = v[-1].copy()
        self.violation, active, gap = self.kernel.descend(
            self.alpha,
            self.squared_norms,
            self.row_order,
            v,
            (self.violation, active),
            problem.lam,
            self.rho,
            self.random,
        )
        if problem.has_free_intercept:
            self.imbalance += (v[-1] - before) / self.rho
        return active, gap

    def _bounds(self) -> JointBounds:
        """Compute the bounds of v and ``alpha`` afresh, with rounding counted against the dual objective."""
        problem, costs = self.problem, self.problem.costs()
        self.kernel.margins(self.alpha, self.v, self.violation, self.margins, self.shrunk)
        factor = self._stretch(costs)
        v = self.v * factor
        primal = problem.regularization(v) + float(costs @ np.maximum(0.0, 1.0 - factor * self.margins))
        betas = self._feasible(costs)
        C = problem.objective.C
        self.kernel.sums(_fractions(betas, C * costs), self.sums)
        rounding = 2 * EPS * float(betas.sum(axis=1) @ np.sqrt(self.squared_norms)) / C
        dual = float(betas.sum()) / C - 0.5 * (float(np.linalg.norm(self.sums[:-1])) + rounding) ** 2 / problem.lam
        if problem.kappa > 0:
            dual -= 0.5 * float(self.sums[-1] @ self.sums[-1]) / problem.kappa
        self.primal_bound = min(self.primal_bound, primal)
        return JointBounds(v, primal, dual, betas)

    def _feasible(self, costs: Floats) -> Floats:
        """Return the dual variables in the units of the user, balanced if the intercepts are free."""
        problem, codes = self.problem, self.problem.table.codes
        betas = self.alpha * (problem.objective.C * costs)[:, None]
        betas[np.arange(problem.rows), codes] = 0.0
        return balanced(betas, codes) if problem.has_free_intercept else betas

    def _stretch(self, costs: Floats) -> float:
        """Return a factor of v for which every row has the loss 0 in spite of rounding, if that is about as good, or 1.

        This matters if C is huge: then the rounding error of a loss that should be 0 would dominate the objective.
        """
        smallest = float(self.margins.min(where=costs > 0, initial=math.inf))
        if not 0 < smallest < math.inf:
            return 1.0
        excess = min(MAX_STRETCH_EXCESS, 0.05 * self.problem.objective.tol)
        half, factor = self.problem.regularization(self.v), (1 + excess) / smallest
        loss = float(costs @ np.maximum(0.0, 1.0 - self.margins))
        return 1.0 if half * factor * factor > (half + loss) * (1 + 3 * excess) else factor

    def _solution(self, bounds: JointBounds) -> JointSolution:
        """Return the best primal point and the last dual point, in the units of the user."""
        problem, progress, C = self.problem, self.progress, self.problem.objective.C
        v, primal, dual, betas = bounds.v, bounds.primal, bounds.dual, bounds.betas
        if progress.best_point is not None and not primal <= progress.best_primal:
            v, primal = progress.best_point, progress.best_primal
        if not 0 < dual <= primal * (1 + 1e-9):
            dual, betas = 0.0, np.zeros_like(betas)
        progress.record(primal, dual)
        fractions = _fractions(betas, C * problem.costs())
        return JointSolution(
            weights=np.ascontiguousarray(v[:-1].T) * problem.scale,
            intercepts=v[-1].copy(),
            duals=JointDuals.of(betas),
            primal=C * primal,
            dual=C * dual,
            steps=progress.steps,
            history=progress.history,
            end=JointStart(JointDuals.of(fractions), v[-1].copy()),
        )


def _fractions(betas: Floats, costs: Floats) -> Floats:
    """Return beta_ik / C_i, and 0 for rows without a cost."""
    return np.divide(betas, costs[:, None], out=np.zeros_like(betas), where=costs[:, None] > 0)
