"""All binary problems of a soft-margin support vector machine, solved in parallel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff._multiclass import MulticlassStrategy, side_name, sides
from novikoff._progress import Progress, ProgressCallback
from novikoff._wide_array import appended, last_of, without_last
from novikoff.solvers import class_descent
from novikoff.solvers.class_descent import Descended
from novikoff.solvers.problem import Problem
from novikoff.solvers.solver import HistoryEntry, Solution, Start, solve
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.certificate import Duals
from novikoff.theory.gap import GapCertificate
from novikoff.theory.measured import Measured

from ._certify import certify, classes_at_once, measure_classes, measure_problem
from ._settings import Settings, run_parallel
from ._slack import slack_of_problem

T = TypeVar("T")
NO_ROWS = np.zeros(0)


@dataclass(frozen=True)
class Machine:
    """The solution of one binary problem: certificate, history, where a warm start may begin, and slacks."""

    certificate: GapCertificate
    history: list[HistoryEntry]
    end: Start | None
    slack: Duals | None = None


class Solved(NamedTuple):
    """The solution of one binary problem: its rows and their numbers, None if they are all, and its classes."""

    data: TrainingSet
    rows: NDArray[np.intp] | None
    pair: tuple[int, int | None]
    solution: Solution


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
    keep_slack: bool = False,
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
    keep_slack : bool, default=False
        Whether the machines have the slacks of their rows.
    """
    data.sharing_products(len(strategy.pairs))
    machines = _Machines(data, strategy, settings, keep_ends, keep_slack)
    steps = Progress(progress, [f"class {side_name(*side)}" for side in sides(strategy)])

    descended = machines.descend(steps) if starts is None else None

    def solve_one(place: int) -> Solved:
        if descended is not None:
            return machines.finish(place, descended[place], steps)
        return machines.solve(place, None if starts is None else starts[place], steps)

    at_once = 1 if any(low is not None for _, low in strategy.pairs) else classes_at_once(data)
    count = len(strategy.pairs)
    if min(at_once, count) == 1:
        return machines.run(lambda place: machines.certify(solve_one(place)), count)
    found: list[Machine] = []
    for first in range(0, count, at_once):
        some = machines.run(partial(_call_from, solve_one, first), min(at_once, count - first))
        found += machines.certify_all(some)
    return found


def _call_from(work: Callable[[int], T], first: int, place: int) -> T:
    return work(first + place)


class _Machines:
    """The binary problems of one fit."""

    def __init__(
        self,
        data: TrainingSet,
        strategy: MulticlassStrategy,
        settings: Settings,
        keep_ends: bool,
        keep_slack: bool,
    ) -> None:
        self.data, self.table, self.pairs, self.settings = data, data.table, strategy.pairs, settings
        self.keep_ends, self.keep_slack = keep_ends, keep_slack
        self.threads = settings.threads // min(settings.threads, len(self.pairs))  # for each problem

    def run(self, work: Callable[[int], T], count: int) -> list[T]:
        """Return ``[work(0), ..., work(count - 1)]``, computed on the threads of the fit."""
        return run_parallel(work, count, self.settings.threads, self.settings.cancelled)

    def solve(self, place: int, start: Start | None, steps: Progress) -> Solved:
        """Solve one problem."""
        part, rows = rows_of_pair(self.data, self.pairs[place])
        table = self.table if rows is None else part.table
        problem = Problem(table, self.pairs[place][0], self.settings.objective)
        start = None if start is None else _narrowed(part, start)
        with steps.problem(place) as say:
            solution = solve(problem, self.settings.options(self.threads, say), start)
        return self._solved(part, rows, place, solution)

    def descend(self, steps: Progress) -> list[Descended] | None:
        """Return where all one-vs-rest problems have left a common descent; None if that is not worth it."""
        if len(self.pairs) == 1 or any(low is not None for _, low in self.pairs):
            return None
        problems = [Problem(self.table, high, self.settings.objective) for high, _ in self.pairs]
        if not class_descent.supports(problems):
            return None
        groups = class_descent.groups(len(problems))

        def descend_group(number: int) -> list[Descended]:
            group = groups[number]
            options = [self.settings.options(1, steps.listener(place)) for place in group]
            return class_descent.descend([problems[place] for place in group], options)

        return [one for group in self.run(descend_group, len(groups)) for one in group]

    def finish(self, place: int, descended: Descended, steps: Progress) -> Solved:
        """Solve one problem after the common descent."""
        problem = Problem(self.table, self.pairs[place][0], self.settings.objective)
        with steps.problem(place) as say:
            solution = class_descent.finish(problem, self.settings.options(self.threads, say), descended)
        return self._solved(self.data, None, place, solution)

    def _solved(self, part: TrainingSet, rows: NDArray[np.intp] | None, place: int, solution: Solution) -> Solved:
        if not self.keep_ends:
            solution.end = Start(NO_ROWS, solution.end.v)  # frees a vector of rows before the certificate needs others
        return Solved(part, rows, self.pairs[place], solution)

    def certify(self, solved: Solved, measured: Measured | None = None) -> Machine:
        """Certify one solution, given what was measured already."""
        part, rows, pair, solution = solved
        if measured is None and self.keep_slack:
            measured = measure_problem(part, self.settings.objective, pair[0], solution)
        certificate = certify(part, self.settings.objective, pair, solution, rows, measured)
        slack = None
        if self.keep_slack:
            scores = None if measured is None else measured.scores
            slack = slack_of_problem(part, pair[0], solution.weights, solution.bias, rows, scores)
        return Machine(certificate, solution.history, _widened(part, solution.end) if self.keep_ends else None, slack)

    def certify_all(self, solved: list[Solved]) -> list[Machine]:
        """Certify several solutions over the same dense rows, which are read once for all of them."""
        solutions = {one.pair[0]: one.solution for one in solved}
        measured = measure_classes(self.data, self.settings.objective, solutions, self.run)
        return self.run(lambda k: self.certify(solved[k], measured[solved[k].pair[0]]), len(solved))


def _widened(data: TrainingSet, end: Start) -> Start:
    """Return the end of a solution with the point in all columns of the user."""
    return end._replace(v=appended(data.widen(end.v[:-1]), end.v[-1]))


def _narrowed(data: TrainingSet, start: Start) -> Start:
    """Return a start with the point in the columns of the data."""
    return start._replace(v=np.append(data.narrow(without_last(start.v)), last_of(start.v)))
