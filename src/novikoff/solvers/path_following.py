"""One question solved for a rising sequence of C, each time from where the last one ended."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novikoff._progress import Say
from novikoff.theory.geometry import Floats

from .problem import Objective, Problem
from .screening import Reduced, fixed_rows
from .soft_margin import Progress, Solution, solve, solve_near
from .training_set import TrainingSet

EASY = 5  # so few passes of coordinate descent for the hinge are less than Newton's method would take
WORTH_REDUCING = 0.5  # the share of rows that must be fixed before the others are copied


@dataclass(frozen=True)
class Manner:
    """How a path is followed."""

    objective: Objective  # with any C
    max_iter: int
    seed: int
    threads: int  # of one question
    screen: bool = False
    cancelled: threading.Event = dataclasses.field(default_factory=threading.Event)


def follow(
    data: TrainingSet, positive: int, Cs: Floats, manner: Manner, say: Say | None = None
) -> Iterator[tuple[Objective, Solution, float]]:
    """Solve one question for each C in turn; also return the share of rows that was set aside by proof.

    alpha_i = a_i / C_i stays as it is from one C to the next, and so does (w, b): rows at 0 and at their bounds, most
    of them, are then already where they belong. Coordinate descent goes first as long as it is easy, which it is at
    small C.
    """
    table = data.table
    before: tuple[Floats, Floats] | None = None
    norms: Floats | None = None
    is_easy = not manner.objective.squared
    for C in Cs.tolist():
        objective = dataclasses.replace(manner.objective, C=C)
        problem = Problem(table, positive, objective, manner.threads)
        progress = Progress(problem, manner.max_iter, say, manner.cancelled)
        share = 0.0
        if before is not None and manner.screen:
            if norms is None:
                norms = np.empty(problem.rows)
                problem.kernel.norms(norms)
            before, share = _screened(data, problem, progress, manner, before, norms)
        if before is None or (is_easy and share == 0):
            solution = solve(problem, progress, manner.seed, before)
        else:
            solution = solve_near(problem, progress, manner.seed, before)
        is_easy = is_easy and solution.steps <= EASY
        before = (_feasible(problem, solution), solution.end[1])
        yield objective, solution, share


def _feasible(problem: Problem, solution: Solution) -> Floats:
    """The dual numbers of a solution as shares of the costs, balanced where the intercept is free."""
    costs = problem.objective.C * problem.costs_of(np.arange(problem.rows))
    return np.divide(solution.duals, costs, out=np.zeros(problem.rows), where=costs > 0)


def _screened(
    data: TrainingSet,
    problem: Problem,
    progress: Progress,
    manner: Manner,
    start: tuple[Floats, Floats],
    norms: Floats,
) -> tuple[tuple[Floats, Floats], float]:
    """Solve without the rows that cannot matter, if they are many: a start for all rows that is most likely the end."""
    alpha, v = start
    problem.alpha[:] = alpha
    fixed = fixed_rows(problem, v, norms)
    if fixed.share < WORTH_REDUCING:
        return start, 0.0
    reduced = Reduced.of(problem, data.X, fixed, manner.threads)
    point = v.copy()
    point[:-1] *= problem.scale / reduced.problem.scale
    solution = solve_near(reduced.problem, progress, manner.seed, (reduced.narrow(alpha), point))
    end = solution.end[1].copy()
    end[:-1] *= reduced.problem.scale / problem.scale
    return (reduced.widen(_feasible(reduced.problem, solution), problem.rows), end), fixed.share
