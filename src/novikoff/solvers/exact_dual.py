"""The soft-margin problem of a few rows, solved in exact arithmetic by an active set of dual variables.

If C or the scales of the columns are extreme, rounding errors can be larger than the dual variables, and no solver in
floating point makes progress. Problems of a few rows are solved in integers instead. With z_i = y_i x_i, K_ij = z_i.z_j
(+ y_i y_j if the intercept is penalised) and costs C_i, the dual problem in the units of the user is

    max over a:  sum_i a_i - ridge/2 sum_i a_i^2 / C_i - 1/2 a'Ka,     0 <= a_i <= top C_i,  and sum_i y_i a_i = 0

if the intercept is free. The free variables, of rows on the margin, solve a linear system while all others stay at a
bound. A variable at a bound whose derivative has the wrong sign becomes free, and one that reaches a bound stays there
(Nocedal and Wright 2006, section 16.5). The objective never falls, and all numbers are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.exact import Reduced, to_integers
from novikoff.theory.geometry import Floats

from .feasible_duals import make_feasible
from .problem import Problem
from .solver import Solution
from .workspace import Workspace

MAX_EXACT_ROWS, MAX_EXACT_ENTRIES = 16, 400  # of X; larger problems are left to floating point
MAX_CHANGES_PER_ROW = 20  # of the active set, before the search ends with the variables found so far
FIRST_EXCESS, MAX_EXCESS = 2.0**-52, 2.0**-20  # by which a point is stretched beyond the margin 1
GREEDY_CHANGES_PER_ROW = 5  # of these, the first enter by their derivative, and the others by their number

Integers = NDArray[np.object_]


@dataclass(frozen=True)
class ExactPoint:
    """A primal and a dual point in floating point, with bounds on their exact objectives, in the units of the user."""

    weights: Floats
    bias: float
    duals: Floats
    primal: float
    dual: float


def is_small(problem: Problem) -> bool:
    """Return whether a problem is solved in integers in less than about a tenth of a second."""
    is_known = problem.loss.top in (1.0, math.inf)
    return is_known and problem.rows <= MAX_EXACT_ROWS and problem.rows * problem.columns <= MAX_EXACT_ENTRIES


def solve_exactly(work: Workspace, earlier: Solution) -> ExactPoint:
    """Solve a small problem and round the solution. ``work.margins`` is overwritten.

    Rounding may make an optimal point worse than one that was found in floating point. So the primal and the dual point
    of the earlier solution replace those found here if their exact objectives are better.
    """
    return ExactDual(work).solve(earlier)


class ExactDual:
    """The rows, costs and products of one problem as integers times powers of two.

    Variables are a = alpha / cost_unit, the intercept is b = beta / unit, and a derivative of 1 is ``unit``.
    """

    def __init__(self, work: Workspace) -> None:
        problem = work.problem
        self.problem, self.signs = problem, problem.signs().astype(int).tolist()
        columns, z = np.eye(problem.columns + 1)[:-1], np.empty((problem.rows, problem.columns))
        for j, v in enumerate(columns):  # each sum has one term, so that it is exact
            work.compute_margins(v)
            z[:, j] = work.margins
        self.float_costs = problem.objective.C * problem.all_costs()
        numbers, place = to_integers(z.ravel())
        self.row_unit = Fraction(2) ** (place - math.frexp(problem.scale)[1] + 1)  # the rows are those of the user
        self.rows: Integers = np.array(numbers, dtype=object).reshape(z.shape)
        costs, cost_place = to_integers(self.float_costs)
        product_place = min(2 * (place - math.frexp(problem.scale)[1] + 1), 0, -cost_place)
        self.unit = 2 ** (-product_place - cost_place)
        self.costs, self.cost_unit = costs, Fraction(2) ** -cost_place
        square = self.row_unit * self.row_unit / Fraction(2) ** product_place
        self.products: Integers = (self.rows @ self.rows.T) * int(square)
        if problem.objective.intercept == "penalized":
            self.products = self.products + np.outer(self.signs, self.signs).astype(object) * 2**-product_place
        self.ridge = Fraction(problem.loss.ridge)
        self.is_bounded = problem.loss.top < math.inf

    def solve(self, earlier: Solution) -> ExactPoint:
        """Return the optimum, rounded, or a better point of the earlier solution."""
        alpha, beta = _ActiveSet(self).run()
        a = [value / self.cost_unit for value in alpha]
        numbers, divisor = _over_common(a)
        w = [Fraction(int(total), divisor) * self.row_unit for total in np.array(numbers, dtype=object) @ self.rows]
        bias = Fraction(beta) / self.unit
        if self.problem.objective.intercept == "penalized":
            bias = sum((sign * value for sign, value in zip(self.signs, a, strict=True)), Fraction(0))
        points = [(earlier.weights, earlier.bias), *self._candidates(w, bias)]
        weights, b = min(points, key=lambda point: self.primal(*point))
        duals = np.array([_nearest(value) for value in a])
        make_feasible(self.problem, duals)
        duals = max(duals, earlier.duals, np.zeros_like(duals), key=self.dual)
        return ExactPoint(weights, b, duals, _above(self.primal(weights, b)), _below(self.dual(duals)))

    def _candidates(self, w: list[Fraction], bias: Fraction) -> list[tuple[Floats, float]]:
        """Return rounded points: the optimum, the best intercepts for its weights, and one without any loss."""
        weights, has_intercept = np.array([_nearest(entry) for entry in w]), self.problem.has_intercept
        points = [(weights, _nearest(bias) if has_intercept else 0.0)]
        scores = self.scores(weights)
        if self.problem.has_free_intercept:
            kinks = [_nearest(sign - sign * score) for sign, score in zip(self.signs, scores, strict=True)]
            points += [(weights, kink) for kink, cost in zip(kinks, self.costs, strict=True) if cost]
        points += self._stretched(*points[0])
        return [point for point in points if _is_finite(*point)]

    def _stretched(self, weights: Floats, bias: float) -> list[tuple[Floats, float]]:
        """Return multiples of a point, up to the first of which no row has a loss; none if it does not separate.

        The rounding of a multiple can make its margins smaller than 1 again, so the excess grows until it does not.
        """
        points: list[tuple[Floats, float]] = []
        least, excess = min(self._margins(weights, bias)), FIRST_EXCESS
        while least > 0 and excess <= MAX_EXCESS:
            factor = math.nextafter(_nearest(1 / least), math.inf) * (1 + excess)
            points.append((weights * factor, bias * factor))
            if not _is_finite(*points[-1]) or min(self._margins(*points[-1])) >= 1:
                break
            excess *= 2
        return points

    def scores(self, weights: Floats) -> list[Fraction]:
        """Return z_i.w of all rows."""
        digits, place = to_integers(weights)
        unit = self.row_unit * Fraction(2) ** place
        return [int(total) * unit for total in self.rows @ np.array(digits, dtype=object)]

    def _margins(self, weights: Floats, bias: float) -> list[Fraction]:
        """Return the margins of the rows with a cost."""
        pairs = zip(self.scores(weights), self.signs, self.costs, strict=True)
        return [score + sign * Fraction(bias) for score, sign, cost in pairs if cost]

    def primal(self, weights: Floats, bias: float) -> Fraction:
        """Return the primal objective."""
        total = _square(weights) / 2
        if self.problem.objective.intercept == "penalized":
            total += Fraction(bias) ** 2 / 2
        slacks = (max(Fraction(0), 1 - margin) for margin in self._margins(weights, bias))
        losses = (slack if self.is_bounded else slack * slack for slack in slacks)
        costs = [Fraction(cost) for cost in self.float_costs.tolist() if cost]
        return total + sum((cost * loss for cost, loss in zip(costs, losses, strict=True)), Fraction(0))

    def dual(self, duals: Floats) -> Fraction:
        """Return the dual objective of duals, after the heavier class was scaled down if the intercept is free."""
        a = [Fraction(value) for value in duals.tolist()]
        if self.problem.has_free_intercept:
            sums = {1: Fraction(0), -1: Fraction(0)}
            for x, y in zip(a, self.signs, strict=True):
                sums[y] += x
            least = min(sums.values())
            a = [x * least / sums[y] if sums[y] > least else x for x, y in zip(a, self.signs, strict=True)]
        numbers, divisor = _over_common(a)
        vector = np.array(numbers, dtype=object)
        product = Fraction(int(vector @ self.products @ vector), divisor * divisor) * self.cost_unit / self.unit
        ridge = sum((x * x / Fraction(c) for x, c in zip(a, self.float_costs, strict=True) if x), Fraction(0))
        value: Fraction = sum(a, Fraction(0)) - product / 2 - self.ridge * ridge / 2
        return value


class _ActiveSet:
    """The variables alpha, and which of them are free; the others stay at a bound."""

    def __init__(self, problem: ExactDual) -> None:
        self.problem, self.count = problem, len(problem.costs)
        self.has_free_intercept = problem.problem.has_free_intercept
        self.alpha = [Fraction(0)] * self.count
        self.beta = Fraction(0)
        # With a free intercept there is always a free row, which determines it.
        self.free = [next(i for i, cost in enumerate(problem.costs) if cost)] if self.has_free_intercept else []

    def run(self) -> tuple[list[Fraction], Fraction]:
        """Return alpha and beta."""
        for change in range(MAX_CHANGES_PER_ROW * self.count):
            if change == 0:
                self._settle()
            entering = self._entering(is_greedy=change < GREEDY_CHANGES_PER_ROW * self.count)
            if entering is None:
                break
            self.free.append(entering)
            self._settle()
        return self.alpha, self.beta

    def _derivatives(self) -> list[Fraction]:
        """Return the derivatives of the objective by all variables, in units of 1 / ``unit``."""
        problem = self.problem
        numbers, divisor = _over_common(self.alpha)
        totals = problem.products @ np.array(numbers, dtype=object)
        found = [problem.unit - Fraction(int(total), divisor) for total in totals]
        for i, sign in enumerate(problem.signs):
            if problem.ridge and problem.costs[i]:
                found[i] -= problem.ridge * problem.unit * self.alpha[i] / problem.costs[i]
            if self.has_free_intercept:
                found[i] -= sign * self.beta
        return found

    def _entering(self, is_greedy: bool) -> int | None:
        """Return a variable at a bound that should leave it; None at the optimum."""
        derivatives, costs = self._derivatives(), self.problem.costs
        wrong = {
            i: abs(derivative)
            for i, derivative in enumerate(derivatives)
            if costs[i] and i not in self.free and (derivative > 0 if self.alpha[i] == 0 else derivative < 0)
        }
        if not wrong:
            return None
        return max(wrong, key=wrong.__getitem__) if is_greedy else min(wrong)

    def _settle(self) -> None:
        """Move the free variables to their optimum; those that reach a bound on the way stay there."""
        while self.free:
            target = self._target()
            full = target is not None
            direction = self._rising_direction() if target is None else target
            step, blocking = self._longest_step(direction, Fraction(1) if full else None)
            for i, change in zip(self.free, direction, strict=True):
                self.alpha[i] += step * change
            if blocking is None:
                return
            falls = direction[self.free.index(blocking)] < 0
            self.alpha[blocking] = Fraction(0 if falls else self.problem.costs[blocking])
            self.free.remove(blocking)

    def _longest_step(self, direction: list[Fraction], longest: Fraction | None) -> tuple[Fraction, int | None]:
        """Return the step along a direction until a variable reaches a bound, and that variable, if one does."""
        step, blocking = longest, None
        for i, change in zip(self.free, direction, strict=True):
            if change < 0:
                room = -self.alpha[i] / change
            elif change > 0 and self.problem.is_bounded:
                room = (self.problem.costs[i] - self.alpha[i]) / change
            else:
                continue
            if step is None or room < step:
                step, blocking = room, i
        assert step is not None  # an unbounded direction would raise the objective without limit
        return step, blocking

    def _system(self) -> list[list[int]]:
        """Return the rows of the linear system for the free variables and beta, with the right-hand side last."""
        problem, free = self.problem, self.free
        others = [i for i in range(self.count) if i not in free and self.alpha[i]]  # at their upper bounds, integers
        fixed = np.array([int(self.alpha[i]) for i in others], dtype=object)
        ridge, system = problem.ridge * problem.unit, []
        for i in free:
            right = problem.unit - (int(problem.products[i, others] @ fixed) if others else 0)
            row = [*problem.products[i, free].tolist(), *([problem.signs[i]] if self.has_free_intercept else []), right]
            if ridge:
                factor = problem.costs[i] * ridge.denominator
                row = [factor * entry for entry in row]
                row[free.index(i)] += ridge.numerator
            system.append(row)
        if self.has_free_intercept:
            surplus = sum(problem.signs[i] * int(self.alpha[i]) for i in others)
            system.append([*(problem.signs[i] for i in free), 0, -surplus])
        return system

    def _target(self) -> list[Fraction] | None:
        """Return the way of the free variables to their optimum, and set beta; None if the system is singular."""
        system = self._system()
        size = len(system)
        solved = Reduced(system, size + 1)
        if solved.pivots != list(range(size)):
            return None
        values = [Fraction(int(solved.table[k, -1]), solved.divisor) for k in range(size)]
        if self.has_free_intercept:
            self.beta = values.pop()
        return [value - self.alpha[i] for i, value in zip(self.free, values, strict=True)]

    def _rising_direction(self) -> list[Fraction]:
        """Return a direction of the free variables in which the objective rises without curvature."""
        system: list[list[Any]] = [row[:-1] for row in self._system()]
        vector = Reduced(system, len(system)).null_space()[0][: len(self.free)]
        derivatives = self._derivatives()
        slope = sum(derivatives[i] * entry for i, entry in zip(self.free, vector, strict=True))
        return [Fraction(entry if slope >= 0 else -entry) for entry in vector]


def _is_finite(weights: Floats, bias: float) -> bool:
    return bool(np.all(np.isfinite(weights)) and math.isfinite(bias))


def _over_common(values: list[Fraction]) -> tuple[list[int], int]:
    """Return numerators and their common denominator."""
    divisor = math.lcm(*(value.denominator for value in values))
    return [value.numerator * (divisor // value.denominator) for value in values], divisor


def _square(vector: Floats) -> Fraction:
    """Return the squared length of a vector."""
    return sum((Fraction(entry) ** 2 for entry in vector.tolist()), Fraction(0))


def _nearest(number: Fraction) -> float:
    """Return the nearest float; an infinity if the number is too large."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _above(number: Fraction) -> float:
    """Return a float that is at least the number."""
    nearest = _nearest(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def _below(number: Fraction) -> float:
    """Return a float that is at most the number."""
    nearest = _nearest(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)
