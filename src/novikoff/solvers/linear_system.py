"""The linear system of a Newton step, solved the cheapest way.

With u = (s x, 1) and theta = c / width for the free rows, it is (ridge + sum theta u u') d = -gradient. Where columns
are few it is formed and factored. Otherwise there is one unknown a free row
(``cpp/include/novikoff/conjugate_gradients.hpp``): a few are factored, more are left to conjugate gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .problem import Problem

FEW_COLUMNS = 1200  # so many can be factored at every step
FEW_ROWS = 800
CACHED = 100  # columns above which a BLAS library multiplies dense rows faster than the kernel does
AT_ONCE = 512  # rows
MOST_STEPS = 1000  # of conjugate gradients
LEAST_PIVOT = 1e-14  # relative; what rounding would leave of a pivot that is 0


@dataclass(frozen=True)
class Direction:
    """Where a Newton step goes; by rows also q = theta u.d, which knows better than d how the free rows answer."""

    d: Floats
    free: NDArray[np.int64]
    q: Floats | None = None

    def rates(self, problem: Problem, response: _core.Response) -> None:
        """How fast all margins change along it.

        Where C is large, the dual numbers are tiny, and a margin says too little about them: those of the free rows are
        then taken from q, so that rounding does not part the primal point from the dual one.
        """
        problem.kernel.measure(self.d, problem.rates)
        if self.q is not None:
            change = response.width * self.q / problem.costs_of(self.free)
            problem.rates[self.free] = np.where(problem.table.codes[self.free] == problem.positive, change, -change)


def newton_direction(problem: Problem, response: _core.Response, gradient: Floats, accuracy: float) -> Direction:
    """The Newton step from here; ``accuracy`` is for conjugate gradients, relative."""
    free = problem.kernel.free_rows(problem.alpha, problem.margins, response)
    if problem.columns < FEW_COLUMNS and problem.columns < 4 * len(free) + 50:
        return Direction(_by_columns(problem, free, response.width, gradient), free)
    if len(free) < FEW_ROWS:
        return _by_rows(problem, free, response.width, gradient)
    direction, q = np.empty_like(gradient), np.empty(len(free))
    problem.kernel.solve_by_rows(
        free, response.width, problem.lam, problem.kappa, gradient, accuracy, MOST_STEPS, direction, q
    )
    return Direction(direction, free, q)


def _by_columns(problem: Problem, free: NDArray[np.int64], width: float, gradient: Floats) -> Floats:
    side = problem.columns + 1
    matrix = np.empty((side, side))
    if problem.table.dense is not None and problem.columns > CACHED:
        _gram_of_dense_rows(problem, problem.table.dense, free, width, matrix)
    else:
        problem.kernel.gram(free, width, matrix)
    diagonal = matrix.reshape(-1)[:: side + 1]
    diagonal += problem.ridge
    if diagonal[-1] == 0:  # no intercept, or no free row that tells where it should go
        diagonal[-1] = 1.0
    return _solve(matrix, -gradient)


def _gram_of_dense_rows(
    problem: Problem, X: NDArray[Any], free: NDArray[np.int64], width: float, matrix: Floats
) -> None:
    """Form the lower triangle of sum theta u u', by a BLAS library, some rows at a time."""
    matrix[:] = 0.0
    for begin in range(0, len(free), AT_ONCE):
        rows = free[begin : begin + AT_ONCE]
        u = np.empty((len(rows), problem.columns + 1))
        np.multiply(X[rows], problem.scale, out=u[:, :-1])
        u[:, -1] = problem.objective.intercept != "none"
        u *= np.sqrt(problem.costs_of(rows) / width)[:, np.newaxis]
        scipy.linalg.blas.dsyrk(1.0, u.T, beta=1.0, c=matrix.T, lower=0, overwrite_c=1)


def _by_rows(problem: Problem, free: NDArray[np.int64], width: float, gradient: Floats) -> Direction:
    """The same with one unknown a free row: q = theta (x.d_w + d_b)."""
    kernel, lam, kappa = problem.kernel, problem.lam, problem.kappa
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
    ones = np.full(len(free), float(problem.objective.intercept != "none"))
    answers = _solve(matrix, np.column_stack([right, ones]))
    answer, unit = answers.T
    stiffness = kappa + float(ones @ unit)
    shift = -(slope + float(ones @ answer)) / stiffness if stiffness > 0 else 0.0
    q, total = answer + shift * unit, np.empty_like(gradient)
    kernel.combine(free, q, total)
    direction -= total / lam
    direction[-1] = shift
    return Direction(direction, free, q)


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Solve with a symmetric matrix whose lower triangle is given; its diagonal is overwritten.

    Each diagonal entry is raised by what rounding may have taken from it, and by more if that was not enough: any
    positive matrix gives a direction downhill.
    """
    diagonal = matrix.diagonal().copy()
    upper = matrix.T  # LAPACK counts columns first
    raised = LEAST_PIVOT
    while True:
        np.fill_diagonal(upper, diagonal * (1 + raised))
        factor, failed = scipy.linalg.lapack.dpotrf(upper, lower=0, clean=0)
        if not failed:
            solution: Floats = scipy.linalg.lapack.dpotrs(factor, right, lower=0)[0]
            return solution
        raised *= 100
        if raised > 1:  # there are values that are no numbers; no direction is better than a false one
            return np.zeros_like(right)
