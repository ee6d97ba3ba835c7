"""The proximal method of multipliers with Newton's method inside: exact where coordinate descent stalls.

For the hinge, alpha solves a sequence of problems, each smoothed around the last answer (Rockafellar 1976): its loss
has the derivative -clip(alpha + (1 - m) / width, 0, 1), so it is piecewise quadratic, and Newton's method with an exact
line search ends after finitely many steps. The width falls from round to round. The squared hinge is one such problem
by itself. Each Newton step concerns only the rows that are free, neither at 0 nor at the top.
"""

from __future__ import annotations

import math

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .line_search import least
from .linear_system import newton_direction
from .problem import Bounds, Problem, Report

SLACK = 0.1  # the share of the gap asked for by which the dual may fall in a round: the primal may have gained
MOST_STEPS = 300  # in a round
SHARPEN = 2.0  # by what the width is divided from round to round
LEFT_OVER = 2.0  # the gap that Newton's method may leave to the next round, in proportion to that of the rows
EXACT, WIDEN, WIDEST = 0.5, 16.0, 1e6  # widths for the squared hinge: its own, and those to try where that gets stuck
SMOOTHEST, NARROWEST = 1.0, 1e-13  # the width to begin with, and the one where rounding takes over
ACCURACY, FINEST = 1e-8, 1e-14  # of directions by conjugate gradients
FLAT = 1e-3  # a step ends where the slope along it is this small a part of what it was
SHORT, MOST_SHORT = 1e-4, 10  # a step that tells of a direction that was not accurate enough, and how many in a row


def solve(problem: Problem, v: Floats, report: Report) -> Bounds | None:
    """Sharpen and solve until ``report`` says stop; None if rounding leaves no way on.

    ``problem.alpha`` is the start and the result: what it is worth does not fall but for rounding.
    """
    problem.measure(v)
    dual = problem.bounds(v).dual
    width = EXACT if problem.squared else SMOOTHEST
    while True:
        response = _response(problem, width)
        bounds, outcome = _one_round(problem, v, response, dual, report)
        has_gained = _is_worth(problem, bounds, dual)
        if has_gained:
            problem.kernel.settle(problem.alpha, problem.margins, response)
        if outcome == "done":
            return bounds
        if outcome == "stuck" and not has_gained:
            if not problem.squared or width > WIDEST:
                return None
            width *= WIDEN
        elif width < NARROWEST:
            return None
        else:
            width = width / SHARPEN if not problem.squared else max(EXACT, width / SHARPEN)
        v, dual = bounds.v, max(dual, bounds.dual)
        problem.measure(v)  # rates that were not quite those of v add up


def _response(problem: Problem, width: float) -> _core.Response:
    """How alpha answers margins if it is drawn to where it was: the more so the wider."""
    if problem.squared:
        return _core.Response(width, math.inf, 1 - EXACT / width)
    return _core.Response(width, 1.0, 1.0)


def _is_worth(problem: Problem, bounds: Bounds, dual: float) -> bool:
    """Whether the answers are worth ``dual``, or so little less that it does not matter."""
    return bounds.dual > dual - SLACK * problem.objective.tol * bounds.primal


def _one_round(
    problem: Problem, v: Floats, response: _core.Response, dual: float, report: Report
) -> tuple[Bounds, str]:
    """Minimise the smoothed problem until what is left of its own gap is small beside that of the rows.

    The answers must also be worth more than ``dual``, which is what the centres are worth. Directions are as accurate
    as they need to be: a short step tells that they were not.
    """
    bounds = problem.bounds(v, response)
    accuracy, steps, shorts = ACCURACY, 0, 0
    while not report(bounds):
        solved = bounds.gap <= (1 + LEFT_OVER) * bounds.row_gap and _is_worth(problem, bounds, dual)
        if solved and steps and not (problem.squared and response.width == EXACT):
            return bounds, "sharpen"
        direction, length = _step(problem, bounds, response, accuracy)
        shorts = shorts + 1 if length < SHORT else 0
        if shorts == MOST_SHORT or steps == MOST_STEPS or (length == 0 and accuracy <= FINEST):
            return bounds, "stuck"
        accuracy = max(FINEST, accuracy * 1e-3) if shorts else ACCURACY
        if length > 0:
            problem.rates *= length
            problem.margins += problem.rates
            tried = problem.bounds(bounds.v + length * direction, response)
            if not math.isfinite(tried.primal):
                problem.measure(bounds.v)
                return bounds, "stuck"
            bounds = tried
        steps += 1
    return bounds, "done"


def _step(problem: Problem, bounds: Bounds, response: _core.Response, accuracy: float) -> tuple[Floats, float]:
    """A direction, and how far to go. How fast all margins change along it stands in the vector of rates."""
    direction = newton_direction(problem, response, bounds.gradient, accuracy)
    direction.rates(problem, response)
    return direction.d, _line_search(problem, bounds.v, direction.d, response)


def _line_search(problem: Problem, v: Floats, direction: Floats, response: _core.Response) -> float:
    """The step that minimises the smoothed problem along the direction."""
    along, square = float(v @ (problem.ridge * direction)), float(direction @ (problem.ridge * direction))

    def derivative(step: float) -> tuple[float, float]:
        first, second = problem.kernel.slope(problem.alpha, problem.margins, problem.rates, step, response)
        return along + step * square + first, square + second

    return least(derivative, FLAT)
