"""What a verdict on the separability of some rows claims of all rows, and the rows of a partition that contradict it.

Every claim is decided without rounding: signs that floating point leaves open are computed in integers, in the
partition that has the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.balance import Balance
from novikoff.theory.columns import Columns
from novikoff.theory.elimination import IntegerVector
from novikoff.theory.exact import Examples
from novikoff.theory.geometry import Floats

from .block import Block
from .moments import IndexSet
from .packed_integers import Packed, packed, unpacked
from .working_rows import Frame, Numbers, Part, Sent, WorkingRows, spread

NEAR_SHARE = 2  # rows nearest to a plane that is to separate all rows are sent, so many for each that is wrong
MIN_SENT = 16  # and not fewer, because the next plane is better if rows that are nearly wrong are known


@dataclass(frozen=True)
class Setting:
    """How the rows of a partition become the vectors z of a verdict.

    Parameters
    ----------
    frame : Frame
        What is known of all partitions.
    columns : ndarray of int64 or None
        The columns that occur in sparse rows; None if all are used.
    fit_intercept : bool
        Whether there is an intercept.
    positive : int
        The place among the classes of the label that is +1.
    """

    frame: Frame
    columns: NDArray[np.int64] | None
    fit_intercept: bool
    positive: int

    def examples(self, X: Any, codes: NDArray[np.int32]) -> Examples:
        """Return the vectors z of some rows."""
        own = X if self.columns is None else Columns(self.columns, X.shape[1]).cut(X)
        return Examples(own, np.where(codes == self.positive, 1.0, -1.0), self.fit_intercept)


@dataclass(frozen=True)
class Span:
    """The space that the rows of a witness span.

    Parameters
    ----------
    columns : ndarray of int64
        The columns in which these rows are not all 0.
    moves : list of ndarray of uint8
        A basis of the directions, in these columns, that are 0 on all of them, packed.
    """

    columns: NDArray[np.int64]
    moves: list[Packed]

    @classmethod
    def of(cls, proof: Balance, width: int) -> Span | None:
        """Return the span of the rows that balance; None if it is too expensive to test others against it."""
        moves, places = proof.moves(width), proof.columns.tolist()
        return None if moves is None else cls(proof.columns, [packed([move[j] for j in places]) for move in moves])

    def outside(self, examples: Examples, among: Numbers) -> Numbers:
        """Return those of some rows that are not in this space."""
        is_beyond = examples.reaches_beyond(self.columns)[among]
        within, own = among[~is_beyond], self.columns[self.columns < examples.X.shape[1]]
        part = Examples(examples.X[within][:, own], examples.signs[within], examples.fit_intercept)
        is_off = part.off_zero(list(map(unpacked, self.moves))) if len(within) else np.zeros(0, dtype=bool)
        return np.union1d(among[is_beyond], within[is_off])


@dataclass(frozen=True)
class Claims:
    """What must hold for all rows; vectors of integers are packed.

    Parameters
    ----------
    plane : ndarray of uint8 or None
        No row is on the wrong side of this plane.
    is_complete : bool, default=False
        Whether no row is on the plane, either.
    span : Span or None, default=None
        The rows on the plane, or all rows without one, are in this space.
    directions : list of ndarray of uint8, default=()
        No row is on the wrong side of these.
    dependences : list of ndarray of uint8, default=()
        All rows are on these.
    used : ndarray of int64 or None, default=None
        All rows are 0 in other columns than these; None if that is not claimed.
    """

    plane: Packed | None
    is_complete: bool = False
    span: Span | None = None
    directions: tuple[Packed, ...] = ()
    dependences: tuple[Packed, ...] = ()
    used: NDArray[np.int64] | None = None

    def contradicting(self, part: Part, examples: Examples, most: int) -> list[Numbers]:
        """Return, for each claim that does not hold, the places of at most so many rows that contradict it."""
        found, on_plane = [], np.ones(examples.rows, dtype=bool)
        if self.plane is not None:
            plane = unpacked(self.plane)
            sides = examples.sides(plane)
            on_plane = sides == 0
            wrong = np.flatnonzero((sides < 0) | (on_plane & self.is_complete))
            count = min(most, len(wrong))
            if len(wrong) and self.is_complete:
                wrong, count = np.flatnonzero(part.is_new), min(most, max(MIN_SENT, NEAR_SHARE * count))
            found.append(part.smallest(_relative_scores(examples, plane), wrong, count))
        if self.span is not None:
            found.append(spread(self.span.outside(examples, np.flatnonzero(on_plane)), most))
        directions = list(map(unpacked, self.directions))
        for direction, row in zip(directions, examples.wrong_sides(directions).tolist(), strict=True):
            if row >= 0:
                wrong = np.flatnonzero(examples.sides(direction) < 0)
                few = max(2, most // len(directions))
                found.append(part.smallest(_relative_scores(examples, direction), wrong, few))
        found.append(spread(np.flatnonzero(examples.off_zero(list(map(unpacked, self.dependences)))), most))
        if self.used is not None:
            found.append(spread(np.flatnonzero(examples.reaches_beyond(self.used)), most))
        return found


def _relative_scores(examples: Examples, direction: IntegerVector) -> Floats:
    """Return z.v of all rows relative to the sum of the absolute values of its terms, up to rounding."""
    largest = max(map(abs, direction))
    floats = np.array([entry / largest for entry in direction])
    return np.concatenate([shares for _, shares in examples.relative_scores(floats)])


@dataclass(frozen=True)
class ClaimTest:
    """The command of a round that tests claims: each partition sends at most so many rows that contradict a claim."""

    setting: Setting
    claims: Claims
    most: int


def send_contradictions(block: Block, state: Any, command: ClaimTest) -> tuple[Sent, WorkingRows | None]:
    """Send rows that contradict a claim: a step."""
    part = Part(block, state, command.setting.frame)
    if not len(part.rows):
        return part.sent, None
    examples = command.setting.examples(part.X, part.codes)
    return part.send(np.concatenate(command.claims.contradicting(part, examples, command.most)))


@dataclass(frozen=True)
class OnPlane:
    """The command of a round that lists the rows on a plane."""

    setting: Setting
    plane: Packed


def list_rows_on_plane(block: Block, state: Any, command: OnPlane) -> tuple[Sent, list[Numbers]]:
    """List the numbers of the rows on a plane: a step."""
    part = Part(block, state, command.setting.frame)
    if not len(part.rows):
        return part.sent, []
    sides = command.setting.examples(part.X, part.codes).sides(unpacked(command.plane))
    return part.sent, [part.numbers[sides == 0]]


def list_columns(block: Block, state: Any, command: Frame) -> tuple[Sent, IndexSet]:
    """List the columns that occur in sparse rows: a step."""
    part = Part(block, state, command)
    stored = part.X.indices[: part.X.nnz] if len(part.rows) else np.zeros(0)
    return part.sent, IndexSet(np.unique(stored).astype(np.int64))
