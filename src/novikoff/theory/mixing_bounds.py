"""Bounds for online learners on partitioned data whose weights are mixed after each round, docs/theory.md I."""

from __future__ import annotations

import math
from fractions import Fraction

from .geometry import Floats

Fractions = list[list[Fraction]]


def weighted_mistakes(mistakes: Floats) -> Fraction:
    """Return the sum over all rounds of mu_i k_i, with shares mu_i that are proportional to the mistakes k_i.

    It is the number that a theorem on the mistakes of one sequential run bounds (docs/theory.md, I1 and I2).

    Parameters
    ----------
    mistakes : ndarray of shape (n_rounds, n_partitions)
        The number k_i of mistakes of each partition in each round, or the sum of their weights.

    Returns
    -------
    Fraction
        The sum of (k_1^2 + ... + k_S^2) / (k_1 + ... + k_S) over the rounds with a mistake, without rounding.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_mistakes(np.array([[3.0, 1.0], [0.0, 2.0], [0.0, 0.0]]))
    Fraction(9, 2)
    """
    sums = ((sum(own), sum(k * k for k in own)) for own in _rounds(mistakes))
    return sum((squares / total for total, squares in sums if total), Fraction(0))


def simultaneous_partitions(mistakes: Floats) -> float:
    """Return how many partitions made the same progress at once, at most: the factor between both counts of mistakes.

    In each round (k_1 + ... + k_S)^2 / (k_1^2 + ... + k_S^2) is the number of partitions with a mistake if all made
    equally many, and less otherwise. The number of all mistakes is at most the largest of these numbers times
    `weighted_mistakes` (docs/theory.md, I3).

    Parameters
    ----------
    mistakes : ndarray of shape (n_rounds, n_partitions)
        The number of mistakes of each partition in each round.

    Returns
    -------
    float
        The largest of these numbers, rounded up; 0 without a mistake.

    Examples
    --------
    >>> import numpy as np
    >>> simultaneous_partitions(np.array([[3.0, 1.0], [0.0, 2.0]]))
    1.6
    """
    sums = ((sum(own), sum(k * k for k in own)) for own in _rounds(mistakes))
    largest = max((total * total / squares for total, squares in sums if total), default=Fraction(0))
    return _rounded_up(largest)


def total_mistakes(bound: float, partitions: float) -> float:
    """Return S times the bound on the weighted mistakes, which bounds the mistakes of all partitions together.

    Parameters
    ----------
    bound : float
        The bound on the weighted mistakes: that of the rule for one sequential run over all rows.
    partitions : float
        The number S of partitions that have rows, or what `simultaneous_partitions` returns.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> total_mistakes(bound=16.0, partitions=4)
    64.0
    """
    return bound * partitions


def _rounds(mistakes: Floats) -> Fractions:
    return [[Fraction(k) for k in own if k] for own in mistakes.tolist()]


def _rounded_up(number: Fraction) -> float:
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
