"""The proximal method of multipliers with Newton's method inside (Rockafellar 1976).

The hinge is solved as a sequence of smooth problems. In round k the derivative of the loss is replaced by

    clip(alpha_k + (1 - m) / width, 0, 1),

where alpha_k are the dual variables found so far. This objective is piecewise quadratic, so Newton's method with an
exact line search terminates. The width is divided by two from round to round. The squared hinge is smooth already and
takes one round with width 1/2, unless rounding stops it. A Newton step involves only the free rows, whose dual
variables lie strictly between their bounds.

If C is large and few rows are within the margin, the weights that fit these rows are far from right for the others, and
the line search makes short steps only. The dual objective is then far below 0, which is that of alpha = 0. So the
method begins with the smallest width for which it is not, and divides it by more.
"""

from __future__ import annotations

import math

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .bounds import Bounds, bounds_at
from .linear_system import MAX_FACTORED_COLUMNS, LinearSystem
from .solver import Progress
from .workspace import Workspace

DUAL_LOSS_TOLERANCE = 0.1  # share of the allowed gap by which the dual objective may fall in a round
MAX_STEPS_PER_ROUND = 300
WIDTH_DIVISOR = 2.0  # from round to round
ROUND_GAP_RATIO = 2.0  # a round ends when its own gap is at most this many times the gap of the rows
FIRST_WIDTH, LAST_WIDTH = 1.0, 1e-13  # for a piecewise linear loss; below the last one, rounding dominates
RETRY_WIDTH_FACTOR, MAX_RETRY_WIDTH = 16.0, 1e6  # a smooth loss that is stuck is smoothed further
MAX_CROWDED_RATIO = 2.0  # rows within the margin per column, up to which the first width depends on the dual objective
MAX_NEGATIVE_STEPS = 12  # of a round, after which a dual objective below 0 shows that the width is too small
DUAL_SCALING, MAX_DUAL_SCALINGS = 0.25, 20  # of dual variables whose objective is below 0
WIDE_FACTOR, MAX_FIRST_WIDTH = 8.0, 1e16  # between widths that are larger than the usual first one
CG_ACCURACY, MIN_CG_ACCURACY = 1e-8, 1e-14  # relative residual of conjugate gradients
SLOPE_RATIO = 1e-3  # the line search ends when the slope has fallen to this share of its first value
# A step or a round is idle if rounding hides its progress: neither does the gap fall to this share of the least one so
# far, nor the primal objective to that share. Many may follow each other before the method goes on, on wide sparse rows
# for example, so they end it only where the data are so small that rounding is the likely reason.
IDLE_GAP_SHARE, IDLE_PRIMAL_SHARE = 0.9, 1 - 1e-6
MAX_IDLE_STEPS, MAX_IDLE_ROUNDS = 25, 6  # in a row, after which a round or the method ends
MAX_IMPATIENT_ELEMENTS = 10_000  # stored values of the rows, up to which idle steps and rounds are counted
SHORT_STEP, MAX_SHORT_STEPS = 1e-4, 10  # short steps indicate inaccurate directions; the limit counts them in a row


def minimize(work: Workspace, v: Floats, progress: Progress) -> Bounds | None:
    """Solve from ``work.alpha`` and v until ``progress`` says stop, or rounding hides the progress of some rounds.

    ``work.alpha`` is updated; its dual objective does not fall except by rounding.

    Returns
    -------
    Bounds or None
        The last bounds; None if rounding prevents further progress.
    """
    progress.method = "Newton"
    return _Newton(work, progress).run(v)


class _Idleness:
    """Counts bounds in a row that are hardly better than the best so far."""

    def __init__(self) -> None:
        self.gap = self.primal = math.inf
        self.count = 0

    def observe(self, bounds: Bounds) -> int:
        """Return how many bounds in a row, up to these, were idle."""
        has_gained = bounds.gap < IDLE_GAP_SHARE * self.gap or bounds.primal < IDLE_PRIMAL_SHARE * self.primal
        self.count = 0 if has_gained else self.count + 1
        self.gap, self.primal = min(self.gap, bounds.gap), min(self.primal, bounds.primal)
        return self.count


