"""The least value along a line, for convex functions that are piecewise linear or quadratic."""

from __future__ import annotations

import math
from collections.abc import Callable

FLAT = 1e-3  # the search ends where the derivative is this small a part of what it was
MOST_TRIALS = 40


def least(derivative: Callable[[float], tuple[float, float]], guess: float = 1.0) -> float:
    """Return about the step from 0 up where a rising derivative is 0; it comes with its own derivative, for Newton's method."""
    start, _ = derivative(0.0)
    if start >= 0:
        return 0.0
    low, high, step = 0.0, math.inf, guess
    for _ in range(MOST_TRIALS):
        first, second = derivative(step)
        if abs(first) <= -FLAT * start:
            break
        low, high = (step, high) if first < 0 else (low, step)
        step = step - first / second if second > 0 else math.inf
        if not low < step < high:
            step = 2 * low if high == math.inf else 0.5 * (low + high)
    return step
