"""Aggregation of the rows that are surely on one side of the hinge (Park and Klabjan 2016).

The hinge is linear on both sides of its kink. So the rows far on one side can be replaced by their mean, with the sum
of their costs, without changing the objective near the present point. The driver gets the rows near the kink one by
one, and the mean row of each class and side. It solves the problem that they make, and broadcasts its solution. Each
partition then measures all its rows, and sends those that the solution has brought near the kink or across it.

By Jensen's inequality, the objective of the aggregated problem is nowhere above that of the full problem. Its dual
variables, each given to all rows that it stands for, are feasible for the full problem and have the same dual
objective. So each solution of the driver is a lower bound on the optimum, and each measurement an upper one.

The squared hinge is curved below its kink, where a mean row changes the objective. So all rows with a loss are
gathered, and mean rows stand for the others only.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

from .rows import Gathered, joined
from .setup import LocalProblem, Setup

SIDES = 4  # low and high rows of the positive class, then of the negative one


@dataclass(frozen=True)
class Grouping:
    """Which rows of a partition are on the driver, and on which side of the kink the others are.

    Parameters
    ----------
    is_kept : ndarray of bool
        Whether the driver has the row.
    is_low : ndarray of bool
        Whether the margin of the row is below 1.
    """

    is_kept: NDArray[np.bool_]
    is_low: NDArray[np.bool_]


@dataclass(frozen=True)
class Groupings:
    """The dual variables of a partition, its grouping, and the one of the round before."""

    alpha: Floats
    now: Grouping | None
    before: Grouping | None


@dataclass(frozen=True)
class GroupCommand:
    """Measure a point, and send rows near the kink to the driver.

    Parameters
    ----------
    v : ndarray of shape (columns + 1,)
        The point.
    band : float
        The distance of the margin from 1 up to which rows are sent.
    share : float
        The share of the rows of a partition that it sends at most, nearest first.
    """

    v: Floats
    band: float
    share: float


@dataclass(frozen=True)
class AdoptCommand:
    """Take the dual variables of the driver's problem.

    Parameters
    ----------
    groups : ndarray of shape (4,)
        The dual variable of each group.
    numbers, alpha : ndarray
        The numbers of the rows on the driver, ascending, and their dual variables.
    """

    groups: Floats
    numbers: NDArray[np.int64]
    alpha: Floats


def group_step(problem: LocalProblem, kept: Any, command: GroupCommand) -> tuple[Groupings, Any]:
    """Return the new grouping, and the loss, the rows that are sent, and the sums of the groups."""
    if not isinstance(kept, Groupings):
        kept = Groupings(kept, None, None)
    setup, count = problem.setup, problem.count
    margins = problem.margins(command.v)
    is_low, counts = margins < 1, problem.all_costs() > 0
    distance = np.abs(1 - margins) if setup.loss_function.ridge == 0 else margins - 1  # curved below the kink
    before = kept.now or Grouping(np.zeros(count, dtype=bool), is_low)
    wanted = np.flatnonzero(~before.is_kept & counts & ((distance <= command.band) | (is_low != before.is_low)))
    most = int(np.ceil(command.share * count))
    if len(wanted) > most:
        wanted = np.sort(wanted[np.argsort(distance[wanted], kind="stable")[:most]])
    is_kept = before.is_kept.copy()
    is_kept[wanted] = True
    groups = np.zeros((SIDES, setup.width + 2))
    for k, (positive, low) in enumerate(((True, True), (True, False), (False, True), (False, False))):
        rows = np.flatnonzero(~is_kept & counts & (problem.is_positive == positive) & (is_low == low))
        costs = problem.all_costs()[rows]
        groups[k, 0] = costs.sum()
        if len(rows):
            problem.kernel.combine(rows, np.ascontiguousarray(costs), groups[k, 1:])
    loss = float(problem.kernel.loss(margins)) if count else 0.0
    sent = [Gathered.of(problem, wanted)] if len(wanted) else []
    return Groupings(kept.alpha, Grouping(is_kept, is_low), kept.now), (loss, sent, groups)


def adopt_step(problem: LocalProblem, kept: Groupings, command: AdoptCommand) -> tuple[Floats, None]:
    """Return the dual variables of all rows of a partition, by the grouping before the last measurement."""
    grouping = kept.before
    assert grouping is not None  # a solution of the driver is measured once more before it is adopted
    alpha = np.where(
        problem.is_positive,
        np.where(grouping.is_low, command.groups[0], command.groups[1]),
        np.where(grouping.is_low, command.groups[2], command.groups[3]),
    )
    places = np.searchsorted(command.numbers, problem.numbers[grouping.is_kept])
    alpha[grouping.is_kept] = command.alpha[places]
    return alpha, None


class Disaggregation:
    """The driver's side: the rows that it has, and the problem that they make with the groups.

    Parameters
    ----------
    setup : Setup
        The problem.
    band, share : float
        As in `GroupCommand`.
    """

    def __init__(self, setup: Setup, band: float, share: float) -> None:
        self.setup, self.band, self.share = setup, band, share
        self.parts: list[Gathered] = []
        self.loss = 0.0

    @property
    def size(self) -> int:
        """The number of bytes of the values that the driver has."""
        return sum(part.size for part in self.parts)

    def measure(self, v: Floats) -> Generator[GroupCommand, Any, Gathered]:
        """Measure v on all partitions, and return the rows and groups of the next problem; groups come last."""
        loss, given, groups = yield GroupCommand(v, self.band, self.share)
        self.loss = float(loss)
        self.parts += given
        return _with_groups(self.setup, self.parts, groups)


def _with_groups(setup: Setup, parts: list[Gathered], groups: Floats) -> Gathered:
    """Return the rows on the driver and the mean rows of all groups. The numbers of groups are negative."""
    costs = groups[:, 0]
    means = groups[:, 1:-1] / (np.where(costs > 0, costs, 1.0) * setup.scale)[:, None]
    is_sparse = bool(parts) and any(sp.issparse(part.X) for part in parts)
    own = Gathered(
        -1 - np.arange(SIDES, dtype=np.int64),
        sp.csr_matrix(means) if is_sparse else means,
        np.array([True, True, False, False]),
        costs.copy(),
    )
    return joined([*parts, own])
