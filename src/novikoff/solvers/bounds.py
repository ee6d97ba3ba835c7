"""Bounds on the optimum from a primal and a dual point, and the duality gap between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from .problem import Problem
from .workspace import Workspace

EPS = float(np.finfo(np.float64).eps)
LARGE_SQUARE = 1e200  # a square of a length between its inverse and it has all its digits
MAX_STRETCH_EXCESS = 1e-6  # how far beyond the margin `stretch` pushes rows, at most, so that rounding cannot undo it


def relative_gap(primal: float, dual: float) -> float:
    """Return (primal - dual) / primal; NaN if one of them is NaN."""
    if primal <= dual:
        return 0.0
    return (primal - dual) / primal if primal != 0 else math.inf


@dataclass(frozen=True)
class Proof:
    """The objectives of a primal and a dual point.

    Parameters
    ----------
    v : ndarray of shape (columns + 1,)
        The primal point (w, b).
    primal, dual : float
        The objectives; the optimum lies between them.
    shares : tuple of float
        The factors, for the negative and the positive class, that scale alpha so that sum_i y_i a_i = 0.
    """

    v: Floats
    primal: float
    dual: float
    shares: tuple[float, float]

    @property
    def gap(self) -> float:
        """The duality gap; NaN if an objective is NaN."""
        return 0.0 if self.primal <= self.dual else self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


@dataclass(frozen=True)
class Bounds(Proof):
    """The objectives of a primal and a dual point, and what a pass over the rows computes beside them.

    Parameters
    ----------
    row_gap : float
        The part of the gap that belongs to the rows: sum_i c_i (l(1 - m_i) - alpha_i (1 - m_i) + ridge/2 alpha_i^2).
        The rest vanishes if v is optimal for these dual variables.
    gradient : ndarray of shape (columns + 1,)
        The gradient of the smoothed problem at v.
    """

    row_gap: float
    gradient: Floats


def bounds_at(work: Workspace, v: Floats, response: _core.Response | None = None, rounding: float = 0.0) -> Bounds:
    """Return the bounds from v, whose margins are in ``work.margins``, and from dual variables.

    Parameters
    ----------
    work : Workspace
        Its ``class_vectors`` are overwritten.
    v : ndarray of shape (columns + 1,)
        The primal point.
    response : Response, optional
        If given, the dual variables are its values at the margins, else ``work.alpha``.
    rounding : float, default=0.0
        An upper bound on the rounding error of sum_i a_i y_i s x_i. It is subtracted from the dual objective.
    """
    problem, loss = work.problem, work.problem.loss
    width = problem.columns + 1
    sums = work.kernel.dual_sums(work.alpha, work.margins, response or loss.response(math.inf), work.class_vectors)
    negative, positive = work.class_vectors[:width], work.class_vectors[width:]
    primal = problem.regularization(v) + sums["loss"]
    row_gap = sums["loss"] - sum(sums["a_slack"]) + 0.5 * loss.ridge * sum(sums["a_alpha"])
    shares = balancing_shares(*sums["a"]) if problem.has_free_intercept else (1.0, 1.0)
    both = negative + positive
    total = both if shares == (1.0, 1.0) else shares[0] * negative + shares[1] * positive
    dual = sum(
        share * a - 0.5 * loss.ridge * share * share * a_alpha
        for share, a, a_alpha in zip(shares, sums["a"], sums["a_alpha"], strict=True)
    )
    dual -= half_square(total[:-1], rounding, problem.lam)
    if problem.kappa > 0:
        dual -= half_square(total[-1:], rounding, problem.kappa)
    return Bounds(v, primal, dual, shares, max(0.0, row_gap), problem.penalty * v - both)


def with_rounding(work: Workspace, bounds: Bounds) -> Proof:
    """Return bounds that `bounds_at` has just computed, with the rounding error counted against the dual objective."""
    problem, rounding = work.problem, rounding_of_sum(work)
    width = problem.columns + 1
    total = bounds.shares[0] * work.class_vectors[:width] + bounds.shares[1] * work.class_vectors[width:]
    loss = half_square(total[:-1], rounding, problem.lam) - half_square(total[:-1], 0.0, problem.lam)
    if problem.kappa > 0:
        loss += half_square(total[-1:], rounding, problem.kappa) - half_square(total[-1:], 0.0, problem.kappa)
    return Proof(bounds.v, bounds.primal, bounds.dual - loss, bounds.shares)


def balancing_shares(negative: float, positive: float) -> tuple[float, float]:
    """Return the factors that make the sums of both classes equal, by scaling the larger one down; NaN for NaN."""
    if negative == positive:
        return 1.0, 1.0
    if negative > positive:
        return positive / negative, 1.0
    return (1.0, negative / positive) if negative < positive else (math.nan, math.nan)


def _length(vector: Floats) -> float:
    """Return the length of a vector, without overflow or underflow of the squares."""
    square = float(vector.dot(vector))  # unlike the operator, it does not warn of an overflow
    if 1 / LARGE_SQUARE < square < LARGE_SQUARE:
        return math.sqrt(square)
    largest = float(np.max(np.abs(vector), initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if 0 < largest < math.inf else largest


def half_square(vector: Floats, rounding: float, ridge: float) -> float:
    """Return (|vector| + rounding)^2 / (2 ridge). The division comes first: squares of tiny numbers would underflow."""
    length = (_length(vector) + rounding) / math.sqrt(ridge)
    return 0.5 * length * length


def rounding_of_sum(work: Workspace) -> float:
    """Return an upper bound on the rounding error of sum_i a_i y_i s x_i."""
    weighted_norms = np.sqrt(work.squared_norms())
    if work.problem.table.costs is not None:
        weighted_norms *= work.problem.table.costs
    return EPS * float(work.alpha @ weighted_norms)


def stretch(work: Workspace, v: Floats) -> Floats:
    """Return v, or a multiple of it for which every row has the loss 0 in spite of rounding, if that is about as good.

    This matters if C is huge: then the rounding error of a loss that should be 0 would dominate the objective. The
    margins of v must be in ``work.margins``; they are scaled along with v.
    """
    problem = work.problem
    counts = True if problem.table.costs is None else problem.table.costs > 0
    smallest = float(work.margins.min(where=counts, initial=math.inf))
    if smallest <= 0:
        return v
    factor = stretch_factor(problem, smallest, problem.regularization(v), work.kernel.loss(work.margins))
    if factor == 1:
        return v
    work.margins *= factor
    return v * factor


def stretch_factor(problem: Problem, smallest: float, regularization: float, loss: float) -> float:
    """Return the factor of a point that leaves every row without loss, if that is about as good; else 1.

    Parameters
    ----------
    problem : Problem
        The problem.
    smallest : float
        The smallest margin of a row that counts.
    regularization, loss : float
        The two parts of the objective.
    """
    if not smallest > 0:
        return 1.0
    excess = min(MAX_STRETCH_EXCESS, 0.05 * problem.objective.tol)
    factor = (1 + excess) / smallest
    return factor if regularization * factor * factor <= (regularization + loss) * (1 + 3 * excess) else 1.0


def worst_case_objective(work: Workspace, v: Floats) -> float:
    """Return the objective of v if the rounding error of every margin were in its disfavour."""
    problem = work.problem
    work.compute_margins(v)
    work.margins -= EPS * problem.columns * float(np.linalg.norm(v)) * np.sqrt(work.squared_norms())
    return problem.regularization(v) + work.kernel.loss(work.margins)


def move_to_duals(work: Workspace, v: Floats) -> None:
    """Overwrite v with the primal point of ``work.alpha``; a free intercept stays as it is."""
    problem = work.problem
    work.compute_margins(v)
    gradient = bounds_at(work, v).gradient
    v[:-1] -= gradient[:-1] / problem.lam
    if problem.kappa > 0:
        v[-1] -= gradient[-1] / problem.kappa
