"""Numbers with few decimal places as integers, which need a third of the space of doubles and are quick to compress.

Most values come as text of a few digits. The double nearest to ``m / 10**k`` is given back exactly by the division,
whose result IEEE 754 defines. To store ``m`` is the idea of ALP (Afroozeh, Kuffo and Boncz, 2023) in its simplest form:
one exponent for all values of a block, and none if that does not give back each value to the bit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core

MAX_EXPONENT: Final = 9
MIN_VALUES: Final = 256  # fewer are not worth the search
POWERS: Final = [10.0**exponent for exponent in range(MAX_EXPONENT + 1)]  # exact


def to_decimals(values: NDArray[np.float64]) -> tuple[int, NDArray[np.int32]] | None:
    """Return an exponent k and integers m of which ``m / 10**k`` are the values, to the bit; None if there are none."""
    if len(values) < MIN_VALUES:
        return None
    sample = np.ascontiguousarray(values[:: max(1, len(values) // MIN_VALUES)])
    for exponent, power in enumerate(POWERS):
        if _core.decimal_mantissas(sample, power) is not None:
            found = _core.decimal_mantissas(np.ascontiguousarray(values), power)
            if found is not None:
                return exponent, found
    return None


def from_decimals(mantissas: NDArray[np.int32], exponent: int) -> NDArray[np.float64]:
    """Return the values of integers and their exponent."""
    found: NDArray[np.float64] = mantissas / POWERS[exponent]
    return found
