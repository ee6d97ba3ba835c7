"""What a later table has that the encoder has not seen, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .words import count_with_words


@dataclass
class Unseen:
    """What the data of a model lacks or has in addition, compared with the data that the encoder was fitted to.

    Parameters
    ----------
    rows : int
        Number of rows that were encoded.
    unknown : dict
        Number of rows whose category has no column, or whose text has no word with one, by column.
    missing : dict
        Number of missing values in columns that had none, by column.
    absent : list of str
        Columns that are missing altogether.
    """

    rows: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)

    def add_texts(self, name: str, codes: NDArray[np.int32], values: Sequence[str], counts: Any) -> None:
        """Count the texts of a column that have words, but none with a column."""
        empty = codes[(np.diff(counts.indptr) == 0) & (codes >= 0)]
        if unknown := count_with_words(empty, values):
            self.unknown[name] = self.unknown.get(name, 0) + unknown

    def sentences(self) -> list[str]:
        """Return what a user should know, one line for each kind."""
        found = []
        if self.absent:
            lacking = f"columns of the model that the table lacks ({len(self.absent):,})"
            found.append(f"{lacking} count as missing values: {', '.join(self.absent)}")
        if self.missing:
            listed = ", ".join(f"{name} ({count:,})" for name, count in self.missing.items())
            found.append(f"missing values in columns that had none when the model was fitted: {listed}")
        if self.unknown:
            listed = ", ".join(f"{name} ({count:,})" for name, count in self.unknown.items())
            found.append(f"values that did not occur when the model was fitted, and have no weight: {listed}")
        return found
