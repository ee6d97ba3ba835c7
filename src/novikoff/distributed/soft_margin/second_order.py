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

from novikoff.theory.geometry import Floats

from .budget import BYTES_PER_VALUE, min_kept
from .gathering import disaggregate, first_point
from .newton import NewtonMethod, NewtonPoint
from .progress import Options, Outcome, Record
from .setup import Setup

FIRST_WIDTH, WIDTH_DIVISOR, LAST_WIDTH = 0.25, 4.0, 1e-10  # of the ramp that replaces the kink of the hinge
STEPS_PER_WIDTH = 2  # Newton steps before the ramp becomes narrower
CLOSE_ROUND_GAP = 3.0  # a width is done if its gap is at most this many times the gap of the rows
START = 0.5  # the first dual variables: the ramp is symmetric about the kink
BAND_WIDTHS = 2.0  # rows within so many widths of the kink are gathered
KEPT_SHARE = 1 / 16  # of the rows of a partition that are gathered in one round, at most
MAX_STEPS_PER_LAST_WIDTH = 12  # Newton steps for one width, where the driver cannot hold the rows


def solve_second_order(setup: Setup, rows: int, record: Record, options: Options) -> Generator[Any, Any, Outcome]:
    """Solve one binary problem with so many rows: yield commands, and be sent the sums of their replies."""
    v = yield from first_point(setup, rows, record, options)
    method = NewtonMethod(setup)
    if setup.loss_function.ridge > 0:
        return (yield from _newton_alone(method, v, record, options))
    return (yield from _Hinge(setup, rows, record, options).run(method, v))


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
        room = options.max_gathered / (rows * BYTES_PER_VALUE * (setup.width + 1))
        self.share = min(1.0, max(min(KEPT_SHARE, room), min_kept(setup) / rows))

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
        band = BAND_WIDTHS * width
        found = yield from disaggregate(self.setup, point.bounds.v, band, self.share, record, self.options)
        if found.is_done:
            return found
        # its dual variables are 0 or 1 for most rows, where a ramp around them would be one-sided
        return (yield from self._narrow(method, found.v, width))

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

    def _narrow(self, method: NewtonMethod, v: Floats, width: float) -> Generator[Any, Any, Outcome]:
        """Go on from v with Newton's method and narrower ramps."""
        record = self.record
        record.method = "Newton"
        point = yield from method.at(v, width, start=START)
        while True:
            point, is_done = yield from self._steps(method, point, width, MAX_STEPS_PER_LAST_WIDTH)
            if is_done or width < LAST_WIDTH or record.is_over(self.options):
                return Outcome(point.bounds.v, update_width=width)
            point = yield from method.at(point.bounds.v, width / WIDTH_DIVISOR, update_width=width)
            width /= WIDTH_DIVISOR
