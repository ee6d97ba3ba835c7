"""Newton's method on the smoothed loss, with sums of d x d over the partitions.

The derivative of the loss is replaced by a ramp of some width around the dual variables found so far, as in
``novikoff.solvers.newton``; the squared hinge is such a ramp itself. A round broadcasts a point and a direction. Each
partition returns the sums that the bounds need and the sum of theta u u' over its free rows, all at the end of the full
step, and the slope of the objective at several lengths of the step. If the full step is good, which is the usual case,
one round makes one Newton step. Otherwise the driver chooses the length by the slopes, and another round follows.

A column that occurs in few rows may have no free row, and then almost no curvature: the step would be huge along this
column, and the line search would make it short in all others. So a share of the curvature that all rows would have is
added for the hinge. The squared hinge needs the undamped step, whose convergence is quadratic.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff._core as _core
from novikoff.solvers.linear_system import MIN_BLAS_COLUMNS, solve_positive
from novikoff.theory.geometry import Floats

from .setup import LocalProblem, Setup
from .sums import Bounds, bounds_of

LENGTHS = np.array([2.0**-10, 2.0**-7, 2.0**-5, 2.0**-4, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0])  # of a step
FULL = int(np.flatnonzero(LENGTHS == 1.0)[0])
MAX_SLOPE_RATIO = 0.9  # of the slope at the full step to that at its start, up to which the step is taken
MIN_SLOPE = 1e-13  # relative to the objective: a direction that promises less is lost in rounding
DAMPING = 0.01  # of the curvature that all rows would have, which is added to that of the free rows for the hinge
BLAS_ROWS = 1 << 14  # rows that are multiplied at a time


@dataclass(frozen=True)
class NewtonCommand:
    """One round of Newton's method.

    Parameters
    ----------
    v : ndarray of shape (columns + 1,)
        The present point.
    width : float
        The width of the ramp.
    direction : ndarray of shape (columns + 1,) or None
        The direction whose full step is tried; None to compute the sums at v.
    update_width : float
        If it is not 0, the dual variables first become the values, at v, of the ramp of this width.
    start : float
        If it is not NaN, all dual variables are first set to this number.
    """

    v: Floats
    width: float
    direction: Floats | None = None
    update_width: float = 0.0
    start: float = math.nan


def newton_step(problem: LocalProblem, kept: Any, command: NewtonCommand) -> tuple[Any, Any]:
    """Return the dual variables of a partition, and the sums of the round."""
    loss = problem.setup.loss_function
    alpha = np.full(problem.count, command.start) if kept is None or not math.isnan(command.start) else kept
    margins, response = problem.margins(command.v), loss.response(command.width)
    if command.update_width > 0:
        alpha = alpha.copy()
        if problem.count:
            problem.kernel.update_duals(alpha, margins, loss.response(command.update_width))
    slopes = np.zeros(0)
    if command.direction is not None:
        rates = problem.margins(command.direction)
        slopes = _slopes(problem, alpha, margins, rates, command.width)
        margins = margins + rates
    sums, vectors = problem.dual_sums(alpha, margins, response)
    within = float(np.count_nonzero(np.abs(1 - margins) <= command.width))
    squares = np.zeros(0) if math.isnan(command.start) else _squares(problem)
    return alpha, (sums, vectors, _gram(problem, alpha, margins, response), slopes, within, squares)


def _squares(problem: LocalProblem) -> Floats:
    """Return the sum of c u^2 over all rows, for each column."""
    X, costs, found = problem.X, problem.all_costs(), np.zeros(problem.setup.width + 1)
    if sp.issparse(X):
        values = (problem.setup.scale * X.data.astype(np.float64)) ** 2 * np.repeat(costs, np.diff(X.indptr))
        found[:-1] = np.bincount(X.indices, values, minlength=X.shape[1])
    else:
        for first in range(0, problem.count, BLAS_ROWS):
            values = problem.setup.scale * X[first : first + BLAS_ROWS].astype(np.float64)
            found[:-1] += np.einsum("i,ij,ij->j", costs[first : first + BLAS_ROWS], values, values)
    found[-1] = costs.sum() * (problem.setup.intercept != "none")
    return found


def _slopes(problem: LocalProblem, alpha: Floats, margins: Floats, rates: Floats, width: float) -> Floats:
    """Return the derivative of the smoothed loss along a direction, at 0 and at each of `LENGTHS`."""
    loss = problem.setup.loss_function
    weighted = rates if problem.costs is None else rates * problem.costs
    centre = (1 - loss.ridge / width) * alpha + (1 - margins) / width
    per_step = rates / width
    lengths = [0.0, *LENGTHS.tolist()]
    return np.array([-float(weighted @ np.clip(centre - length * per_step, 0.0, loss.top)) for length in lengths])


def _gram(problem: LocalProblem, alpha: Floats, margins: Floats, response: _core.Response) -> Floats:
    """Return the lower triangle, row by row, of sum theta u u' over the free rows."""
    side = problem.setup.width + 1
    matrix = np.zeros((side, side))
    if problem.count:
        free = problem.kernel.free_rows(alpha, margins, response)
        if sp.issparse(problem.X) or side <= MIN_BLAS_COLUMNS:
            problem.kernel.gram(free, response.width, matrix)
        else:
            _dense_gram(problem, free, response.width, matrix)
    return matrix[np.tril_indices(side)]


