"""What a progressive evaluation counts, and how it goes on from what an earlier one has counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.evaluation_state import EvaluationState, WindowState

from ._drift import Detector, DriftWatch
from ._window import Window
from .baselines import LastLabel, MostFrequent

MAX_STORED = 1_000_000  # latest examples of a larger window that a state has, because headers of files are limited


@dataclass
class Tallies:
    """The labels, the guesses, the latest examples and the changes of the loss, and the numbers of the last record.

    Parameters
    ----------
    window : Window or None
        The latest examples, if they are asked for.
    watch : DriftWatch or None
        The changes of the loss, if they are asked for.
    seen, right : Counter
        Number of examples of each label, and of those that were predicted rightly.
    guess : MostFrequent
        The guess of the most frequent label.
    last_label : LastLabel
        The guess of the label before.
    recorded : tuple of int
        Number of examples, mistakes and alarms at the last record that was due.
    """

    window: Window | None
    watch: DriftWatch | None
    seen: Counter[Any] = field(default_factory=Counter)
    right: Counter[Any] = field(default_factory=Counter)
    guess: MostFrequent = field(default_factory=MostFrequent)
    last_label: LastLabel = field(default_factory=LastLabel)
    recorded: tuple[int, int, int] = (0, 0, 0)

    @classmethod
    def begin(cls, window: int | None, drift: Detector | None, state: EvaluationState | None) -> Tallies:
        """Return the tallies of a new evaluation, or of one that goes on.

        A window has the latest examples that the state has, up to its size. Without a window or a search for drift in
        the state, these begin now.
        """
        own = cls(None if window is None else Window(window), None if drift is None else DriftWatch(drift))
        if state is None:
            return own
        labels = [state.names[place] for place in state.labels]
        own.seen.update(dict(zip(labels, state.seen, strict=True)))
        own.right.update(dict(zip(labels, state.right, strict=True)))
        own.guess.restore([state.names[place] for place in state.frequent], list(state.counts), state.guess_right)
        own.last_label.right = state.last_right
        own.last_label.guess = None if state.last is None else state.names[state.last]
        drifts = 0
        if own.window is not None and state.window is not None:
            _refill(own.window, state.window, state.names)
        if own.watch is not None:
            own.watch.restore(state.drift, state.examples)
            drifts = state.recorded_drifts if own.watch.drifts else 0
        own.recorded = (state.recorded, state.recorded_mistakes, drifts)
        return own

    def in_order(self, labels: list[Any], codes: NDArray[np.int32]) -> tuple[list[Any], NDArray[np.int32]]:
        """Return the labels and codes of a batch such that new labels are in the order of their first examples.

        The order in which labels are counted, and sums over them are rounded, then does not depend on the batches.
        """
        if all(label in self.seen for label in labels):
            return labels, codes
        first = np.full(len(labels), len(codes))
        np.minimum.at(first, codes, np.arange(len(codes)))
        order = np.argsort(first, kind="stable")
        places = np.empty(len(labels), dtype=np.int32)
        places[order] = np.arange(len(labels), dtype=np.int32)
        return [labels[place] for place in order.tolist()], places[codes]

    def state(self, mistakes_at_learning: int, updates_before: int | None) -> EvaluationState:
        """Return all of it.

        Parameters
        ----------
        mistakes_at_learning : int
            Number of examples whose prediction just before they were learned was wrong.
        updates_before : int or None
            Number of updates of the learner before the evaluation.
        """
        places: dict[Any, int] = {}

        def place(label: Any) -> int:
            return places.setdefault(label, len(places))

        labels = tuple(map(place, self.seen))
        frequent = tuple(map(place, self.guess.labels))
        window = None
        if self.window is not None:
            known, codes, right, last = self.window.examples()
            own, latest = [place(label) for label in known], slice(-MAX_STORED, None)
            labels_of = tuple(own[code] for code in codes[latest])
            window = WindowState(tuple(own), labels_of, tuple(right[latest]), tuple(last[latest]))
        last_label = self.last_label.guess
        return EvaluationState(
            labels=labels,
            seen=tuple(self.seen.values()),
            right=tuple(self.right[label] for label in self.seen),
            frequent=frequent,
            counts=tuple(self.guess.counts),
            guess_right=self.guess.right,
            last_right=self.last_label.right,
            last=None if last_label is None else place(last_label),
            recorded=self.recorded[0],
            recorded_mistakes=self.recorded[1],
            recorded_drifts=self.recorded[2],
            mistakes_at_learning=mistakes_at_learning,
            updates_before=updates_before,
            window=window,
            drift=None if self.watch is None else self.watch.state(),
            names=tuple(places),
        )


def _refill(window: Window, state: WindowState, names: tuple[Any, ...]) -> None:
    """Put the examples of an earlier window into a new one."""
    code_of = {place: code for code, place in enumerate(state.known)}
    codes = np.array([code_of[place] for place in state.labels], dtype=np.int32)
    known = [names[place] for place in state.known]
    window.add(known, codes, np.array(state.right, dtype=bool), np.array(state.last_right, dtype=bool))
