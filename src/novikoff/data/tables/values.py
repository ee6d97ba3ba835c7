"""Strings that stand for numbers, booleans and dates, where a column of another table held these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .cells import BOOLEANS
from .dates import days_since_1970


def parsed(texts: Iterable[str], kind: str, day_first: bool = False) -> NDArray[np.float64]:
    """Return strings as numbers of a kind, with NaN for those that are not of it."""
    parsers: dict[str, Callable[[str], float]] = {
        "number": _number,
        "boolean": _truth,
        "date": partial(_days, day_first=day_first),
    }
    parse = parsers[kind]
    return np.array([parse(text.strip()) for text in texts], dtype=np.float64)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _truth(text: str) -> float:
    return BOOLEANS.get(text.lower(), math.nan)


def _days(text: str, day_first: bool) -> float:
    days = days_since_1970(text, day_first)
    return math.nan if days is None else days
