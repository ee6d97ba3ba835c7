"""One binary problem solved over products of rows for a rising sequence of C, without a look at the rows.

The matrix of products is all that is read, and the dual variables are all that is found: the weights can be made of
them, and so can the scores of other rows, from their products with these rows.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from novikoff.theory.geometry import Floats

from .descent_newton import LARGE_COST
from .problem import Objective, Problem
from .product_problem import ProductSolution
from .product_proof import prove
from .products import descent_work, product_problem, solve_over_products
from .solver import Progress, SolverOptions
from .training_set import TrainingSet


class DualPath(NamedTuple):
    """The solutions of one binary problem for some values of C.

    Parameters
    ----------
    duals : ndarray of shape (Cs, rows)
        For each C, coefficients of the rows: their sum is the weight vector, in the units of the user.
    biases : ndarray of shape (Cs,)
        The intercepts.
    gap : float
        The widest of the relative gaps, all of which are at most the one that was wanted.
    """

    duals: Floats
    biases: Floats
    gap: float


def solve_dual_path(
    data: TrainingSet, positive: int, objective: Objective, Cs: Floats, options: SolverOptions
) -> DualPath | None:
    """Solve one binary problem for each C in turn, each time from the end of the last.

    Parameters
    ----------
    data : TrainingSet
        The rows, their classes and weights.
    positive : int
        The code of the class that is called +1.
    objective : Objective
        What is minimised; its C is replaced by those of the path.
    Cs : ndarray
        The values of C, increasing.
    options : SolverOptions
        The options of every single problem.

    Returns
    -------
    DualPath or None
        None if another method suits one of the problems better, or if the gap that is wanted was not proven within the
        limits of the options.
    """
    table, gap = data.table, 0.0
    duals, biases = np.empty((len(Cs), data.rows.count)), np.empty(len(Cs))
    alpha = np.zeros(data.rows.count)
    for place, C in enumerate(Cs.tolist()):
        problem = Problem(table, positive, dataclasses.replace(objective, C=C))
        if problem.lam * LARGE_COST < 1 or descent_work(problem) > 0:
            return None
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows proves nothing
            over = product_problem(problem, options.threads)
            found, _, _ = solve_over_products(over, alpha, Progress(problem, options), _no_point)
            proof = prove(problem, over, found)
        if proof is None:
            return None
        alpha, gap = found.alpha, max(gap, proof.relative_gap)
        duals[place] = proof.factor * C * over.signed(alpha)
        biases[place] = proof.factor * proof.intercept
    return DualPath(duals, biases, gap)


def _no_point(_found: ProductSolution) -> Floats:
    """Return nothing: the path makes no weights."""
    return np.zeros(0)
