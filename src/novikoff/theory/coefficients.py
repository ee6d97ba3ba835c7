"""What becomes of each coefficient of a logistic regression if a plane separates the classes."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count

Statuses = NDArray[np.int8]  # codes of CoefficientStatus


class CoefficientStatus(IntEnum):
    """What the maximum likelihood estimate of a coefficient of a logistic regression is.

    Let z_i = y_i u_i for labels y of -1 and +1. The likelihood never decreases in the directions v of the cone K with
    z_i.v >= 0 for all rows, and does not change in those of its subspace L with z_i.v = 0 for all rows.

    See Also
    --------
    novikoff.theory.Separability : Has the status of every coefficient, with a proof.

    Examples
    --------
    >>> from novikoff.theory import CoefficientStatus
    >>> CoefficientStatus.PLUS_INFINITY.word
    '+infinity'
    """

    UNDECIDED = 0  #: The data are too large, or floating point fails on them.
    FINITE = 1  #: v_j = 0 for all v in K.
    PLUS_INFINITY = 2  #: v_j >= 0 for all v in K, and v_j > 0 for some of them.
    MINUS_INFINITY = 3  #: v_j <= 0 for all v in K, and v_j < 0 for some of them.
    INFINITE = 4  #: v_j > 0 for some v in K and v_j < 0 for others, but v_j = 0 for all v in L.
    ALIASED = 5  #: v_j != 0 for some v in L: the column is a linear combination of others.

    @property
    def word(self) -> str:
        """The status in words."""
        return WORDS[self]


WORDS = ("undecided", "finite", "+infinity", "-infinity", "infinite", "aliased")
OF_ZEROS = (CoefficientStatus.UNDECIDED, CoefficientStatus.ALIASED)  # what the status of a column of zeros may be


def undecided(columns: int) -> Statuses:
    """Return the statuses of coefficients of which nothing is known."""
    return np.full(columns, CoefficientStatus.UNDECIDED, dtype=np.int8)


def in_words(statuses: Statuses) -> NDArray[np.str_]:
    """Return the words of statuses."""
    words: NDArray[np.str_] = np.array(WORDS)[statuses]
    return words


def counted_statuses(statuses: Statuses, aliased: int = 0) -> str:
    """Return how many coefficients have each status, in words; so many others are aliased."""
    counts = np.bincount(statuses, minlength=len(WORDS)).tolist()
    counts[CoefficientStatus.ALIASED] += aliased
    return ", ".join(f"{count(number)} {word}" for word, number in zip(WORDS, counts, strict=True) if number)
