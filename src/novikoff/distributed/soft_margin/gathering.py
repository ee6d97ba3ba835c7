"""Solving with rows that the driver gathers: a sample to begin with, and disaggregation to end with."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from novikoff.theory.geometry import Floats

from .budget import BYTES_PER_VALUE
from .disaggregation import SIDES, AdoptCommand, Disaggregation
from .progress import Options, Outcome, Record
from .rows import Gathered, SampleCommand, joined, solve_gathered
from .setup import Setup
from .sums import regularization

MAX_SAMPLE_SHARE = 1 / 8  # of all rows
SAMPLE_ROWS, SAMPLE_ROWS_PER_COLUMN = 20_000, 32  # the larger of the two is gathered at most
SAMPLE_TOLERANCE = 1e-2  # relative gap of the problem of the sample
DRIVER_ACCURACY, DRIVER_TOL_SHARE = 1e-4, 0.25  # gap of the driver's problem at most, and as a share of tol at least
MAX_GROUP_ROUNDS = 40


def solve_by_gathering(setup: Setup, record: Record, options: Options) -> Generator[Any, Any, Outcome]:
    """Solve a problem of wide rows on the driver, which gathers all of them, as far as it can.

    Coordinate descent is fast on wide rows, but not where mean rows of large costs stand among them. So the driver
    takes all rows at once, and the partitions measure its solution.
    """
    return (yield from disaggregate(setup, np.zeros(setup.width + 1), math.inf, 1.0, record, options))


def first_point(setup: Setup, rows: int, record: Record, options: Options) -> Generator[Any, Any, Floats]:
    """Return the solution of a sample of the rows, or 0 if that has one class only."""
    most = max(SAMPLE_ROWS, SAMPLE_ROWS_PER_COLUMN * (setup.width + 1))
    most = min(most, options.max_gathered // (BYTES_PER_VALUE * (setup.width + 1)))
    record.method = "sample"
    found: list[Gathered] = yield SampleCommand(min(MAX_SAMPLE_SHARE, most / rows))
    sample = joined(found)
    if not sample.has_both_classes:
        return np.zeros(setup.width + 1)
    sample = Gathered(sample.numbers, sample.X, sample.is_positive, sample.costs * (rows / len(sample)))
    return solve_gathered(setup, sample, SAMPLE_TOLERANCE, options)[0]


def disaggregate(
    setup: Setup, v: Floats, band: float, share: float, record: Record, options: Options
) -> Generator[Any, Any, Outcome]:
    """Return the solution of disaggregation from v.

    It is not done if the driver cannot hold the rows that it needs, or after many rounds. It then has the best point so
    far. The partitions have the dual variables of the driver's last problem, if it has solved one; else none.
    """
    record.method = "disaggregation"
    groups = Disaggregation(setup, band, share)
    solved: tuple[Gathered, Floats] | None = None
    dual, point, best, best_primal = -math.inf, v, v, math.inf
    for number in range(MAX_GROUP_ROUNDS + 1):
        measured = yield from groups.measure(point)
        primal = regularization(setup, point) + groups.loss
        if primal < best_primal:
            best, best_primal = point, primal
        is_done = record.add(best_primal, dual, options)
        if is_done or groups.size > options.max_gathered or number == MAX_GROUP_ROUNDS:
            break
        start = None if solved is None else (point, _continued(setup, solved, measured, point))
        tol = max(DRIVER_TOL_SHARE * options.tol, DRIVER_ACCURACY * min(1.0, record.gap_of(best_primal, dual)))
        point, alpha, solution = solve_gathered(setup, measured, min(1.0, tol), options, start)
        solved, dual = (measured, alpha), solution.dual / setup.C
    if solved is not None:
        yield _adopted(*solved)
    return Outcome(best, 0.0, is_done and solved is not None)


def _continued(setup: Setup, solved: tuple[Gathered, Floats], rows: Gathered, v: Floats) -> Floats:
    """Return dual variables to start from: those of the last problem, and for new rows those of the loss at v."""
    known = len(solved[0]) - SIDES
    new = slice(known, len(rows) - SIDES)
    scores = setup.scale * np.asarray(rows.X[new] @ v[:-1]) + v[-1]
    slack = 1 - np.where(rows.is_positive[new], scores, -scores)
    loss = setup.loss_function
    alpha = (slack > 0).astype(np.float64) if loss.ridge == 0 else loss.derivative(slack)
    return np.concatenate([solved[1][:known], alpha, solved[1][known:]])


def _adopted(rows: Gathered, alpha: Floats) -> AdoptCommand:
    """Return the command that gives the dual variables of the driver's problem to the partitions."""
    numbers, own = rows.numbers[:-SIDES], alpha[:-SIDES]
    order = np.argsort(numbers)
    return AdoptCommand(alpha[-SIDES:].copy(), numbers[order], own[order])
