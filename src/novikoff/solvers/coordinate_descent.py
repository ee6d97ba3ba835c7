"""Dual coordinate descent, for as long as it is the shorter way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .problem import Bounds, Problem, Report

SLIGHT = 1e-3  # of what the gap may be: what an intercept that is nearly the best may cost
SELDOM = 1.0  # how much more work is done, in proportion to what was done, before the gap is measured in any case
STRICTER = (
    0.8  # how much less than in proportion must seem to be the gap after it was found to be larger than it seemed
)


@dataclass
class Descent:
    """Passes of coordinate descent, with the gap measured every so often.

    The order of the rows and their squared norms lie in the vectors for margins and rates, which are not needed
    meanwhile. A free intercept follows the method of multipliers: it moves by rho sum y a, pass by pass. If rho is
    large, rows can move only a little, and all together; if it is small, the intercept moves slowly. The curvature of
    the optimum, as a function of the intercept, is lam |w|^2 for the weights w with w.x = 1 for every row: lam / |x|^2
    if rows are alike, and up to that times their rank, at most the number of rows or columns, if they are orthogonal.
    Hence rho is 1 over the geometric mean of the two.
    """

    problem: Problem
    v: Floats
    random: _core.Random

    def __post_init__(self) -> None:
        problem = self.problem
        problem.kernel.norms(problem.rates)
        lam, kappa = problem.ridge[0], problem.ridge[-1]
        if problem.free_intercept:
            square = float(np.mean(problem.rates)) or 1.0  # rows of zeros leave the intercept alone to learn
            self.rho = square / lam / math.sqrt(min(problem.rows, problem.columns))
        else:
            self.rho = 1 / kappa if kappa > 0 else 0.0
        if problem.alpha.any() or self.v.any():
            problem.follow(self.v)
        self.imbalance = problem.imbalance() if problem.free_intercept else 0.0
        self.aside = np.zeros((problem.rows + 7) // 8, dtype=np.uint8)  # a bit a row, as of when the gap was measured
        self.violations = (math.inf, -math.inf)  # of the last pass; these set no row aside
        self.optimum = math.inf  # it is at most this

    def run(self, report: Report, newton_work: float, impatience: float, near: float) -> Bounds | None:
        """Descend until ``report`` says stop, or what is left or was done costs more than Newton's method would.

        Below the gap ``near`` that is the shorter way in any case. What is left is not guessed before the share
        ``impatience`` of Newton's work is done. Work is counted in visits of rows. The gap is taken
        to go on falling as it fell since it was last measured. Measuring costs about as much as a pass, and brings back
        rows that should not have been set aside: it is done where the gap that the visits themselves add up to is small
        enough, and now and then besides.
        """
        done, before, last = 0.0, 1.0, 0.0  # at the start the gap is all there is
        sought = max(near, self.problem.objective.tol)
        goal = sought
        while True:
            most = max(2 * self.problem.rows, SELDOM * done)
            visits, passes, met = self._passes(most, goal, report)
            done += visits
            bounds = self._measure()
            if report(bounds, passes):
                return bounds
            if met:
                goal *= STRICTER * sought / bounds.relative_gap
            gap = bounds.relative_gap
            slow = done > impatience * newton_work and self._left(gap, before, done - last) > newton_work
            if slow or done > newton_work or gap < near:
                return None
            before, last = gap, done

    def _passes(self, most: float, goal: float, report: Report) -> tuple[float, int, bool]:
        """Pass over the rows until the gap seems to be down to ``goal``, or ``most`` rows were visited.

        Returns how many rows and passes there were, and whether the gap seems small.
        """
        problem, visits, passes = self.problem, 0.0, 0
        order = problem.margins.view(np.int32)[: problem.rows]
        active = problem.kernel.line_up(self.aside, order)
        while visits < most and passes < report.left:
            visits += active
            passes += 1
            largest, least, active, gap = self._one_pass(order, (*self.violations, active))
            self.violations = largest, least
            if self._seems_small(gap, least, goal):
                return visits, passes, True
        return visits, passes, False

    def _seems_small(self, gap: float, least: float, goal: float) -> bool:
        """Whether the relative gap seems to be down to ``goal``, by what the rows of a pass were like when visited.

        ``gap`` is what they add up to. Where no row is at the top, the least derivative tells how far the weights need
        to be stretched until no row has a loss.
        """
        if gap > goal * self.optimum and not -goal < least:  # far from it, which is all there is to know
            return False
        problem, alpha, costs = self.problem, self.problem.alpha, self.problem.table.costs
        mass = float(alpha.sum() if costs is None else alpha @ costs)
        half = 0.5 * float(self.v @ (problem.ridge * self.v))
        if problem.squared:
            dual = mass - half - 0.25 * float(alpha @ (alpha if costs is None else alpha * costs))
        else:
            dual = mass - half
            if -1 < least < 0 and alpha.max() < 1:
                gap = min(gap, half / (1 + least) ** 2 - dual)
        return gap <= goal * (gap + dual)

    def _left(self, gap: float, before: float, work: float) -> float:
        """Visits until the gap is small enough, at the pace it was falling."""
        pace = math.log(before / gap) / work if 0 < gap < before else 0.0
        return math.log(gap / self.problem.objective.tol) / pace if pace > 0 else math.inf

    def _one_pass(self, order: np.ndarray, state: tuple[float, float, int]) -> tuple[float, float, int, float]:
        problem, v = self.problem, self.v
        if problem.free_intercept:
            v[-1] += self.rho * self.imbalance
        start = v[-1]
        ridge = 0.5 if problem.squared else 0.0
        result = problem.kernel.descend(
            problem.alpha, problem.rates, order, v, state, problem.ridge[0], self.rho, ridge, problem.top, self.random
        )
        if problem.free_intercept:
            self.imbalance += (v[-1] - start) / self.rho
        return result

    def _measure(self) -> Bounds:
        """The gap at the present dual point, with the intercept and the length that suit its weights best."""
        problem = self.problem
        problem.measure(self.v)
        ridge = 0.5 if problem.squared else 0.0
        problem.kernel.set_aside(problem.alpha, problem.margins, self.violations, ridge, problem.top, self.aside)
        v = self.v.copy()
        if problem.free_intercept:
            enough = SLIGHT * problem.objective.tol * problem.loss()
            v[-1] += problem.kernel.balance(problem.margins, problem.squared, enough)
        bounds = problem.bounds(problem.stretch(v))
        self.optimum = min(self.optimum, bounds.primal)
        return bounds
