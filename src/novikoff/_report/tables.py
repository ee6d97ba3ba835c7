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
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: bool = True


def count(value: float) -> str:
    """Format a number of rows; sums of row weights may have decimals."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}"


def percent(share: float) -> str:
    """Format a fraction with one decimal, or three where one would round it to 0 or 100 %."""
    near = min(share, 1 - share)
    digits = 1 if near >= 0.001 or near <= 0 else 3
    return f"{100 * share:.{digits}f} %"
