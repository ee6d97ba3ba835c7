"""How one column of a table becomes encoded columns, as a fitted encoder knows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core

MISSING = "missing"  # the name of the indicator of a missing value: ``age=missing``
NUMBER, INDICATOR, CATEGORY = 0, 1, 2  # steps of the kernel that makes rows


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers: the encoded value is (x - shift) / scale.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "boolean", "date"}
        What it holds.
    shift, scale : float
        The change of units.
    fill : float
        What a missing value is taken for, before the change of units.
    indicator : bool
        Whether a further column ``name=missing`` is 1 where the value is missing, and 0 elsewhere.
    """

    name: str
    kind: str
    shift: float
    scale: float
    fill: float
    indicator: bool

    @property
    def names(self) -> list[str]:
        """The names of the encoded columns."""
        return [self.name, f"{self.name}={MISSING}"] if self.indicator else [self.name]


@dataclass(frozen=True)
class CategoryColumn:
    """A column of strings: one encoded column per category, which is 1 where the category occurs.

    Parameters
    ----------
    name : str
        The column.
    categories : tuple of str
        The categories with a column each.
    indicator : bool
        Whether a further column ``name=missing`` is 1 where the value is missing.
    buckets : int
        Number of columns ``name#0``, ``name#1``, ... that all other strings share, by their hash. 0 if others have no
        column.
    """

    name: str
    categories: tuple[str, ...]
    indicator: bool
    buckets: int = 0

    @property
    def names(self) -> list[str]:
        """The names of the encoded columns."""
        named = [f"{self.name}={category}" for category in self.categories]
        missing = [f"{self.name}={MISSING}"] * self.indicator
        return [*named, *missing, *(f"{self.name}#{bucket}" for bucket in range(self.buckets))]

    def columns(self, values: Sequence[str], first: int) -> NDArray[np.int32]:
        """Return the encoded column of each string, -1 for none, and at the end that of a missing value."""
        place = {category: first + j for j, category in enumerate(self.categories)}
        found = [place.get(value, -1) for value in values]
        end = first + len(self.categories)
        if self.buckets:
            others = [j for j, column in enumerate(found) if column < 0]
            start = end + self.indicator
            for j, code in zip(others, _core.hash_keys([values[j] for j in others]).tolist(), strict=True):
                found[j] = start + code % self.buckets
        return np.array([*found, end if self.indicator else -1], dtype=np.int32)


@dataclass(frozen=True)
class TextColumn:
    """A column of texts: one encoded column per word, which counts it.

    Parameters
    ----------
    name : str
        The column.
    words : tuple of str
        The words, or sequences of words, with a column each.
    idf : tuple of float
        The factor of each word, by its inverse document frequency; empty if counts are not weighted.
    """

    name: str
    words: tuple[str, ...]
    idf: tuple[float, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the encoded columns."""
        return [f"{self.name}:{word}" for word in self.words]


@dataclass(frozen=True)
class LeftOutColumn:
    """A column that gives no feature.

    Parameters
    ----------
    name : str
        The column.
    reason : {"constant", "identifier", "empty"}
        Why it is left out.
    kind : {"number", "boolean", "date", "string"}
        What it holds.
    """

    name: str
    reason: str
    kind: str
