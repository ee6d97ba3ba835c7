"""The margins of planes over the rows of all partitions, with bounds on rounding errors.

All partitions scale their rows by the same power of two, so the bounds of each of them have the same unit, and the
smallest lower bound of all partitions is a lower bound for all rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._wide_array import is_wide, narrowed, occurring
from novikoff.theory.columns import Columns
from novikoff.theory.enclosed_sums import Enclosed, Rows
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.geometry import Floats

from .block import Block
from .rounds import Rounds
from .working_rows import Frame, Part, Sent, WorkingRows, signed_ends

SIDES = (1.0, -1.0)


@dataclass(frozen=True)
class Plane:
    """A plane, and which rows of all partitions it contradicts.

    Parameters
    ----------
    weights : ndarray
        The weights.
    bias : float
        The intercept.
    positive : int
        The place among the classes of the label that is +1.
    limit : float, default=-inf
        Rows that may have a y f(x) below this number are to be sent.
    """

    weights: Any
    bias: float
    positive: int
    limit: float = -math.inf

    def squared_norm(self, is_penalized: bool) -> Enclosure:
        """Return |w|^2, or |w|^2 + b^2 if the intercept is penalised."""
        own = narrowed(self.weights, occurring(self.weights))
        norm = Enclosed(own, np.zeros(len(own)), 0).squared_length()
        return norm + Enclosure.exactly(self.bias).square() if is_penalized else norm


@dataclass(frozen=True)
class Planes:
    """The command of a round that measures planes.

    Parameters
    ----------
    frame : Frame
        What is known of all partitions.
    columns : ndarray of int64 or None
        The columns of the weights; None if they are all columns.
    planes : list of Plane
        The planes, with the weights of these columns.
    most : int
        The number of rows of each class that a partition may send for each plane.
    """

    frame: Frame
    columns: NDArray[np.int64] | None
    planes: list[Plane]
    most: int

    @classmethod
    def of(cls, frame: Frame, planes: Sequence[Plane], most: int, is_sparse: bool) -> Planes:
        """Return the command for planes that have the weights of all columns."""
        if not is_sparse:
            return cls(frame, None, list(planes), most)
        columns = np.unique(np.concatenate([occurring(plane.weights) for plane in planes])).astype(np.int64)
        cut = [Plane(narrowed(p.weights, columns), p.bias, p.positive, p.limit) for p in planes]
        return cls(frame, columns, cut, most)

    def fitting(self, X: Any) -> tuple[Any, list[Floats]]:
        """Return rows, and the weights of their columns."""
        weights = [plane.weights for plane in self.planes]
        if self.columns is None:
            return X, weights
        if sp.issparse(X) and is_wide(X.shape[1], X.nnz):
            return Columns(self.columns, X.shape[1]).only(X), weights
        full = np.zeros((len(weights), X.shape[1]))
        full[:, self.columns] = weights
        return X, list(full)


@dataclass(frozen=True)
class Margins:
    """The reply: what is known of the smallest y f(x) for each plane.

    Parameters
    ----------
    low, high : ndarray of shape (n_planes,)
        Bounds on the smallest y f(x), in units of 2^exponent.
    exponents : ndarray of int64 of shape (n_planes,)
        These exponents.
    sides : ndarray of shape (n_planes, 2)
        The smallest y f(x) of the rows of the positive class and of the others, up to rounding; infinite without such
        rows.
    wanted : ndarray of int64 of shape (n_planes,)
        The number of rows below the limit of each plane that had not been sent before.
    working : WorkingRows
        The rows that are sent.
    """

    low: Floats
    high: Floats
    exponents: NDArray[np.int64]
    sides: Floats
    wanted: NDArray[np.int64]
    working: WorkingRows

    def __add__(self, other: Margins) -> Margins:
        return Margins(
            np.minimum(self.low, other.low),
            np.minimum(self.high, other.high),
            self.exponents,
            np.minimum(self.sides, other.sides),
            self.wanted + other.wanted,
            self.working + other.working,
        )

    def smallest(self, place: int) -> Enclosure:
        """Return the smallest y f(x) of all rows for one plane."""
        return Enclosure.between(float(self.low[place]), float(self.high[place]), int(self.exponents[place]))


def measure_planes(block: Block, state: Any, command: Planes) -> tuple[Sent, Margins | None]:
    """Measure planes on a partition, and send the rows that contradict them most: a step."""
    part = Part(block, state, command.frame)
    if not len(part.rows):
        return part.sent, None
    X, weights = command.fitting(part.X)
    table, is_new, count = Rows(X, command.frame.largest), part.is_new, len(command.planes)
    low, high, sides = np.zeros(count), np.zeros(count), np.full((count, 2), math.inf)
    exponents, wanted = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    chosen = [np.zeros(0, dtype=np.int64)]
    for k, (plane, w) in enumerate(zip(command.planes, weights, strict=True)):
        signs = np.where(part.codes == plane.positive, 1.0, -1.0)
        e = table.score_exponent(w, plane.bias)
        lows, highs, middles = signed_ends([table.scores(p, w, plane.bias, e) for p in table.blocks()], signs)
        low[k], high[k], exponents[k] = lows.min(), highs.min(), e
        with np.errstate(over="ignore", under="ignore"):
            is_wanted = is_new & ~(np.ldexp(lows, e) >= plane.limit) & (plane.limit > -math.inf)
        wanted[k] = np.count_nonzero(is_wanted)
        for place, side in enumerate(SIDES):
            own = signs == side
            sides[k, place] = math.ldexp(float(middles.min(where=own, initial=math.inf)), e)
            chosen.append(part.smallest(lows, np.flatnonzero(is_wanted & own), command.most))
    sent, working = part.send(np.concatenate(chosen))
    return sent, Margins(low, high, exponents, sides, wanted, working)


def measured(rounds: Rounds, frame: Frame, planes: Sequence[Plane], most: int, is_sparse: bool) -> Margins:
    """Return the margins of planes over all rows, in one round."""
    found: Margins = rounds.run(measure_planes, Planes.of(frame, planes, most, is_sparse))
    return found
