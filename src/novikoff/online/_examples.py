"""Rows with their labels, as an online learner learns from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff._validation import describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.theory.geometry import Floats


@dataclass
class Examples:
    """Rows with their class codes, weights and squared norms."""

    X: Any
    rows: _core.Rows
    codes: Codes
    weights: NDArray[np.float64] | None
    squared_norms: Floats
    examined: bool = False

    @classmethod
    def of(cls, where: str, X: Any, codes: Codes, weights: NDArray[np.float64] | None) -> Examples:
        """Wrap a matrix without copying it."""
        rows = as_rows(where, X)
        return cls(X, rows, codes, weights, np.empty(rows.count))

    def examine(self, where: str) -> None:
        """Check every row before any is learned from, so that a bad row has no effect."""
        self.squared_norms, good = self.rows.squared_norms()
        if good < self.rows.count:
            raise describe_bad_row(where, self.X, good)
        self.examined = True
