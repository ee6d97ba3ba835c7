"""The nearest points of the hulls of two classes, from the few rows that decide them.

The problem is solved over some rows, by their products alone; then all rows are measured, and those that lie within the
margin join, the worst first, until there are none. It pays where the rows on the margin are few. Where they are not, or
the hulls are too near one another, it gives up, and nothing is lost but a little time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .problem import Problem
from .soft_margin import Progress
from .training_set import TrainingSet

FIRST, MOST = 100, 3000  # rows to begin with, and to end with at most
TOGETHER = 128  # rows whose products are computed at a time
ROUGH, NEAR = 0.01, 1.05  # the accuracy of margins while rows still join, and the margins of those that stay then
PATIENCE, PER_ROW = 5000, 100  # steps over some rows before they are given up
HEAVIEST = 1e9  # sum a, for rows of unit length: a margin of less than 1/30,000 of that is left to others


@dataclass(frozen=True)
class Plane:
    """A plane and the dual numbers it came with, in the units of the user, up to a factor."""

    weights: Floats
    bias: float
    duals: Floats  # of every row


class WorkingSet:
    """Some rows of a question with the products between them, their dual numbers and their scores."""

    def __init__(self, data: TrainingSet, problem: Problem) -> None:
        self.data, self.problem = data, problem
        self.intercept = problem.objective.intercept
        self.signs = problem.signs()
        self.outside = np.ones(problem.rows, dtype=bool) if data.weights is None else data.weights > 0
        self.rows = np.empty(0, dtype=np.int64)
        self.products = np.empty((0, 0))
        self.a, self.scores = np.empty(0), np.empty(0)

    def add(self, rows: NDArray[np.int64]) -> None:
        """Let rows join that were outside."""
        before, count = len(self.rows), len(self.rows) + len(rows)
        products = np.empty((count, count))
        products[:before, :before] = self.products
        for first in range(0, len(rows), TOGETHER):  # each with those before it: products are the same both ways
            new = rows[first : first + TOGETHER]
            self.rows = np.append(self.rows, new)
            start, end = before + first, len(self.rows)
            products[start:end, :end] = self._products(new)
            products[:start, start:end] = products[start:end, :start].T
        self.products = products
        self.outside[rows] = False
        self.a = np.append(self.a, np.zeros(len(rows)))
        self.scores = products @ (self.a * self.signs[self.rows])

    def keep(self, inside: NDArray[np.bool_]) -> None:
        """Let the other rows go, none of which may have a dual number."""
        self.outside[self.rows[~inside]] = True
        self.rows, self.a, self.scores = self.rows[inside], self.a[inside], self.scores[inside]
        self.products = np.ascontiguousarray(self.products[np.ix_(inside, inside)])

    def _products(self, new: NDArray[np.int64]) -> Floats:
        """Of rows that are the last of the set with all of it, for rows scaled to about unit length."""
        scale, X = self.problem.scale, self.data.X
        if sp.issparse(X):
            products = np.empty((len(new), len(self.rows)))
            self.problem.kernel.row_products(new, self.rows, products)
        else:
            every = (X if len(new) == len(X) else X[self.rows]).astype(np.float64, copy=False)
            products = every[len(every) - len(new) :] @ every.T
            products *= scale * scale  # of rows so long that their squares can be computed with
        return products + scale * scale if self.intercept == "penalized" else products

    def descend(self, accuracy: float, most: int) -> tuple[int, float]:
        """Bring the margins of these rows to 1, or above where there is no dual number; steps, and what is missing."""
        balanced = self.intercept == "free"
        return _core.nearest_points(
            self.products, self.signs[self.rows], balanced, self.a, self.scores, accuracy, most, HEAVIEST
        )

    def point(self) -> Floats:
        """The plane (w, b) of the dual numbers, for rows scaled to about unit length."""
        v, support = np.zeros(self.problem.columns + 1), np.flatnonzero(self.a)
        pulls = (self.a * self.signs[self.rows])[support]
        self.problem.kernel.combine(self.rows[support], pulls, v)
        v[-1] = 0.0
        if self.intercept == "penalized":
            v[-1] = self.problem.scale**2 * float(pulls.sum())
        elif self.intercept == "free":
            v[-1] = float(self.a @ (self.signs[self.rows] - self.scores)) / float(self.a.sum())
        return v

    def plane(self, v: Floats) -> Plane:
        """The same for the user."""
        duals = np.zeros(self.problem.rows)
        duals[self.rows] = self.a
        return Plane(v[:-1] * self.problem.scale, float(v[-1]), duals)


def nearest_points(data: TrainingSet, problem: Problem, tol: float, progress: Progress) -> tuple[Plane | None, int]:
    """The plane between the nearest points, or None if this is not the way; and the steps that were made.

    A step is as many moves as there are rows in the set. ``problem.margins`` are those of the plane.
    """
    some = WorkingSet(data, problem)
    some.add(_spread(some))
    finest = 0.3 * tol
    accuracy, steps = max(ROUGH, finest) if some.outside.any() else finest, 0
    while True:
        count = len(some.rows)
        most = PATIENCE + PER_ROW * count
        moves, missing = some.descend(accuracy, min(most, (progress.left - steps) * count))
        steps += math.ceil(moves / count)
        if (missing > accuracy and moves == most) or some.a.sum() > HEAVIEST or not some.a.any():
            return None, steps
        v = some.point()
        problem.measure(v)
        if steps >= progress.left:
            return some.plane(v), progress.left
        rows = _nearest(some, problem.margins, accuracy)
        if progress.say is not None:
            progress.say(
                f"step {steps}: {count} rows, margins to {accuracy:.1e}; {len(rows)} more within the margin", None
            )
        if len(rows) == 0 and accuracy == finest:
            return some.plane(v), steps
        if count + len(rows) > MOST:
            return None, steps
        if len(rows) == 0:
            accuracy = finest
            some.keep((some.a > 0) | (problem.margins[some.rows] < NEAR))
        else:
            some.add(rows)


def _spread(some: WorkingSet) -> NDArray[np.int64]:
    """The rows to begin with: all if they are few, else some of each class, at equal distances."""
    rows = np.flatnonzero(some.outside)
    if len(rows) <= 2 * FIRST:
        return rows
    classes = [rows[some.signs[rows] == sign] for sign in (-1, 1)]
    few = [own[:: max(1, 2 * len(own) // FIRST)] for own in classes]
    return np.sort(np.concatenate(few))


def _nearest(some: WorkingSet, margins: Floats, accuracy: float) -> NDArray[np.int64]:
    """Rows outside that lie within the margin; the worst of them, at most half as many as there are inside."""
    within = np.flatnonzero(some.outside & (margins < 1 - accuracy))
    most = max(FIRST, len(some.rows) // 2)
    if len(within) > most:
        within = np.sort(within[np.argpartition(margins[within], most)[:most]])
    return within
