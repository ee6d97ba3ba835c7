"""The method for wide rows: CoCoA+ with a line search (Ma et al. 2015).

In a round, each partition starts at the common weights w, and improves the dual variables of its own rows by passes of
coordinate descent. It assumes that the change of w by all partitions is sigma times its own, so the curvature of its
problem is sigma times larger; sigma = the number of partitions is safe. The driver gets the sum of the changes of w,
and the numbers that make the dual objective a parabola along the common change. Its maximum is the length of the step,
so the dual objective never falls, and sigma can be much smaller than the number of partitions: it is halved after full
steps, and doubled after short ones.

A free intercept follows the method of multipliers, as in ``novikoff.solvers.coordinate_descent``.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .progress import Options, Outcome, Record
from .setup import LocalProblem, Setup
from .sums import bounds_of

FIRST_PASSES, MAX_PASSES = 2, 16  # of coordinate descent in one round
SHORT_STEP, FULL_STEP = 0.6, 0.999  # lengths after which sigma is doubled, or halved
SHIFTS = 13  # candidates for the intercept
MEASURE_GROWTH = 0.25  # of the rounds so far, after which the bounds are computed again
GOLDEN = 0x9E3779B97F4A7C15  # spreads seeds


@dataclass(frozen=True)
class Descended:
    """The dual variables of a partition before a round and after it; how far it moves is not known yet."""

    before: Floats
    after: Floats


@dataclass(frozen=True)
class CocoaCommand:
    """One round.

    Parameters
    ----------
    v : ndarray of shape (columns + 1,)
        The common point (w, b).
    length : float
        The length of the step of the round before.
    passes : int
        The number of passes; 0 to compute the bounds only.
    lam, rho : float
        The regularisation of the local problem, divided by sigma, and the factor of the intercept, times sigma.
    seed : int
        The seed of the row order, of all partitions together.
    shifts : ndarray or None
        If it is given, the bounds are computed first, with the loss for the intercept moved by each of these numbers.
    """

    v: Floats
    length: float
    passes: int
    lam: float
    rho: float
    seed: int
    shifts: Floats | None = None


def cocoa_step(problem: LocalProblem, kept: Any, command: CocoaCommand) -> tuple[Any, Any]:
    """Return the dual variables before and after the passes, and the sums of the round."""
    setup = problem.setup
    # v is that of the dual variables which another method has adopted; it is 0 if there are none
    alpha = kept if isinstance(kept, np.ndarray | Descended) else np.zeros(problem.count)
    if isinstance(alpha, Descended):
        alpha = alpha.before + command.length * (alpha.after - alpha.before)
        np.clip(alpha, 0.0, setup.loss_function.top, out=alpha)
    measured = None if command.shifts is None else _measure(problem, alpha, command)
    if command.passes == 0:
        return alpha, (np.zeros(0), np.zeros(0), measured)
    after, v = alpha.copy(), command.v.copy()
    if problem.count:
        _descend(problem, after, v, command)
    change, costs = after - alpha, problem.all_costs()
    signs = np.where(problem.is_positive, 1.0, -1.0)
    weighted = costs * change
    # sums for the dual objective along the change: sum da, sum a dalpha, sum da dalpha, sum y da
    scalars = np.array([weighted.sum(), weighted @ alpha, weighted @ change, weighted @ signs])
    moved = (v - command.v)[:-1] * command.lam  # sum da y s x
    return Descended(alpha, after), (moved, scalars, measured)


def _descend(problem: LocalProblem, alpha: Floats, v: Floats, command: CocoaCommand) -> None:
    norms, order = np.empty(problem.count), np.arange(problem.count, dtype=np.int32)
    problem.kernel.squared_norms(norms)
    random = _core.Random((command.seed * GOLDEN + problem.first * 2654435761 + 1) % 2**31)
    active, limits = problem.count, (math.inf, -math.inf)
    for _ in range(command.passes):
        problem.kernel.descend(alpha, norms, order, v, (*limits, active), command.lam, command.rho, random)


def _measure(problem: LocalProblem, alpha: Floats, command: CocoaCommand) -> Any:
    """Return the sums for the bounds at the common point, and the loss for each shift of the intercept."""
    assert command.shifts is not None
    margins = problem.margins(command.v)
    sums, vectors = problem.dual_sums(alpha, margins, problem.setup.loss_function.response(math.inf))
    signs = np.where(problem.is_positive, 1.0, -1.0)
    losses = np.zeros(len(command.shifts))
    if problem.count:
        losses = np.array([problem.kernel.loss(margins + shift * signs) for shift in command.shifts.tolist()])
    return sums, vectors, losses


def solve_by_descent(
    setup: Setup, mean_square: float, record: Record, options: Options, start: Floats | None = None
) -> Generator[Any, Any, Outcome]:
    """Solve one binary problem: yield commands, and be sent the sums of their replies.

    Parameters
    ----------
    setup : Setup
        The problem.
    mean_square : float
        An estimate of the mean of |s x|^2 over the rows.
    record : Record
        The record.
    options : Options
        The tolerance, the limits and the number of partitions.
    start : ndarray of shape (columns + 1,), default=None
        Where another method ended, if the partitions have its dual variables.
    """
    solver = _Cocoa(setup, mean_square, record, options)
    if start is not None:
        yield from solver.begin_at(start)
    return (yield from solver.run())


class _Cocoa:
    def __init__(self, setup: Setup, mean_square: float, record: Record, options: Options) -> None:
        self.setup, self.record, self.options = setup, record, options
        if setup.has_free_intercept:
            self.rho = (mean_square or 1.0) / setup.lam / math.sqrt(max(1, setup.width))
        else:
            self.rho = 1 / setup.kappa if setup.kappa > 0 else 0.0
        self.v = np.zeros(setup.width + 1)
        self.imbalance = 0.0
        self.sigma, self.passes, self.length = min(2.0, float(options.partitions)), FIRST_PASSES, 1.0
        self.shift_scale = 1.0

    def begin_at(self, start: Floats) -> Generator[Any, Any, None]:
        """Begin at the weights that the dual variables of the partitions make, and at an intercept."""
        _, _, (_, vectors, _) = yield CocoaCommand(start, 0.0, 0, 1.0, 0.0, 0, np.zeros(1))
        negative, positive = vectors.reshape(2, -1)
        total = negative + positive
        self.v[:-1] = total[:-1] / self.setup.lam
        if self.setup.intercept != "none":
            self.imbalance = float(total[-1])
            self.v[-1] = self.rho * self.imbalance + (start[-1] if self.setup.has_free_intercept else 0.0)

    def run(self) -> Generator[Any, Any, Outcome]:
        record, options = self.record, self.options
        record.method = "coordinate descent"
        number, next_measure = 0, 1
        while True:
            is_last = record.is_over(options, more=1)  # the bounds of the point that is there then must be known
            is_due = is_last or number >= next_measure
            if self.setup.has_free_intercept:
                self.v[-1] += self.rho * self.imbalance
            moved, scalars, measured = yield self._command(number, 0 if is_last else self.passes, is_due)
            if is_due:
                bounds, shifted = self._bounds(measured)
                if record.add(bounds[0], bounds[1], options) or is_last:
                    if not is_last:  # the duals are those at the beginning of the round that was just made
                        yield CocoaCommand(self.v, 0.0, 0, 1.0, 0.0, 0)
                    return Outcome(shifted, update_width=0.0)
                next_measure = number + 1 + int(MEASURE_GROWTH * number)
            self._move(moved, scalars)
            number += 1

    def _command(self, number: int, passes: int, is_due: bool) -> CocoaCommand:
        setup = self.setup
        shifts = None
        if is_due:
            steps = np.arange(SHIFTS) - SHIFTS // 2
            shifts = self.shift_scale * np.sign(steps) * 2.0 ** (np.abs(steps) - SHIFTS // 2)
            shifts = shifts if setup.has_free_intercept else np.zeros(1)
        rho = self.rho * self.sigma
        return CocoaCommand(
            self.v.copy(), self.length, passes, setup.lam / self.sigma, rho, self.options.seed + number, shifts
        )

    def _bounds(self, measured: Any) -> tuple[tuple[float, float], Floats]:
        """Return the objectives, and the point with the best intercept."""
        sums, vectors, losses = measured
        bounds = bounds_of(self.setup, self.v, sums, vectors)
        place = int(np.argmin(losses))
        v = self.v.copy()
        if self.setup.has_free_intercept:
            steps = np.arange(SHIFTS) - SHIFTS // 2
            shift = float((self.shift_scale * np.sign(steps) * 2.0 ** (np.abs(steps) - SHIFTS // 2))[place])
            v[-1] += shift
            distance = abs(place - SHIFTS // 2)
            self.shift_scale *= 4.0 if distance == SHIFTS // 2 else 0.25 if distance <= 2 else 1.0
        primal = bounds.primal - float(sums[6]) + float(losses[place])
        return (primal, bounds.dual), v

    def _move(self, moved: Floats, scalars: Floats) -> None:
        """Take the step along the common change at which the dual objective is largest."""
        setup = self.setup
        total, cross, square, balance = scalars.tolist()
        ridge = setup.loss_function.ridge
        w = self.v[:-1]
        slope = total - ridge * cross - float(w @ moved) - float(self.v[-1]) * balance
        curvature = ridge * square + float(moved @ moved) / setup.lam + self.rho * balance * balance
        length = 1.0 if curvature <= 0 else min(1.0, max(0.0, slope / curvature))
        self.length = length
        self.v[:-1] += length * moved / setup.lam
        if setup.intercept != "none":
            self.v[-1] += self.rho * length * balance
            self.imbalance += length * balance
        if length >= FULL_STEP:
            self.sigma = max(1.0, self.sigma / 2)
        elif length < SHORT_STEP:
            self.sigma = min(float(self.options.partitions), 2 * self.sigma)
        self.passes = min(MAX_PASSES, self.passes + 1)
