"""The proximal method of multipliers with Newton's method inside (Rockafellar 1976).

The hinge is solved as a sequence of smooth problems. In round k the derivative of the loss is replaced by

    clip(alpha_k + (1 - m) / width, 0, 1),

where alpha_k are the dual variables found so far. This objective is piecewise quadratic, so Newton's method with an
exact line search terminates. The width is divided by two from round to round. The squared hinge is smooth already and
takes one round with width 1/2, unless rounding stops it. A Newton step involves only the free rows, whose dual
variables lie strictly between their bounds.
"""

from __future__ import annotations

import math

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .bounds import Bounds, bounds_at
from .line_search import minimize_along_line
from .linear_system import newton_direction
from .solver import Progress
from .workspace import Workspace

DUAL_LOSS_TOLERANCE = 0.1  # share of the allowed gap by which the dual objective may fall in a round
MAX_STEPS_PER_ROUND = 300
WIDTH_DIVISOR = 2.0  # from round to round
ROUND_GAP_RATIO = 2.0  # a round ends when its own gap is at most this many times the gap of the rows
FIRST_WIDTH, LAST_WIDTH = 1.0, 1e-13  # for a piecewise linear loss; below the last one, rounding dominates
RETRY_WIDTH_FACTOR, MAX_RETRY_WIDTH = 16.0, 1e6  # a smooth loss that is stuck is smoothed further
CG_ACCURACY, MIN_CG_ACCURACY = 1e-8, 1e-14  # relative residual of conjugate gradients
SLOPE_RATIO = 1e-3  # the line search ends when the slope has fallen to this share of its first value
SHORT_STEP, MAX_SHORT_STEPS = 1e-4, 10  # short steps indicate inaccurate directions; the limit counts them in a row


def minimize(work: Workspace, v: Floats, progress: Progress) -> Bounds | None:
    """Solve from ``work.alpha`` and v until ``progress`` says stop.

    ``work.alpha`` is updated; its dual objective does not fall except by rounding.

    Returns
    -------
    Bounds or None
        The last bounds; None if rounding prevents further progress.
    """
    return _Newton(work, progress).run(v)


class _Newton:
    """One run of the method. ``margin_rates`` are the rates of change of the margins along the current direction."""

    def __init__(self, work: Workspace, progress: Progress) -> None:
        self.work, self.progress = work, progress
        self.loss = work.problem.loss
        self.margin_rates = np.empty(work.problem.rows)

    def run(self, v: Floats) -> Bounds | None:
        work, is_smooth = self.work, self.loss.ridge > 0
        work.compute_margins(v)
        dual = bounds_at(work, v).dual
        width = self.loss.ridge if is_smooth else FIRST_WIDTH
        while True:
            response = self.loss.response(width)
            bounds, outcome = self._one_round(v, response, dual)
            has_gained = self._keeps_dual(bounds, dual)
            if has_gained:
                work.kernel.update_duals(work.alpha, work.margins, response)
            if outcome == "done":
                return bounds
            if outcome == "stuck" and not has_gained:
                if not is_smooth or width > MAX_RETRY_WIDTH:
                    return None
                width *= RETRY_WIDTH_FACTOR
            elif width < LAST_WIDTH:
                return None
            else:
                width = max(self.loss.ridge, width / WIDTH_DIVISOR)
            v, dual = bounds.v, max(dual, bounds.dual)
            work.compute_margins(v)  # afresh: updating them step by step accumulates rounding errors

    def _keeps_dual(self, bounds: Bounds, dual: float) -> bool:
        """Return whether the dual objective has not fallen below ``dual``, but for a negligible amount."""
        return bounds.dual > dual - DUAL_LOSS_TOLERANCE * self.work.problem.objective.tol * bounds.primal

    def _one_round(self, v: Floats, response: _core.Response, dual: float) -> tuple[Bounds, str]:
        """Minimise the smoothed objective until the rest of its own gap is small beside the gap of the rows.

        The new dual variables must also be worth at least ``dual``, the objective of the present ones. A short step
        shows that the direction was inaccurate; the next one is then computed more accurately.
        """
        work = self.work
        bounds = bounds_at(work, v, response)
        accuracy, steps, short_steps = CG_ACCURACY, 0, 0
        while not self.progress.advance(bounds):
            is_solved = bounds.gap <= (1 + ROUND_GAP_RATIO) * bounds.row_gap and self._keeps_dual(bounds, dual)
            if is_solved and steps and response.width != self.loss.ridge:
                return bounds, "solved"
            direction, length = self._step(bounds, response, accuracy)
            short_steps = short_steps + 1 if length < SHORT_STEP else 0
            is_exact = accuracy <= MIN_CG_ACCURACY
            if short_steps == MAX_SHORT_STEPS or steps == MAX_STEPS_PER_ROUND or (length == 0 and is_exact):
                return bounds, "stuck"
            accuracy = max(MIN_CG_ACCURACY, accuracy * 1e-3) if short_steps else CG_ACCURACY
            if length > 0:
                self.margin_rates *= length
                work.margins += self.margin_rates
                new_bounds = bounds_at(work, bounds.v + length * direction, response)
                if not math.isfinite(new_bounds.primal):
                    work.compute_margins(bounds.v)
                    return bounds, "stuck"
                bounds = new_bounds
            steps += 1
        return bounds, "done"

    def _step(self, bounds: Bounds, response: _core.Response, accuracy: float) -> tuple[Floats, float]:
        """Return a direction and the length of the step; ``margin_rates`` are those of the direction."""
        work, problem = self.work, self.work.problem
        direction = newton_direction(work, response, bounds.gradient, accuracy)
        direction.fill_margin_rates(work, response, self.margin_rates)
        linear = float(bounds.v @ (problem.penalty * direction.d))
        quadratic = float(direction.d @ (problem.penalty * direction.d))

        def derivatives(step: float) -> tuple[float, float]:
            first, second = work.kernel.slope(work.alpha, work.margins, self.margin_rates, step, response)
            return linear + step * quadratic + first, quadratic + second

        return direction.d, minimize_along_line(derivatives, SLOPE_RATIO)
