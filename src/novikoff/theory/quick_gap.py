"""Primal and dual objective of a soft-margin machine, enclosed quickly for numbers of ordinary magnitudes.

One pass over the rows computes w.x_i and v = sum a_i y_i x_i. The errors of both are bounded without another look at
the values: with |x_i| <= r, each score is off by at most k eps r |w|, and the vector v by at most k eps r sum a_i in
length, for sums of k terms.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .enclosed_sums import EPS, Enclosed, Rows, interval_of_products
from .enclosure import Enclosure
from .geometry import Floats, transposed
from .interval import Interval
from .measured import Measured

ORDINARY = 2.0**100  # numbers between its inverse and it, and their products, neither overflow nor underflow
TINY = 2.0**-800  # bounds the sum of all products that underflow
ZERO = Interval(0.0, 0.0)
CHUNK_ROWS = 1 << 13  # rows whose losses are computed at a time, so that few vectors of all rows are needed


class Point(NamedTuple):
    """A point of a soft-margin problem.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights w.
    bias : float
        The intercept b.
    duals : ndarray of shape (n_samples,)
        Duals a that are feasible, except that they need not be balanced.
    """

    weights: Floats
    bias: float
    duals: Floats


class BinaryProblem(Protocol):
    """What is needed of a soft-margin problem."""

    @property
    def signs(self) -> Floats:
        """Labels as -1 and +1."""

    @property
    def costs(self) -> Floats:
        """The cost C_i of each row."""

    @property
    def loss(self) -> str:
        """The loss."""

    @property
    def intercept(self) -> str:
        """The role of the intercept."""


def quick_bounds(
    problem: BinaryProblem, point: Point, rows: Rows, measured: Measured | None = None
) -> tuple[Enclosure, Enclosure] | None:
    """Return enclosures of P and D, or None if some number is too large or too small.

    Parameters
    ----------
    problem : SoftMargin
        Labels, costs, loss and role of the intercept.
    point : Point
        Weights and duals.
    rows : Rows
        The rows.
    measured : Measured, default=None
        The scores and the sum of the duals, if they have been computed already.
    """
    weights, bias, a = point
    if not all(is_ordinary(number) for number in (rows.largest, weights, bias, problem.costs, a)):
        return None
    losses, v, error, terms = _pass(problem, point, rows) if measured is None else _use(measured, problem, point, rows)
    primal = losses + _squared_length(weights).half()
    if problem.intercept == "penalized":
        primal += Interval(bias, bias).square().half()
    if not a.any():
        return primal.widened(TINY).enclosure(), Enclosure.exactly(0)
    dual = _dual(problem, a, v, error, rows.largest * math.sqrt(terms))
    return primal.widened(TINY).enclosure(), dual.enclosure()


def _pass(problem: BinaryProblem, point: Point, rows: Rows) -> tuple[Interval, Floats, float, int]:
    """Return the losses, v = sum a_i y_i x_i with its error relative to sum a_i |x_i|, and the most terms of a row."""
    v, losses, terms, added, pieces = np.zeros(rows.columns), ZERO, 0, 0, 0
    for block in rows.blocks():
        own_terms = int(np.max(block.terms, initial=0))
        losses += _losses(problem, block.cut, block.values @ point.weights, point.bias, _error(point, rows, own_terms))
        own = point.duals[block.cut] * problem.signs[block.cut]
        used = int(np.count_nonzero(own))
        if used:
            v += transposed(block.values) @ own
        terms, added, pieces = max(terms, own_terms), max(added, used), pieces + 1
    return losses, v, (added + pieces + 8) * EPS, terms


def _use(measured: Measured, problem: BinaryProblem, point: Point, rows: Rows) -> tuple[Interval, Floats, float, int]:
    """Return the same if the scores and v are known."""
    error = _error(point, rows, measured.terms)
    losses = _losses(problem, slice(0, rows.count), measured.scores, point.bias, error)
    return losses, measured.v, (measured.added + measured.pieces + 8) * EPS, measured.terms


def _error(point: Point, rows: Rows, terms: int) -> float:
    """Return a bound on the errors of the shortfalls 1 - y (w.x + b), for scores of so many terms."""
    norm = math.sqrt(float(point.weights @ point.weights))
    return (terms + 8) * EPS * (rows.largest * math.sqrt(terms) * norm + abs(point.bias) + 1)


def _losses(problem: BinaryProblem, cut: slice, scores: Floats, bias: float, error: float) -> Interval:
    """Return the losses of some rows, given scores whose shortfalls 1 - y (w.x + b) are off by at most ``error``."""
    total, first = ZERO, cut.start
    for some in _chunks(len(scores)):
        own = slice(first + some.start, first + some.stop)
        short, costs = 1.0 - problem.signs[own] * (scores[some] + bias), problem.costs[own]
        low, high = np.maximum(0.0, short - error), np.maximum(0.0, short + error)
        if problem.loss == "hinge":
            total += interval_of_products(costs, low, costs, high)
        else:
            total += interval_of_products(costs * low, low, costs * high, high)
    return total


def _dual(problem: BinaryProblem, a: Floats, v: Floats, error: float, length: float) -> Interval:
    """Return D(a), given v = sum a_i y_i x_i, its error relative to the sum of a_i |x_i|, and a bound on |x_i|."""
    sides = [_sum(a, problem.signs, sign) for sign in (1.0, -1.0)]
    total, root, least = sides[0] + sides[1], _squared_length(v).root(), Interval(1.0, 1.0)
    share, size = error, total.high * length
    if problem.intercept == "free":
        lighter, heavier = sorted(sides, key=lambda side: side.low)
        lighter = Interval(lighter.low, min(side.high for side in sides))
        heavier = Interval(heavier.low, max(side.high for side in sides))
        total = lighter + lighter
        least = Interval(lighter.over(heavier).low, 1.0)  # a class is scaled by this to 1
        share += 1 - least.low
    away = root.widened(size * share * (1 + 8 * EPS) + TINY)  # the factor pays for the roundings of size and share
    found = (total - away.square().half()).widened(TINY)
    if problem.intercept == "penalized":
        found -= (sides[0] - sides[1]).square().half()
    if problem.loss == "squared_hinge":
        found -= least.square().times(_ridge(a, problem.costs))
    return found


def _ridge(a: Floats, costs: Floats) -> Interval:
    """Return the sum of a_i^2 / (4 C_i)."""
    total = ZERO
    for cut in _chunks(len(a)):
        own = a[cut]
        quotients = np.divide(own, costs[cut], out=np.zeros_like(own), where=own > 0)
        total += interval_of_products(own, quotients * (1 - EPS), own, quotients * (1 + EPS))
    return total.half().half()


def _sum(a: Floats, signs: Floats, sign: float) -> Interval:
    """Return the sum of the a_i of one class."""
    total = ZERO
    for cut in _chunks(len(a)):
        own, counted = a[cut], (signs[cut] == sign).astype(np.float64)
        total += interval_of_products(own, counted, own, counted)
    return total


def _squared_length(vector: Floats) -> Interval:
    """Return the sum of the squares of numbers whose squares do not overflow."""
    return interval_of_products(vector, vector, vector, vector)


def _chunks(rows: int) -> list[slice]:
    return [slice(first, min(first + CHUNK_ROWS, rows)) for first in range(0, rows, CHUNK_ROWS)]


def is_ordinary(numbers: Any) -> bool:
    """Return whether the largest absolute value is 0 or of an ordinary magnitude."""
    numbers = np.asarray(numbers)
    largest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
    return largest == 0 or 1 / ORDINARY <= largest <= ORDINARY


def squared_length(weights: NDArray[np.float64]) -> Enclosure:
    """Return the enclosure of the sum of the squares of floats."""
    weights = weights[weights != 0]
    return Enclosed(weights, np.zeros(len(weights)), 0).squared_length()
