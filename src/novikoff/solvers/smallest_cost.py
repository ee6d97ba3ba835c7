"""The smallest C of a path: below it the solution only scales with C.

Write w = C g. For the hinge and small C, no margin reaches 1 except by the intercept, and g does not depend on C:

- Without an intercept, or with a penalised one, which is one more feature, every row is at its upper bound:
  g = sum_i c_i y_i x_i. This is the solution until the first margin reaches 1, so the smallest C is
  1 / max_i y_i g.x_i.
- With a free intercept, the two classes have equal sums of dual variables. All rows of the lighter class, of total
  weight T, are at their bounds. The heavier class has dual variables of the same sum T that make g as short as
  possible: g = sum_light c_i x_i - sum_heavy c_j alpha_j x_j with 0 <= alpha <= 1 and sum c_j alpha_j = T. Rows with
  0 < alpha_j < 1 lie on the margin, with -g.x_j = theta. The first row of the lighter class reaches its margin at
  C = 2 / (max_light g.x_i + theta). The shortest g is approximated by the method of Frank and Wolfe (1956).

The squared hinge has no upper bounds, so its solution is not linear in C even for small C. To first order it is that of
w = 0, where the intercept is the mean label if it is free, else 0: g = 2 sum_i c_i (1 - y_i b) y_i x_i. The path begins
where the first row would reach its margin in this direction. Up to there all rows count, and the solution is that of
least squares.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

from .bounds import bounds_at
from .problem import Problem
from .workspace import Workspace

FRANK_WOLFE_TOLERANCE = 0.02  # the share of |g|^2 by which a shorter g may be missed
MAX_FRANK_WOLFE_STEPS = 60
NEGLIGIBLE_LENGTH = 1e-3  # a g of this length, relative to the largest possible one, is treated as 0


def smallest_cost(problem: Problem, threads: int) -> float:
    """Return the smallest C that changes more than the scale of the solution. ``problem`` must have C = 1.

    If g = 0 there is no such C. Then the C is returned at which the margin of a row of mean length would change by 1 if
    all rows pointed in the same direction.
    """
    work, costs = Workspace(problem, threads), problem.all_costs()
    found = _smallest(work, costs)
    if found < math.inf:
        return found
    power = float(costs @ work.squared_norms()) / problem.lam
    return 1 / power if power > 0 else 1.0


def _smallest(work: Workspace, costs: Floats) -> float:
    problem, is_smooth = work.problem, work.problem.loss.ridge > 0
    if not problem.has_free_intercept:
        slack = np.ones(problem.rows)
        alpha = problem.loss.derivative(slack) if is_smooth else slack
        return _first_contact(slack, _margins(work, _weighted_sum(work, alpha)), costs > 0)
    return (_smooth_free if is_smooth else _linear_free)(work, problem.signs(), costs)


def _smooth_free(work: Workspace, signs: Floats, costs: Floats) -> float:
    """For a smooth loss and a free intercept."""
    slack = 1 - signs * float(signs @ costs) / float(costs.sum())
    margins = _margins(work, _weighted_sum(work, work.problem.loss.derivative(slack)))
    margins -= signs * float((signs * margins) @ costs) / float(costs.sum())  # b follows the mean score
    return _first_contact(slack, margins, costs > 0)


def _linear_free(work: Workspace, signs: Floats, costs: Floats) -> float:
    """For a piecewise linear loss and a free intercept: the method of Frank and Wolfe."""
    is_heavy = signs == (1.0 if signs @ costs > 0 else -1.0)
    heavy, light = np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy & (costs > 0))
    light_total = float(costs[light].sum())
    alpha = np.where(is_heavy, light_total / float(costs[heavy].sum()), 1.0)
    largest_square = float(work.squared_norms().max())
    g = _weighted_sum(work, alpha)
    margins = _margins(work, g)
    for _ in range(MAX_FRANK_WOLFE_STEPS):
        nearest = heavy[np.argsort(margins[heavy])]
        taken = np.clip(light_total - (np.cumsum(costs[nearest]) - costs[nearest]), 0, costs[nearest])
        target = np.where(is_heavy, 0.0, 1.0)
        target[nearest] = np.divide(taken, costs[nearest], out=np.zeros(len(taken)), where=costs[nearest] > 0)
        theta = float(margins[nearest[np.flatnonzero(taken > 0)[-1]]])
        saving = float((costs * margins) @ (alpha - target))
        square = float(g @ g)
        if square <= (NEGLIGIBLE_LENGTH * light_total) ** 2 * largest_square:
            return math.inf
        if saving <= FRANK_WOLFE_TOLERANCE * square / work.problem.lam:
            break
        change = _weighted_sum(work, target) - g
        step = min(1.0, -float(g @ change) / float(change @ change))
        alpha += step * (target - alpha)
        g += step * change
        margins = _margins(work, g)
    span = float(margins[light].max()) + theta
    return 2 / span if span > 0 else math.inf


def _weighted_sum(work: Workspace, alpha: Floats) -> Floats:
    """Return sum_i c_i alpha_i y_i (s x_i, 1); the last entry is 0 unless the intercept is penalised."""
    origin = np.zeros(work.problem.columns + 1)
    work.alpha[:] = alpha
    work.compute_margins(origin)
    total = -bounds_at(work, origin).gradient
    if work.problem.kappa == 0:
        total[-1] = 0.0
    return total


def _margins(work: Workspace, g: Floats) -> Floats:
    """Return the margins per unit of C."""
    v = g / work.problem.lam
    v[-1] = g[-1]
    work.compute_margins(v)
    return work.margins.copy()


def _first_contact(slack: Floats, margins: Floats, counts: NDArray[np.bool_]) -> float:
    """Return the smallest C at which the margin of a row has grown by its slack."""
    moves = counts & (margins > 0)
    return float((slack[moves] / margins[moves]).min()) if moves.any() else math.inf
