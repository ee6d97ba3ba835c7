"""Numbers with few decimal places as integers, which need a third of the space of doubles and are quick to compress.

Most values come as text of a few digits. The double nearest to ``m / 10**k`` is given back exactly by the division,
whose result IEEE 754 defines. To store ``m`` is the idea of ALP (Afroozeh, Kuffo and Boncz, 2023) in its simplest form:
one exponent for all values of a block, and none if that does not give back each value to the bit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_EXPONENT: Final = 9
MIN_VALUES: Final = 256  # fewer are not worth the search
POWERS: Final = 10.0 ** np.arange(MAX_EXPONENT + 1)  # exact
LIMIT: Final = 2.0**31


def to_decimals(values: NDArray[np.float64]) -> tuple[int, NDArray[np.int32]] | None:
    """Return an exponent k and integers m of which ``m / 10**k`` are the values, to the bit; None if there are none."""
    if len(values) < MIN_VALUES:
        return None
    sample = values[:: max(1, len(values) // MIN_VALUES)]
    with np.errstate(over="ignore", invalid="ignore"):
        if not _is_exact(sample, np.rint(sample * POWERS[MAX_EXPONENT]), MAX_EXPONENT):
            return None
        for exponent in range(MAX_EXPONENT + 1):
            if _mantissas(sample, exponent) is not None and (found := _mantissas(values, exponent)) is not None:
                return exponent, found
    return None


def from_decimals(mantissas: NDArray[np.int32], exponent: int) -> NDArray[np.float64]:
    """Return the values of integers and their exponent."""
    found: NDArray[np.float64] = mantissas / POWERS[exponent]
    return found


def _mantissas(values: NDArray[np.float64], exponent: int) -> NDArray[np.int32] | None:
    rounded = np.rint(values * POWERS[exponent])
    if not (np.abs(rounded) < LIMIT).all():
        return None
    mantissas = rounded.astype(np.int32)
    return mantissas if _is_exact(values, mantissas, exponent) else None


def _is_exact(values: NDArray[np.float64], mantissas: NDArray[np.float64] | NDArray[np.int32], exponent: int) -> bool:
    return np.array_equal((mantissas / POWERS[exponent]).view(np.int64), values.view(np.int64))  # -0.0 is not 0.0
