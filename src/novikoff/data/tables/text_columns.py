"""Which columns of strings hold texts, and not categories."""

from __future__ import annotations

from collections.abc import Sequence

MIN_ROWS = 20  # fewer rows do not show whether values repeat
MIN_DISTINCT = 0.5  # per row that has a value
MIN_WORDS = 3.0  # per distinct value
MAX_SAMPLE = 1000  # distinct values that are looked at


def looks_like_text(values: Sequence[str], rows: int) -> bool:
    """Return whether the strings of a column are texts, which are better split into words.

    Parameters
    ----------
    values : sequence of str
        The distinct strings.
    rows : int
        The number of rows that have a value.

    Returns
    -------
    bool
        True if there are at least 20 rows, at least half as many distinct values as rows, and three words per value
        on average.
    """
    if rows < MIN_ROWS or len(values) < MIN_DISTINCT * rows:
        return False
    sample = values[:MAX_SAMPLE]
    return sum(len(value.split()) for value in sample) >= MIN_WORDS * len(sample)
