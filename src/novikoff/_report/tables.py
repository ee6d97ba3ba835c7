"""Tables of the report, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table with column headings; the first cell of each row is the heading of the row.

    Parameters
    ----------
    caption : str
        The caption.
    heads : sequence of str
        The column headings.
    rows : sequence of sequences of str
        The cells as text.
    numeric : bool, default=True
        Whether to align the cells to the right.
    words : int, default=1
        The number of first columns that are text, which may be broken into lines, whatever the others are.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: bool = True
    words: int = 1
