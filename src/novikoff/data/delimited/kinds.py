"""The kind of a column of delimited text, judged by some of its fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from novikoff.data.tables.cells import BOOLEANS, CODE, MISSING_NUMBERS, not_numbers
from novikoff.data.tables.dates import DATE, day_comes_first, days_since_1970

MAX_INVALID = 0.01  # fraction of the values of a column of numbers that are not numbers


def kind_of(counts: Mapping[str, int], decimal: str, thousands: str, day_first: bool) -> str:
    """Return the kind of a column: "number", "boolean", "date" or "string".

    A column is of numbers if at most 1 % of its values are something else, or if these are all the same word and at
    most half of the values; a column without values is of numbers. Digits with leading zeros, such as zip codes, are
    strings.

    Parameters
    ----------
    counts : mapping
        How often each value occurs, without missing values.
    decimal, thousands : str
        How numbers are written.
    day_first : bool
        Whether the day comes before the month in dates such as 01/02/2024.
    """
    others = not_numbers(counts, decimal, thousands)
    if len(others) < len(counts) or not counts:
        total, invalid = sum(counts.values()), sum(counts[value] for value in others)
        if invalid <= MAX_INVALID * total or (len(others) == 1 and invalid <= total / 2):
            return "string" if any(map(CODE.fullmatch, counts)) else "number"
        return "string"
    if all(value.lower() in BOOLEANS for value in counts):
        return "boolean"
    if all(days_since_1970(value, day_first) is not None for value in counts):
        return "date"
    return "string"


def day_first(columns: Sequence[Mapping[str, int]]) -> bool | None:
    """Return whether the day comes before the month in the dates of a table; None if its columns do not say."""
    found = None
    for counts in columns:
        if counts and DATE.fullmatch(next(iter(counts))):
            with suppress(ValueError):
                order = day_comes_first(counts)
                found = order if found is None else found
    return found


def counted(records: Sequence[Sequence[str]]) -> list[Counter[str]]:
    """Return how often each value occurs in each column of records of equal length."""
    return [Counter(column) for column in zip(*records, strict=True)]


def without_missing(columns: Sequence[Counter[str]], missing: Sequence[str]) -> tuple[str, ...]:
    """Remove missing values from the counts of columns, in place, and return the words for them that occurred."""
    seen = []
    for marker in missing:
        if sum(counts.pop(marker, 0) for counts in columns):
            seen.append(marker)
    for counts in columns:
        counts.pop("", None)
    return tuple(seen)


def missing_numbers(columns: Sequence[Counter[str]], decimal: str, thousands: str) -> tuple[str, ...]:
    """Return the words that stand for a missing value in columns whose other values are numbers."""
    found = set()
    for marker in MISSING_NUMBERS:
        for counts in columns:
            if marker in counts and not_numbers(counts, decimal, thousands) == [marker] and len(counts) > 1:
                found.add(marker)
    return tuple(sorted(found))
