"""Soft margins that few rows decide: solve over a working set of rows, then measure all rows.

A row outside of the working set has the dual variable 0. So the dual objective of the working set is one of all rows,
and the primal objective of all rows exceeds that of the working set by the losses of the rows outside. If that is too
much, the rows outside with a margin below 1 join the set, and rows far beyond the margin leave it. The dual objective
rises from round to round, so the method ends. It gives up early if the set grows large, or is hard to solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.rows import as_rows
from novikoff.theory.geometry import Floats

from .bounds import Bounds, bounds_at, stretch
from .problem import Problem, Table
from .solver import Progress, Solution, Start
from .workspace import COUNTED_ROWS, Workspace

MIN_ROWS, MIN_ELEMENTS = 2000, 2_000_000  # in smaller problems a pass over all rows is cheaper than a round
MAX_FIRST_SHARE, MAX_SHARE = 0.1, 0.2  # of the rows: a larger working set, at first or later, is not worth its rounds
MIN_SET_ROWS = 200  # in the first working set
FIRST_TOLERANCE = 0.03  # relative gap of the first working set
TOLERANCE_RATIO = 0.1  # relative gap of the next working set, in proportion to that of all rows
LAST_TOLERANCE_RATIO = 0.3  # relative gap of the last working set, in proportion to the one that is wanted
MAX_KEPT_MARGIN = 1.5  # rows with a larger margin and the dual variable 0 leave
MAX_GROWTH = 1.0  # rows that join in one round, in proportion to the working set
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
PartSolver = Callable[[Problem, Start], tuple[Solution, bool]]


def part_of(table: Table, rows: Indices) -> Table:
    """Return some rows of a table."""
    part: Any = table.matrix[rows]
    costs = None if table.costs is None else table.costs[rows]
    codes, elements = table.codes[rows], int(part.nnz if sp.issparse(part) else part.size)
    dense, sparse = (None, part) if sp.issparse(part) else (part, None)
    return Table(as_rows("LinearSVM", part), codes, costs, elements, table.largest, dense, sparse)


def rows_that_count(work: Workspace) -> int:
    """Return the number of rows with a margin below 1, or a dual variable above 0; in blocks, to save memory."""
    cuts = [slice(first, first + COUNTED_ROWS) for first in range(0, work.problem.rows, COUNTED_ROWS)]
    return sum(int(np.count_nonzero((work.margins[cut] < 1) | (work.alpha[cut] > 0))) for cut in cuts)


def max_set_rows(problem: Problem) -> int:
    """Return the number of rows up to which a first working set is worth its rounds; 0 if it is not in any case."""
    is_large = problem.rows >= MIN_ROWS and problem.table.elements >= MIN_ELEMENTS
    return int(MAX_FIRST_SHARE * problem.rows) if is_large and problem.table.matrix is not None else 0


class WorkingRows:
    """Some rows of a binary problem that are solved in place of all.

    Parameters
    ----------
    work : Workspace
        The workspace of all rows. Its dual variables and margins are where the method starts; both are updated.
    progress : Progress
        Records the bounds of all rows, and decides whether to stop.
    solve_part : callable
        Solves a problem of some of the rows, given where it may start. Returns the solution, and whether the method is
        too slow for it.

    Attributes
    ----------
    is_slow : bool
        Whether the last solution took too long, so that another method should take over.
    """

    def __init__(self, work: Workspace, progress: Progress, solve_part: PartSolver) -> None:
        self.work, self.progress, self.solve_part = work, progress, solve_part
        self.problem = work.problem
        costs = self.problem.table.costs
        self.counts = np.ones(self.problem.rows, dtype=bool) if costs is None else costs > 0
        self.is_slow = False

    def run(self, v: Floats) -> tuple[Floats, Bounds | None]:
        """Solve from v, whose margins are in the workspace.

        Returns the last primal point and its bounds, which are None if the set has grown too large, or if its solution
        takes too long or cannot be made accurate enough. Then the dual variables are those of the last round.
        """
        work, margins, max_rows = self.work, self.work.margins, MAX_SHARE * self.problem.rows
        last_tolerance = LAST_TOLERANCE_RATIO * self.problem.objective.tol
        tolerance, rows = max(FIRST_TOLERANCE, last_tolerance), self._first_rows()
        while len(rows) <= max_rows:
            v, steps = self._solve(rows, v, tolerance)
            work.compute_margins(v)
            new, is_kept = self._violating_rows(rows), (work.alpha[rows] > 0) | (margins[rows] < MAX_KEPT_MARGIN)
            bounds = bounds_at(work, stretch(work, v))
            self.progress.method = "working set"
            if self.progress.advance(bounds, steps):
                return bounds.v, bounds
            if self.is_slow or (len(new) == 0 and tolerance <= last_tolerance):
                break
            rows = np.union1d(rows[is_kept], new)
            next_tolerance = TOLERANCE_RATIO * (bounds.relative_gap if len(new) else tolerance)
            tolerance = max(last_tolerance, min(tolerance, next_tolerance))
        return v, None

    def _first_rows(self) -> Indices:
        """Return the rows within the margin, and more of each class if they are few."""
        is_first, least = (self.work.margins < 1) | (self.work.alpha > 0), MIN_SET_ROWS // 2
        for sign in (True, False):
            own = np.flatnonzero((self.problem.is_positive() == sign) & self.counts)
            is_first[own[_smallest(self.work.margins[own], least)]] = True
        return np.flatnonzero(is_first & self.counts)

    def _solve(self, rows: Indices, v: Floats, tolerance: float) -> tuple[Floats, int]:
        """Solve over some rows. Sets the dual variables, and returns the primal point and the number of steps."""
        problem, alpha = self.problem, self.work.alpha
        part = Problem(part_of(problem.table, rows), problem.positive, replace(problem.objective, tol=tolerance))
        start = np.append(v[:-1] * (problem.scale / part.scale), v[-1])
        solution, self.is_slow = self.solve_part(part, Start(alpha[rows], start))
        alpha[:] = 0.0
        alpha[rows] = solution.duals / (problem.objective.C * problem.costs_of(rows))
        end = solution.end.v
        return np.append(end[:-1] * (part.scale / problem.scale), end[-1]), solution.steps

    def _violating_rows(self, rows: Indices) -> Indices:
        """Return the rows outside with a margin below 1; the smallest margins, if they are many."""
        outside = self.counts & (self.work.margins < 1)
        outside[rows] = False
        new = np.flatnonzero(outside)
        return new[_smallest(self.work.margins[new], max(MIN_SET_ROWS, round(MAX_GROWTH * len(rows))))]


def _smallest(values: Floats, count: int) -> Mask:
    """Return which values are among the smallest; more than ``count`` of them if several are equal."""
    return values <= np.partition(values, count)[count] if count < len(values) else np.ones(len(values), dtype=bool)