def _dense_gram(problem: LocalProblem, free: Any, width: float, matrix: Floats) -> None:
    """Add theta u u' over the free rows with BLAS."""
    constant = float(problem.setup.intercept != "none")
    for first in range(0, len(free), BLAS_ROWS):
        rows = free[first : first + BLAS_ROWS]
        u = np.column_stack([problem.setup.scale * problem.X[rows].astype(np.float64), np.full(len(rows), constant)])
        theta = (1.0 if problem.costs is None else problem.costs[rows]) / width
        matrix += u.T @ (u * np.broadcast_to(theta, len(rows))[:, None])


@dataclass(frozen=True)
class NewtonPoint:
    """Where Newton's method is: the bounds, the second derivative, and how many rows are within the ramp's width."""

    bounds: Bounds
    gram: Floats
    within: int


class NewtonMethod:
    """The driver's side: it yields commands and is sent the sums of their replies.

    Parameters
    ----------
    setup : Setup
        The problem.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.damping = np.zeros(setup.width + 1)

    def at(
        self, v: Floats, width: float, update_width: float = 0.0, start: float = math.nan
    ) -> Generator[NewtonCommand, Any, NewtonPoint]:
        """Return the point at v. The parameters are those of `NewtonCommand`."""
        sums, vectors, gram, _, within, squares = yield NewtonCommand(v, width, None, update_width, start)
        if len(squares) and self.setup.loss_function.ridge == 0:
            self.damping = DAMPING * squares
        return NewtonPoint(bounds_of(self.setup, v, sums, vectors), gram, int(within))

    def step(self, point: NewtonPoint, width: float) -> Generator[NewtonCommand, Any, NewtonPoint | None]:
        """Return the point after one Newton step; None if the direction promises nothing."""
        setup, v = self.setup, point.bounds.v
        d = self._direction(point, width)
        sums, vectors, gram, slopes, within, _ = yield NewtonCommand(v, width, d)
        penalty = setup.penalty
        slopes = slopes + float(v @ (penalty * d)) + np.array([0.0, *LENGTHS]) * float(d @ (penalty * d))
        if not -slopes[0] > MIN_SLOPE * abs(point.bounds.primal):
            return None
        if abs(slopes[1 + FULL]) <= MAX_SLOPE_RATIO * abs(slopes[0]):
            return NewtonPoint(bounds_of(setup, v + d, sums, vectors), gram, int(within))
        return (yield from self.at(v + _length(slopes) * d, width))

    def _direction(self, point: NewtonPoint, width: float) -> Floats:
        side = self.setup.width + 1
        matrix = np.zeros((side, side))
        matrix[np.tril_indices(side)] = point.gram
        diagonal = matrix.reshape(-1)[:: side + 1]
        diagonal += self.setup.penalty + self.damping / width
        if diagonal[-1] == 0:  # no intercept, or no free row that determines a free one
            diagonal[-1] = 1.0
        return solve_positive(matrix, -point.bounds.gradient)


def _length(slopes: Floats) -> float:
    """Return the length of the step at which the slope, linear between the lengths, is 0."""
    lengths = np.array([0.0, *LENGTHS])
    above = np.flatnonzero(slopes > 0)
    if not len(above):
        return float(lengths[-1])
    k = int(above[0])
    share = -slopes[k - 1] / (slopes[k] - slopes[k - 1])
    return float(lengths[k - 1] + share * (lengths[k] - lengths[k - 1]))