class _Newton:
    """One run of the method. ``margin_rates`` are the rates of change of the margins along the current direction."""

    def __init__(self, work: Workspace, progress: Progress) -> None:
        self.work, self.progress = work, progress
        self.loss, self.is_patient = work.problem.loss, work.problem.table.elements > MAX_IMPATIENT_ELEMENTS
        self.margin_rates = np.empty(work.problem.rows)
        self.system = LinearSystem(work)

    def run(self, v: Floats) -> Bounds | None:
        work, is_smooth = self.work, self.loss.ridge > 0
        work.compute_margins(v)
        dual = self._feasible_dual(v)
        usual_width = self.loss.ridge if is_smooth else FIRST_WIDTH
        width = self._wide(v, usual_width) if self._is_sparsely_determined() else usual_width
        idleness = _Idleness()
        while True:
            response = self.loss.response(width)
            bounds, outcome = self._one_round(v, response, dual)
            has_gained = self._keeps_dual(bounds, dual)
            if outcome == "too narrow" and not has_gained:
                work.compute_margins(v)
                width = self._wide(v, WIDE_FACTOR * width)
                continue
            if has_gained:
                work.kernel.update_duals(work.alpha, work.margins, response)
            if outcome == "done":
                return bounds
            if idleness.observe(bounds) >= MAX_IDLE_ROUNDS and not self.is_patient:
                return None
            if outcome == "stuck" and not has_gained:
                if not is_smooth or width > MAX_RETRY_WIDTH:
                    return None
                width *= RETRY_WIDTH_FACTOR
            elif width < LAST_WIDTH:
                return None
            else:
                width = max(self.loss.ridge, width / (WIDE_FACTOR if width > usual_width else WIDTH_DIVISOR))
            v, dual = bounds.v, max(dual, bounds.dual)
            work.compute_margins(v)  # afresh: updating them step by step accumulates rounding errors

    def _feasible_dual(self, v: Floats) -> float:
        """Return the dual objective of ``work.alpha``, which is scaled down if it is worse than 0."""
        alpha = self.work.alpha
        for _ in range(MAX_DUAL_SCALINGS):
            dual = bounds_at(self.work, v).dual
            if not dual < 0:
                return dual
            alpha *= DUAL_SCALING
        alpha[:] = 0.0
        return 0.0

    def _is_sparsely_determined(self) -> bool:
        """Return whether there are so few rows within the margin that they hardly determine the weights.

        Small data begin with the usual width in any case, because the integers that follow gain from its digits.
        """
        columns = self.work.problem.columns
        if columns >= MAX_FACTORED_COLUMNS or not self.is_patient:
            return False
        return self.work.rows_within_margin() <= MAX_CROWDED_RATIO * columns

    def _wide(self, v: Floats, width: float) -> float:
        """Return a width, at least the given one, for which the dual objective at v is not below 0."""
        while bounds_at(self.work, v, self.loss.response(width)).dual < 0 and width < MAX_FIRST_WIDTH:
            width *= WIDE_FACTOR
        return width

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
        accuracy, steps, short_steps, idleness = CG_ACCURACY, 0, 0, _Idleness()
        while not self.progress.advance(bounds):
            is_solved = bounds.gap <= (1 + ROUND_GAP_RATIO) * bounds.row_gap and self._keeps_dual(bounds, dual)
            if is_solved and steps and response.width != self.loss.ridge:
                return bounds, "solved"
            is_negative = bounds.dual < 0 and self.is_patient  # of small data, rounding is the likely reason
            if steps == MAX_NEGATIVE_STEPS and is_negative and response.width < MAX_FIRST_WIDTH:
                return bounds, "too narrow"
            direction, length = self._step(bounds, response, accuracy)
            short_steps = short_steps + 1 if length < SHORT_STEP else 0
            is_exact, is_idle = (
                accuracy <= MIN_CG_ACCURACY,
                idleness.observe(bounds) >= MAX_IDLE_STEPS and not self.is_patient,
            )
            if short_steps == MAX_SHORT_STEPS or is_idle or steps == MAX_STEPS_PER_ROUND or (length == 0 and is_exact):
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
        direction = self.system.direction(response, bounds.gradient, accuracy)
        direction.fill_margin_rates(work, response, self.margin_rates)
        linear = float(bounds.v @ (problem.penalty * direction.d))
        quadratic = float(direction.d @ (problem.penalty * direction.d))
        length = work.kernel.best_step(
            work.alpha, work.margins, self.margin_rates, linear, quadratic, response, SLOPE_RATIO
        )
        return direction.d, length
