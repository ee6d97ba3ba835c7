"""Whether the first record of delimited text names the columns, and what they are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

TYPICAL_WORDS = """
age category class code comment content count date description email file id index key label message month name number
price rating review sentence sentiment sex state target text time title topic type url user value weight word x y year
"""
TYPICAL = frozenset(TYPICAL_WORDS.split())
NAME = re.compile(r"[^\W\d][\w .()%/#-]*")  # what column names look like
MIN_VALUES = 10  # of a column of strings whose values recur
MIN_TIMES = 4  # mean number of times that its values occur
VALUES_LOOKED_AT = 200  # of each column
MAX_NAME_LENGTH = 40


def has_header(
    first: Sequence[str],
    columns: Sequence[Counter[str]],
    is_typed: Callable[[str], bool],
    missing: frozenset[str],
    expected: Sequence[str] | None,
) -> bool:
    """Return whether the first record is a header.

    It is, if it has words where columns hold numbers or dates, or words that do not occur again in columns whose values
    do. Numbers that count the columns are names, too, if there is such a word. Where nothing tells, distinct words that
    look like names are a header.

    Parameters
    ----------
    first : sequence of str
        The fields of the first record.
    columns : sequence of Counter
        How often each value occurs in the other records, without missing values.
    is_typed : callable
        Returns whether a field is a number, a boolean or a date.
    missing : frozenset of str
        Markers of missing values.
    expected : sequence of str or None
        Names of which the header is known to have most.
    """
    if expected is not None and _matches(first, expected) >= 0.5:
        return True
    if len(columns) > len(first):  # names of rows, which have no name themselves
        return not any(map(is_typed, first))
    if not any(columns):
        return not any(map(is_typed, first)) and (expected is None or _matches(first, expected) > 0 or any(first))
    votes = [_vote(name, counts, is_typed, missing) for name, counts in zip(first, columns, strict=False)]
    if any(votes):
        values = [name for name, vote in zip(first, votes, strict=False) if vote < 0]
        return sum(votes) > 0 or (1 in votes and _are_positions(values))
    if expected is not None:
        return _matches(first, expected) > 0
    return _look_like_names(first, columns)


def _are_positions(names: Sequence[str]) -> bool:
    """Return whether names count columns from 0 or 1."""
    return any(list(names) == [str(first + i) for i in range(len(names))] for first in (0, 1))


def _matches(first: Sequence[str], expected: Sequence[str]) -> float:
    """Return the fraction of the expected names that occur."""
    return len(set(first) & set(expected)) / max(1, len(set(expected)))


def _vote(name: str, counts: Counter[str], is_typed: Callable[[str], bool], missing: frozenset[str]) -> int:
    """Return 1 if a field seems to be the name of its column, -1 if it seems to be a value, and 0 if nothing tells."""
    if not name or name in missing or not counts:
        return 0
    some = dict(islice(counts.items(), VALUES_LOOKED_AT))
    if sum(times for value, times in some.items() if is_typed(value)) >= 0.9 * sum(some.values()):
        return -1 if is_typed(name) else 1
    if name in counts:
        return -1
    recurs = counts.total() >= max(MIN_VALUES, MIN_TIMES * len(counts))
    return 1 if recurs and not is_typed(name) else 0


def _look_like_names(first: Sequence[str], columns: Sequence[Counter[str]]) -> bool:
    words = [name.lower().replace("_", " ").split() for name in first]
    if any(TYPICAL.intersection(parts) for parts in words if len(parts) <= 3):
        return True
    names = [name for name in first if name]
    short = all(len(name) <= MAX_NAME_LENGTH and NAME.fullmatch(name) for name in names)
    distinct = len(set(first)) == len(first)
    longest = max((len(value) for counts in columns for value in counts), default=0)
    return distinct and short and (len(first) > 1 or longest <= MAX_NAME_LENGTH or len(first[0].split()) == 1)


def unique_names(fields: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns: an empty one becomes ``x`` and its position, a repeated one gets a number.

    Parameters
    ----------
    fields : sequence of str
        The fields of a header.
    """
    names = [field.strip().removeprefix("\ufeff") or f"x{i}" for i, field in enumerate(fields, 1)]
    taken, found = set(names), dict[str, None]()
    next_number = dict.fromkeys(names, 2)
    for name in names:
        new = name
        while new in found or (new != name and new in taken):
            new = f"{name}.{next_number[name]}"
            next_number[name] += 1
        found[new] = None
    return tuple(found)
