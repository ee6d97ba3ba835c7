"""The nearest points of the convex hulls of two classes, by a working set of rows.

The problem is solved over a few rows, from the products of those rows alone. Then the margins of all rows are computed,
and the rows with the smallest margins join the working set, until no row outside has a margin below 1. This is fast if
few rows lie on the margin. Otherwise, or if the hulls are very close to each other, it gives up early.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .product_problem import MAX_SMALL_SYSTEM, solve_positive
from .solver import Progress
from .training_set import TrainingSet
from .workspace import Workspace

FIRST_ROWS, MAX_ROWS = 100, 3000  # size of the working set at the start, and at most
BLOCK_ROWS = 128  # rows whose products are computed at a time
ACCURACIES = (0.1, 0.01)  # of the margins, while rows still join
NEWTON_ACCURACY, MAX_NEWTON_ROUNDS = 0.01, 2  # of the margins, from which on Newton steps are taken, and how often
MAX_KEPT_MARGIN = 1.05  # rows with a larger margin leave before the final accuracy is asked for
BASE_STEPS, STEPS_PER_ROW = 20_000, 100  # steps over a working set before it gives up
MAX_DUAL_SUM = (
    1e9  # sum a for rows of unit length, that is, a margin of about 1/30,000: closer hulls are left to others
)


@dataclass(frozen=True)
class Hyperplane:
    """A hyperplane in the units of the user, with its dual variables up to a common factor, and its margins.

    ``margins`` are y_i (w.x_i + b) of all rows.
    """

    weights: Floats
    bias: float
    duals: Floats
    margins: Floats


class WorkingSet:
    """Some rows of a binary problem, with their products, dual variables and scores."""

    def __init__(self, data: TrainingSet, work: Workspace) -> None:
        self.data, self.work, self.problem = data, work, work.problem
        self.intercept = self.problem.objective.intercept
        self.signs = self.problem.signs()
        self.is_outside = np.ones(self.problem.rows, dtype=bool) if data.weights is None else data.weights > 0
        self.rows = np.empty(0, dtype=np.int64)
        self.products = np.empty((0, 0))
        self.a, self.scores = np.empty(0), np.empty(0)

    def add(self, rows: NDArray[np.int64]) -> None:
        """Add rows that are outside."""
        before, count = len(self.rows), len(self.rows) + len(rows)
        products = np.empty((count, count))
        products[:before, :before] = self.products
        for first in range(0, len(rows), BLOCK_ROWS):  # only with the rows before: the matrix is symmetric
            new = rows[first : first + BLOCK_ROWS]
            self.rows = np.append(self.rows, new)
            start, end = before + first, len(self.rows)
            products[start:end, :end] = self._products(new)
            products[:start, start:end] = products[start:end, :start].T
        self.products = products
        self.is_outside[rows] = False
        self.a = np.append(self.a, np.zeros(len(rows)))
        self.scores = products @ (self.a * self.signs[self.rows])

    def keep(self, is_kept: NDArray[np.bool_]) -> None:
        """Remove the other rows; their dual variables must be 0."""
        self.is_outside[self.rows[~is_kept]] = True
        self.rows, self.a, self.scores = self.rows[is_kept], self.a[is_kept], self.scores[is_kept]
        self.products = np.ascontiguousarray(self.products[np.ix_(is_kept, is_kept)])

    def _products(self, new: NDArray[np.int64]) -> Floats:
        """Return the products of the last rows of the set, ``new``, with all its rows, scaled to about unit length."""
        scale, X = self.problem.scale, self.data.X
        if sp.issparse(X):
            products = np.empty((len(new), len(self.rows)))
            self.work.kernel.row_products(new, self.rows, products)
        else:
            every = (X if len(new) == len(X) else X[self.rows]).astype(np.float64, copy=False)
            products = every[len(every) - len(new) :] @ every.T
            products *= scale * scale  # the caller has checked that squares of the rows do not overflow
        return products + scale * scale if self.intercept == "penalized" else products

    def optimize(self, accuracy: float, max_steps: int) -> tuple[int, float]:
        """Optimise over these rows; return the steps, and the largest violation of a margin.

        Single steps find the support vectors. If these are few, Newton steps then solve for their dual variables at
        once; of many, the linear system takes longer than the steps that it saves.
        """
        steps, violation = self._descend(max(accuracy, NEWTON_ACCURACY), max_steps)
        for _ in range(MAX_NEWTON_ROUNDS):
            is_done = violation <= accuracy or steps == max_steps
            if is_done or np.count_nonzero(self.a) > MAX_SMALL_SYSTEM:
                break
            self._newton()
            made, violation = self._descend(accuracy, min(len(self.rows), max_steps - steps))
            steps += made
        if violation <= accuracy:
            return steps, violation
        made, violation = self._descend(accuracy, max_steps - steps)
        return steps + made, violation

    def _descend(self, accuracy: float, max_steps: int) -> tuple[int, float]:
        is_balanced = self.intercept == "free"
        return _core.nearest_points(
            self.products, self.signs[self.rows], is_balanced, self.a, self.scores, accuracy, max_steps, MAX_DUAL_SUM
        )

    def _newton(self) -> None:
        """Take Newton steps on the rows with a dual variable above 0, which stay at least 0."""
        signs, count = self.signs[self.rows], len(self.rows)
        problem = _core.Products(
            self.products, signs, np.full(count, math.inf), np.zeros(count), 1.0, 0.0, self.intercept == "free"
        )
        t, gradient = signs * self.a, signs - self.scores
        problem.newton(t, gradient, 0.0, MAX_SMALL_SYSTEM, solve_positive, MAX_SMALL_SYSTEM)
        self.a, self.scores = signs * t, signs - gradient

    def point(self) -> Floats:
        """Return the point (w, b) of the dual variables, for the scaled rows."""
        v, support = np.zeros(self.problem.columns + 1), np.flatnonzero(self.a)
        signed = (self.a * self.signs[self.rows])[support]
        self.work.kernel.combine(self.rows[support], signed, v)
        v[-1] = 0.0
        if self.intercept == "penalized":
            v[-1] = self.problem.scale**2 * float(signed.sum())
        elif self.intercept == "free":
            v[-1] = float(self.a @ (self.signs[self.rows] - self.scores)) / float(self.a.sum())
        return v

    def hyperplane(self, v: Floats) -> Hyperplane:
        """Return the hyperplane of v, whose margins are in the workspace, in the units of the user."""
        duals = np.zeros(self.problem.rows)
        duals[self.rows] = self.a
        return Hyperplane(v[:-1] * self.problem.scale, float(v[-1]), duals, self.work.margins)


def nearest_points(data: TrainingSet, work: Workspace, tol: float, progress: Progress) -> tuple[Hyperplane | None, int]:
    """Return the hyperplane between the nearest points, or None if this method gives up, and the number of steps.

    A step is as many changes of dual variables as there are rows in the working set.
    """
    chosen = WorkingSet(data, work)
    chosen.add(_first_rows(chosen))
    final_accuracy = 0.3 * tol
    accuracy, steps = max(ACCURACIES[0], final_accuracy) if chosen.is_outside.any() else final_accuracy, 0
    while True:
        count = len(chosen.rows)
        max_moves = BASE_STEPS + STEPS_PER_ROW * count
        moves, violation = chosen.optimize(accuracy, min(max_moves, (progress.steps_left - steps) * count))
        steps += math.ceil(moves / count)
        gave_up = violation > accuracy and moves == max_moves
        if gave_up or chosen.a.sum() > MAX_DUAL_SUM or not chosen.a.any():
            return None, steps
        v = chosen.point()
        work.compute_margins(v)
        if steps >= progress.steps_left:
            return chosen.hyperplane(v), progress.steps_left
        rows = _violating_rows(chosen, work.margins, accuracy)
        if progress.options.say is not None:
            message = f"{count} rows at the margin, {len(rows)} more within it, step {steps}"
            progress.options.say(message, None)
        if len(rows) == 0 and accuracy == final_accuracy:
            return chosen.hyperplane(v), steps
        if count + len(rows) > MAX_ROWS:
            return None, steps
        if len(rows) > 0:
            chosen.add(rows)
            continue
        accuracy = max(next((rough for rough in ACCURACIES if rough < accuracy), 0.0), final_accuracy)
        if accuracy == final_accuracy:
            chosen.keep((chosen.a > 0) | (work.margins[chosen.rows] < MAX_KEPT_MARGIN))


def _first_rows(chosen: WorkingSet) -> NDArray[np.int64]:
    """Return all rows if they are few, else some of each class, evenly spaced."""
    rows = np.flatnonzero(chosen.is_outside)
    if len(rows) <= 2 * FIRST_ROWS:
        return rows
    classes = [rows[chosen.signs[rows] == sign] for sign in (-1, 1)]
    return np.sort(np.concatenate([own[:: max(1, 2 * len(own) // FIRST_ROWS)] for own in classes]))


def _violating_rows(chosen: WorkingSet, margins: Floats, accuracy: float) -> NDArray[np.int64]:
    """Return the rows outside with a margin below 1; the smallest margins, at most half the size of the working set."""
    rows = np.flatnonzero(chosen.is_outside & (margins < 1 - accuracy))
    max_rows = max(FIRST_ROWS, len(chosen.rows) // 2)
    if len(rows) > max_rows:
        rows = np.sort(rows[np.argpartition(margins[rows], max_rows)[:max_rows]])
    return rows
