"""The default C of partitioned rows, and the columns that occur in them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.svm.default_cost import cost_of_spread
from novikoff.theory.geometry import Floats

from .block import Block
from .rounds import Rounds
from .survey import Survey, codes_of, in_width


@dataclass(frozen=True)
class SpreadCommand:
    """Sum c, c x / unit and c |x / unit - q|^2 over the rows.

    Parameters
    ----------
    columns : int
        The number of columns.
    unit : float
        A power of two, at least the largest value.
    classes : tuple or None
        The labels; None if there are no class weights.
    factors : ndarray or None
        The weights of the classes.
    point : ndarray of shape (columns,) or None
        The point q; None for 0.
    """

    columns: int
    unit: float
    classes: tuple[Any, ...] | None
    factors: Floats | None
    point: Floats | None


def default_cost(
    rounds: Rounds, survey: Survey, classes: tuple[Any, ...], factors: Floats | None, centered: bool
) -> float:
    """Return the default C, as `novikoff.svm` does for the rows of one machine.

    Parameters
    ----------
    rounds : Rounds
        The rows.
    survey : Survey
        What is known about them.
    classes : tuple
        The labels.
    factors : ndarray or None
        The weights of the classes.
    centered : bool
        Whether the spread is that around the mean row; otherwise it is that around 0.
    """
    if survey.largest == 0:
        return 1.0
    unit = float(2.0 ** np.frexp(survey.largest)[1])
    command = SpreadCommand(survey.columns, unit, classes if factors is not None else None, factors, None)
    total, sums, squares = rounds.run(spread_step, command)
    spread = squares / total
    if centered:
        point = sums / total
        command = SpreadCommand(survey.columns, unit, command.classes, factors, point)
        total, sums, squares = rounds.run(spread_step, command)
        apart = sums / total
        spread = max(0.0, squares / total - float(apart @ apart))
    return cost_of_spread(Fraction(float(spread)) * Fraction(unit) ** 2, survey.largest, centered, survey.columns)


def spread_step(block: Block, state: Any, command: SpreadCommand) -> tuple[Any, Any]:
    """Return the sums of one partition."""
    X = in_width(block.X, command.columns)
    c = np.ones(block.count) if block.weights is None else block.weights
    if command.factors is not None and command.classes is not None:
        codes = codes_of(block, command.classes)
        c = c * np.where(codes >= 0, command.factors[codes], 0.0) if block.count else c
    q = np.zeros(command.columns) if command.point is None else command.point
    sums, squares = np.zeros(command.columns), 0.0
    step = max(1, (1 << 20) // max(1, command.columns))
    if not block.is_sparse:
        for first in range(0, block.count, step):
            apart = X[first : first + step].astype(np.float64) / command.unit - q
            own = c[first : first + step]
            sums += np.einsum("i,ij->j", own, apart)
            squares += float(np.einsum("i,ij,ij->", own, apart, apart))
        return state, (float(c.sum()), sums, squares)
    of_values = np.repeat(c, np.diff(X.indptr))
    values = X.data.astype(np.float64) / command.unit
    apart = values - q[X.indices]
    total = float(c.sum())
    sums = np.bincount(X.indices, of_values * values, minlength=command.columns) - total * q
    stored = np.bincount(X.indices, of_values, minlength=command.columns)
    squares = float(np.einsum("i,i,i->", of_values, apart, apart)) + float((total - stored) @ (q * q))
    return state, (total, sums, squares)


@dataclass(frozen=True)
class IndexSet:
    """Column indices in ascending order; a sum is the union.

    Parameters
    ----------
    indices : ndarray of int64
        The indices.
    repeated : int, default=0
        How many indices have been left out of sums, because the other set had them, too.
    """

    indices: NDArray[np.int64]
    repeated: int = 0

    def __add__(self, other: IndexSet) -> IndexSet:
        union = np.union1d(self.indices, other.indices)
        sent = len(self.indices) + self.repeated + len(other.indices) + other.repeated
        return IndexSet(union, sent - len(union))

    @property
    def bytes_of_replies(self) -> int:
        """The number of bytes of all replies of which this is the sum."""
        return self.indices.itemsize * (len(self.indices) + self.repeated)


def occurring_columns(rounds: Rounds, survey: Survey) -> NDArray[np.int64] | None:
    """Return the columns of sparse rows that occur, of which there is at least one; None if all do."""
    if not survey.is_sparse:
        return None
    found: IndexSet = rounds.run(columns_step)
    if len(found.indices) == survey.columns:
        return None
    return found.indices if len(found.indices) else np.zeros(1, dtype=np.int64)


def columns_step(block: Block, state: Any, command: Any) -> tuple[Any, IndexSet]:
    """Return the columns that occur in one partition."""
    indices = np.unique(block.X.indices) if block.is_sparse else np.zeros(0, dtype=np.int64)
    return state, IndexSet(indices.astype(np.int64))
