"""Counts as text for people: 3,399,228 and not 3.39923e+06, and 1 row but 2 rows."""

from __future__ import annotations

import math
from typing import SupportsFloat

DIGITS = 6  # of a count that is not an integer, unless its whole part has more


def count(value: SupportsFloat) -> str:
    """Return a count, or a sum of weights, which may have decimals.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str
        Its digits with commas between thousands; a number that is not an integer has six digits, and at least one
        after the point.
    """
    number = float(value)
    if not math.isfinite(number) or 0 < abs(number) < 1:
        return f"{number:.{DIGITS}g}"
    if number.is_integer():
        return f"{number:,.0f}"
    whole = len(f"{abs(number):.0f}")
    return f"{number:,.{max(1, DIGITS - whole)}f}".rstrip("0").rstrip(".")


def counted(value: SupportsFloat, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: 1 row, 2 rows.

    Parameters
    ----------
    value : float
        The number.
    noun : str
        What is counted, in the singular.
    plural : str, default=None
        Its plural; by default the noun with "s", or "es" after another s.

    Returns
    -------
    str
        The count and the noun.
    """
    return f"{count(value)} {noun if value == 1 else plural or plural_of(noun)}"


def plural_of(noun: str) -> str:
    """Return the plural of a noun that only needs "s", or "es" after another s."""
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"
