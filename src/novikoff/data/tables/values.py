"""Strings that stand for numbers, booleans and dates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

TRUTHS = {"true": 1.0, "false": 0.0}
SECONDS_PER_DAY = 86_400


def parsed(texts: Iterable[str], kind: str) -> NDArray[np.float64]:
    """Return strings as numbers of a kind, with NaN for those that are not of it."""
    parse = {"number": _number, "boolean": _truth, "date": _days}[kind]
    return np.array([parse(text.strip()) for text in texts], dtype=np.float64)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _truth(text: str) -> float:
    return TRUTHS.get(text.lower(), math.nan)


def _days(text: str) -> float:
    """Return a date in the format of ISO 8601 as days since 1970-01-01, with the time of the day as a fraction."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return moment.timestamp() / SECONDS_PER_DAY
