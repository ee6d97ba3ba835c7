"""The method for few columns: a sample, Newton's method on the smoothed loss, and disaggregation for the hinge.

A sample of the rows, solved on the driver, gives the first point. The squared hinge is then solved by Newton's method
alone, in about ten rounds. For the hinge, Newton's method makes a few steps for each of a few widths of the ramp, until
so few rows are near the kink that the driver can take them. Then disaggregation ends in a few rounds, because the
problem of the driver is exact near its solution. If the driver could not hold the rows, Newton's method goes on.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from novikoff.theory.geometry import Floats

from .disaggregation import SIDES, AdoptCommand, Disaggregation
from .newton import NewtonMethod, NewtonPoint
from .progress import Options, Outcome, Record
from .rows import Gathered, SampleCommand, joined, solve_gathered
from .setup import Setup
from .sums import regularization

MAX_SAMPLE_SHARE = 1 / 8  # of all rows
SAMPLE_ROWS, SAMPLE_ROWS_PER_COLUMN = 20_000, 32  # the larger of the two is gathered at most
SAMPLE_TOLERANCE = 1e-2  # relative gap of the problem of the sample
FIRST_WIDTH, WIDTH_DIVISOR, LAST_WIDTH = 0.25, 4.0, 1e-10  # of the ramp that replaces the kink of the hinge
STEPS_PER_WIDTH = 2  # Newton steps before the ramp becomes narrower
CLOSE_ROUND_GAP = 3.0  # a width is done if its gap is at most this many times the gap of the rows
START = 0.5  # the first dual variables: the ramp is symmetric about the kink
BAND_WIDTHS = 2.0  # rows within so many widths of the kink are gathered
KEPT_SHARE = 1 / 16  # of the rows of a partition that are gathered in one round, at most
MIN_KEPT, MIN_KEPT_PER_COLUMN = 1000, 4  # rows that may be gathered in any case
DRIVER_ACCURACY, DRIVER_TOL_SHARE = 1e-5, 0.25  # gap of the driver's problem at most, and as a share of tol at least
MAX_GROUP_ROUNDS = 40
MAX_STEPS_PER_LAST_WIDTH = 12  # Newton steps for one width, where the driver cannot hold the rows

Rounds = Generator[Any, Any, Any]


def solve_second_order(setup: Setup, rows: int, record: Record, options: Options) -> Generator[Any, Any, Outcome]:
    """Solve one binary problem with so many rows: yield commands, and be sent the sums of their replies."""
    v = yield from _first_point(setup, rows, record, options)
    method = NewtonMethod(setup)
    if setup.loss_function.ridge > 0:
        return (yield from _newton_alone(method, v, record, options))
    return (yield from _Hinge(setup, rows, record, options).run(method, v))


def _first_point(setup: Setup, rows: int, record: Record, options: Options) -> Generator[Any, Any, Floats]:
    """Return the solution of a sample of the rows, or 0 if that has one class only."""
    most = max(SAMPLE_ROWS, SAMPLE_ROWS_PER_COLUMN * (setup.width + 1))
    share = min(MAX_SAMPLE_SHARE, most / rows)
    record.method = "sample"
    found: list[Gathered] = yield SampleCommand(share)
    sample = joined(found)
    if not sample.has_both_classes:
        return np.zeros(setup.width + 1)
    sample = Gathered(sample.numbers, sample.X, sample.is_positive, sample.costs * (rows / len(sample)))
    v, _, _ = solve_gathered(setup, sample, SAMPLE_TOLERANCE, options)
    return v


def _newton_alone(method: NewtonMethod, v: Floats, record: Record, options: Options) -> Generator[Any, Any, Outcome]:
    """Solve a smooth problem."""
    record.method = "Newton"
    width = method.setup.loss_function.ridge
    point = yield from method.at(v, width, start=0.0)
    while not record.add(point.bounds.primal, point.bounds.dual, options):
        moved: NewtonPoint | None = yield from method.step(point, width)
        if moved is None or not math.isfinite(moved.bounds.primal):
            break
        point = moved
    return Outcome(point.bounds.v, update_width=width)


class _Hinge:
    """One solution of a problem with the hinge."""

    def __init__(self, setup: Setup, rows: int, record: Record, options: Options) -> None:
        self.setup, self.rows, self.record, self.options = setup, rows, record, options
        floor = max(MIN_KEPT, MIN_KEPT_PER_COLUMN * (setup.width + 1))
        self.share = min(1.0, max(KEPT_SHARE, floor / rows))

    def run(self, method: NewtonMethod, v: Floats) -> Generator[Any, Any, Outcome]:
        record, width = self.record, FIRST_WIDTH
        record.method = "Newton"
        point = yield from method.at(v, width, start=START)
        is_first = True
        while True:
            if not is_first:
                point = yield from method.at(point.bounds.v, width, update_width=width * WIDTH_DIVISOR)
            is_first = False
            if record.add(point.bounds.primal, point.bounds.dual, self.options):
                return Outcome(point.bounds.v, update_width=width)
            point, is_done = yield from self._steps(method, point, width, STEPS_PER_WIDTH)
            if is_done:
                return Outcome(point.bounds.v, update_width=width)
            if BAND_WIDTHS * point.within <= self.share * self.rows or width < LAST_WIDTH:
                break
            width /= WIDTH_DIVISOR
        found = yield from self._disaggregate(point.bounds.v, BAND_WIDTHS * width, width)
        if found is not None:
            return found
        return (yield from self._narrow(method, point, width))

    def _steps(
        self, method: NewtonMethod, point: NewtonPoint, width: float, count: int
    ) -> Generator[Any, Any, tuple[NewtonPoint, bool]]:
        """Make some Newton steps. Return the last point, and whether the problem is solved or must end."""
        for _ in range(count):
            if point.bounds.gap <= CLOSE_ROUND_GAP * point.bounds.row_gap:
                break
            moved = yield from method.step(point, width)
            if moved is None:
                break
            point = moved
            if self.record.add(point.bounds.primal, point.bounds.dual, self.options):
                return point, True
        return point, False

    def _disaggregate(self, v: Floats, band: float, width: float) -> Generator[Any, Any, Outcome | None]:
        """Return the solution of disaggregation; None if the driver cannot hold the rows that it needs."""
        setup, record, options = self.setup, self.record, self.options
        record.method = "disaggregation"
        groups = Disaggregation(setup, band, self.share)
        solved: tuple[Gathered, Floats] | None = None
        dual, point, best, best_primal = -math.inf, v, v, math.inf
        for _ in range(MAX_GROUP_ROUNDS):
            measured = yield from groups.measure(point)
            primal = regularization(setup, point) + groups.loss
            if primal < best_primal:
                best, best_primal = point, primal
            is_done = record.add(best_primal, dual, options)
            if is_done and solved is not None:
                yield _adopted(*solved)
                return Outcome(best, update_width=0.0)
            if is_done or groups.size > options.max_gathered:
                break
            start = None if solved is None else (point, _continued(setup, solved, measured, point))
            tol = max(DRIVER_TOL_SHARE * options.tol, DRIVER_ACCURACY * min(1.0, record.gap_of(best_primal, dual)))
            point, alpha, solution = solve_gathered(setup, measured, min(1.0, tol), options, start)
            solved, dual = (measured, alpha), solution.dual / setup.C
        return None

    def _narrow(self, method: NewtonMethod, point: NewtonPoint, width: float) -> Generator[Any, Any, Outcome]:
        """Go on with Newton's method and narrower ramps."""
        record = self.record
        record.method = "Newton"
        point = yield from method.at(point.bounds.v, width, start=START)
        while True:
            point, is_done = yield from self._steps(method, point, width, MAX_STEPS_PER_LAST_WIDTH)
            if is_done or width < LAST_WIDTH or record.is_over(self.options):
                return Outcome(point.bounds.v, update_width=width)
            point = yield from method.at(point.bounds.v, width / WIDTH_DIVISOR, update_width=width)
            width /= WIDTH_DIVISOR


def _continued(setup: Setup, solved: tuple[Gathered, Floats], rows: Gathered, v: Floats) -> Floats:
    """Return dual variables to start from: those of the last problem, and for new rows those of the loss at v."""
    known = len(solved[0]) - SIDES
    new = slice(known, len(rows) - SIDES)
    scores = setup.scale * np.asarray(rows.X[new] @ v[:-1]) + v[-1]
    is_low = np.where(rows.is_positive[new], scores, -scores) < 1
    return np.concatenate([solved[1][:known], is_low.astype(np.float64), solved[1][known:]])


def _adopted(rows: Gathered, alpha: Floats) -> AdoptCommand:
    """Return the command that gives the dual variables of the driver's problem to the partitions."""
    numbers, own = rows.numbers[:-SIDES], alpha[:-SIDES]
    order = np.argsort(numbers)
    return AdoptCommand(alpha[-SIDES:].copy(), numbers[order], own[order])
