"""Safe screening: rows whose dual variables are known before the problem is solved.

Let w with any intercept have the primal objective P, and let feasible dual variables a with w(a) = sum_i a_i y_i x_i
have the dual objective D. Both objectives are strongly convex, so |w* - w|^2 / 2 <= P - P* and
|w* - w(a)|^2 / 2 <= D* - D, where P* = D*. The sum of the two gives

    |w* - (w + w(a)) / 2|^2 <= gap - |w - w(a)|^2 / 4,        gap = P - D,

a ball that contains the optimal weights w*. A row whose margin exceeds 1 for all w in the ball has a_i = 0. If the loss
has a largest derivative, a row whose margin is too small for all w in the ball has a_i at its upper bound. A penalised
intercept is treated as one more feature. A free intercept is bounded first: the best b decreases as the scores rise,
so it lies between the best b for the highest and for the lowest scores that the ball allows.

Rows at 0 are left out. The rows of a class that stay at their upper bounds are replaced by their mean, with the sum of
their costs: by Jensen's inequality the loss of the mean is at most theirs, and it is equal near the optimum.

References: Fercoq, Gramfort and Salmon (2015), Mind the duality gap: safer rules for the Lasso. Ogawa, Suzuki and
Takeuchi (2013), Safe screening of non-support vectors in pathwise SVM computation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.rows import as_rows
from novikoff.theory.geometry import Floats

from .bounds import bounds_at
from .losses import Loss
from .problem import Problem, Table
from .workspace import Workspace

RELATIVE_ROUNDING = 1e-9  # upper bound on the relative error of computed margins
BISECTIONS = 40
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FixedRows:
    """The rows whose dual variable is proven to be 0, or at its upper bound."""

    at_zero: Mask
    at_bound: Mask

    @property
    def share(self) -> float:
        """The share of fixed rows among all rows."""
        return float(np.mean(self.at_zero | self.at_bound))


def fixed_rows(work: Workspace, v: Floats, squared_norms: Floats) -> FixedRows:
    """Return the rows that v and ``work.alpha``, which must be feasible, prove fixed.

    ``squared_norms`` are |s x_i|^2. ``work.margins`` is overwritten.
    """
    problem, loss = work.problem, work.problem.loss
    work.compute_margins(v)
    bounds = bounds_at(work, v)
    penalty = problem.penalty if not problem.has_free_intercept else np.append(problem.penalty[:-1], 0.0)
    dual_point = np.divide(problem.penalty * v - bounds.gradient, penalty, out=np.zeros_like(v), where=penalty > 0)
    apart = np.where(penalty > 0, v - dual_point, 0.0)
    gap = bounds.gap + RELATIVE_ROUNDING * bounds.primal
    radius = math.sqrt(max(0.0, gap - 0.25 * float(apart @ (penalty * apart))))
    centre = np.where(penalty > 0, v - 0.5 * apart, 0.0)
    work.compute_margins(centre)
    margins = work.margins
    reach = radius * np.sqrt(squared_norms / problem.lam + (1 / problem.kappa if problem.kappa > 0 else 0.0))
    reach += RELATIVE_ROUNDING * (1 + np.abs(margins) + reach)
    low, high = margins - reach, margins + reach
    if problem.has_free_intercept:
        signs, costs = problem.signs(), problem.all_costs()
        scores = signs * margins
        least = _best_intercepts(scores + reach, signs, costs, loss)[0]
        most = _best_intercepts(scores - reach, signs, costs, loss)[1]
        low += np.where(signs > 0, least, -most)
        high += np.where(signs > 0, most, -least)
    return FixedRows(low > 1, high < 1 - loss.ridge * loss.top)


def _best_intercepts(scores: Floats, signs: Floats, costs: Floats, loss: Loss) -> tuple[float, float]:
    """Return an interval that contains every minimiser b of sum_i c_i l(1 - y_i (score_i + b))."""
    kinks = signs - scores  # the b at which a row has the margin 1
    order = np.argsort(kinks)
    if loss.ridge == 0:
        # The derivative by b starts at -(sum of the positive costs); every kink adds the cost of its row.
        derivative = np.cumsum(costs[order]) - float(costs[signs > 0].sum())
        slack = 1e-12 * float(costs.sum())
        first = int(np.argmax(derivative >= -slack))
        last = int(np.argmax(derivative > slack)) if derivative[-1] > slack else len(derivative) - 1
        return float(kinks[order[first]]), float(kinks[order[last]])
    low, high = float(kinks.min()), float(kinks.max())
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        slope = -float((signs * costs) @ loss.derivative(1 - signs * (scores + middle)))
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low - RELATIVE_ROUNDING * (1 + abs(low)), high + RELATIVE_ROUNDING * (1 + abs(high))


@dataclass(frozen=True)
class ReducedProblem:
    """A problem without its fixed rows, and how its dual variables relate to those of all rows.

    Parameters
    ----------
    problem : Problem
        The rows that are kept, followed by one mean for each group.
    kept : ndarray of int64
        The rows that are kept.
    groups : tuple of ndarray of int64
        The rows at their upper bounds, by class.
    """

    problem: Problem
    kept: NDArray[np.int64]
    groups: tuple[NDArray[np.int64], ...]

    @staticmethod
    def of(problem: Problem, X: Any, fixed: FixedRows) -> ReducedProblem:
        """Return the problem without the fixed rows. ``X`` are the rows of the problem as a matrix."""
        table, costs, is_positive = problem.table, problem.all_costs(), problem.is_positive()
        kept = np.flatnonzero(~(fixed.at_zero | fixed.at_bound))
        groups = [np.flatnonzero(fixed.at_bound & side) for side in (~is_positive, is_positive)]
        groups = [group for group in groups if costs[group].sum() > 0]
        means = [np.asarray(costs[group] @ X[group]).reshape(1, -1) / costs[group].sum() for group in groups]
        if sp.issparse(X):
            parts = sp.vstack([X[kept], *(sp.csr_array(mean.astype(X.dtype)) for mean in means)], format="csr")
        else:
            parts = np.ascontiguousarray(np.vstack([X[kept], *(mean.astype(X.dtype) for mean in means)]))
        codes = np.concatenate([table.codes[kept], [table.codes[group[0]] for group in groups]]).astype(np.int32)
        summed = np.concatenate([costs[kept], [costs[group].sum() for group in groups]])
        elements = int(parts.nnz if sp.issparse(parts) else parts.size)
        smaller = Table(as_rows("LinearSVMPath", parts), codes, summed, elements, table.largest)
        return ReducedProblem(Problem(smaller, problem.positive, problem.objective), kept, tuple(groups))

    def narrow(self, alpha: Floats) -> Floats:
        """Return the dual variables of this problem, given those of all rows."""
        return np.append(alpha[self.kept], np.full(len(self.groups), self.problem.loss.top))

    def widen(self, alpha: Floats, rows: int) -> Floats:
        """Return the dual variables of all rows, given those of this problem."""
        every = np.zeros(rows)
        every[self.kept] = alpha[: len(self.kept)]
        for place, group in enumerate(self.groups):
            every[group] = alpha[len(self.kept) + place]
        return every
