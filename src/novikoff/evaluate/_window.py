"""The scores of the latest examples of a stream, which show drift that totals hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class WindowScores:
    """The scores of the latest examples of a stream.

    Parameters
    ----------
    examples : int
        Number of examples in the window: its size, or fewer at the beginning of the stream.
    mistakes : int
        Number of them that were predicted wrongly.
    recall : dict
        For each label in the window, the fraction of its examples that were predicted as such.
    last_label_mistakes : int
        Number of examples that the label before them would have predicted wrongly.

    Examples
    --------
    >>> import novikoff as nk
    >>> stream = [([1.0], "a"), ([-1.0], "b"), ([2.0], "a"), ([-2.0], "b")]
    >>> *_, last = nk.evaluate.progressive(nk.Perceptron(), stream, window=2)
    >>> last.window.loss, last.window.recall, last.window.kappa
    (0.0, {'a': 1.0, 'b': 1.0}, 1.0)
    """

    examples: int
    mistakes: int
    recall: dict[Any, float]
    last_label_mistakes: int

    @property
    def loss(self) -> float:
        """Fraction of wrong predictions."""
        return self.mistakes / self.examples

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the recall over the labels in the window."""
        return sum(self.recall.values()) / len(self.recall)

    @property
    def kappa(self) -> float | None:
        """1 - m/n, where m are the mistakes and n those of predicting the label before; None if n is 0.

        It is 1 if all predictions are right, 0 if they are as good as the last label, and negative if they are worse.
        """
        return None if self.last_label_mistakes == 0 else 1 - self.mistakes / self.last_label_mistakes


class Window:
    """The latest examples of a stream, as many as ``size``; an example costs the same for every size.

    Parameters
    ----------
    size : int
        The largest number of examples.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._labels: list[Any] = []
        self._code_of: dict[Any, int] = {}
        self._codes = np.zeros(size, dtype=np.int32)
        self._right, self._last = np.zeros((2, size), dtype=bool)
        self._next = self._held = 0
        self._seen, self._seen_right = np.zeros((2, 0), dtype=np.int64)  # of each label in the window
        self._last_right = 0

    def add(
        self, labels: list[Any], places: NDArray[Any], right: NDArray[np.bool_], last_right: NDArray[np.bool_]
    ) -> None:
        """Add examples, and drop as many of the oldest.

        Parameters
        ----------
        labels : list
            Different labels.
        places : ndarray of int
            The label of each example, as its place in ``labels``.
        right : ndarray of bool
            Whether each was predicted rightly.
        last_right : ndarray of bool
            Whether the label before it would have been right.
        """
        codes = np.array([self._code(label) for label in labels], dtype=np.int32)[places[-self.size :]]
        if len(self._labels) > len(self._seen):
            more = len(self._labels) - len(self._seen)
            self._seen, self._seen_right = (np.pad(counts, (0, more)) for counts in (self._seen, self._seen_right))
        slots = (self._next + np.arange(len(codes))) % self.size
        dropped = slots[slots < self._held] if self._held < self.size else slots
        self._count(dropped, -1)
        self._codes[slots], self._right[slots], self._last[slots] = (
            codes,
            right[-self.size :],
            last_right[-self.size :],
        )
        self._count(slots, 1)
        self._held = min(self.size, self._held + len(codes))
        self._next = (self._next + len(codes)) % self.size

    def scores(self) -> WindowScores:
        """Return the scores of the examples in the window, of which there is at least one."""
        pairs = zip(self._labels, self._seen_right.tolist(), self._seen.tolist(), strict=True)
        recall = {label: right / seen for label, right, seen in pairs if seen}
        right = int(self._seen_right.sum())
        return WindowScores(self._held, self._held - right, recall, self._held - self._last_right)

    def _count(self, slots: NDArray[Any], sign: int) -> None:
        codes, right = self._codes[slots], self._right[slots]
        self._seen += sign * np.bincount(codes, minlength=len(self._seen))
        self._seen_right += sign * np.bincount(codes[right], minlength=len(self._seen))
        self._last_right += sign * int(np.count_nonzero(self._last[slots]))

    def _code(self, label: Any) -> int:
        if label not in self._code_of:
            self._code_of[label] = len(self._labels)
            self._labels.append(label)
        return self._code_of[label]
