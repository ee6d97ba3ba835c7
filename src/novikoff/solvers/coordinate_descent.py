"""Dual coordinate descent for one binary problem (Hsieh et al. 2008, algorithms 1 and 3)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .bounds import Bounds, bounds_at, move_to_duals, stretch
from .problem import Problem
from .solver import Progress, SolverOptions
from .working_rows import rows_that_count
from .workspace import Workspace

INTERCEPT_TOLERANCE = 1e-3  # share of the allowed gap that the search for the best intercept may leave
REMEASURE_RATIO = 1.0  # the gap is computed at the latest when the work since the last time has grown by this ratio
SHRINK_RATIO = 3.0  # a row at a bound is skipped if its derivative exceeds the mean step of a pass by this factor
MIN_FORECAST_FOR_FACES = 10.0  # passes over all rows: if fewer are forecast, steps over the free rows take longer
FACE_WORK_SHARE = 0.5  # of the work of the passes that a step over the free rows may take
FACE_ACCURACY = 1e-2  # relative residual of conjugate gradients in such a step: bounds soon make it invalid
TARGET_SHRINK = 0.8  # factor by which the next gap target shrinks after an estimate proved too low


def descend(problem: Problem, passes: int) -> tuple[Floats, Floats]:
    """Return v = (w, b) and alpha after coordinate descent from 0, with at most so many passes; v may be infinite."""
    work = Workspace(problem, threads=1)
    progress = Progress(problem, SolverOptions(max_iter=passes, threads=1, seed=0))
    with np.errstate(over="ignore", invalid="ignore"):
        descent = Descent(work, np.zeros(problem.columns + 1), _core.Random(0))
        bounds = descent.run(progress, newton_work=math.inf, forecast_after=0.0, newton_gap=0.0)
    return descent.v if bounds is None else bounds.v, work.alpha


class Descent:
    """Passes of coordinate descent, with the duality gap computed now and then.

    Each pass visits the active rows in random order. The duality gap costs about one pass to compute, so it is computed
    only when a cheap estimate suggests that the target has been reached, and at growing intervals.

    A free intercept follows the method of multipliers: after each pass it moves by rho sum_i y_i a_i. If rho is large,
    single rows can hardly move; if it is small, the intercept moves slowly. As a function of the intercept, the
    optimum has the curvature lam |w|^2 for the weights with w.x = 1 on every row. That is lam / |x|^2 if all rows are
    equal, and up to min(rows, columns) times as much if they are orthogonal. Hence rho is the inverse of the geometric
    mean of the two.

    Parameters
    ----------
    work : Workspace
        Its ``alpha`` is the start, and is updated.
    v : ndarray of shape (columns + 1,)
        The primal point (w, b). It is overwritten with that of ``alpha`` and updated.
    random : Random
        The generator of the row orders.

    Attributes
    ----------
    squared_norms : ndarray of shape (rows,)
        |s x_i|^2.
    row_order : ndarray of int32 of shape (rows,)
        The rows in the order of the last pass: active ones first, then those that shrinking excludes.
    shrunk : ndarray of uint8
        One bit per row, set if the row was excluded when the gap was last computed.
    plane_of_few_rows : ndarray of shape (columns + 1,) or None
        The primal point at which `run` ended because few rows are within its margin.
    """

    def __init__(self, work: Workspace, v: Floats, random: _core.Random) -> None:
        self.work, self.v, self.random = work, v, random
        problem = work.problem
        self.squared_norms = work.squared_norms()
        self.row_order: NDArray[np.int32] = np.empty(problem.rows, dtype=np.int32)
        self.shrunk = np.zeros((problem.rows + 7) // 8, dtype=np.uint8)
        if problem.has_free_intercept:
            square = float(np.mean(self.squared_norms)) or 1.0  # if all rows are 0, only the intercept is learned
            self.rho = square / problem.lam / math.sqrt(min(problem.rows, problem.columns))
        else:
            self.rho = 1 / problem.kappa if problem.kappa > 0 else 0.0
        if work.alpha.any() or v.any():
            move_to_duals(work, v)
        self.imbalance = work.imbalance() if problem.has_free_intercept else 0.0
        self.derivatives = (math.inf, -math.inf)  # beyond which a pass excludes rows at a bound; these exclude none
        self.primal_bound = math.inf  # upper bound on the optimum
        self.plane_of_few_rows: Floats | None = None
        self.max_set_rows = 0

    def run(
        self,
        progress: Progress,
        newton_work: float,
        forecast_after: float,
        newton_gap: float,
        max_set_rows: int = 0,
        uses_faces: bool = False,
    ) -> Bounds | None:
        """Descend until ``progress`` says stop, or until another method promises to be faster.

        Work is counted in visited rows. The forecast assumes that the gap continues to fall as it fell since it was
        last computed. Computing the gap also reactivates rows that were excluded too early.

        Parameters
        ----------
        progress : Progress
            Records the bounds, and decides whether to stop.
        newton_work : float
            The work of Newton's method. Beyond it, done or forecast, coordinate descent gives up.
        forecast_after : float
            The share of ``newton_work`` before which no forecast is made.
        newton_gap : float
            The relative gap below which Newton's method is faster in any case.
        max_set_rows : int, default=0
            If at most so many rows count after the first pass, a working set is faster.
        uses_faces : bool, default=False
            Whether to make a step over all free rows each time the gap was computed.

        Returns
        -------
        Bounds or None
            The last bounds; None if another method should take over.
        """
        progress.method = "coordinate descent"
        done, last_gap, last_done = 0.0, 1.0, 0.0
        self.max_set_rows = max_set_rows
        wanted = max(newton_gap, self.work.problem.objective.tol)
        target = wanted
        while True:
            visits, passes, seems_reached = self._passes(
                max(2 * self.work.problem.rows, REMEASURE_RATIO * done), target, progress
            )
            done += visits
            bounds = self._compute_bounds()
            if progress.advance(bounds, passes):
                return bounds
            if self.max_set_rows > 0 and rows_that_count(self.work) <= self.max_set_rows:
                self.plane_of_few_rows = bounds.v
                return None
            self.max_set_rows = 0
            gap = bounds.relative_gap
            if seems_reached:
                target *= TARGET_SHRINK * wanted / gap
            forecast = self._forecast(gap, last_gap, done - last_done)
            is_slow = done > forecast_after * newton_work and forecast > newton_work
            if is_slow or done > newton_work or gap < newton_gap:
                return None
            last_gap, last_done = gap, done
            if uses_faces and forecast > MIN_FORECAST_FOR_FACES * self.work.problem.rows:
                self._move_free_rows(FACE_WORK_SHARE * done)

    def _passes(self, max_visits: float, target: float, progress: Progress) -> tuple[float, int, bool]:
        """Pass over the rows until the gap seems to be at most ``target``, or ``max_visits`` rows were visited.

        Returns the number of visited rows and of passes, and whether the gap seems to have reached the target.
        """
        visits, passes = 0.0, 0
        active = self.work.kernel.order_active_first(self.shrunk, self.row_order)
        while visits < max_visits and passes < progress.steps_left:
            visits += active
            passes += 1
            largest, least, active, gap, step = self._one_pass(active)
            self.derivatives = shrinking_limits(largest, least, step)
            if self._seems_reached(gap, least, target):
                return visits, passes, True
            if passes == 1 and np.count_nonzero(self.work.alpha) <= self.max_set_rows:
                return visits, passes, False
        return visits, passes, False

    def _move_free_rows(self, max_visits: float) -> None:
        """Move all free rows at once, with at most so much work: single rows that resemble each other move slowly."""
        work, v = self.work, self.v
        start = self._begin_step()
        work.kernel.move_free_rows(work.alpha, v, work.problem.lam, self.rho, FACE_ACCURACY, max_visits)
        self._end_step(start)

    def _begin_step(self) -> float:
        """Move a free intercept by its multiplier, and return the intercept."""
        if self.work.problem.has_free_intercept:
            self.v[-1] += self.rho * self.imbalance
        return float(self.v[-1])

    def _end_step(self, start: float) -> None:
        """Update the imbalance after a step that began with the intercept ``start``."""
        if self.work.problem.has_free_intercept:
            self.imbalance += (float(self.v[-1]) - start) / self.rho

    def _one_pass(self, active: int) -> tuple[float, float, int, float, float]:
        """Make one pass.

        Returns its largest and least derivative, the active rows, its estimate of the gap, and its mean step.
        """
        work, v = self.work, self.v
        start = self._begin_step()
        result = work.kernel.descend(
            work.alpha,
            self.squared_norms,
            self.row_order,
            v,
            (*self.derivatives, active),
            work.problem.lam,
            self.rho,
            self.random,
        )
        self._end_step(start)
        return result

    def _seems_reached(self, gap: float, least: float, target: float) -> bool:
        """Return whether the relative gap seems to be at most ``target``, judged by the last pass.

        ``gap`` is the sum of the gaps of the rows, each as it was when its row was visited. For a piecewise linear loss
        with no row at the top, the least derivative also says how much w must be stretched until no row has a loss.
        """
        if gap > target * self.primal_bound and not -target < least:  # far away: save the time for the rest
            return False
        problem, alpha, costs, loss = (
            self.work.problem,
            self.work.alpha,
            self.work.problem.table.costs,
            self.work.problem.loss,
        )
        half = problem.regularization(self.v)
        dual = float(alpha.sum() if costs is None else alpha @ costs) - half
        if loss.ridge > 0:
            dual -= 0.5 * loss.ridge * float(alpha @ (alpha if costs is None else alpha * costs))
        elif -1 < least < 0 and alpha.max() < loss.top:
            gap = min(gap, half / (1 + least) ** 2 - dual)
        return gap <= target * (gap + dual)

    def _forecast(self, gap: float, last_gap: float, work: float) -> float:
        """Return the work until the gap is ``tol``, if it continues to fall as it did during the last ``work``."""
        rate = math.log(last_gap / gap) / work if 0 < gap < last_gap else 0.0
        return math.log(gap / self.work.problem.objective.tol) / rate if rate > 0 else math.inf

    def _compute_bounds(self) -> Bounds:
        """Compute the bounds at the current dual point, with the best intercept and length for its weights."""
        work = self.work
        work.compute_margins(self.v)
        work.kernel.mark_shrunk(work.alpha, work.margins, self.derivatives, self.shrunk)
        v = self.v.copy()
        if work.problem.has_free_intercept:
            tolerance = INTERCEPT_TOLERANCE * work.problem.objective.tol * work.kernel.loss(work.margins)
            v[-1] += work.kernel.shift_intercept(work.margins, tolerance)
        bounds = bounds_at(work, stretch(work, v))
        self.primal_bound = min(self.primal_bound, bounds.primal)
        return bounds


def shrinking_limits(largest: float, least: float, step: float) -> tuple[float, float]:
    """Return the derivatives beyond which rows at a bound are skipped in the next pass.

    Hsieh et al. take the largest and the least derivative of the pass, which a single row decides: of many rows, some
    are far from their optimum until the end. Most derivatives change by little more than the mean step of a pass, the
    change that the step of a row makes to its own derivative. Rows that were skipped too early return when the gap is
    computed.
    """
    if not step > 0:
        return largest, least
    return min(largest, SHRINK_RATIO * step), max(least, -SHRINK_RATIO * step)
