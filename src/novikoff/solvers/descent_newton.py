"""The default solver: dual coordinate descent while it is fast, then a working set or Newton's method.

Coordinate descent reaches a moderate gap in a few passes if C is small. Newton's method takes a nearly constant number
of expensive steps. The solver begins with the first and changes to the second when its forecast is cheaper. If few rows
are within the margin after the first pass, they are solved in place of all (``working_rows.py``).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from . import newton, products
from .bounds import Bounds, Proof, bounds_at, rounding_of_sum, stretch, with_rounding, worst_case_objective
from .coordinate_descent import Descent
from .feasible_duals import make_feasible
from .linear_system import MAX_FACTORED_COLUMNS
from .problem import Problem
from .solver import Progress, Solution, SolverOptions, Start
from .working_rows import WorkingRows, max_set_rows, rows_that_count
from .workspace import Workspace

# Expectations about Newton's method: steps (fewer than it often takes) and the cost of a step in passes of coordinate
# descent, as measured.
STEPS_IF_FACTORED, STEPS_BY_GRADIENTS = 14, 40
STEPS_IF_FEW_ROWS, FEW_ROWS_RATIO = 30, 10  # with so few rows per column it often takes more
STEP_COST_IF_FACTORED, STEP_COST_BY_GRADIENTS = 0.8, 20.0
FORECAST_AFTER_IF_FACTORED, FORECAST_AFTER_BY_GRADIENTS = 0.05, 0.2  # share of Newton's work before the first forecast
FACTORED_NEWTON_GAP = 1e-9  # the gap below which Newton's method is faster in any case, if columns are few
NEGLIGIBLE_DUAL = 1e-9  # relative to the primal objective: a dual objective this small may be a rounding error
MAX_STALLED_ATTEMPTS = 3  # in a row that neither halve the gap nor double the dual objective
LARGE_COST, MODERATE_COST = 1e14, 1e8  # values of C |x|^2: where rounding begins to dominate, and where it is harmless
DESCENT_WORK_GROWTH = 4.0  # of coordinate descent, each time that rounding stops Newton's method


def expected_newton_work(problem: Problem) -> float:
    """Return the expected work of Newton's method, in rows visited by coordinate descent."""
    if problem.columns >= MAX_FACTORED_COLUMNS:
        return STEPS_BY_GRADIENTS * STEP_COST_BY_GRADIENTS * problem.rows
    per_row = problem.table.elements / problem.rows + 4
    factoring = problem.columns**3 / 3 / 8  # the operations of a factorisation are about 8 times cheaper
    steps = STEPS_IF_FEW_ROWS if problem.rows < FEW_ROWS_RATIO * problem.columns else STEPS_IF_FACTORED
    return steps * (STEP_COST_IF_FACTORED * problem.rows + factoring / per_row)


class DescentNewton:
    """The default solver, on the processor, for all losses of the kernels."""

    def supports(self, problem: Problem) -> bool:
        return problem.loss.name in _core.losses()

    def solve(self, problem: Problem, options: SolverOptions, start: Start | None = None) -> Solution:
        return _Run(problem, options).solve(start)


SOLVER = DescentNewton()


