"""The partition of rows into those that a plane can have on its right side, and those that balance each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.balance import Balance
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import IntegerVector

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Partition:
    """A proven partition of the rows.

    Parameters
    ----------
    direction : list of int or None
        Direction v with z_i.v > 0 for the rows on the right side and z_i.v = 0 for the others. None if all rows are
        spanned by rows that balance.
    sides : ndarray of int8 or None
        The sign of z_i.v for each row, 1 or 0.
    witness : Duals or None
        Rows that balance, and their weights. None if no rows balance.
    proof : Balance or None
        The proof that they do.
    """

    direction: IntegerVector | None
    sides: NDArray[np.int8] | None
    witness: Duals | None
    proof: Balance | None
