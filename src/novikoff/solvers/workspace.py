"""The buffers in which a problem is solved."""

from __future__ import annotations

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .problem import Problem

SQUARED_NORMS = "squared norms"
COUNTED_ROWS = 1 << 14  # rows that are counted at a time
MIN_SHARED_LENGTH = 32  # values per row from which on the squared norms of rows are kept: they take little beside them


class Workspace:
    """The state of a solver: the current dual variables and margins of one problem, and the kernel that fills them.

    A buffer that only one algorithm needs belongs to that algorithm and is freed when it returns, so that the memory
    of coordinate descent and that of Newton's method are never held at the same time.

    Parameters
    ----------
    problem : Problem
        The problem to be solved. Not modified.
    threads : int
        The number of threads of a pass over the rows.

    Attributes
    ----------
    alpha : ndarray of shape (rows,)
        The dual variables divided by the costs, in [0, top].
    margins : ndarray of shape (rows,)
        The margins y_i (s x_i.w + b) of the point that was last passed to `compute_margins`.
    class_vectors : ndarray of shape (2 * (columns + 1),)
        The sums of a_i y_i (s x_i, 1) over the negative and over the positive class.
    kernel : SoftMargin
        The compiled passes over the rows.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        table = problem.table
        self.kernel = _core.SoftMargin(
            table.kernel_rows(),
            table.codes,
            problem.positive,
            table.costs,
            problem.scale,
            problem.has_intercept,
            problem.loss.name,
            table.elements,
            threads,
        )
        self.alpha = np.zeros(problem.rows)
        self.margins = np.empty(problem.rows)
        self.class_vectors = np.empty(2 * (problem.columns + 1))

    def compute_margins(self, v: Floats) -> None:
        """Fill ``margins`` with the margins of v = (w, b)."""
        self.kernel.margins(v, self.margins)

    def rows_within_margin(self) -> int:
        """Return the number of rows whose margin is below 1; in blocks, because a mask of all rows takes memory."""
        starts = range(0, self.problem.rows, COUNTED_ROWS)
        return sum(int(np.count_nonzero(self.margins[first : first + COUNTED_ROWS] < 1)) for first in starts)

    def squared_norms(self) -> Floats:
        """Return |s x_i|^2 of all rows. If rows are long, all problems of a table share one array."""
        table = self.problem.table
        if table.elements < MIN_SHARED_LENGTH * self.problem.rows:
            return self._compute_squared_norms()
        return table.shared.get(SQUARED_NORMS, self._compute_squared_norms)

    def forget_squared_norms(self) -> None:
        """Free the squared norms that the problems of a table share, where another vector of rows takes their place."""
        self.problem.table.shared.forget(SQUARED_NORMS)

    def _compute_squared_norms(self) -> Floats:
        squared = np.empty(self.problem.rows)
        self.kernel.squared_norms(squared)
        return squared

    def imbalance(self) -> float:
        """Return sum_i y_i a_i, which is 0 at the optimum if the intercept is free."""
        costs, is_positive = self.problem.table.costs, self.problem.is_positive()
        weighted = self.alpha if costs is None else self.alpha * costs
        return float(weighted.sum(where=is_positive) - weighted.sum(where=~is_positive))
