"""The proximal method of multipliers with Newton's method inside: exact where coordinate descent stalls.

For the hinge, alpha solves a sequence of problems, each smoothed around the last answer (Rockafellar 1976): its loss has
the derivative -clip(alpha + (1 - m) / width, 0, 1), so it is piecewise quadratic, and Newton's method with an exact line
search ends after finitely many steps. The width falls from round to round. The squared hinge is one such problem by
itself. Each Newton step concerns only the rows that are free, neither at 0 nor at the top.
"""

from __future__ import annotations

import math

from novikoff.theory.geometry import Floats

from ._linear_system import newton_direction
from ._problem import Bounds, Problem, Report, Smoothing
from ._search import least

SHARPEN = 2.0  # by what the width is divided from round to round
LEFT_OVER = 2.0  # the gap that Newton's method may leave to the next round, in proportion to that of the rows
MOST_STEPS = 50  # in a round


def solve(problem: Problem, v: Floats, width: float, report: Report) -> Bounds:
    """Sharpen and solve until ``report`` says stop. ``problem.alpha`` is the start and the result."""
    problem.measure(v)
    if problem.squared:
        problem.alpha[:] = 0
        bounds = _one_round(problem, v, Smoothing(0.5, math.inf), report, math.inf)[0]
        problem.kernel.settle(problem.alpha, problem.margins, 0.5, math.inf)
        return bounds
    while True:
        smoothing = Smoothing(width, 1.0)
        bounds, done = _one_round(problem, v, smoothing, report, MOST_STEPS)
        problem.kernel.settle(problem.alpha, problem.margins, smoothing.width, smoothing.top)
        if done:
            return bounds
        v = bounds.v
        width /= SHARPEN


def _one_round(
    problem: Problem, v: Floats, smoothing: Smoothing, report: Report, most_steps: float
) -> tuple[Bounds, bool]:
    """Minimise the smoothed problem until what is left of its own gap is small beside that of the rows."""
    bounds = problem.bounds(v, smoothing)
    step = 0
    while not report(bounds):
        if step == most_steps or (step and not problem.squared and bounds.gap <= (1 + LEFT_OVER) * bounds.row_gap):
            return bounds, False
        direction = newton_direction(problem, smoothing, bounds.gradient)
        problem.kernel.measure(direction, problem.rates)
        length = _line_search(problem, bounds.v, direction, smoothing)
        problem.margins += length * problem.rates
        bounds = problem.bounds(bounds.v + length * direction, smoothing)
        step += 1
    return bounds, True


def _line_search(problem: Problem, v: Floats, direction: Floats, smoothing: Smoothing) -> float:
    """The step that minimises the smoothed problem along the direction."""
    along, square = float(v @ (problem.ridge * direction)), float(direction @ (problem.ridge * direction))

    def derivative(step: float) -> tuple[float, float]:
        first, second = problem.kernel.slope(
            problem.alpha, problem.margins, problem.rates, step, smoothing.width, smoothing.top
        )
        return along + step * square + first, square + second

    return least(derivative)
