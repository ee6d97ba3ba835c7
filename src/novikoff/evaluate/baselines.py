"""What guessing reaches on a stream: the most frequent label so far, and the last label.

A learner that is no better than these has learned nothing from the features. On streams whose labels come in runs, the
last label is often right, and a high accuracy says little (Zliobaite, Bifet, Read, Pfahringer and Holmes 2015).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_COLUMNS = 32  # labels of a batch up to which their counts before each row are a table
ROWS_AT_ONCE = 8192  # of this table


class MostFrequent:
    """How often the most frequent label so far is the next label. Of equally frequent labels, the earliest counts."""

    def __init__(self) -> None:
        self.right = 0
        self._codes: dict[Any, int] = {}  # of the labels in the order of their first example
        self._labels: list[Any] = []  # in the same order
        self._counts: list[int] = []
        self._leader = -1

    def add(self, labels: Iterable[Any]) -> None:
        """Count labels one after the other."""
        codes, counts, leader, right = self._codes, self._counts, self._leader, 0
        for label in labels:
            code = codes.get(label)
            if code is None:
                code = self._new(label)
            count = counts[code] + 1
            counts[code] = count
            if code == leader:
                right += 1
            elif leader < 0 or count > counts[leader] or (count == counts[leader] and code < leader):
                leader = code
        self._leader = leader
        self.right += right

    @property
    def guess(self) -> Any:
        """The most frequent label so far; None if there is none."""
        return None if self._leader < 0 else self._labels[self._leader]

    @property
    def labels(self) -> list[Any]:
        """The labels in the order of their first examples."""
        return self._labels

    @property
    def counts(self) -> list[int]:
        """How often each of them was counted."""
        return self._counts

    def restore(self, labels: list[Any], counts: list[int], right: int) -> None:
        """Go on from the ``labels``, ``counts`` and ``right`` of another one."""
        self._labels, self._counts, self.right = labels, counts, right
        self._codes = {label: code for code, label in enumerate(labels)}
        self._leader = counts.index(max(counts)) if counts else -1

    def add_late(self, label: Any) -> None:
        """Count a label that was guessed before, by ``guess``."""
        right = self.right
        self.add([label])
        self.right = right

    def add_many(self, labels: list[Any], places: NDArray[np.int32]) -> None:
        """Count labels one after the other, each given by its place in a list of different labels."""
        if len(labels) > MAX_COLUMNS:
            self.add(labels[place] for place in places.tolist())
            return
        for begin in range(0, len(places), ROWS_AT_ONCE):
            self._add_rows(labels, places[begin : begin + ROWS_AT_ONCE])

    def _add_rows(self, labels: list[Any], places: NDArray[np.int32]) -> None:
        """Count labels by the table of how often each had occurred before each row."""
        occurring, first = np.unique(places, return_index=True)
        for place in occurring[np.argsort(first)].tolist():
            if labels[place] not in self._codes:
                self._new(labels[place])
        order = sorted((self._codes[label], place) for place, label in enumerate(labels) if label in self._codes)
        codes = [code for code, _ in order]
        occurs = places[:, None] == np.array([place for _, place in order])
        after = np.cumsum(occurs, axis=0) + np.array([self._counts[code] for code in codes])
        before = after - occurs
        best = before.argmax(axis=1)  # of equal counts the first, whose label is the earliest
        leads = before[np.arange(len(best)), best]
        others = [(-count, code) for code, count in enumerate(self._counts) if code not in codes]
        if others:  # whose counts do not change here
            count, code = min(others)
            leads = np.where((leads > -count) | ((leads == -count) & (np.array(codes)[best] < code)), leads, 0)
        self.right += int(np.count_nonzero(occurs[np.arange(len(best)), best] & (leads > 0)))
        for column, code in enumerate(codes):
            self._counts[code] = int(after[-1, column])
        self._leader = self._counts.index(max(self._counts))

    def _new(self, label: Any) -> int:
        """Return the code of a label that comes for the first time."""
        self._codes[label] = len(self._counts)
        self._labels.append(label)
        self._counts.append(0)
        return self._codes[label]


class LastLabel:
    """How often the label before is the next label, too."""

    def __init__(self) -> None:
        self.right = 0
        self.guess: Any = None  # the latest label; None if there is none

    def add(self, label: Any) -> bool:
        """Count one label; return whether it is that of the example before."""
        is_right = self.guess is not None and bool(self.guess == label)
        self.right += is_right
        self.guess = label
        return is_right

    def add_many(self, labels: list[Any], places: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Count labels, each given by its place in a list of different labels; return where the last one was right."""
        is_right = np.zeros(len(places), dtype=bool)
        if len(places):
            is_right[1:] = places[1:] == places[:-1]
            is_right[0] = self.guess is not None and bool(self.guess == labels[places[0]])
            self.guess = labels[places[-1]]
            self.right += int(np.count_nonzero(is_right))
        return is_right
