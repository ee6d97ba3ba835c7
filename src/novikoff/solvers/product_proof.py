"""The bounds that a solution over products of rows proves, with all rounding errors counted against them.

The scores of the rows are sums of products, f_i = rate sum_j t_j K_ij, so the objectives need no look at the rows. With
k terms in all sums together, f_i differs from the score of the weights that the dual variables make by at most
k eps rate |x_i| sum_j |t_j| |x_j|, where both the products and the weights were rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bounds import EPS, balancing_shares, relative_gap, stretch_factor
from .problem import Problem
from .product_problem import ProductProblem, ProductSolution

MORE_TERMS = 16  # roundings other than those of the sums of rows and of columns


class ProductProof(NamedTuple):
    """Bounds on the optimum, and the point that has them.

    Parameters
    ----------
    primal, dual : float
        The objectives; the optimum lies between them in spite of rounding.
    factor : float
        What the weights of the dual variables, and the intercept, are multiplied by.
    intercept : float
        The intercept before that; with a penalised one, that of the dual variables.
    shares : tuple of float
        The factors, for the negative and the positive class, that scale alpha so that sum_i y_i a_i = 0.
    """

    primal: float
    dual: float
    factor: float
    intercept: float
    shares: tuple[float, float]

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


def terms_of(problem: Problem) -> int:
    """Return an upper bound on the number of roundings of a score over products and of the same score over weights."""
    return 2 * (problem.columns + problem.rows + MORE_TERMS)


def prove(problem: Problem, over: ProductProblem, found: ProductSolution) -> ProductProof | None:
    """Return the proof of a solution; None if it does not reach the gap that is wanted.

    Parameters
    ----------
    problem : Problem
        The problem.
    over : ProductProblem
        The same problem over products.
    found : ProductSolution
        Its solution.
    """
    unit = terms_of(problem) * EPS
    t = over.signed(found.alpha)
    scores, size = over.scores(t), np.abs(t)
    norms = np.sqrt(over.products.diagonal())
    length = float(size @ norms)
    errors = over.rate * length * norms + over.offset * float(size.sum())
    errors = unit * (errors + np.abs(scores) + abs(found.intercept) + 1)
    margins = over.signs * (scores + found.intercept)
    half = 0.5 * max(0.0, float(t @ scores))
    half_error = 0.5 * float(size @ errors) + unit * half
    smallest = float(margins.min(where=over.tops > 0, initial=np.inf))
    factor = stretch_factor(problem, smallest, half, over.loss(margins))
    primal = factor * factor * (half + half_error) + over.loss(factor * (margins - errors)) * (1 + unit)
    shares = (1.0, 1.0)
    if problem.has_free_intercept:
        shares = balancing_shares(-float(t.sum(where=t < 0)), float(t.sum(where=t > 0)))
    linear, ridge = float(size.sum()), float(t @ (over.ridges * t))
    # Less of one class changes |w|^2 by its product with the weights of that class, and by their square. Both may be
    # much larger than |w|^2, because the weights of the two classes nearly cancel if the intercept is large.
    missing = 1 - min(shares)
    across = max(abs(float((t * scores).sum(where=own))) for own in (t < 0, t > 0)) + 2 * half_error
    lost = unit * (linear + 2 * half + ridge)
    lost += missing * (linear + across + ridge + missing * over.rate * length * length)
    dual = linear - half - half_error - 0.5 * ridge - lost
    intercept = float(t.sum()) / problem.kappa if problem.kappa > 0 else found.intercept
    proof = ProductProof(primal, dual, factor, intercept, shares)
    return proof if proof.relative_gap <= problem.objective.tol else None
