"""The dual variables of a solution in the units of the user, and the bounds that they prove."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.gap_parts import GapPart
from novikoff.theory.gap_values import Point, SoftMargin
from novikoff.theory.geometry import Floats

from .setup import LocalProblem


@dataclass(frozen=True)
class DualsCommand:
    """Compute the dual variables a_i in the units of the user, within their limits.

    Parameters
    ----------
    v : ndarray of shape (columns + 1,)
        The primal point.
    update_width : float
        The width of the ramp whose values at v are the dual variables; 0 if the partitions have them already.
    with_costs : bool
        Whether the costs of all rows are gathered, too, because they differ.
    """

    v: Floats
    update_width: float
    with_costs: bool


def duals_step(problem: LocalProblem, kept: Any, command: DualsCommand) -> tuple[Floats, Any]:
    """Return the duals of a partition as its state.

    The reply has the duals that are not 0 with their rows and classes, the costs, and the number of rows with a cost.
    """
    loss, alpha = problem.setup.loss_function, kept
    if command.update_width > 0 and problem.count:
        alpha = alpha.copy()
        problem.kernel.update_duals(alpha, problem.margins(command.v), loss.response(command.update_width))
    costs = problem.setup.C * problem.all_costs()
    caps = loss.top * costs if loss.top < math.inf else np.where(costs > 0, math.inf, 0.0)
    duals = np.clip(costs * alpha, 0.0, caps)
    rows = np.flatnonzero(duals)
    found = [(problem.numbers[rows], duals[rows], problem.is_positive[rows])]
    return duals, (found, [costs] if command.with_costs else [], int(np.count_nonzero(costs)))


@dataclass(frozen=True)
class MeasureCommand:
    """Enclose the objectives of weights and of duals.

    Parameters
    ----------
    weights : ndarray of shape (columns,)
        The weights, in the columns that occur.
    bias : float
        The intercept.
    shares : tuple of float
        The factors of the duals of the negative and of the positive class, which make their sums about equal.
    numbers, values : ndarray
        Rows, in ascending order, whose duals are these instead.
    unit : int
        All duals are below 2^unit.
    """

    weights: Floats
    bias: float
    shares: tuple[float, float]
    numbers: NDArray[np.int64]
    values: Floats
    unit: int


def measure_step(problem: LocalProblem, kept: Floats, command: MeasureCommand) -> tuple[Floats, Any]:
    """Return the duals with the changes, and what the rows contribute to the bounds."""
    negative, positive = command.shares
    duals = kept * np.where(problem.is_positive, positive, negative)
    own = np.isin(command.numbers, problem.numbers)
    duals[np.searchsorted(problem.numbers, command.numbers[own])] = command.values[own]
    return duals, part_of(problem, command, duals)


def part_of(problem: LocalProblem, command: MeasureCommand, duals: Floats) -> GapPart:
    """Return what the rows of a partition contribute to the bounds."""
    setup = problem.setup
    signs = np.where(problem.is_positive, 1.0, -1.0)
    margin = SoftMargin(problem.X, signs, setup.C * problem.all_costs(), setup.loss, setup.intercept)
    return margin.part(Point(command.weights, command.bias, duals), Rows(problem.X, setup.largest), command.unit)
