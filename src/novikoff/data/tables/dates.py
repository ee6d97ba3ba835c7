"""Dates and times in text, as days since 1970-01-01.

A date is ``2024-01-31``, ``2024/01/31``, ``31.01.2024`` (always the day first), ``31/01/2024`` or ``01/31/2024``, with
``-`` for ``/`` if the year has four digits; a year of two digits is from 1969 to 2068. A time may follow after a blank
or a ``T``: ``12:30``, ``12:30:15`` or ``12:30:15.5``, with ``Z`` or an offset such as ``+01:00``, which is subtracted.
Of ``01/02/2024``, the day comes first if a first number of the same table is larger than 12; otherwise the month does.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date

DATE = re.compile(
    r"(?:(?P<year>[0-9]{4})(?P<mark>[-/])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"|(?P<dotted_day>[0-9]{1,2})\.(?P<dotted_month>[0-9]{1,2})\.(?P<dotted_year>[0-9]{4}|[0-9]{2})"
    r"|(?P<first>[0-9]{1,2})(?:/(?P<second>[0-9]{1,2})/(?P<last>[0-9]{4}|[0-9]{2})"
    r"|-(?P<second_>[0-9]{1,2})-(?P<last_>[0-9]{4})))"
    r"(?:[T ](?P<hours>[0-9]{1,2}):(?P<minutes>[0-9]{2})(?::(?P<seconds>[0-9]{2}(?:[.,][0-9]+)?))?"
    r"(?P<zone>Z| ?[+-][0-9]{2}:?(?:[0-9]{2})?)?)?"
)
EPOCH = date(1970, 1, 1).toordinal()


def is_date(text: str) -> bool:
    """Return whether a text has the form of a date, whichever of day and month comes first."""
    return _days(text, True) is not None or _days(text, False) is not None


def days_since_1970(text: str, day_first: bool) -> float | None:
    """Return a date and time as days since 1970-01-01, None if the text is not a date.

    Parameters
    ----------
    text : str
        The text, without blanks around it.
    day_first : bool
        Whether ``01/02/2024`` is in February.
    """
    return _days(text, day_first)


def has_open_order(texts: Collection[str]) -> bool:
    """Return whether one of some dates is written such as 01/02/2024, which does not say what comes first."""
    return any((match := DATE.fullmatch(text)) is not None and match["first"] is not None for text in texts)


def day_comes_first(texts: Collection[str]) -> bool | None:
    """Return whether the day comes first in the dates of a column.

    None means that both are possible for each of them, and ``ValueError`` is raised if they disagree or if one of them
    is not a date.
    """
    if any(DATE.fullmatch(text) is None for text in texts):
        raise ValueError
    possible = [order for order in (False, True) if all(_days(text, order) is not None for text in texts)]
    if not possible:
        raise ValueError
    return None if len(possible) == 2 else possible[0]


def _days(text: str, day_first: bool) -> float | None:
    if (match := DATE.fullmatch(text)) is None:
        return None
    part = match.groupdict()
    year = part["year"] or part["dotted_year"] or part["last"] or part["last_"]
    if part["first"] is None:
        month, day = part["month"] or part["dotted_month"], part["day"] or part["dotted_day"]
    else:
        month, day = part["first"], part["second"] or part["second_"]
        month, day = (day, month) if day_first else (month, day)
    century = 0 if len(year) == 4 else 2000 if int(year) < 69 else 1900
    try:
        whole = date(century + int(year), int(month), int(day)).toordinal() - EPOCH
    except ValueError:
        return None
    if part["hours"] is None:
        return float(whole)
    hours, minutes = int(part["hours"]), int(part["minutes"])
    seconds = float((part["seconds"] or "0").replace(",", "."))
    if hours > 24 or minutes > 59 or seconds >= 61:
        return None
    return whole + (hours * 3600 + minutes * 60 + seconds - _offset(part["zone"])) / 86400


def _offset(zone: str | None) -> int:
    """Return the offset of a time zone in seconds."""
    if zone is None or zone == "Z":
        return 0
    digits = zone.strip()[1:].replace(":", "").ljust(4, "0")
    return (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * (-1 if zone.strip()[0] == "-" else 1)
