"""Rows that are gathered on the driver: a sample to begin with, and the problem that gathered rows make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.rows import as_rows
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.solver import Solution, SolverOptions, Start, solve
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.columns import Columns
from novikoff.theory.geometry import Floats

from .progress import Options
from .setup import LocalProblem, Setup

MAX_STEPS = 100_000  # of the driver's solver


@dataclass(frozen=True)
class Gathered:
    """Rows of several partitions, in the columns that occur.

    Parameters
    ----------
    numbers : ndarray of int64
        Their numbers among the rows of all partitions.
    X : ndarray or CSR matrix
        The rows.
    is_positive : ndarray of bool
        Which of them belong to the positive class.
    costs : ndarray of float64
        Their costs.
    """

    numbers: NDArray[np.int64]
    X: Any
    is_positive: NDArray[np.bool_]
    costs: Floats

    @classmethod
    def of(cls, problem: LocalProblem, rows: Any) -> Gathered:
        """Return some rows of a partition."""
        costs = np.ones(len(rows)) if problem.costs is None else problem.costs[rows]
        return cls(problem.numbers[rows], problem.X[rows], problem.is_positive[rows], costs)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def has_both_classes(self) -> bool:
        """Whether both classes have rows with a cost."""
        counted = self.costs > 0
        return bool(np.any(self.is_positive & counted) and np.any(~self.is_positive & counted))

    @property
    def size(self) -> int:
        """The number of bytes of the values."""
        return int(self.X.data.nbytes + self.X.indices.nbytes if sp.issparse(self.X) else self.X.nbytes)


def joined(parts: list[Gathered]) -> Gathered:
    """Return the rows of several parts, one after the other."""
    X = [part.X for part in parts]
    rows = sp.vstack(X, format="csr") if any(map(sp.issparse, X)) else np.vstack(X)
    return Gathered(
        np.concatenate([part.numbers for part in parts]),
        rows,
        np.concatenate([part.is_positive for part in parts]),
        np.concatenate([part.costs for part in parts]),
    )


@dataclass(frozen=True)
class SampleCommand:
    """Gather a share of the rows of each partition, evenly spaced."""

    share: float


def sample_step(problem: LocalProblem, kept: Any, command: SampleCommand) -> tuple[Any, list[Gathered]]:
    """Return the state as it is, and some rows of a partition."""
    if not problem.count:
        return kept, []
    count = max(1, round(command.share * problem.count))
    rows = np.unique(np.linspace(0, problem.count - 1, count).astype(np.int64))
    return kept, [Gathered.of(problem, rows)]


def solve_gathered(
    setup: Setup, rows: Gathered, tol: float, options: Options, start: tuple[Floats, Floats] | None = None
) -> tuple[Floats, Floats, Solution]:
    """Solve the problem of gathered rows on the driver, of which both classes have some.

    Parameters
    ----------
    setup : Setup
        The problem of all partitions.
    rows : Gathered
        The rows.
    tol : float
        The relative gap at which the solver stops.
    options : Options
        What it may use.
    start : tuple of ndarray, default=None
        Where to start: v and alpha, as they are returned.

    Returns
    -------
    v : ndarray of shape (columns + 1,)
        The solution (w, b) of the scaled problem of all partitions.
    alpha : ndarray of shape (rows,)
        The dual variables divided by the costs.
    solution : Solution
        The solution, in the units of the user.
    """
    X = rows.X.astype(np.float64) if rows.X.dtype == np.float32 else rows.X
    columns = Columns.occurring(X)
    X = X if columns is None else columns.cut(X)
    values = X.data if sp.issparse(X) else X
    data = TrainingSet(
        X,
        as_rows("LinearSVM", X),
        float(np.max(np.abs(values), initial=0.0)),
        np.array([0, 1]),
        rows.is_positive.astype(np.int32),
        rows.costs,
        columns,
    )
    problem = Problem(data.table, 1, Objective(setup.C, setup.loss_function, setup.intercept, tol))
    near = None
    if start is not None:
        weights = start[0][:-1] * (setup.scale / problem.scale)
        near = Start(start[1], np.append(weights if columns is None else weights[columns.indices], start[0][-1]))
    solution = solve(problem, SolverOptions(MAX_STEPS, options.threads, options.seed), near)
    weights = np.zeros(setup.width)
    weights[slice(None) if columns is None else columns.indices] = solution.weights
    return np.append(weights / setup.scale, solution.bias), solution.end.alpha, solution
