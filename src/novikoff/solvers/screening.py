"""Rows that the solution cannot need, by proof, and the smaller problem that is left without them.

Let w with any intercept have the primal value P, and feasible duals a with w(a) = sum a_i y_i x_i the dual value D. By
the strong convexity of both, |w* - w|^2 / 2 <= P - P* and |w* - w(a)|^2 / 2 <= D* - D, where P* = D*. Together:

    |w* - (w + w(a)) / 2|^2 <= gap - |w - w(a)|^2 / 4,        gap = P - D,

a ball half as large, squared, as that of either point alone. Between two values of C, with a scaled by their ratio, it
is the ball over the segment from w to w(a). A row whose margin exceeds 1 for all w of the ball has a_i = 0; for the
hinge, one whose margin stays below 1 has a_i = C_i. A penalised intercept is one more feature. A free one is bounded
first: the best b falls as scores rise, so it lies between the best for the highest scores of all rows and the best for
the lowest.

Rows at 0 are left out. Those at their bounds are, as long as they stay there, worth one row for each class, their mean,
with their costs together: the loss of the mean is never more than theirs, by Jensen's inequality, and the same near the
optimum.

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

from .problem import Problem, Table

ROUNDING = 1e-9  # what the computed margins may be wrong by, in proportion to themselves
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Fixed:
    """The rows whose dual number is known: 0, or at its bound."""

    at_zero: Mask
    at_bound: Mask

    @property
    def share(self) -> float:
        """How many of all rows they are."""
        return float(np.mean(self.at_zero | self.at_bound))


def fixed_rows(problem: Problem, v: Floats, norms: Floats) -> Fixed:
    """Return the rows that v and ``problem.alpha``, feasible, prove fixed. ``norms`` are the squares of |s x|."""
    problem.measure(v)
    bounds = problem.bounds(v)
    ridge = problem.ridge if not problem.free_intercept else np.append(problem.ridge[:-1], 0.0)
    dual_point = np.divide(problem.ridge * v - bounds.gradient, ridge, out=np.zeros_like(v), where=ridge > 0)
    apart = np.where(ridge > 0, v - dual_point, 0.0)
    gap = bounds.gap + ROUNDING * bounds.primal
    radius = math.sqrt(max(0.0, gap - 0.25 * float(apart @ (ridge * apart))))
    centre = np.where(ridge > 0, v - 0.5 * apart, 0.0)
    problem.measure(centre)
    margins = problem.margins.copy()
    reach = radius * np.sqrt(norms / problem.lam + (1 / problem.kappa if problem.kappa > 0 else 0.0))
    reach += ROUNDING * (1 + np.abs(margins) + reach)
    low, high = margins - reach, margins + reach
    if problem.free_intercept:
        signs = problem.signs()
        costs = problem.costs_of(np.arange(problem.rows))
        scores = signs * margins
        least = _best_intercepts(scores + reach, signs, costs, problem.squared)[0]
        most = _best_intercepts(scores - reach, signs, costs, problem.squared)[1]
        low += np.where(signs > 0, least, -most)
        high += np.where(signs > 0, most, -least)
    at_bound = np.zeros(problem.rows, dtype=bool) if problem.squared else high < 1
    return Fixed(low > 1, at_bound)


def _best_intercepts(scores: Floats, signs: Floats, costs: Floats, squared: bool) -> tuple[float, float]:
    """Return an interval that holds every b for which sum c_i l(1 - y_i (score_i + b)) is least."""
    corners = signs - scores  # where a row is on its margin
    order = np.argsort(corners)
    if not squared:
        # The slope begins at -sum of the positive costs, and every corner adds its cost to it.
        below = np.cumsum(costs[order]) - float(costs[signs > 0].sum())
        slack = 1e-12 * float(costs.sum())
        first = int(np.argmax(below >= -slack))
        last = int(np.argmax(below > slack)) if below[-1] > slack else len(below) - 1
        return float(corners[order[first]]), float(corners[order[last]])
    low, high = float(corners.min()), float(corners.max())
    for _ in range(40):
        middle = 0.5 * (low + high)
        slope = -float((signs * costs) @ np.maximum(0.0, 1 - signs * (scores + middle)))
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low - ROUNDING * (1 + abs(low)), high + ROUNDING * (1 + abs(high))


@dataclass(frozen=True)
class Reduced:
    """A problem without its fixed rows, and how its dual numbers answer for theirs."""

    problem: Problem
    kept: NDArray[np.int64]
    groups: tuple[NDArray[np.int64], ...]  # rows at their bounds, each group in one row of the problem

    @staticmethod
    def of(problem: Problem, X: Any, fixed: Fixed, threads: int) -> Reduced:
        """Leave the fixed rows out."""
        table = problem.table
        kept = np.flatnonzero(~(fixed.at_zero | fixed.at_bound))
        is_positive = table.codes == problem.positive
        groups = [np.flatnonzero(fixed.at_bound & side) for side in (~is_positive, is_positive)]
        costs = np.ones(problem.rows) if table.costs is None else table.costs
        groups = [group for group in groups if costs[group].sum() > 0]
        means = [np.asarray(costs[group] @ X[group]).reshape(1, -1) / costs[group].sum() for group in groups]
        if sp.issparse(X):
            parts = sp.vstack([X[kept], *(sp.csr_array(mean.astype(X.dtype)) for mean in means)], format="csr")
        else:
            parts = np.ascontiguousarray(np.vstack([X[kept], *(mean.astype(X.dtype) for mean in means)]))
        codes = np.concatenate([table.codes[kept], [table.codes[group[0]] for group in groups]]).astype(np.int32)
        together = np.concatenate([costs[kept], [costs[group].sum() for group in groups]])
        elements = int(parts.nnz if sp.issparse(parts) else parts.size)
        smaller = Table(as_rows("LinearSVMPath.fit", parts), codes, together, elements, table.largest)
        return Reduced(Problem(smaller, problem.positive, problem.objective, threads), kept, tuple(groups))

    def narrow(self, alpha: Floats) -> Floats:
        """The dual numbers of all rows as those of the problem."""
        return np.append(alpha[self.kept], np.ones(len(self.groups)))

    def widen(self, alpha: Floats, rows: int) -> Floats:
        """The dual numbers of the problem as those of all rows."""
        every = np.zeros(rows)
        every[self.kept] = alpha[: len(self.kept)]
        for place, group in enumerate(self.groups):
            every[group] = alpha[len(self.kept) + place]
        return every
