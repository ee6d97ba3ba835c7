"""Line search for convex functions that are piecewise linear or quadratic."""

from __future__ import annotations

import math
from collections.abc import Callable

MAX_TRIALS = 60
MAX_EXTRAPOLATION = 16.0  # largest ratio of two trial steps in a row while no step was too long
NEWTON_CLOSENESS = 0.1  # the remaining Newton step, in proportion to the step, at which the search ends


def minimize_along_line(derivatives: Callable[[float], tuple[float, float]], slope_ratio: float) -> float:
    """Return a step >= 0 at which the derivative is about 0.

    Newton's method on the derivative, safeguarded by a bracket. The second condition for the end matters if the rows
    have very different costs: then the derivative can be relatively small although the step is far too long.

    Parameters
    ----------
    derivatives : callable
        Returns the first and second derivative at a step.
    slope_ratio : float
        The search ends when the first derivative is at most this share of its value at 0.
    """
    start, _ = derivatives(0.0)
    if start >= 0:
        return 0.0
    low, high, step = 0.0, math.inf, 1.0
    for _ in range(MAX_TRIALS):
        first, second = derivatives(step)
        if abs(first) <= min(-slope_ratio * start, NEWTON_CLOSENESS * second * step):
            break
        low, high = (step, high) if first < 0 else (low, step)
        step = step - first / second if second > 0 else math.inf
        if high == math.inf:
            step = min(max(step, 2 * low), MAX_EXTRAPOLATION * low)
        elif not low < step < high:
            step = math.sqrt(low * high) if high > 4 * low > 0 else 0.5 * (low + high)
    return step
