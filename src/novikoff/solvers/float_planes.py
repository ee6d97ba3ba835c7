"""A plane in floating point near an exact one, for margins so small that rounding the weights would lose them.

If the exact direction is multiplied by different factors, its entries are rounded differently. After each rounding, one
entry at a time is moved into the interval in which all rows are on their right side, if there is such an interval and
it contains a float.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from novikoff.theory.geometry import Floats

FACTORS = 64  # between 1 and 2, by which the direction is multiplied in turn
MAX_TRIED_ENTRIES = 20_000  # rows times columns, times factors; each is visited once for every column

Row = list[Fraction]


def nearby_float_plane(rows: list[Row], direction: Row) -> Floats | None:
    """Return floats v, about in the given direction, with z_i.v > 0 for all rows; None if none were found.

    Parameters
    ----------
    rows : list of list of Fraction
        The z_i.
    direction : list of Fraction
        A direction with z_i.v > 0 for all rows.
    """
    entries = max(1, len(rows) * len(direction))
    factors = max(1, min(FACTORS, MAX_TRIED_ENTRIES // entries))
    for step in range(factors):
        factor = 1 + Fraction(step, factors)
        try:
            v = [Fraction(float(entry * factor)) for entry in direction]
        except OverflowError:
            return None
        scores = [_product(row, v) for row in rows]
        if min(scores) > 0:
            return _as_floats(v)
        for place in range(len(v)):
            moved = _within(rows, scores, v, place)
            if moved is not None:
                v[place] = moved
                return _as_floats(v)
    return None


def _within(rows: list[Row], scores: Row, v: Row, place: int) -> Fraction | None:
    """Return a float as the entry at this place for which all scores are positive; None if there is none."""
    low: Fraction | None = None
    high: Fraction | None = None
    for row, score in zip(rows, scores, strict=True):
        z = row[place]
        rest = score - z * v[place]
        if z == 0:
            if rest <= 0:
                return None
        elif z > 0:
            low = max(low, -rest / z) if low is not None else -rest / z
        else:
            high = min(high, -rest / z) if high is not None else -rest / z
    if low is None or high is None:  # such rows are separated by this entry alone, and rounding does not matter
        return None
    try:
        middle = Fraction(float((low + high) / 2))
    except OverflowError:
        return None
    return middle if low < middle < high else None


def _product(row: Row, v: Row) -> Fraction:
    return sum((a * b for a, b in zip(row, v, strict=True) if a), Fraction(0))


def _as_floats(v: Row) -> Floats:
    return np.array([float(entry) for entry in v])