class _Run:
    """One call of the solver."""

    def __init__(self, problem: Problem, options: SolverOptions, is_part: bool = False) -> None:
        self.problem, self.options = problem, options.begun()
        self.work = Workspace(problem, options.threads)
        self.progress = Progress(problem, self.options)
        self.max_set_rows = 0 if is_part else max_set_rows(problem)
        self.is_descent_slow = False  # even over a working set
        self.products_work = products.descent_work(problem)  # of descent, before products of rows are cheaper

    def solve(self, start: Start | None) -> Solution:
        """Solve in floating point, as far as rounding allows."""
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
        newton_work, is_factored = expected_newton_work(self.problem), problem.columns < MAX_FACTORED_COLUMNS
        forecast_after = FORECAST_AFTER_IF_FACTORED if is_factored else FORECAST_AFTER_BY_GRADIENTS
        newton_gap = FACTORED_NEWTON_GAP if is_factored else 0.0
        best_gap, best_dual, stalled = math.inf, 0.0, 0
        with np.errstate(over="ignore", invalid="ignore"):  # points that overflow are discarded
            while True:
                v = v.copy()  # descent overwrites it, and it may be the best point so far
                bounds = proof = None
                if self.products_work > 0:
                    descent = Descent(self.work, v, _core.Random(self.options.seed))
                    max_work = min(newton_work, self.products_work)
                    bounds = descent.run(
                        progress, max_work, forecast_after, newton_gap, self.max_set_rows, not is_factored
                    )
                    proof = None if bounds is None else self._proof_of(bounds)
                    plane_of_few_rows = descent.plane_of_few_rows
                    del descent  # frees its buffers before another method allocates its own
                    if plane_of_few_rows is not None:
                        v, bounds = self._over_working_rows(plane_of_few_rows)
                        if bounds is None and not (is_factored and self.is_descent_slow):
                            continue
                v, proof = self._finish(v, newton_work) if bounds is None else (bounds.v, proof)
                proof = proof or self._prove(v)
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
        v, proof = self._begin(start), None
        with np.errstate(over="ignore", invalid="ignore"):
            is_solved = False
            if self.products_work > 0:  # else the products tell, without a look at the rows
                self.work.compute_margins(v)
                is_solved = not bounds_at(self.work, v).relative_gap > problem.objective.tol
            is_over_set = self.products_work > 0 and 0 < rows_that_count(self.work) <= self.max_set_rows
            if not is_solved and is_over_set and progress.steps_left > 0:
                v, bounds = self._over_working_rows(v)
                is_solved = bounds is not None
            is_quick = problem.columns < MAX_FACTORED_COLUMNS or self.products_work == 0
            if not is_solved and is_quick and progress.steps_left > 0:
                v, proof = self._finish(v, math.inf)
            proof = proof or self._prove(v)
        if proof.relative_gap > problem.objective.tol and progress.steps_left > 0:
            return self._solve_from(self._begin(Start(self.work.alpha, v)))
        return self._solution(proof)

    def _over_working_rows(self, v: Floats) -> tuple[Floats, Bounds | None]:
        """Solve over a working set; once, because a set that was too large will be so again."""
        self.max_set_rows = 0
        chosen = WorkingRows(self.work, self.progress, self._solve_part)
        v, bounds = chosen.run(v)
        self.is_descent_slow = chosen.is_slow
        return v, bounds

    def _solve_part(self, part: Problem, start: Start) -> tuple[Solution, bool]:
        """Solve a problem of some rows by coordinate descent, if that promises to be faster than Newton's method.

        Newton's method is better applied to all rows: its work depends on the free rows, which are in the working set,
        and over all rows it needs one round. Returns the solution, and whether coordinate descent is too slow.
        """
        options = self.options.with_max_iter(self.progress.steps_left)
        run = _Run(part, dataclasses.replace(options, say=None, keep_margins=False), True)
        v = run._begin(start)
        descent = Descent(run.work, v, _core.Random(options.seed))
        uses_faces = part.columns >= MAX_FACTORED_COLUMNS
        bounds = descent.run(
            run.progress, expected_newton_work(self.problem), FORECAST_AFTER_IF_FACTORED, 0.0, 0, uses_faces
        )
        return run._solution(run._prove(v if bounds is None else bounds.v)), bounds is None

    def _proof_of(self, bounds: Bounds) -> Proof | None:
        """Return the proof of the bounds that descent has just computed; None if they must be computed afresh."""
        if self.options.keep_margins or self.progress.best_primal < bounds.primal:
            return None
        proof = with_rounding(self.work, bounds)
        return proof if proof.relative_gap <= self.problem.objective.tol else None

    def _finish(self, v: Floats, newton_work: float) -> tuple[Floats, Proof | None]:
        """Solve over products of rows if they are cheaper than Newton's method, else by that.

        Products are tried once, because the rounding error that stops them remains. Returns the point, and its bounds
        if the products have proven that it is good enough.
        """
        if self.products_work <= newton_work and self.products_work < math.inf:
            self.products_work = math.inf
            point, proof = products.minimize(self.work, self.progress)
            return (v if point is None else point), proof
        bounds = self._newton(v)
        return (v if bounds is None else bounds.v), None

    def _newton(self, v: Floats) -> Bounds | None:
        self.work.forget_squared_norms()
        return newton.minimize(self.work, v, self.progress)

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

    def _solution(self, proof: Proof) -> Solution:
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
        np.logical_not(is_positive, out=is_positive)  # in place, because there may be many rows
        np.multiply(self.work.alpha, problem.objective.C * shares[0], out=duals, where=is_positive)
        del is_positive
        if problem.table.costs is not None:
            duals *= problem.table.costs
        make_feasible(problem, duals)
        return duals
