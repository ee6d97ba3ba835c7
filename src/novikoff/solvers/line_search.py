"""The least value along a line, for convex functions that are piecewise linear or quadratic."""

from __future__ import annotations

import math
from collections.abc import Callable

MOST_TRIALS = 60
LEAP = 16.0  # how much longer the next step may be where none was too long
CLOSE = 0.1  # how far the least value may still seem to be, in proportion to the step


def least(derivative: Callable[[float], tuple[float, float]], flat: float) -> float:
    """Return about the step from 0 up where a rising derivative is 0: there it is at most ``flat`` of what it is at 0.

    The derivative comes with its own, for Newton's method, which must also say that the root is close: where rows cost
    very different amounts, a derivative can be small in proportion and the step still far too long.
    """
    start, _ = derivative(0.0)
    if start >= 0:
        return 0.0
    low, high, step = 0.0, math.inf, 1.0
    for _ in range(MOST_TRIALS):
        first, second = derivative(step)
        if abs(first) <= min(-flat * start, CLOSE * second * step):
            break
        low, high = (step, high) if first < 0 else (low, step)
        step = step - first / second if second > 0 else math.inf
        if high == math.inf:
            step = min(max(step, 2 * low), LEAP * low)
        elif not low < step < high:
            step = math.sqrt(low * high) if high > 4 * low > 0 else 0.5 * (low + high)
    return step
