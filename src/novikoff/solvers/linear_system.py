"""The linear system of a Newton step, solved in the cheapest of three ways.

With u = (s x, 1) and theta = c / width for the free rows, the direction d solves

    (diag(penalty) + sum theta u u') d = -gradient.

If there are few columns, the matrix is formed and factored. Otherwise the system is solved with one unknown per free
row, q = theta u.d (``cpp/include/novikoff/conjugate_gradients.hpp`` derives it): by a factorisation if the free rows
are few, else by conjugate gradients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._one_core import linear_algebra
from novikoff.theory.geometry import Floats

from .running_gram import RunningGram
from .workspace import Workspace

MAX_FACTORED_COLUMNS = 1200
MAX_FACTORED_ROWS = 800
MIN_BLAS_COLUMNS = 100  # from here on BLAS forms the matrix of dense rows faster than the kernel
MAX_CG_STEPS = 1000
MAX_SCIPY_SIDE = 150  # of a matrix whose factorisation, about 0.1 ms, other threads may wait for
MIN_RELATIVE_PIVOT = 1e-14  # pivots below this are rounding errors


@dataclass(frozen=True)
class Direction:
    """A Newton direction d, and q = theta u.d of the free rows if the system was solved by rows."""

    d: Floats
    free: NDArray[np.int64]
    q: Floats | None = None

    def fill_margin_rates(self, work: Workspace, response: _core.Response, margin_rates: Floats) -> None:
        """Overwrite ``margin_rates`` with the rates of change of all margins along d.

        If C is large, the dual variables are tiny and u.d has too few correct digits to update them. So the rates of
        the free rows are computed from q, which keeps the primal and the dual point consistent.
        """
        problem = work.problem
        work.kernel.margins(self.d, margin_rates)
        if self.q is not None:
            change = response.width * self.q / problem.costs_of(self.free)
            margin_rates[self.free] = np.where(problem.table.codes[self.free] == problem.positive, change, -change)


class LinearSystem:
    """The systems of the Newton steps of one problem, one after the other.

    Parameters
    ----------
    work : Workspace
        The dual variables and margins. Not modified.
    """

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self._gram: RunningGram | None = None

    def direction(self, response: _core.Response, gradient: Floats, accuracy: float) -> Direction:
        """Return the Newton direction; ``accuracy`` is the relative residual of conjugate gradients."""
        work, problem, columns = self.work, self.work.problem, self.work.problem.columns
        free = work.kernel.free_rows(work.alpha, work.margins, response)
        if columns < MAX_FACTORED_COLUMNS and columns < 4 * len(free) + 50:
            return Direction(self._solve_by_columns(free, response.width, gradient), free)
        if len(free) < MAX_FACTORED_ROWS:
            return _solve_by_rows(work, free, response.width, gradient)
        direction, q = np.empty_like(gradient), np.empty(len(free))
        work.kernel.solve_by_rows(
            free, response.width, problem.lam, problem.kappa, gradient, accuracy, MAX_CG_STEPS, direction, q
        )
        return Direction(direction, free, q)

    def _solve_by_columns(self, free: NDArray[np.int64], width: float, gradient: Floats) -> Floats:
        problem = self.work.problem
        matrix = self._second_derivative(free, width)
        diagonal = matrix.reshape(-1)[:: problem.columns + 2]
        diagonal += problem.penalty
        if diagonal[-1] == 0:  # no intercept, or no free row that determines a free one
            diagonal[-1] = 1.0
        return solve_positive(matrix, -gradient)

    def _second_derivative(self, free: NDArray[np.int64], width: float) -> Floats:
        """Return sum theta u u' over the free rows, of which the lower triangle is needed."""
        problem = self.work.problem
        if problem.table.dense is None or problem.columns <= MIN_BLAS_COLUMNS:
            matrix = np.empty((problem.columns + 1, problem.columns + 1))
            self.work.kernel.gram(free, width, matrix)
            return matrix
        if self._gram is None:
            self._gram = RunningGram(problem, problem.table.dense)
        self._gram.move_to(free)
        return self._gram.matrix / width


def _solve_by_rows(work: Workspace, free: NDArray[np.int64], width: float, gradient: Floats) -> Direction:
    """Solve for q, with one unknown per free row; the intercept d_b is eliminated."""
    problem, kernel = work.problem, work.kernel
    lam, kappa = problem.lam, problem.kappa
    direction = -gradient / lam
    slope = gradient[-1]
    if len(free) == 0:
        direction[-1] = -slope / kappa if kappa > 0 else -slope
        return Direction(direction, free)
    matrix = np.empty((len(free), len(free)))
    kernel.row_products(free, free, matrix)
    matrix /= lam
    matrix.reshape(-1)[:: len(free) + 1] += width / problem.costs_of(free)
    right = np.empty(len(free))
    kernel.project(free, direction, right)
    ones = np.full(len(free), float(problem.has_intercept))
    without_intercept, per_intercept = solve_positive(matrix, np.column_stack([right, ones])).T
    stiffness = kappa + float(ones @ per_intercept)
    intercept = -(slope + float(ones @ without_intercept)) / stiffness if stiffness > 0 else 0.0
    q, total = without_intercept + intercept * per_intercept, np.empty_like(gradient)
    kernel.combine(free, q, total)
    direction -= total / lam
    direction[-1] = intercept
    return Direction(direction, free, q)


def solve_positive(matrix: Floats, right: Floats) -> Floats:
    """Solve with a positive definite matrix of which the lower triangle is given; its diagonal is overwritten.

    The diagonal is raised by its rounding error, and by more if the factorisation fails: any positive definite matrix
    gives a descent direction. If the matrix contains NaN, the solution 0 is returned, which makes no step.
    """
    diagonal = matrix.diagonal().copy()
    raised = MIN_RELATIVE_PIVOT
    while raised <= 1:
        np.fill_diagonal(matrix, diagonal * (1 + raised))
        upper = _upper_factor(matrix)
        if upper is not None:
            solution: Floats = linear_algebra().lapack.dpotrs(upper, right, lower=0)[0]
            return solution
        raised *= 100
    return np.zeros_like(right)


def _upper_factor(matrix: Floats) -> Floats | None:
    """Return the upper Cholesky factor, in LAPACK's order; None if the matrix is not positive definite.

    SciPy is faster for a small matrix, but other threads must wait for it.
    """
    if len(matrix) <= MAX_SCIPY_SIDE:
        factor, failed = linear_algebra().lapack.dpotrf(matrix.T, lower=0, clean=0)
        return None if failed else factor
    try:
        lower: Floats = np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return lower.T if np.isfinite(lower[-1, -1]) else None
