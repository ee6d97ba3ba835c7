"""Alarms if the mean of a stream of losses has changed (Bifet and Gavalda 2007)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from novikoff._validation import check_number
from novikoff.data.evaluation_state import DriftState
from novikoff.errors import input_error

MAX_BUCKETS = 5  # of each size
CLOCK = 32  # losses between two searches for a change
MIN_PART = 5  # losses of a part of the window


class _Sums(NamedTuple):
    """The number of some losses, their sum and the sum of their squares."""

    size: int = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, other: _Sums) -> _Sums:
        return _Sums(self.size + other.size, self.total + other.total, self.squares + other.squares)

    def minus(self, other: _Sums) -> _Sums:
        return _Sums(self.size - other.size, self.total - other.total, self.squares - other.squares)

    @property
    def mean(self) -> float:
        return self.total / self.size if self.size else 0.0


class Adwin:
    """ADWIN: a window of the latest losses that becomes shorter when their mean has changed.

    The window is cut where the means of its two parts differ by more than
    sqrt(2/m s^2 log(2/d)) + 2/(3m) log(2/d), with 1/m the sum of the inverse sizes of the parts, s^2 the variance of
    the window of n losses and d = delta / log n. Older losses are then forgotten, and an alarm is given. The losses are
    kept as sums in buckets whose sizes are powers of 2, so that memory and time grow with log n.

    Parameters
    ----------
    delta : float, default=0.002
        About the probability that a search for a change gives an alarm although the mean has not changed; above 0 and
        at most 1. The smaller, the fewer false alarms, and the later the true ones.

    Attributes
    ----------
    width : int
        Number of losses in the window.
    mean : float
        Their mean.
    alarms : int
        Number of alarms so far.

    See Also
    --------
    progressive : Losses of a learner on a stream, each of them before the label is learned.

    References
    ----------
    .. [1] Bifet and Gavalda (2007), Learning from time-changing data with adaptive windowing.

    Examples
    --------
    >>> from novikoff.evaluate import Adwin
    >>> drift = Adwin()
    >>> next(t for t in range(1000) if drift.update(loss=t >= 500))
    511
    """

    def __init__(self, delta: float = 0.002) -> None:
        self.delta = check_number("Adwin", "delta", delta, above=0, at_most=1)
        self._buckets: list[list[_Sums]] = []  # by size, the smallest first; of each size, the oldest first
        self._window = _Sums()
        self._seen = self.alarms = 0

    @property
    def width(self) -> int:
        """Number of losses in the window."""
        return self._window.size

    @property
    def mean(self) -> float:
        """Mean of the losses in the window."""
        return self._window.mean

    def update(self, loss: Any) -> bool:
        """Add a loss to the window.

        Parameters
        ----------
        loss : float
            A number from 0 to 1, such as 1 for a mistake and 0 for a right prediction.

        Returns
        -------
        bool
            Whether the mean has changed: an alarm.
        """
        value = float(loss)
        if not 0 <= value <= 1:
            raise input_error("Adwin", f"a loss must be from 0 to 1, but it is {value:g}.")
        self._insert(_Sums(1, value, value * value))
        self._seen += 1
        if self._seen % CLOCK:
            return False
        is_changed = False
        while self._is_cut():
            self._forget_oldest()
            is_changed = True
        self.alarms += is_changed
        return is_changed

    def state(self) -> DriftState:
        """Return what it knows about the losses, for ``restore``.

        Returns
        -------
        DriftState
            The state, without alarms.
        """
        held = [(level, *bucket) for level, buckets in enumerate(self._buckets) for bucket in buckets]
        levels, sizes, totals, squares = zip(*held, strict=True) if held else ((), (), (), ())
        return DriftState(self._seen, levels, sizes, totals, squares, ())

    def restore(self, state: DriftState) -> None:
        """Go on from the state of another one, with ``delta`` as it is.

        Parameters
        ----------
        state : DriftState
            What ``state`` returned, and the alarms.
        """
        self._buckets = [[] for _ in range(max(state.levels, default=-1) + 1)]
        self._window, self._seen, self.alarms = _Sums(), state.seen, len(state.drifts)
        for level, size, total, square in zip(state.levels, state.sizes, state.totals, state.squares, strict=True):
            self._buckets[level].append(_Sums(size, total, square))
            self._window = self._window.plus(self._buckets[level][-1])

    def _insert(self, new: _Sums) -> None:
        self._window = self._window.plus(new)
        for buckets in self._buckets:
            buckets.append(new)
            if len(buckets) <= MAX_BUCKETS:
                return
            new = buckets.pop(0).plus(buckets.pop(0))
        self._buckets.append([new])

    def _oldest_first(self) -> Iterator[_Sums]:
        for buckets in reversed(self._buckets):
            yield from buckets

    def _forget_oldest(self) -> None:
        self._window = self._window.minus(self._buckets[-1].pop(0))
        while self._buckets and not self._buckets[-1]:
            self._buckets.pop()

    def _is_cut(self) -> bool:
        """Whether some older part of the window has another mean than the rest."""
        window = self._window
        if window.size < 2 * MIN_PART:
            return False
        variance = max(0.0, window.squares / window.size - window.mean * window.mean)
        log_term = math.log(2 * math.log(window.size) / self.delta)
        old = _Sums()
        for bucket in self._oldest_first():
            old = old.plus(bucket)
            new = window.minus(old)
            if old.size < MIN_PART or new.size < MIN_PART:
                continue
            inverse = 1 / old.size + 1 / new.size
            limit = math.sqrt(2 * inverse * variance * log_term) + 2 / 3 * inverse * log_term
            if abs(old.mean - new.mean) > limit:
                return True
        return False
