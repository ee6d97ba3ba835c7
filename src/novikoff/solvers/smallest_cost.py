"""The C from which on the path begins: below it the solution only scales with C.

Write w = C g. For the hinge and C near 0 no margin reaches 1 but where the intercept puts it, and g does not depend on
C:

- Without an intercept, or with a penalised one that counts as a feature, every row is at its bound: g = sum c_i y_i
  x_i. That is the solution until the first margin reaches 1, so the smallest C is 1 / max_i y_i g.x_i.
- With a free intercept the two classes balance. All rows of the lighter class, of total weight T, are at their bounds,
  and the heavier class answers with that weight T of its rows whose sum is nearest: g = the shortest sum_light c_i x_i
  - sum_heavy c_j alpha_j x_j over 0 <= alpha <= 1, sum c_j alpha_j = T. The intercept puts the rows that share the
  weight on their margin, where -g.x_j = theta; those further out have alpha = 0. The first row of the lighter class
  reaches its own margin at C = 2 / (max_light g.x_i + theta). The shortest g is found by the method of Frank and Wolfe
  (1956), about: the grid needs no more.

The squared hinge has no bounds, so its solution bends from the start. To first order in C it is that of w = 0, where
the intercept is the mean label if it is free and 0 if not: g = 2 sum c_i (1 - y_i b) y_i x_i. The path begins where the
first row would reach its margin if w went on in this direction: until there, all rows count, and the solution is that
of least squares.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

from .problem import Problem

NEAR = 0.02  # the share of |g|^2 that a better g could save
MOST_ROUNDS = 60
NOTHING = 1e-3  # a g this short, beside the length it could have, is taken for 0


def smallest_cost(problem: Problem) -> float:
    """The smallest C that makes a difference; ``problem`` is stated for C = 1, and overwritten.

    Where none does, as g = 0, any would do: then it is the one at which a row of mean length has changed its margin by
    1 if all rows pulled the same way.
    """
    costs = problem.costs_of(np.arange(problem.rows))
    found = _smallest(problem, costs)
    if found < math.inf:
        return found
    norms = np.empty(problem.rows)
    problem.kernel.norms(norms)
    power = float(costs @ norms) / problem.lam
    return 1 / power if power > 0 else 1.0


def _smallest(problem: Problem, costs: Floats) -> float:
    if not problem.free_intercept:
        alpha = np.full(problem.rows, 2.0 if problem.squared else 1.0)
        return _first(np.ones(problem.rows), _margins(problem, _pull(problem, alpha)), costs > 0)
    signs = problem.signs()
    if problem.squared:
        return _squared_free(problem, signs, costs)
    return _hinge_free(problem, signs, costs)


def _squared_free(problem: Problem, signs: Floats, costs: Floats) -> float:
    slack = 1 - signs * float(signs @ costs) / float(costs.sum())
    margins = _margins(problem, _pull(problem, 2 * slack))
    margins -= signs * float((signs * margins) @ costs) / float(costs.sum())  # b follows the mean score
    return _first(slack, margins, costs > 0)


def _hinge_free(problem: Problem, signs: Floats, costs: Floats) -> float:
    is_heavy = signs == (1.0 if signs @ costs > 0 else -1.0)
    heavy, light = np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy & (costs > 0))
    mass, weight = costs[heavy], float(costs[light].sum())
    alpha = np.where(is_heavy, weight / float(mass.sum()), 1.0)
    problem.kernel.norms(problem.rates)
    largest = float(problem.rates.max())
    pull = _pull(problem, alpha)
    margins = _margins(problem, pull)
    for _ in range(MOST_ROUNDS):
        nearest = heavy[np.argsort(margins[heavy])]
        room = np.clip(weight - (np.cumsum(costs[nearest]) - costs[nearest]), 0, costs[nearest])
        target = np.where(is_heavy, 0.0, 1.0)
        target[nearest] = np.divide(room, costs[nearest], out=np.zeros(len(room)), where=costs[nearest] > 0)
        theta = float(margins[nearest[np.flatnonzero(room > 0)[-1]]])
        saving = float((costs * margins) @ (alpha - target))
        square = float(pull @ pull)
        if square <= (NOTHING * weight) ** 2 * largest:
            return math.inf
        if saving <= NEAR * square / problem.lam:
            break
        change = _pull(problem, target) - pull
        step = min(1.0, -float(pull @ change) / float(change @ change))
        alpha += step * (target - alpha)
        pull += step * change
        margins = _margins(problem, pull)
    span = float(margins[light].max()) + theta
    return 2 / span if span > 0 else math.inf


def _pull(problem: Problem, alpha: Floats) -> Floats:
    """Return sum_i c_i alpha_i y_i (s x_i, 1); the last entry is 0 unless the intercept is penalised."""
    origin = np.zeros(problem.columns + 1)
    problem.alpha[:] = alpha
    problem.measure(origin)
    pull = -problem.bounds(origin).gradient
    if problem.kappa == 0:
        pull[-1] = 0.0
    return pull


def _margins(problem: Problem, pull: Floats) -> Floats:
    """The margins for each unit of C."""
    v = pull / problem.lam
    v[-1] = pull[-1]
    problem.measure(v)
    return problem.margins.copy()


def _first(room: Floats, margins: Floats, counts: NDArray[np.bool_]) -> float:
    """The first C at which a margin has used up its room."""
    moves = counts & (margins > 0)
    return float((room[moves] / margins[moves]).min()) if moves.any() else math.inf
