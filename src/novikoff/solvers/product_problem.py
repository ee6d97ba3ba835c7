"""One binary problem over the products of its rows, solved in floating point.

Sequential minimal optimisation finds the rows at their bounds (``cpp/include/novikoff/product_descent.hpp`` states the
problem). A Newton step on the other rows, the free ones, then solves their linear system; if it leaves the bounds, it
ends at the first one and is repeated without that row. The two alternate, each with about the same time, until the
relative duality gap is small enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import novikoff._core as _core
from novikoff._one_core import linear_algebra
from novikoff.theory.geometry import Floats

from .bounds import relative_gap
from .losses import Loss

MAX_POLISHED_ROWS, POLISHED_GAP = 100, 1e-14  # few rows are solved as accurately as one Newton step can
NS_OF_MOVE, NS_OF_FACTOR = 2.5, 0.06  # per row, and per cubed free row
NS_OF_NEWTON = 2e4  # of a Newton step on a few rows
MAX_MOVES_PER_ROW = 20  # between Newton steps, of which a few rows would otherwise never get one
MAX_FREE_ROWS = 2000  # of a Newton step
MAX_SMALL_SYSTEM = 96  # rows of a linear system that the kernel solves faster than LAPACK can be called
NEGLIGIBLE_CHANGE, MIN_LENGTH_CHANGE = 1e-12, 0.1  # relative changes of a start: left undone, and worth it
MIN_GAIN, MAX_IDLE_ROUNDS = 1e-13, 2  # rounds in a row whose relative gain may be a rounding error,
MIN_GAP_SHARE = 1e-4  # or is so small a share of the gap that the way to the optimum is too long


@dataclass(frozen=True)
class ProductSolution:
    """A point of a problem over products, and the bounds that it proves.

    Parameters
    ----------
    alpha : ndarray of shape (rows,)
        Dual variables divided by the costs, in [0, top].
    scores : ndarray of shape (rows,)
        The products of the rows with the weights; a penalised intercept is included.
    intercept : float
        The free intercept, or 0.
    primal, dual : float
        The objectives.
    moves : int
        Changes of dual variables that were made.
    """

    alpha: Floats
    scores: Floats
    intercept: float
    primal: float
    dual: float
    moves: int

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


class ProductProblem:
    """One binary problem over products of rows.

    Parameters
    ----------
    products : ndarray of shape (rows, rows)
        K_ij = x_i.x_j. Not modified.
    signs : ndarray of shape (rows,)
        The labels, -1 or +1.
    costs : ndarray of shape (rows,) or None
        The cost of each row; None if every cost is 1.
    loss : Loss
        The loss of a row.
    rate : float
        1 / lam for rows that are scaled as those of ``Problem``.
    offset : float
        1 / kappa if the intercept is penalised, else 0.
    balanced : bool
        Whether the intercept is free.
    """

    def __init__(
        self,
        products: Floats,
        signs: Floats,
        costs: Floats | None,
        loss: Loss,
        rate: float,
        offset: float = 0.0,
        balanced: bool = False,
    ) -> None:
        count = len(signs)
        self.products, self.signs, self.rate, self.offset, self.balanced = products, signs, rate, offset, balanced
        self.costs = np.ones(count) if costs is None else costs
        counts = self.costs > 0
        self.tops = np.where(counts, loss.top * np.where(counts, self.costs, 1.0), 0.0)
        self.ridges = np.divide(loss.ridge, self.costs, out=np.zeros(count), where=counts)
        self.low, self.high = np.where(signs > 0, 0.0, -self.tops), np.where(signs > 0, self.tops, 0.0)
        self.kernel = _core.Products(products, signs, self.tops, self.ridges, rate, offset, balanced)

    def solve(self, alpha: Floats, tol: float, max_moves: int) -> ProductSolution:
        """Solve from dual variables until the relative gap is at most ``tol``, or as far as rounding allows.

        Parameters
        ----------
        alpha : ndarray of shape (rows,)
            Dual variables divided by the costs. Not modified.
        tol : float
            The relative gap that is wanted.
        max_moves : int
            The maximum number of changes of dual variables.
        """
        t = self._feasible(self.signed(alpha))
        gradient, moves = self._gradient(t), 0
        free, best, idle = len(t) // 3, -math.inf, 0
        while idle < MAX_IDLE_ROUNDS:
            limit = min(max_moves - moves, self._moves_worth_a_step(free))
            made, primal, dual, intercept = self.kernel.descend(t, gradient, tol, limit)
            moves += made
            if relative_gap(primal, dual) <= tol or moves >= max_moves:
                break
            free = self._newton(t, gradient)
            least_gain = max(MIN_GAIN * abs(best), MIN_GAP_SHARE * (primal - dual))
            idle = 0 if dual > best + least_gain else idle + 1
            best = max(best, dual)
        if len(t) <= MAX_POLISHED_ROWS:  # a tiny gap leaves variables that are off by its square root
            self._newton(t, gradient, negligible=MIN_GAIN)
            _, primal, dual, intercept = self.kernel.descend(t, gradient, tol, 0)
        scores = self.signs - gradient - self.ridges * t
        alpha = np.divide(np.abs(t), self.costs, out=np.zeros(len(t)), where=self.costs > 0)
        return ProductSolution(alpha, scores, intercept, primal, dual, moves)

    def signed(self, alpha: Floats) -> Floats:
        """Return the signed dual variables t_i = y_i c_i alpha_i."""
        return self.signs * self.costs * alpha

    def scores(self, t: Floats) -> Floats:
        """Return the products of the rows with the weights of signed dual variables, computed afresh."""
        return self.signs - self._gradient(t) - self.ridges * t

    def loss(self, margins: Floats) -> float:
        """Return the total loss of margins."""
        slack = np.maximum(0.0, 1.0 - margins)
        slack[self.tops == 0] = 0.0
        if not self.ridges.any():
            return float(self.tops @ slack) if slack.any() else 0.0
        squares = np.divide(slack * slack, self.ridges, out=np.zeros(len(slack)), where=self.ridges > 0)
        return 0.5 * float(squares.sum())

    def _feasible(self, t: Floats) -> Floats:
        """Return feasible variables: clipped, balanced by scaling one class, and of the best common length."""
        np.clip(t, self.low, self.high, out=t)
        if not t.any():
            return t
        if self.balanced:
            positive, negative = float(t.sum(where=t > 0)), -float(t.sum(where=t < 0))
            least = min(positive, negative)
            if max(positive, negative) > (1 + NEGLIGIBLE_CHANGE) * least:
                t *= np.where(t > 0, least / positive if positive else 0.0, least / negative if negative else 0.0)
        linear, square = float(self.signs @ t), float(t @ (self.signs - self._gradient(t)))  # with the ridge
        longest = np.min(self.tops[t != 0] / np.abs(t[t != 0]), initial=math.inf)
        factor = float(min(linear / square if square > 0 else 1.0, longest))
        if abs(factor - 1) > MIN_LENGTH_CHANGE:  # a smaller one would only take rows from their bounds
            t *= factor
        return np.clip(t, self.low, self.high)

    def _gradient(self, t: Floats) -> Floats:
        """Return y - f - ridge t."""
        support = np.flatnonzero(t)
        gradient = self.signs - self.ridges * t
        if len(support) < len(t) // 2:
            gradient -= self.rate * (t[support] @ self.products[support])
        elif len(support):
            gradient -= self.rate * (self.products @ t)
        if self.offset:
            gradient -= self.offset * float(t.sum())
        return gradient

    def _moves_worth_a_step(self, free: int) -> int:
        """Return the number of moves that take about as long as a Newton step on so many rows."""
        count = len(self.signs)
        moves = int((NS_OF_NEWTON + NS_OF_FACTOR * float(free) ** 3) / (NS_OF_MOVE * count))
        return min(max(count, moves), MAX_MOVES_PER_ROW * count)

    def _newton(self, t: Floats, gradient: Floats, negligible: float = 0.0) -> int:
        """Take Newton steps on the free rows until one ends inside the bounds. Return the number of free rows.

        ``t`` and ``gradient`` are updated, unless the dual objective would fall by more than a negligible share.
        """
        return self.kernel.newton(t, gradient, negligible, MAX_FREE_ROWS, solve_positive, MAX_SMALL_SYSTEM)


def solve_positive(matrix: Floats, right: Floats) -> bool:
    """Overwrite two right-hand sides, the rows of ``right``, with the solutions of a linear system.

    Returns whether the matrix is positive definite. NumPy releases the interpreter while it factors, unlike SciPy.
    """
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    half = linear_algebra().solve_triangular(factor, right.T, lower=True, check_finite=False)
    right[:] = linear_algebra().solve_triangular(factor, half, lower=True, trans=1, check_finite=False).T
    return bool(np.isfinite(right).all())
