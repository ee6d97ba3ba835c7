"""Passes of coordinate descent over the rows of a joint machine, and the state that they change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .joint_problem import JointProblem, JointStart
from .problem import without_zeros
from .solver import SolverOptions

RELAXATION, FREE_RELAXATION = 1.7, 1.3  # length of steps over the best step for one row; with free intercepts
SPARSE_SHARE = 0.5  # dense rows with a smaller share of values that are not 0 are copied as sparse rows
MAX_SINGLE_EXPONENT = 30.0  # powers of two for lam and s, up or down, for which single precision is used
SINGLE_LANES = 4  # the classes of a column are padded to a multiple of this number in single precision


class JointPasses:
    """The masses of all rows, the weights that belong to them, and the kernel that improves them.

    Parameters
    ----------
    problem : JointProblem
        The problem to be solved. Not modified.
    options : SolverOptions
        The threads and the seed.

    Attributes
    ----------
    alpha : ndarray of shape (rows, classes)
        The mass of each row on each class.
    squared_norms : ndarray of shape (rows,)
        |s x_i|^2.
    visits : float
        The number of visited rows since `activate` was last called.
    """

    def __init__(self, problem: JointProblem, options: SolverOptions) -> None:
        self.problem = problem
        rows, columns, classes = problem.rows, problem.columns, problem.classes
        table = problem.table
        self._kernel = _core.JointMachine(
            without_zeros(table.rows, SPARSE_SHARE),
            table.codes,
            classes,
            table.costs,
            problem.scale,
            problem.has_intercept,
            table.elements,
            options.threads,
        )
        self._random = _core.Random(options.seed)
        self.squared_norms = np.empty(rows)
        self._kernel.squared_norms(self.squared_norms)
        self.alpha = np.zeros((rows, classes))
        self._v = np.zeros((columns, classes))
        self._single: NDArray[np.float32] | None = None
        self._b, self._imbalance = np.zeros(classes), np.zeros(classes)
        self._sums, self._totals = np.zeros((columns, classes)), np.zeros(classes)
        self._sum_of_points, self._points = np.zeros((columns + 1, classes)), 0
        self._rests = np.zeros(rows, dtype=np.uint8)
        self._order: NDArray[np.int32] = np.empty(rows, dtype=np.int32)
        self._shrunk = np.zeros((rows + 7) // 8, dtype=np.uint8)
        self._violation, self._active, self.visits = math.inf, rows, 0.0
        self._rho = self._augmentation()
        self._relaxation = FREE_RELAXATION if problem.has_free_intercept else RELAXATION
        if max(abs(math.log2(problem.lam)), abs(math.log2(problem.scale))) < MAX_SINGLE_EXPONENT:
            stride = -(-classes // SINGLE_LANES) * SINGLE_LANES
            self._single = np.zeros((columns, stride), dtype=np.float32)

    def _augmentation(self) -> float:
        """Return the weight of the constraints on the intercepts; see `novikoff.solvers.coordinate_descent.Descent`."""
        problem = self.problem
        if problem.has_free_intercept:
            square = float(np.mean(self.squared_norms)) or 1.0
            return square / problem.lam / math.sqrt(min(problem.rows, problem.columns))
        return 1 / problem.kappa if problem.kappa > 0 else 0.0

    def begin(self, start: JointStart | None) -> None:
        """Set the masses and the weights to those of the start, or to 0."""
        problem, codes = self.problem, self.problem.table.codes
        every = np.arange(problem.rows)
        if start is not None:
            self.alpha[:] = start.fractions.dense(problem.rows, problem.classes)
            self.alpha[every, codes] = 0.0
            self.alpha /= np.maximum(self.alpha.sum(axis=1), 1.0)[:, None]
            if problem.has_intercept:
                self._b[:] = start.intercepts
        self.alpha[every, codes] = np.maximum(0.0, 1.0 - self.alpha.sum(axis=1))
        self._refresh()
        self.activate()

    def set_cost(self, problem: JointProblem) -> None:
        """Go on with another C, from the same masses."""
        self.problem = problem
        self._rho, self._violation = self._augmentation(), math.inf
        self._shrunk[:] = 0
        self._rests[:] = 0
        self._refresh()
        self.activate()

    def mean_curvature(self) -> float:
        """Return the mean of c_i |s x_i|^2 / lam."""
        return float(np.mean(self.problem.costs() * self.squared_norms)) / self.problem.lam

    def use_double_precision(self) -> None:
        """Make all further passes in double precision."""
        self._single = None

    def use_plain_steps(self) -> None:
        """Make all further steps the best ones for their rows alone: long steps may move free intercepts too far."""
        self._relaxation = 1.0

    def activate(self) -> None:
        """Begin passes over the rows that are not shrunk."""
        self._active, self.visits = self._kernel.order_active_first(self._shrunk, self._order), 0.0
        self._sum_of_points[:], self._points = 0.0, 0

    def make(self) -> float:
        """Make one pass. Returns the sum of the rows' parts of the gap, each as it was when its row was visited."""
        problem = self.problem
        if problem.has_free_intercept:
            self._b += self._rho * self._imbalance
        before = self._b.copy()
        v: Any = self._v if self._single is None else self._single  # the kernel takes both precisions
        self._violation, self._active, visits, gap = self._kernel.descend(
            self.alpha,
            self.squared_norms,
            self._rests,
            self._order,
            v,
            self._b,
            (self._violation, self._active),
            problem.lam,
            self._rho,
            self._relaxation,
            self._random,
        )
        if problem.has_free_intercept:
            self._imbalance += (self._b - before) / self._rho
        self.visits += max(visits, 1)
        self._sum_of_points[:-1] += v[:, : problem.classes]
        self._sum_of_points[-1] += self._b
        self._points += 1
        return float(gap)

    def dual_objective(self) -> float:
        """Return the dual objective of the masses, without the constraints on free intercepts."""
        problem, codes = self.problem, self.problem.table.codes
        moved = 1.0 - self.alpha[np.arange(problem.rows), codes]
        v = self._v if self._single is None else self._single
        quadratic = 0.5 * problem.lam * float(np.vdot(v, v)) + 0.5 * problem.kappa * float(self._b @ self._b)
        return float(moved @ problem.costs()) - quadratic

    def last(self) -> Floats:
        """Return the primal point (w, b) of the masses, computed afresh, of shape (columns + 1, classes)."""
        self._refresh()
        return np.vstack([self._v, self._b])

    def mean(self) -> Floats:
        """Return the mean of the points after each pass since `activate` was last called."""
        mean: Floats = self._sum_of_points / max(self._points, 1)
        return mean

    def survey(self, v: Floats, margins: Floats) -> None:
        """Fill ``margins`` with those of v, and decide which rows are shrunk."""
        self._kernel.margins(self.alpha, v[:-1], v[-1], self._violation, margins, self._shrunk)

    def sums_of(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Return sum_i a_ik s x_i and sum_i a_ik for other masses, in buffers that the next call overwrites."""
        self._kernel.sums(alpha, self._sums, self._totals)
        return self._sums, self._totals

    def _refresh(self) -> None:
        """Compute the weights of the masses afresh; free intercepts stay as they are."""
        problem = self.problem
        sums, totals = self.sums_of(self.alpha)
        np.divide(sums, problem.lam, out=self._v)
        if problem.kappa > 0:
            np.divide(totals, problem.kappa, out=self._b)
        self._imbalance[:] = totals
        if self._single is not None:
            self._single[:, : problem.classes] = self._v
