"""The default solver: dual coordinate descent while it is fast, then Newton's method.

Coordinate descent reaches a moderate gap in a few passes if C is small. Newton's method takes a nearly constant number
of expensive steps. The solver begins with the first and changes to the second when its forecast is cheaper.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from . import newton
from .bounds import Bounds, bounds_at, rounding_of_sum, stretch, worst_case_objective
from .coordinate_descent import Descent
from .linear_system import MAX_FACTORED_COLUMNS
from .problem import Problem
from .solver import Progress, Solution, SolverOptions, Start
from .workspace import Workspace

# Expectations about Newton's method: steps (fewer than it often takes) and the cost of a step in passes of coordinate
# descent, as measured.
STEPS_IF_FACTORED, STEPS_BY_GRADIENTS = 14, 40
STEP_COST_IF_FACTORED, STEP_COST_BY_GRADIENTS = 0.8, 20.0
FORECAST_AFTER_IF_FACTORED, FORECAST_AFTER_BY_GRADIENTS = 0.05, 0.2  # share of Newton's work before the first forecast
FACTORED_NEWTON_GAP = 1e-9  # the gap below which Newton's method is faster in any case, if columns are few
NEGLIGIBLE_DUAL = 1e-9  # relative to the primal objective: a dual objective this small may be a rounding error
MAX_STALLED_ATTEMPTS = 3  # in a row that neither halve the gap nor double the dual objective
LARGE_COST, MODERATE_COST = 1e14, 1e8  # values of C |x|^2: where rounding begins to dominate, and where it is harmless
DESCENT_WORK_GROWTH = 4.0  # of coordinate descent, each time that rounding stops Newton's method


class DescentNewton:
    """The default solver, on the processor, for all losses of the kernels."""

    def supports(self, problem: Problem) -> bool:
        return problem.loss.name in _core.losses()

    def solve(self, problem: Problem, options: SolverOptions, start: Start | None = None) -> Solution:
        return _Run(problem, options).solve(start)


SOLVER = DescentNewton()


class _Run:
    """One call of the solver."""

    def __init__(self, problem: Problem, options: SolverOptions) -> None:
        self.problem, self.options = problem, options
        self.work = Workspace(problem, options.threads)
        self.progress = Progress(problem, options)

    def solve(self, start: Start | None) -> Solution:
        if start is not None:
            return self._solve_near(start) if start.is_close else self._solve_from(self._begin(start))
        if self.problem.lam * LARGE_COST >= 1:
            return self._solve_from(np.zeros(self.problem.columns + 1))
        moderate = self._solve_with_moderate_cost()
        return self._better(self._solve_near(moderate), moderate)

    def _solve_from(self, v: Floats) -> Solution:
        """Solve from ``work.alpha`` and v, beginning with coordinate descent.

        If rounding stops Newton's method, coordinate descent gets another chance, with more work.
        """
        problem, progress = self.problem, self.progress
        newton_work, is_factored = self._newton_work(), problem.columns < MAX_FACTORED_COLUMNS
        forecast_after = FORECAST_AFTER_IF_FACTORED if is_factored else FORECAST_AFTER_BY_GRADIENTS
        newton_gap = FACTORED_NEWTON_GAP if is_factored else 0.0
        best_gap, best_dual, stalled = math.inf, 0.0, 0
        with np.errstate(over="ignore", invalid="ignore"):  # points that overflow are discarded
            while True:
                descent = Descent(self.work, v, _core.Random(self.options.seed))
                bounds = descent.run(progress, newton_work, forecast_after, newton_gap)
                del descent  # frees its buffers before Newton's method allocates its own
                bounds = bounds or newton.minimize(self.work, v, progress)
                v = v if bounds is None else bounds.v
                proof = self._prove(v)
                if proof.relative_gap <= problem.objective.tol or progress.steps_left == 0:
                    break
                has_gained = proof.relative_gap < 0.5 * best_gap or proof.dual > 2 * best_dual
                stalled = 0 if has_gained else stalled + 1
                if stalled == MAX_STALLED_ATTEMPTS:
                    break
                best_gap, best_dual = min(best_gap, proof.relative_gap), max(best_dual, proof.dual)
                newton_work, newton_gap = newton_work * DESCENT_WORK_GROWTH, 0.0
        return self._solution(proof)

    def _solve_near(self, start: Start) -> Solution:
        """Solve from the end of a similar problem. If columns are few, Newton's method comes first."""
        problem, progress = self.problem, self.progress
        v = self._begin(start)
        with np.errstate(over="ignore", invalid="ignore"):
            self.work.compute_margins(v)
            is_solved = not bounds_at(self.work, v).relative_gap > problem.objective.tol
            if not is_solved and problem.columns < MAX_FACTORED_COLUMNS and progress.steps_left > 0:
                bounds = newton.minimize(self.work, v, progress)
                v = v if bounds is None else bounds.v
            proof = self._prove(v)
        if proof.relative_gap > problem.objective.tol and progress.steps_left > 0:
            return self._solve_from(self._begin(Start(self.work.alpha, v)))
        return self._solution(proof)

    def _begin(self, start: Start) -> Floats:
        """Set ``work.alpha`` to that of the start, made feasible, and return the primal point."""
        np.minimum(start.alpha, self.problem.loss.top, out=self.work.alpha)
        v = start.v.copy()
        if not self.problem.has_intercept:
            v[-1] = 0.0
        return v

    def _solve_with_moderate_cost(self) -> Start:
        """Solve the same problem with a smaller C. If the data are separable, that is often the solution itself."""
        problem, progress = self.problem, self.progress
        C = MODERATE_COST * problem.scale * problem.scale
        moderate = dataclasses.replace(problem, objective=dataclasses.replace(problem.objective, C=C))
        options = dataclasses.replace(self.options.with_max_iter(progress.steps_left), say=None, keep_margins=False)
        solution = _Run(moderate, options).solve(None)
        progress.steps += solution.steps
        return Start(C / problem.objective.C * solution.end.alpha, solution.end.v)

    def _better(self, solution: Solution, start: Start) -> Solution:
        """Return the solution, or the start if rounding has made the solution worse."""
        if solution.relative_gap <= self.problem.objective.tol:
            return solution
        alpha, v = solution.end.alpha.copy(), self._begin(start)
        with np.errstate(over="ignore", invalid="ignore"):
            if worst_case_objective(self.work, v) < worst_case_objective(self.work, solution.end.v):
                return self._solution(self._prove(v, consider_best=False))
        if solution.margins is not None:
            self.work.compute_margins(solution.end.v)
        return dataclasses.replace(solution, end=Start(alpha, solution.end.v))

    def _newton_work(self) -> float:
        """Return the expected work of Newton's method, in rows visited by coordinate descent."""
        problem = self.problem
        if problem.columns >= MAX_FACTORED_COLUMNS:
            return STEPS_BY_GRADIENTS * STEP_COST_BY_GRADIENTS * problem.rows
        per_row = problem.table.elements / problem.rows + 4
        factoring = problem.columns**3 / 3 / 8  # the operations of a factorisation are about 8 times cheaper
        return STEPS_IF_FACTORED * (STEP_COST_IF_FACTORED * problem.rows + factoring / per_row)

    def _prove(self, v: Floats, consider_best: bool = True) -> Bounds:
        """Compute the bounds afresh from v and ``work.alpha``, with rounding counted against the dual objective.

        If an earlier primal point was better, it replaces v: rounding may have led away from it.
        """
        work, progress = self.work, self.progress
        rounding = rounding_of_sum(work)
        work.compute_margins(v)
        proof = bounds_at(work, stretch(work, v), rounding=rounding)
        if not consider_best or progress.best_point is None or not progress.best_primal < proof.primal:
            return proof
        work.compute_margins(progress.best_point)
        other = bounds_at(work, stretch(work, progress.best_point), rounding=rounding)
        if other.primal <= proof.primal:
            return other
        if self.options.keep_margins:
            work.compute_margins(proof.v)
        return proof

    def _solution(self, proof: Bounds) -> Solution:
        """Return the proven point in the units of the user. Dual variables that prove nothing are replaced by 0."""
        problem, work, progress = self.problem, self.work, self.progress
        if not (np.isfinite(proof.v).all() and math.isfinite(proof.primal)):  # after an overflow, (0, 0) is the model
            work.alpha[:] = 0.0
            proof = self._prove(np.zeros_like(proof.v), consider_best=False)
        C, dual = problem.objective.C, proof.dual
        if not NEGLIGIBLE_DUAL * proof.primal < dual <= proof.primal * (1 + NEGLIGIBLE_DUAL):
            work.alpha[:], dual = 0.0, 0.0
        progress.record(proof.primal, dual)
        return Solution(
            weights=proof.v[:-1] * problem.scale,
            bias=float(proof.v[-1]),
            duals=self._dual_variables(proof.shares),
            primal=C * proof.primal,
            dual=C * dual,
            steps=progress.steps,
            history=progress.history,
            end=Start(work.alpha, proof.v),
            margins=work.margins if self.options.keep_margins else None,
        )

    def _dual_variables(self, shares: tuple[float, float]) -> Floats:
        """Return a_i = C c_i alpha_i, scaled so that they are feasible."""
        problem = self.problem
        duals, is_positive = np.empty(problem.rows), problem.is_positive()
        np.multiply(self.work.alpha, problem.objective.C * shares[1], out=duals, where=is_positive)
        np.multiply(self.work.alpha, problem.objective.C * shares[0], out=duals, where=~is_positive)
        if problem.table.costs is not None:
            duals *= problem.table.costs
        return duals
