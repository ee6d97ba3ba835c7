"""Alarms about the losses of a stream, with where and how they have changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from novikoff.data.evaluation_state import DriftState
from novikoff.errors import input_error, quote

from ._adwin import Adwin


@runtime_checkable
class Detector(Protocol):
    """What gives alarms: ``Adwin``, or another object with its attributes."""

    @property
    def width(self) -> int:
        """Number of losses in the window."""

    @property
    def mean(self) -> float:
        """Their mean."""

    def update(self, loss: Any) -> bool:
        """Take a loss, and return whether there is an alarm."""


@dataclass(frozen=True)
class Drift:
    """An alarm: the loss of a stream has changed.

    Parameters
    ----------
    example : int
        The number of the example at which this was noticed, counted from 1.
    since : int
        The number of the first example of those that the loss is computed from now. The loss has changed between it and
        ``example``.
    before : float
        The mean loss of the examples that are forgotten by the alarm.
    after : float
        The mean loss since.

    Examples
    --------
    >>> import random
    >>> import novikoff as nk
    >>> stream = [([1.0], random.Random(t).random() < 0.5 if t >= 500 else True) for t in range(1000)]
    >>> progress = nk.evaluate.progressive(nk.Perceptron(), stream, drift=True)
    >>> *_, last = progress
    >>> first = progress.drifts[0]
    >>> first.since, first.example
    (385, 544)
    """

    example: int
    since: int
    before: float
    after: float


def detector_of(where: str, drift: Any) -> Detector | None:
    """Return what gives alarms: an ``Adwin`` for True, and None for False."""
    if isinstance(drift, bool):
        return Adwin() if drift else None
    if isinstance(drift, type) or not isinstance(drift, Detector):
        raise input_error(where, f"drift must be True, False or an Adwin, but it is {quote(drift)}.")
    return drift


class DriftWatch:
    """Gives the losses of a stream to a detector, and remembers its alarms.

    Parameters
    ----------
    detector : Detector
        What gives alarms. It may have seen losses before.

    Attributes
    ----------
    drifts : list of Drift
        The alarms so far.
    """

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._seen, self._width = 0, detector.width
        self._loss_of_window = self._width * detector.mean
        self.drifts: list[Drift] = []

    def state(self) -> DriftState | None:
        """Return what the detector knows, and the alarms; None if it is not an ``Adwin``."""
        if not isinstance(self._detector, Adwin):
            return None
        drifts = tuple((float(d.example), float(d.since), d.before, d.after) for d in self.drifts)
        return replace(self._detector.state(), drifts=drifts)

    def restore(self, state: DriftState | None, examples: int) -> None:
        """Go on after so many examples, from the state of another one, if there is one and the detector is new."""
        self._seen = examples
        if state is None or not isinstance(self._detector, Adwin) or self._width:
            return
        self._detector.restore(state)
        self._width, self._loss_of_window = self._detector.width, self._detector.width * self._detector.mean
        self.drifts = [Drift(int(d[0]), int(d[1]), d[2], d[3]) for d in state.drifts]

    def add(self, losses: Iterable[bool]) -> None:
        """Take losses one after the other."""
        update = self._detector.update
        for loss in losses:
            self._seen += 1
            self._loss_of_window += loss
            self._width += 1
            if update(loss):
                self._alarm()

    def _alarm(self) -> None:
        kept, after = self._detector.width, self._detector.mean
        forgotten = (self._loss_of_window - kept * after) / max(1, self._width - kept)
        since = max(1, self._seen - kept + 1)
        self.drifts.append(Drift(self._seen, since, min(1.0, max(0.0, forgotten)), after))
        self._width, self._loss_of_window = kept, kept * after
