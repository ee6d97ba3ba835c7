"""Dual block coordinate descent for the joint machine of several classes (Keerthi et al. 2008).

A step redistributes the mass of one row over the classes. Rows that keep all of it on one class, by a lead that no
other row is likely to close, are skipped until the duality gap is next computed. Four things save passes:

- If C is large, a single step moves little mass. So a small C comes first, and each larger one starts from the masses
  for the one before.
- Steps are longer than the best for one row alone (successive over-relaxation).
- The primal point is the mean of the points since the gap was last computed. The last point alone is good for the rows
  that were visited last.
- Passes are made in single precision until the gap is small. Bounds are always computed in double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from novikoff.theory.geometry import Floats
from novikoff.theory.joint_duals import JointDuals

from .bounds import EPS, MAX_STRETCH_EXCESS, relative_gap
from .circulation import balanced
from .joint_passes import JointPasses
from .joint_problem import JointProblem, JointSolution, JointStart
from .problem import Objective
from .solver import Progress, SolverOptions
from .training_set import TrainingSet

REMEASURE_RATIO = 0.7  # the gap is computed at the latest when the visits since the last time have grown by this ratio
MIN_VISITS = 4.0  # of the number of rows, between two measurements of the gap
TARGET_SHRINK = 0.5  # factor by which the next gap target shrinks after an estimate proved too low
EASY_CURVATURE = 0.5  # C |x|^2 of the first problem of a sequence of rising C
COST_FACTOR = 4.0  # from one C of the sequence to the next
EARLY_GAP, MAX_EARLY_PASSES = 0.1, 30  # when to go on to the next C
SINGLE_PRECISION_GAP = 3e-5  # below this relative gap, passes are made in double precision
MAX_STALLED = 6  # measurements in a row that do not reduce the gap, before the solver gives up


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
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # points that overflow are discarded
        return _Run(problem, options, start).solve()


class _Run:
    """One call of the solver."""

    def __init__(self, problem: JointProblem, options: SolverOptions, start: JointStart | None) -> None:
        self.problem, self.options = problem, options
        self.progress = Progress(problem, options)
        self.progress.method = "coordinate descent"
        self.passes = JointPasses(problem, options)
        self.margins = np.empty(problem.rows)
        self.primal_bound, self.best_dual, self.stalled = math.inf, -math.inf, 0
        self.best_betas: Floats | None = None
        self.start = start

    def solve(self) -> JointSolution:
        """Pass over the rows until the gap is small enough, or ``progress`` says stop."""
        passes, problem, progress = self.passes, self.problem, self.progress
        passes.begin(self.start)
        bounds = self._bounds([passes.last()])
        is_done = progress.advance(bounds, 0)
        if self.start is None and not is_done:
            self._solve_smaller_costs()
        visits, target, tol = 0.0, problem.objective.tol, problem.objective.tol
        while not is_done:
            done, seems_reached = self._passes(max(MIN_VISITS * problem.rows, REMEASURE_RATIO * visits), target)
            visits += done
            bounds = self._bounds([passes.mean(), passes.last()])
            is_done = progress.advance(bounds, 0) or self._must_stop(bounds)
            if seems_reached and not is_done:
                target *= TARGET_SHRINK * tol / bounds.relative_gap
        return self._solution(bounds)

    def _solve_smaller_costs(self) -> None:
        """Solve a sequence of problems with smaller C approximately, each from the masses of the one before."""
        passes, progress = self.passes, self.progress
        count = math.ceil(math.log(max(1.0, passes.mean_curvature() / EASY_CURVATURE), COST_FACTOR))
        for exponent in range(count, 0, -1):
            passes.set_cost(self.problem.with_cost(self.problem.objective.C / COST_FACTOR**exponent))
            for _ in range(min(MAX_EARLY_PASSES, progress.steps_left)):
                gap = passes.make()
                progress.steps += 1
                if gap <= EARLY_GAP * (gap + passes.dual_objective()):
                    break
        passes.set_cost(self.problem)

    def _passes(self, max_visits: float, target: float) -> tuple[float, bool]:
        """Pass over the rows until the gap seems to be at most ``target``, or ``max_visits`` rows were visited.

        Returns the number of visited rows, and whether the gap seems to have reached the target.
        """
        passes, progress = self.passes, self.progress
        passes.activate()
        while passes.visits < max_visits and progress.steps_left > 0:
            gap = passes.make()
            progress.steps += 1
            if gap <= target * self.primal_bound:
                return passes.visits, True
        return passes.visits, False

    def _must_stop(self, bounds: JointBounds) -> bool:
        """Return whether the best bounds suffice, or rounding prevents better ones; double precision may then help."""
        gained = max(bounds.dual - self.best_dual, self.primal_bound - bounds.primal)
        if bounds.dual > self.best_dual:
            self.best_dual, self.best_betas = bounds.dual, bounds.betas
        self.primal_bound = min(self.primal_bound, bounds.primal)
        gap = self.primal_bound - self.best_dual
        self.stalled = 0 if gained > 0.01 * gap else self.stalled + 1
        if relative_gap(self.primal_bound, self.best_dual) < SINGLE_PRECISION_GAP or self.stalled > 1:
            self.passes.use_double_precision()
        if self.stalled > 1:
            self.passes.use_plain_steps()
        is_reached = relative_gap(self.primal_bound, self.best_dual) <= self.problem.objective.tol
        return is_reached or self.stalled == MAX_STALLED

    def _bounds(self, points: list[Floats]) -> JointBounds:
        """Compute the bounds of the best of some points and of the current masses.

        The last point decides which rows are shrunk. Rounding is counted against the dual objective.
        """
        problem, passes, costs = self.problem, self.passes, self.problem.costs()
        best, primal = points[-1], math.inf
        for v in points:
            passes.survey(v, self.margins)
            factor = self._stretch(v, costs)
            found = problem.regularization(factor * v) + float(costs @ np.maximum(0.0, 1.0 - factor * self.margins))
            if found < primal:
                best, primal = factor * v, found
        betas = self._feasible(costs)
        C = problem.objective.C
        sums, totals = passes.sums_of(_fractions(betas, C * costs))
        rounding = 2 * EPS * float(betas.sum(axis=1) @ np.sqrt(passes.squared_norms)) / C
        dual = float(betas.sum()) / C - 0.5 * (float(np.linalg.norm(sums)) + rounding) ** 2 / problem.lam
        if problem.kappa > 0:
            dual -= 0.5 * float(totals @ totals) / problem.kappa
        return JointBounds(best, primal, dual, betas)

    def _feasible(self, costs: Floats) -> Floats:
        """Return the dual variables in the units of the user, balanced if the intercepts are free."""
        problem, codes = self.problem, self.problem.table.codes
        betas = self.passes.alpha * (problem.objective.C * costs)[:, None]
        betas[np.arange(problem.rows), codes] = 0.0
        return balanced(betas, codes) if problem.has_free_intercept else betas

    def _stretch(self, v: Floats, costs: Floats) -> float:
        """Return a factor of v for which every row has the loss 0 in spite of rounding, if that is about as good, or 1.

        This matters if C is huge: then the rounding error of a loss that should be 0 would dominate the objective.
        """
        smallest = float(self.margins.min(where=costs > 0, initial=math.inf))
        if not 0 < smallest < math.inf:
            return 1.0
        excess = min(MAX_STRETCH_EXCESS, 0.05 * self.problem.objective.tol)
        half, factor = self.problem.regularization(v), (1 + excess) / smallest
        loss = float(costs @ np.maximum(0.0, 1.0 - self.margins))
        return 1.0 if half * factor * factor > (half + loss) * (1 + 3 * excess) else factor

    def _solution(self, bounds: JointBounds) -> JointSolution:
        """Return the best primal and dual points, in the units of the user."""
        problem, progress, C = self.problem, self.progress, self.problem.objective.C
        v, primal, dual, betas = bounds.v, bounds.primal, bounds.dual, bounds.betas
        if progress.best_point is not None and not primal <= progress.best_primal:
            v, primal = progress.best_point, progress.best_primal
        if self.best_betas is not None and not dual >= self.best_dual:
            dual, betas = self.best_dual, self.best_betas
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
