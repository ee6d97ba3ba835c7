"""How an online learner ran on partitioned data: the partitions, the rounds, and the order of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .geometry import Matrix
from .splitmix import INCREMENT, UINT64_MASK, mixed
from .verification import Check


@dataclass(frozen=True)
class Mixing:
    """The rounds over the partitions of one binary problem.

    In each round every partition runs the learner over its own rows, from the common weights. The next common weights
    are the mean of those that the partitions end with, with shares in proportion to their mistakes; if none made a
    mistake, in proportion to their updates.

    Parameters
    ----------
    rows : ndarray of int64
        The number of rows of each partition, in the order of the rows.
    mistakes : ndarray of shape (n_rounds, n_partitions)
        The number of mistakes of each partition in each round, or the sum of their weights.
    tie : {"mistake", "positive"}
        Whether a score of exactly 0 counts as a mistake or as a prediction of +1.
    seed : int
        Seed of the row orders.
    shuffle : bool
        Whether the rows of a partition are visited in a new random order in each round.
    errors : float
        The number of rows that are not on the right side of the final weights, or the sum of their weights.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.theory import Mixing
    >>> mixing = Mixing(np.array([2, 3]), np.array([[1.0, 2.0], [0.0, 0.0]]), "mistake", 0, True, 0.0)
    >>> mixing.rounds, mixing.partitions
    (2, 2)
    """

    rows: NDArray[np.int64]
    mistakes: Matrix
    tie: str
    seed: int
    shuffle: bool
    errors: float

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return int(self.mistakes.shape[0])

    @property
    def partitions(self) -> int:
        """The number of partitions that have rows."""
        return int(np.count_nonzero(self.rows))

    def misfit(self, rows: int | None = None) -> Check | None:
        """Return a failed check if no run can have these numbers.

        Parameters
        ----------
        rows : int, default=None
            The number of rows of all partitions, if it is known.

        Returns
        -------
        Check or None
            The check that failed; None if nothing is wrong.
        """
        if self.rows.ndim != 1 or self.mistakes.ndim != 2 or self.mistakes.shape[1] != len(self.rows):
            return Check("partitions", "fails", "the mistakes are not those of each partition in each round")
        if not len(self.rows) or np.any(self.rows < 0):
            return Check("partitions", "fails", "there are none, or one has a negative number of rows")
        if rows is not None and sum(self.rows.tolist()) != rows:
            total = sum(self.rows.tolist())
            return Check("partitions", "fails", f"they have {total:,} rows together, but the data have {rows:,}")
        if not (np.all(self.mistakes >= 0) and np.all(np.isfinite(self.mistakes))):
            return Check("mistakes", "fails", "some are negative or not finite")
        if self.tie not in ("mistake", "positive") or not 0 <= self.seed <= UINT64_MASK:
            return Check("run", "fails", f"no run has the tie {self.tie!r} and the seed {self.seed}")
        if not (math.isfinite(self.errors) and self.errors >= 0):
            return Check("rows on the wrong side", "fails", f"{self.errors}, which no run can have")
        return None


def order_seed(seed: int, number: int, partition: int) -> int:
    """Return the seed of the row order of one partition in one round.

    Parameters
    ----------
    seed : int
        The seed of the run.
    number : int
        The number of the round, from 0.
    partition : int
        The number of the partition, from 0.

    Returns
    -------
    int
        An integer of 64 bits, which splitmix64 makes of the three.

    Examples
    --------
    >>> from novikoff.theory.mixing import order_seed
    >>> len({order_seed(0, number, partition) for number in range(9) for partition in range(9)})
    81
    """
    of_round = mixed((seed + (number + 1) * INCREMENT) & UINT64_MASK)
    return mixed((of_round + (partition + 1) * INCREMENT) & UINT64_MASK)
