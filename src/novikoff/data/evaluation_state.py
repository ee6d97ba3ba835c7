"""What a progressive evaluation has counted, as model files hold it beside the position of a stream.

The run that continues a stream then goes on with these numbers, and prints those of one run. Labels are named once, and
are referred to by their places among the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from novikoff.errors import input_error


@dataclass(frozen=True)
class WindowState:
    """The latest examples of a stream, the oldest first.

    Parameters
    ----------
    known : tuple of int
        The places of the labels that the window has seen, in its order.
    labels : tuple of int
        The places of the labels of the examples.
    right : tuple of bool
        Whether each was predicted rightly.
    last_right : tuple of bool
        Whether the label before it would have been right.
    """

    known: tuple[int, ...]
    labels: tuple[int, ...]
    right: tuple[bool, ...]
    last_right: tuple[bool, ...]


@dataclass(frozen=True)
class DriftState:
    """What ADWIN knows about the losses of a stream, and its alarms.

    Parameters
    ----------
    seen : int
        Number of losses so far.
    levels, sizes : tuple of int
        The level of each bucket, from 0 for the smallest ones, in the order in which they are kept, and its number of
        losses.
    totals, squares : tuple of float
        The sum of its losses, and of their squares.
    drifts : tuple of tuple of float
        The numbers of each alarm: ``example``, ``since``, ``before`` and ``after``.
    """

    seen: int
    levels: tuple[int, ...]
    sizes: tuple[int, ...]
    totals: tuple[float, ...]
    squares: tuple[float, ...]
    drifts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class EvaluationState:
    """What a progressive evaluation has counted.

    Parameters
    ----------
    names : tuple
        All labels, each once.
    labels : tuple of int
        The places of the labels that were seen, in the order in which they are counted.
    seen, right : tuple of int
        Number of examples of each, and of those that were predicted rightly.
    frequent : tuple of int
        The places of the labels that the guess of the most frequent one knows, in the order of their first examples.
    counts : tuple of int
        How often it has seen each.
    guess_right, last_right : int
        How often the most frequent label, and the last one, were right.
    last : int or None
        The place of the last label that the guess knows; None if there is none.
    recorded : int
        Number of examples at the last record that was due.
    recorded_mistakes, recorded_drifts : int
        Number of mistakes and of alarms then.
    mistakes_at_learning : int
        Number of examples whose prediction just before they were learned was wrong.
    updates_before : int or None
        Number of updates of the learner before the evaluation; None if its predictions change also without updates.
    window : WindowState or None, default=None
        The latest examples.
    drift : DriftState or None, default=None
        The search for changes of the loss.
    """

    names: tuple[Any, ...]
    labels: tuple[int, ...]
    seen: tuple[int, ...]
    right: tuple[int, ...]
    frequent: tuple[int, ...]
    counts: tuple[int, ...]
    guess_right: int
    last_right: int
    last: int | None
    recorded: int
    recorded_mistakes: int
    recorded_drifts: int
    mistakes_at_learning: int
    updates_before: int | None
    window: WindowState | None = None
    drift: DriftState | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that no evaluation has, such as those of a damaged file."""
        lengths = len(self.labels) == len(self.seen) == len(self.right) and len(self.frequent) == len(self.counts)
        places = (*self.labels, *self.frequent, *(() if self.last is None else (self.last,)))
        possible = {
            "names": len(set(self.names)) == len(self.names),
            "labels": lengths and _are_places(places, self.names) and _differ(self.labels) and _differ(self.frequent),
            "seen": min(self.seen, default=1) >= 1 and min(self.counts, default=1) >= 1,
            "right": lengths and all(0 <= own <= most for own, most in zip(self.right, self.seen, strict=True)),
            "guess_right": 0 <= self.guess_right <= self.examples and 0 <= self.last_right <= self.examples,
            "recorded": 0 <= self.recorded_mistakes <= min(self.recorded, self.mistakes) and self.recorded_drifts >= 0,
            "mistakes_at_learning": self.mistakes_at_learning >= 0 and (self.updates_before or 0) >= 0,
            "window": self.window is None or self._window_fits(self.window),
            "drift": self.drift is None or _drift_fits(self.drift, self.recorded_drifts),
        }
        for name, good in possible.items():
            if not good:
                raise input_error(f"evaluation.{name}", "these numbers cannot be those of an evaluation.")

    @property
    def examples(self) -> int:
        """Number of examples."""
        return sum(self.seen)

    @property
    def mistakes(self) -> int:
        """Number of wrong predictions."""
        return self.examples - sum(self.right)

    def _window_fits(self, window: WindowState) -> bool:
        own = window.labels
        fits = len(own) == len(window.right) == len(window.last_right) <= self.examples and _differ(window.known)
        return fits and _are_places(window.known, self.names) and set(own) <= set(window.known)


def _are_places(places: Sequence[int], names: Sequence[Any]) -> bool:
    return all(0 <= place < len(names) for place in places)


def _differ(places: Sequence[int]) -> bool:
    return len(set(places)) == len(places)


def _drift_fits(drift: DriftState, told: int) -> bool:
    count = len(drift.levels)
    if not count == len(drift.sizes) == len(drift.totals) == len(drift.squares):
        return False
    # A bucket of level k has 2^k losses, and levels are given one after the other: none is empty.
    steps = {after - before for before, after in zip(drift.levels, drift.levels[1:], strict=False)}
    fits = drift.levels[:1] in ((), (0,)) and steps <= {0, 1} and count <= 1000
    fits = fits and all(size == 2**level for level, size in zip(drift.levels, drift.sizes, strict=True))
    sums = zip(drift.squares, drift.totals, drift.sizes, strict=True)
    fits = fits and all(0 <= square <= total <= size for square, total, size in sums)
    return fits and sum(drift.sizes) <= drift.seen and told <= len(drift.drifts) and {*map(len, drift.drifts)} <= {4}
