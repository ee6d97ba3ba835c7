"""The nearest points of the convex hulls of two classes in exact arithmetic (Wolfe 1976), for small sets of rows.

The products of rows whose columns have very different scales lose the small columns to rounding. Here all numbers are
integers, so neither the scales nor the distance of the hulls are an obstacle.

With z_i = y_i u_i, the hard margin asks for the shortest vector in the convex hull of all z_i; or, if the intercept is
free, of all z_i + z_j of a positive row i and a negative row j. Wolfe's method keeps a corral: vertices whose affine
hull has its shortest vector x inside of their convex hull. If no vertex p has p.x < x.x, then x is the shortest vector.
Otherwise the vertex with the least p.x joins the corral, and vertices leave it until it is a corral again. In every
step x becomes shorter, so the method ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.exact import Examples, IntegerVector, Reduced, to_integers
from novikoff.theory.geometry import Floats

from .float_planes import nearby_float_plane

MAX_STEPS_PER_COLUMN, MIN_STEPS = 10, 100  # vertices that join, before the search ends with the best plane so far
MARGIN_TOLERANCE = 2.0**-50  # the smallest margin of a scaled plane may differ from 1 by so much


@dataclass(frozen=True)
class ShortestVector:
    """A vector x in the convex hull of the vertices.

    Parameters
    ----------
    direction : list of int
        x times a positive number.
    duals : ndarray of shape (rows,)
        The weights a_i of the rows, rounded to floats: x is proportional to sum_i a_i z_i.
    steps : int
        The number of vertices that joined.
    """

    direction: IntegerVector
    duals: Floats
    steps: int


@dataclass(frozen=True)
class SeparatingPlane:
    """A plane in floating point that is proven to separate the rows, and its margins y_i (w.x_i + b), rounded."""

    weights: Floats
    bias: float
    margins: Floats


class IntegerHulls:
    """The rows z_i = y_i u_i as integers, times a common power of two.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows.
    signs : ndarray of shape (n_samples,)
        The labels as -1 and +1.
    intercept : {"free", "penalized", "none"}
        The role of the intercept. If it is penalised, u is (x, 1), else x.
    """

    def __init__(self, X: NDArray[np.float64], signs: Floats, intercept: str) -> None:
        z = Examples(X, signs, intercept == "penalized").floats(np.arange(len(signs)))
        numbers, self.exponent = to_integers(z.ravel())
        self.rows = np.array(numbers, dtype=object).reshape(z.shape)
        self.columns = int(z.shape[1])
        self.is_positive, self.intercept = signs > 0, intercept

    @property
    def max_steps(self) -> int:
        """The number of steps of `shortest_vector`, at most."""
        return max(MIN_STEPS, MAX_STEPS_PER_COLUMN * self.columns)

    def scores(self, direction: IntegerVector) -> NDArray[np.object_]:
        """Return z_i.v of all rows, for integers v."""
        products: NDArray[np.object_] = self.rows @ np.array(direction, dtype=object)
        return products

    def lowest(self, scores: NDArray[np.object_]) -> tuple[int, ...]:
        """Return the rows of the vertex with the least score."""
        if self.intercept != "free":
            return (min(range(len(scores)), key=scores.__getitem__),)
        return tuple(
            min(np.flatnonzero(side).tolist(), key=scores.__getitem__) for side in (self.is_positive, ~self.is_positive)
        )

    def shortest_vector(self, tol: float) -> ShortestVector:
        """Return the shortest vector; or, after many steps, one that is almost as short.

        ``tol`` is the relative difference of the bounds on its length at which the search ends.
        """
        corral = _Corral(self.rows)
        corral.add(self.lowest(np.zeros(len(self.rows), dtype=object)))
        enough, steps = 1 - Fraction(tol), 0
        while True:
            x, divisor = corral.point()
            scores = self.scores(x)
            vertex = self.lowest(scores)
            least = divisor * sum(scores[i] for i in vertex)
            steps += 1
            if least >= enough * sum(entry * entry for entry in x) or steps == self.max_steps:
                return ShortestVector(x, corral.duals(len(self.rows)), steps)
            corral.add(vertex)

    def rounded_plane(self, direction: IntegerVector) -> SeparatingPlane | None:
        """Return the plane of a direction in floats, with a smallest margin near 1; None unless it separates."""
        scores = self.scores(direction)
        least = sum(scores[i] for i in self.lowest(scores))
        if least <= 0:
            return None
        unit = Fraction(2 if self.intercept == "free" else 1, least) * Fraction(2) ** -self.exponent
        exact = [entry * unit for entry in direction]
        try:
            return self.plane_of(np.array([float(entry) for entry in exact])) or self._nearby_plane(exact)
        except OverflowError:  # the weights do not fit into floats
            return None

    def _nearby_plane(self, exact: list[Fraction]) -> SeparatingPlane | None:
        """Search for a plane in floats near an exact one that separates the rows."""
        unit = Fraction(2) ** self.exponent
        rows = [[entry * unit for entry in row] for row in self.rows.tolist()]
        if self.intercept == "free":
            scores = np.array([sum(a * b for a, b in zip(row, exact, strict=True)) for row in rows], dtype=object)
            positive, negative = self.lowest(scores)
            exact = [*exact, (scores[negative] - scores[positive]) / 2]
            rows = [[*row, Fraction(1 if side else -1)] for row, side in zip(rows, self.is_positive, strict=True)]
        v = nearby_float_plane(rows, exact)
        if v is None:
            return None
        margins = np.array([float(sum(a * Fraction(b) for a, b in zip(row, v.tolist(), strict=True))) for row in rows])
        weights, bias = (v, 0.0) if self.intercept == "none" else (v[:-1], float(v[-1]))
        return SeparatingPlane(weights, bias, margins)

    def plane_of(self, v: Floats) -> SeparatingPlane | None:
        """Return the plane of weights, then the intercept if it is penalised; None unless it separates the rows.

        A free intercept, of which ``v`` may have a value as its last entry, is placed in the middle of the classes. The
        smallest margin is 1 but for rounding; or, if the plane would no longer separate the rows, near 1.
        """
        v = v[: self.columns]
        found = self._proven_plane(v)
        if found is None or abs(found.margins.min() - 1) <= MARGIN_TOLERANCE:
            return found
        v = np.ldexp(v, -math.frexp(found.margins.min())[1])  # without rounding, unless the weights become tiny
        found = self._proven_plane(v) or found
        return self._proven_plane(v / found.margins.min()) or found

    def _proven_plane(self, v: Floats) -> SeparatingPlane | None:
        """Return the plane as it is given; a free intercept is computed."""
        digits, exponent = to_integers(v)
        unit = Fraction(2) ** (exponent + self.exponent)
        scores = [score * unit for score in self.scores(digits)]
        weights, bias = (v[:-1], float(v[-1])) if self.intercept == "penalized" else (v, 0.0)
        try:
            if self.intercept == "free":
                positive, negative = self.lowest(np.array(scores, dtype=object))
                bias = float((scores[negative] - scores[positive]) / 2)
                shifts = np.where(self.is_positive, bias, -bias).tolist()
                scores = [score + Fraction(shift) for score, shift in zip(scores, shifts, strict=True)]
            margins = np.array([float(score) for score in scores])
        except OverflowError:
            return None
        return SeparatingPlane(weights, bias, margins) if margins.min() > 0 else None


class _Corral:
    """Affinely independent vertices, and positive weights of sum 1, which are integers divided by ``divisor``."""

    def __init__(self, rows: NDArray[np.object_]) -> None:
        self.rows = rows
        self.vertices: list[tuple[int, ...]] = []
        self.points: list[NDArray[np.object_]] = []
        self.products: list[list[int]] = []
        self.weights: list[int] = []
        self.divisor = 1

    def point(self) -> tuple[IntegerVector, int]:
        """Return x times the divisor, and the divisor."""
        total = sum(weight * point for weight, point in zip(self.weights, self.points, strict=True))
        return list(np.asarray(total, dtype=object)), self.divisor

    def duals(self, rows: int) -> Floats:
        """Return the weights of the rows as floats; those of a vertex belong to each of its rows."""
        sums = [0] * rows
        for weight, vertex in zip(self.weights, self.vertices, strict=True):
            for row in vertex:
                sums[row] += weight
        return np.array([total / self.divisor for total in sums])

    def add(self, vertex: tuple[int, ...]) -> None:
        """Add a vertex and move to the shortest vector of the affine hull, or as far as the convex hull reaches."""
        point = np.asarray(self.rows[list(vertex)].sum(axis=0), dtype=object)
        new = [int(point @ other) for other in [*self.points, point]]
        for row, product in zip(self.products, new, strict=False):
            row.append(product)
        self.products.append(new)
        self.vertices.append(vertex)
        self.points.append(point)
        self.weights.append(0 if self.weights else 1)
        while True:
            target, divisor = _affine_minimum(self.products)
            if min(target) > 0:
                self._set(target, divisor)
                return
            self._move(target, divisor)

    def _move(self, target: list[int], divisor: int) -> None:
        """Move towards weights until the first weight is 0, and remove the vertices of weight 0."""
        old = [Fraction(weight, self.divisor) for weight in self.weights]
        new = [Fraction(weight, divisor) for weight in target]
        share = min(a / (a - b) if a > b else Fraction(0) for a, b in zip(old, new, strict=True) if b <= 0)
        moved = [a + share * (b - a) for a, b in zip(old, new, strict=True)]
        kept = [place for place, weight in enumerate(moved) if weight > 0]
        self.vertices = [self.vertices[k] for k in kept]
        self.points = [self.points[k] for k in kept]
        self.products = [[self.products[k][j] for j in kept] for k in kept]
        common = math.lcm(*(moved[k].denominator for k in kept))
        self._set([int(moved[k] * common) for k in kept], common)

    def _set(self, weights: list[int], divisor: int) -> None:
        common = math.gcd(divisor, *weights)
        self.weights, self.divisor = [weight // common for weight in weights], divisor // common


def _affine_minimum(products: list[list[int]]) -> tuple[list[int], int]:
    """Return the weights of sum 1 whose combination is shortest, as integers and their positive divisor.

    They solve G a + t = 0, sum a = 1, with the products G of the points and a multiplier t.
    """
    count = len(products)
    matrix = [[*row, 1, 0] for row in products] + [[1] * count + [0, 1]]
    solved = Reduced(matrix, count + 2)
    sign = 1 if solved.divisor > 0 else -1
    return [sign * int(solved.table[k, -1]) for k in range(count)], abs(solved.divisor)
