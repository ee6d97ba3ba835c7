"""All binary problems of a soft-margin support vector machine, solved in parallel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from novikoff._multiclass import MulticlassStrategy, side_name, sides
from novikoff._progress import Progress, ProgressCallback
from novikoff.solvers.problem import Problem
from novikoff.solvers.solver import HistoryEntry, Start, solve
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.gap import GapCertificate

from ._certify import certify
from ._settings import Settings, run_parallel


@dataclass(frozen=True)
class Machine:
    """The solution of one binary problem: its certificate, its history, and where a warm start may begin."""

    certificate: GapCertificate
    history: list[HistoryEntry]
    end: Start | None


def rows_of_pair(data: TrainingSet, pair: tuple[int, int | None]) -> tuple[TrainingSet, NDArray[np.intp] | None]:
    """Return the data of one binary problem, and the numbers of its rows; None if it has all rows."""
    positive, negative = pair
    return (data, None) if negative is None else data.only((positive, negative))


def solve_machines(
    data: TrainingSet,
    strategy: MulticlassStrategy,
    settings: Settings,
    starts: list[Start] | None = None,
    progress: ProgressCallback | None = None,
    keep_ends: bool = False,
) -> list[Machine]:
    """Solve the binary problem of each weight vector.

    Parameters
    ----------
    data : TrainingSet
        All rows.
    strategy : MulticlassStrategy
        The classes of each problem.
    settings : Settings
        What is minimised, and on how many threads.
    starts : list of Start, default=None
        Where each problem starts: its rows, and all columns of the user.
    progress : callable, default=None
        A function that takes progress messages.
    keep_ends : bool, default=False
        Whether the machines keep their ends, for a warm start.
    """
    table, objective, pairs = data.table, settings.objective, strategy.pairs
    steps = Progress(progress, [f"class {side_name(*side)}" for side in sides(strategy)])
    threads = settings.threads // min(settings.threads, len(pairs))

    def solve_one(place: int) -> Machine:
        part, rows = rows_of_pair(data, pairs[place])
        problem = Problem(table if rows is None else part.table, pairs[place][0], objective)
        start = None if starts is None else _narrowed(part, starts[place])
        with steps.problem(place) as say:
            solution = solve(problem, settings.options(threads, say), start)
        certificate = certify(part, objective, pairs[place], solution, rows)
        return Machine(certificate, solution.history, _widened(part, solution.end) if keep_ends else None)

    return run_parallel(solve_one, len(pairs), settings.threads, settings.cancelled)


def _widened(data: TrainingSet, end: Start) -> Start:
    """Return the end of a solution with the point in all columns of the user."""
    return end._replace(v=np.append(data.widen(end.v[:-1]), end.v[-1]))


def _narrowed(data: TrainingSet, start: Start) -> Start:
    """Return a start with the point in the columns of the data."""
    return start._replace(v=np.append(data.narrow(start.v[:-1]), start.v[-1]))
