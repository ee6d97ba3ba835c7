"""How many binary problems advance at the same time, so that what the driver holds for them is bounded."""

from __future__ import annotations

from ..survey import Survey
from .setup import Setup

MAX_HELD = 2**30  # bytes that the driver holds for all problems that advance together
MAX_GRAM_COLUMNS = 3000  # up to which matrices of columns x columns are summed
GRAMS = 3  # matrices of columns x columns of each problem: of a reply, of its sum, and of the last point
VECTORS = 6  # vectors of all columns of each problem with wide rows
MIN_KEPT, MIN_KEPT_PER_COLUMN = 20_000, 4  # rows that a problem may gather in any case
BYTES_PER_VALUE = 8  # of dense rows, matrices and vectors
BYTES_PER_ELEMENT = 12  # of sparse rows


def min_kept(setup: Setup) -> int:
    """Return how many rows of few columns a problem may gather in any case."""
    return max(MIN_KEPT, MIN_KEPT_PER_COLUMN * (setup.width + 1))


def bytes_of_all(survey: Survey) -> int:
    """Return the number of bytes of all rows, which are sparse."""
    return survey.elements * BYTES_PER_ELEMENT


def problems_at_a_time(setup: Setup, survey: Survey, held: int = MAX_HELD) -> int:
    """Return how many problems advance together, at least one.

    Each has its own matrices and gathered rows. The others wait, which costs rounds, but does not change a bit.

    Parameters
    ----------
    setup : Setup
        The problems.
    survey : Survey
        The data.
    held : int, default=MAX_HELD
        The number of bytes that the driver may hold.
    """
    side = setup.width + 1
    if setup.width <= MAX_GRAM_COLUMNS:
        rows = min(survey.count, min_kept(setup))
        needed = BYTES_PER_VALUE * side * (GRAMS * (side + 1) // 2 + rows)
    else:
        needed = BYTES_PER_VALUE * VECTORS * side
        if bytes_of_all(survey) <= held:  # rather one after the other on the driver than all by coordinate descent
            needed = max(needed, bytes_of_all(survey))
    return min(len(setup.pairs), max(1, held // needed))
