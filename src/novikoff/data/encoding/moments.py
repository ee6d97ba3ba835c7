"""Running means and standard deviations of columns of numbers, exactly as row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core

#: The largest distance of a value from the first value of its column, and the largest standardised value. The squares
#: of 1e8 larger ones would overflow.
LARGEST = 1e145


class Moments:
    """Counts, sums and sums of squares of columns, updated with one row after the other.

    The first value of a column is subtracted before values are added up, so that a large mean does not cancel a small
    variance. Sums are in the order of the rows: cutting the rows into blocks does not change a bit.

    Parameters
    ----------
    standardise : bool
        Whether values are standardised; if not, squares are not needed.
    counts, shifts, sums, squares : sequence
        Where to continue; see ``RunningEncoding``.
    """

    def __init__(
        self,
        standardise: bool,
        counts: Sequence[int],
        shifts: Sequence[float],
        sums: Sequence[float],
        squares: Sequence[float],
    ) -> None:
        self._standardise = standardise
        self._counts = np.array(counts, dtype=np.int64)
        self._shifts, self._sums, self._squares = (np.array(part, dtype=np.float64) for part in (shifts, sums, squares))

    def as_tuples(self) -> dict[str, Any]:
        """Return the numbers from which to continue, by name."""
        arrays = {"counts": self._counts, "shifts": self._shifts, "sums": self._sums, "squares": self._squares}
        return {name: tuple(values.tolist()) for name, values in arrays.items()}

    def learn(self, numbers: NDArray[Any], absent: NDArray[np.bool_]) -> NDArray[Any]:
        """Return each row standardised with the moments up to and including it.

        A missing value is 0; without standardisation, it is the mean so far, and all others are as they were.
        """
        has_output = self._standardise or absent.any()
        out = np.empty(numbers.size if has_output else 0)
        values = np.ascontiguousarray(numbers, dtype=np.float64)
        arrays = self._counts, self._shifts, self._sums, self._squares, out
        _core.add_to_moments(values, *arrays, self._standardise)
        return out.reshape(numbers.shape) if has_output else numbers

    def apply(self, numbers: NDArray[Any], absent: NDArray[np.bool_]) -> NDArray[Any]:
        """Return rows standardised with the present moments, which do not change."""
        with np.errstate(over="ignore"):
            distances = np.clip(numbers - self._shifts, -LARGEST, LARGEST)
        counts = np.maximum(self._counts, 1)
        means = self._sums / counts
        if not self._standardise:
            so_far = np.where(self._counts > 0, self._shifts + means, 0.0)  # 0 before the first value
            return np.where(absent, so_far, numbers) if absent.any() else numbers
        deviations = np.sqrt(np.maximum(self._squares / counts - means * means, 0.0))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            standard = np.clip((distances - means) / deviations, -LARGEST, LARGEST)
        standard[absent | (deviations == 0.0)] = 0.0
        return standard
