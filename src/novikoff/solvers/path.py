"""One binary problem solved for a rising sequence of C, each time from the end of the last."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from novikoff.theory.geometry import Floats

from .problem import Objective, Problem
from .screening import ReducedProblem, fixed_rows
from .solver import Solution, SolverOptions, Start, solve
from .training_set import TrainingSet
from .workspace import Workspace

MAX_EASY_STEPS = 5  # a problem solved in so few passes of coordinate descent is easier than for Newton's method
MIN_FIXED_SHARE = 0.5  # the share of rows that must be fixed before the others are copied into a smaller problem


class PathPoint(NamedTuple):
    """The solution for one C, and the share of rows that screening left out."""

    objective: Objective
    solution: Solution
    screened: float


def solve_path(
    data: TrainingSet, positive: int, objective: Objective, Cs: Floats, options: SolverOptions, screen: bool = False
) -> Iterator[PathPoint]:
    """Solve one binary problem for each C in turn.

    From one C to the next, alpha_i = a_i / C_i and (w, b) are kept: most rows have alpha_i at a bound, and stay there.
    Coordinate descent goes first as long as it is easy, which it is for a piecewise linear loss and a small C.

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
    screen : bool, default=False
        Whether to leave out rows that cannot matter, by proof.
    """
    table = data.table
    start: Start | None = None
    squared_norms: Floats | None = None
    is_easy = objective.loss.ridge == 0
    for C in Cs.tolist():
        problem = Problem(table, positive, dataclasses.replace(objective, C=C))
        screened, earlier = 0.0, 0
        if start is not None and screen:
            work = Workspace(problem, options.threads)
            if squared_norms is None:
                squared_norms = work.squared_norms()
            start, screened, earlier = _solve_screened(data, work, options, start, squared_norms)
            del work
        if start is not None:
            start = start._replace(is_close=not is_easy or screened > 0)
        solution = solve(problem, options.with_max_iter(max(0, options.max_iter - earlier)), start)
        solution = dataclasses.replace(solution, steps=earlier + solution.steps)
        is_easy = is_easy and solution.steps <= MAX_EASY_STEPS
        start = Start(_feasible_alpha(problem, solution), solution.end.v)
        yield PathPoint(problem.objective, solution, screened)


def _feasible_alpha(problem: Problem, solution: Solution) -> Floats:
    """Return the dual variables of a solution divided by the costs; they are feasible also for a free intercept."""
    costs = problem.objective.C * problem.all_costs()
    return np.divide(solution.duals, costs, out=np.zeros(problem.rows), where=costs > 0)


def _solve_screened(
    data: TrainingSet, work: Workspace, options: SolverOptions, start: Start, squared_norms: Floats
) -> tuple[Start, float, int]:
    """Solve without the rows that are proven fixed, if they are many.

    Returns a start for the problem with all rows, the share of fixed rows, and the steps that were made.
    """
    problem = work.problem
    work.alpha[:] = start.alpha
    fixed = fixed_rows(work, start.v, squared_norms)
    if fixed.share < MIN_FIXED_SHARE:
        return start, 0.0, 0
    reduced = ReducedProblem.of(problem, data.X, fixed)
    v = start.v.copy()
    v[:-1] *= problem.scale / reduced.problem.scale
    solution = solve(reduced.problem, options, Start(reduced.narrow(start.alpha), v))
    end = solution.end.v.copy()
    end[:-1] *= reduced.problem.scale / problem.scale
    alpha = reduced.widen(_feasible_alpha(reduced.problem, solution), problem.rows)
    return Start(alpha, end), fixed.share, solution.steps
