"""The matrix sum c u u' over the free rows of dense data, updated by BLAS as rows become free or cease to be.

Between two Newton steps few rows change, except at the beginning. So the products of these rows are added or
subtracted, which costs less than to form the matrix again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats, Matrix

from .problem import Problem

BLOCK_ROWS = 1024  # rows that are widened to doubles at a time
# Subtracted rows leave their rounding errors behind. The matrix is formed again when it has this share of the rows that
# it once had.
MIN_SHARE_OF_PEAK = 0.125


class RunningGram:
    """sum c u u' with u = (s x, 1) over a changing set of rows.

    Products are computed by `numpy.matmul`, which other threads do not have to wait for; the functions of
    ``scipy.linalg.blas`` would block them.

    Parameters
    ----------
    problem : Problem
        The problem. Not modified.
    X : ndarray of shape (rows, columns)
        Its rows.

    Attributes
    ----------
    matrix : ndarray of shape (columns + 1, columns + 1)
        The sum over the rows of the last call of `move_to`.
    """

    def __init__(self, problem: Problem, X: NDArray[Any]) -> None:
        self.problem, self._X = problem, X
        side = problem.columns + 1
        self.matrix: Matrix = np.zeros((side, side))
        self._product: Matrix = np.empty((side, side))
        self._contains = np.zeros(problem.rows, dtype=bool)
        self._peak = 0

    def move_to(self, rows: NDArray[np.int64]) -> None:
        """Make ``matrix`` the sum over the given rows."""
        wanted = np.zeros_like(self._contains)
        wanted[rows] = True
        changed = np.flatnonzero(wanted != self._contains)
        if len(changed) >= len(rows) or len(rows) < MIN_SHARE_OF_PEAK * self._peak:
            self.matrix[:], self._peak, changed = 0.0, 0, rows
        is_new = wanted[changed]
        self._add(changed[is_new], np.add)
        self._add(changed[~is_new], np.subtract)
        self._contains, self._peak = wanted, max(self._peak, len(rows))

    def _add(self, rows: NDArray[np.int64], operation: np.ufunc) -> None:
        """Add or subtract the products of some rows."""
        problem, costs = self.problem, self.problem.table.costs
        u: Floats = np.empty((min(len(rows), BLOCK_ROWS), problem.columns + 1))
        for begin in range(0, len(rows), BLOCK_ROWS):
            some = rows[begin : begin + BLOCK_ROWS]
            own = u[: len(some)]
            np.multiply(self._X[some], problem.scale, out=own[:, :-1])
            own[:, -1] = problem.has_intercept
            if costs is not None:
                own *= np.sqrt(costs[some])[:, np.newaxis]
            np.matmul(own.T, own, out=self._product)
            operation(self.matrix, self._product, out=self.matrix)
