"""Problems solved over the products of their rows, for data with fewer rows than columns.

When that is worth it, and how it is part of a run of the solver. ``product_problem.py`` solves, and
``product_proof.py`` proves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from novikoff.theory.geometry import Floats

from .bounds import Proof, relative_gap
from .problem import Problem
from .product_problem import MAX_POLISHED_ROWS, POLISHED_GAP, ProductProblem, ProductSolution
from .product_proof import prove
from .row_products import FEW_ROWS
from .solver import Progress
from .workspace import Workspace

TARGET_SHARE = 0.5  # of the allowed gap; the rest is for what rounding adds when the gap is proven
MIN_DESCENT_PASSES = 8.0  # passes of coordinate descent that are worth a try before the products are computed
MAX_MOVES_TIMES_ROWS = 2e8  # between two looks at the clock


@dataclass(frozen=True)
class _Point:
    """What `Progress` records."""

    v: Floats
    primal: float
    dual: float

    @property
    def relative_gap(self) -> float:
        return relative_gap(self.primal, self.dual)


def is_suitable(problem: Problem) -> bool:
    """Return whether a problem may be solved over the products of its rows."""
    return problem.table.products is not None and problem.table.products.is_suitable


def descent_work(problem: Problem) -> float:
    """Return the rows that coordinate descent may visit before the products are cheaper; 0 if they are at once."""
    products = problem.table.products
    if products is None or not products.is_suitable:
        return math.inf
    is_cheap = problem.rows <= FEW_ROWS or products.passes < MIN_DESCENT_PASSES
    return 0.0 if is_cheap else products.passes * problem.rows


def product_problem(problem: Problem, threads: int) -> ProductProblem:
    """Return a problem over the products of its rows, which are computed unless they are known."""
    products = problem.table.products
    if products is None:
        raise ValueError("The table has no products.")
    rate = (problem.scale / products.scale) ** 2 / problem.lam
    offset = 1 / problem.kappa if problem.kappa > 0 else 0.0
    matrix, costs = products.matrix(threads), problem.table.costs
    return ProductProblem(matrix, problem.signs(), costs, problem.loss, rate, offset, problem.has_free_intercept)


def solve_over_products(
    over: ProductProblem,
    alpha: Floats,
    progress: Progress,
    point_of: Callable[[ProductSolution], Floats],
) -> tuple[ProductSolution, Floats, bool]:
    """Solve a problem from dual variables divided by the costs, until ``progress`` says stop.

    A step is as many changes of dual variables as there are rows. At most half of the steps that are left are made, so
    that other methods can go on.

    Parameters
    ----------
    over : ProductProblem
        The problem.
    alpha : ndarray of shape (rows,)
        Dual variables divided by the costs. Not modified.
    progress : Progress
        The record of the run.
    point_of : callable
        Returns the primal point of a solution, which ``progress`` records.

    Returns
    -------
    ProductSolution, ndarray and bool
        The solution, its primal point, and whether ``progress`` said stop; if not, rounding or too many steps prevent
        further progress.
    """
    rows, tol = len(over.signs), progress.problem.objective.tol
    progress.method = "products"
    target = min(TARGET_SHARE * tol, POLISHED_GAP) if rows <= MAX_POLISHED_ROWS else TARGET_SHARE * tol
    max_moves, last_step = max(rows, int(MAX_MOVES_TIMES_ROWS / rows)), progress.steps + (progress.steps_left + 1) // 2
    while True:
        moves = min(max_moves, max(1, last_step - progress.steps) * rows)
        found = over.solve(alpha, target, moves)
        alpha, point = found.alpha, _Point(point_of(found), found.primal, found.dual)
        if progress.advance(point, max(1, math.ceil(found.moves / rows))):
            return found, point.v, True
        if found.moves < moves or progress.steps >= last_step:
            return found, point.v, False


def minimize(work: Workspace, progress: Progress) -> tuple[Floats | None, Proof | None]:
    """Solve a suitable problem from ``work.alpha`` until ``progress`` says stop. ``work.alpha`` is updated.

    Returns
    -------
    ndarray or None
        The primal point (w, b); None if rounding or too many steps prevent further progress.
    Proof or None
        The bounds of this point, if those over products reach the gap that is wanted and its margins are not needed.
    """
    over = product_problem(work.problem, work.threads)
    found, v, has_stopped = solve_over_products(over, work.alpha, progress, partial(_primal_point, work))
    work.alpha[:] = found.alpha
    if not has_stopped:
        return None, None
    proof = None if progress.options.keep_margins else prove(work.problem, over, found)
    if proof is None:
        return v, None
    return v, Proof(v * proof.factor if proof.factor != 1 else v, proof.primal, proof.dual, proof.shares)


def _primal_point(work: Workspace, found: ProductSolution) -> Floats:
    """Return (w, b) of a solution."""
    problem, v = work.problem, np.empty(work.problem.columns + 1)
    signed = problem.signs() * problem.all_costs() * found.alpha
    support = np.flatnonzero(signed)
    work.kernel.combine(support, signed[support], v)
    v /= problem.lam
    v[-1] = float(signed.sum()) / problem.kappa if problem.kappa > 0 else found.intercept
    return v
