"""How many examples are learned and predicted per second."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

WINDOW = 10.0  # seconds over which the rates are taken
MIN_STEP = 0.5  # seconds between two samples that are kept
COUNTS = {"examples_per_second": "examples", "predictions_per_second": "predictions"}  # of the state of the engine


class Rates:
    """Rates of the last seconds, from counts that only grow."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, dict[str, float]]] = deque()

    def update(self, status: dict[str, Any], now: float | None = None) -> dict[str, float]:
        """Take the current counts, and return the rates.

        Parameters
        ----------
        status : dict
            The state of the engine.
        now : float, default=None
            The time in seconds; by default that of the clock.
        """
        now = time.monotonic() if now is None else now
        counts = {name: float(status.get(key, 0)) for name, key in COUNTS.items()}
        while len(self._samples) > 1 and now - self._samples[1][0] >= WINDOW:
            self._samples.popleft()
        if not self._samples or now - self._samples[-1][0] >= MIN_STEP:
            self._samples.append((now, counts))
        began, first = self._samples[0]
        seconds = max(now - began, MIN_STEP)
        return {name: round((counts[name] - first[name]) / seconds, 3) for name in counts}
