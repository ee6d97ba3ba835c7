"""The rows of all partitions that are gathered on the driver, and how a partition chooses and numbers them.

A working set W has the few rows that decide. A problem is solved on W alone, its solution is measured on all rows where
they are, and each partition sends those of its rows that contradict the solution most. A partition remembers what it
has sent, so no row is sent twice, and a reply without rows says that nothing contradicts the solution. Every reply with
rows makes W larger, so this comes to an end, at the latest when W has all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.theory.enclosed_sums import Enclosed, Rows
from novikoff.theory.enclosure import Enclosure

from .block import Block
from .protocol import size_of
from .rounds import Rounds
from .survey import Survey, codes_of, in_width

Numbers = NDArray[np.int64]
FIRST_ROWS = (100, 1000)  # least and largest number of rows of the first working set, which has two per column
ADDED_ROWS = (200, 2000)  # the same for the rows that one round adds, for each claim or plane
DISTINCT_SHARE = 4  # of so many times the rows that are sent, repetitions are left out


@dataclass(frozen=True)
class Frame:
    """What a partition must know of all others.

    Parameters
    ----------
    classes : list
        The labels in ascending order.
    columns : int
        The number of columns.
    firsts : list of int
        The number of the first row of each partition among the rows of all partitions.
    largest : float
        The largest absolute value of all partitions; so all of them scale their rows in the same way.
    """

    classes: list[Any]
    columns: int
    firsts: list[int]
    largest: float

    @classmethod
    def of(cls, survey: Survey, classes: NDArray[Any]) -> Frame:
        """Return the frame of a data set."""
        return cls(classes.tolist(), survey.columns, survey.firsts, survey.largest)


@dataclass(frozen=True)
class Sent:
    """The state of a partition.

    Parameters
    ----------
    partition : int
        The number of the partition.
    rows : ndarray of int64
        The places, in the partition, of the rows that it has sent.
    """

    partition: int
    rows: Numbers

    def and_now(self, rows: Numbers) -> Sent:
        """Return the state after some more rows were sent."""
        return replace(self, rows=np.union1d(self.rows, rows)) if len(rows) else self


@dataclass(frozen=True)
class WorkingRows:
    """Rows that were gathered; those of several partitions are added.

    Parameters
    ----------
    numbers : ndarray of int64
        Their numbers among the rows of all partitions.
    X : ndarray or CSR matrix
        The rows.
    codes : ndarray of int32
        The places of their labels among the classes.
    """

    numbers: Numbers
    X: Any
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def __add__(self, other: WorkingRows) -> WorkingRows:
        if not len(other) or not len(self):
            return self if len(self) else other
        stack = sp.vstack([self.X, other.X], format="csr") if sp.issparse(self.X) else np.vstack([self.X, other.X])
        numbers = np.concatenate([self.numbers, other.numbers])
        return WorkingRows(numbers, stack, np.concatenate([self.codes, other.codes]))

    @property
    def bytes_of_replies(self) -> int:
        """The number of bytes of all replies of which this is the sum."""
        return size_of(vars(self))

    def in_order(self) -> WorkingRows:
        """Return the same rows by ascending numbers, so that the order in which they came has no influence."""
        order = np.argsort(self.numbers, kind="stable")
        return WorkingRows(self.numbers[order], self.X[order], self.codes[order])


class Part:
    """The rows of a partition whose weight is not 0.

    Parameters
    ----------
    block : Block
        The rows.
    state : int or Sent
        The state of the partition.
    frame : Frame
        What is known of all partitions.

    Attributes
    ----------
    rows : ndarray of int64
        Their places in the block.
    X : ndarray or CSR matrix
        The rows.
    codes : ndarray of int32
        The places of their labels among the classes.
    """

    def __init__(self, block: Block, state: Any, frame: Frame) -> None:
        self.sent = state if isinstance(state, Sent) else Sent(int(state), np.zeros(0, dtype=np.int64))
        self._first = frame.firsts[self.sent.partition]
        codes = codes_of(block, frame.classes)
        is_present = codes >= 0 if block.weights is None else (codes >= 0) & (block.weights > 0)
        self.rows, X = np.flatnonzero(is_present), in_width(block.X, frame.columns)
        self.X, self.codes = (X, codes) if is_present.all() else (X[self.rows], codes[self.rows])

    @property
    def numbers(self) -> Numbers:
        """Their numbers among the rows of all partitions."""
        return self.rows + self._first

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """Which of them have not been sent."""
        return ~np.isin(self.rows, self.sent.rows)

    def send(self, places: Numbers) -> tuple[Sent, WorkingRows]:
        """Return the state after some rows are sent, given their places in X, and these rows."""
        places = np.unique(places)
        gathered = WorkingRows(self.numbers[places], self.X[places], self.codes[places])
        return self.sent.and_now(self.rows[places]), gathered

    def smallest(self, values: NDArray[np.float64], among: Numbers, most: int) -> Numbers:
        """Return at most so many of the places ``among``, by increasing values and then numbers, without equal rows."""
        nearest = among[np.argsort(values[among], kind="stable")[: DISTINCT_SHARE * most]]
        return nearest[_first_of_equal(self.X[nearest])][:most]


def _first_of_equal(X: Any) -> Numbers:
    """Return the places of the first row of each kind."""
    seen: dict[bytes, int] = {}
    for place in range(X.shape[0]):
        if sp.issparse(X):
            cut = slice(X.indptr[place], X.indptr[place + 1])
            key = X.indices[cut].tobytes() + X.data[cut].tobytes()
        else:
            key = X[place].tobytes()
        seen.setdefault(key, place)
    return np.array(list(seen.values()), dtype=np.int64)


def spread(among: Numbers, most: int) -> Numbers:
    """Return at most so many of some places, at equal distances."""
    return among if len(among) <= most else among[np.linspace(0, len(among) - 1, most).astype(np.int64)]


def rows_to_add(columns: int, sharers: int) -> int:
    """Return how many rows each of several sharers may send in a round: two per column, for all of them together."""
    return _share(ADDED_ROWS, columns, sharers)


def _share(limits: tuple[int, int], columns: int, sharers: int) -> int:
    return max(1, -(-min(max(2 * columns, limits[0]), limits[1]) // sharers))


@dataclass(frozen=True)
class Opening:
    """The command of the first round: send some rows of each class."""

    frame: Frame
    most: int


@dataclass(frozen=True)
class Opened:
    """The reply to it.

    Parameters
    ----------
    working : WorkingRows
        Rows of all classes.
    examples : int
        The number of rows whose weight is not 0.
    squared_radius : Enclosure
        The largest |x|^2.
    """

    working: WorkingRows
    examples: int
    squared_radius: Enclosure

    def __add__(self, other: Opened) -> Opened:
        low = max(self.squared_radius.low, other.squared_radius.low)
        high = max(self.squared_radius.high, other.squared_radius.high)
        return Opened(self.working + other.working, self.examples + other.examples, Enclosure(low, high))


def send_first_rows(block: Block, state: Any, command: Opening) -> tuple[Sent, Opened | None]:
    """Send rows of each class at equal distances, and the largest length: a step."""
    part = Part(block, state, command.frame)
    if not len(part.rows):
        return part.sent, None
    places = [spread(np.flatnonzero(part.codes == code), command.most) for code in np.unique(part.codes)]
    sent, working = part.send(np.concatenate(places))
    rows, radius = Rows(part.X, command.frame.largest), None
    for piece in rows.blocks():
        found = rows.squared_lengths(piece).largest()
        radius = found if radius is None else Enclosure(max(radius.low, found.low), max(radius.high, found.high))
    assert radius is not None
    return sent, Opened(working, len(part.rows), radius)


def open_working_set(rounds: Rounds, survey: Survey, frame: Frame) -> Opened:
    """Return the first working set, in one round."""
    most = _share(FIRST_ROWS, survey.columns, rounds.count * len(frame.classes))
    opened: Opened = rounds.run(send_first_rows, Opening(frame, most))
    return replace(opened, working=opened.working.in_order())


def signed_ends(found: list[Enclosed], signs: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return lower bounds, upper bounds and middles of y f(x), in the common unit of some enclosed scores f(x)."""
    ends = [one.ends() for one in found]
    low, high = (np.concatenate([end[side] for end in ends]) for side in (0, 1))
    middle = np.concatenate([one.middle for one in found])
    is_positive = signs > 0
    return np.where(is_positive, low, -high), np.where(is_positive, high, -low), signs * middle
