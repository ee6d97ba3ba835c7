"""Dual coordinate descent, for as long as it is the shorter way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from novikoff import _core
from novikoff.theory.geometry import Floats

from ._problem import Bounds, Problem, Report

FRESH = (math.inf, -math.inf)  # violations that set no row aside
PATIENCE = 0.05  # the share of Newton's work that is spent before its method is thought of
GROWTH = 0.4  # how much more work is done, in proportion to what was done, before the gap is measured again


@dataclass
class Descent:
    """Passes of coordinate descent, with the gap measured every so often.

    The order of the rows and their squared norms lie in the vectors for margins and rates, which are not needed meanwhile.
    A free intercept follows the method of multipliers: it rises in proportion to the imbalance sum y a, pass by pass.
    """

    problem: Problem
    v: Floats
    random: _core.Random

    def __post_init__(self) -> None:
        problem = self.problem
        problem.kernel.norms(problem.rates)
        lam, kappa = problem.ridge[0], problem.ridge[-1]
        if problem.free_intercept:
            self.rho = float(np.mean(problem.rates)) / lam
        else:
            self.rho = 1 / kappa if kappa > 0 else 0.0
        if problem.alpha.any():
            problem.follow(self.v)
        self.imbalance = problem.imbalance() if problem.free_intercept else 0.0

    def run(self, report: Report, newton_work: float) -> Bounds | None:
        """Descend until ``report`` says stop, or what is left to do will cost more than Newton's method would.

        Work is counted in visits of rows. The gap is taken to go on falling as it fell since it was last measured.
        """
        problem, rows = self.problem, self.problem.rows
        done, before, last = 0.0, math.inf, 0.0
        while True:
            until = done + max(2.0 * rows, GROWTH * done)
            order = problem.margins.view(np.int32)[:rows]
            order[:] = np.arange(rows, dtype=np.int32)
            state = (*FRESH, rows)
            while done < until:
                done += state[2]
                state = self._one_pass(order, state)
                if state[0] - state[1] < 1e-12:
                    break
            bounds = self._measure()
            if report(bounds):
                return bounds
            gap = bounds.relative_gap
            if done > PATIENCE * newton_work and self._left(gap, before, done - last) > newton_work:
                return None
            before, last = gap, done

    def _left(self, gap: float, before: float, work: float) -> float:
        """Visits until the gap is small enough, at the pace it was falling."""
        pace = math.log(before / gap) / work if 0 < gap < before else 0.0
        return math.log(gap / self.problem.objective.tol) / pace if pace > 0 else math.inf

    def _one_pass(self, order: np.ndarray, state: tuple[float, float, int]) -> tuple[float, float, int]:
        problem, v = self.problem, self.v
        if problem.free_intercept:
            v[-1] += self.rho * self.imbalance
        start = v[-1]
        ridge = 0.5 if problem.squared else 0.0
        state = problem.kernel.descend(
            problem.alpha, problem.rates, order, v, state, problem.ridge[0], self.rho, ridge, problem.top, self.random
        )
        if problem.free_intercept:
            self.imbalance += (v[-1] - start) / self.rho
        return state

    def _measure(self) -> Bounds:
        """The gap at the present dual point, with the intercept and the length that suit its weights best."""
        problem = self.problem
        problem.measure(self.v)
        v = self.v.copy()
        if problem.free_intercept:
            v[-1] += problem.kernel.balance(problem.margins, problem.squared)
        return problem.bounds(problem.stretch(v))
