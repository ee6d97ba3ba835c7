"""Enclosures whose ends are floats, rounded outwards after each operation.

They are as true as those of fractions (``enclosure``), a few last digits wider, and about twenty times as fast. An
operation on floats is off by less than the distance to the next float, also where it underflows, so the next float
beyond the result is a bound. What overflows becomes infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .enclosure import Enclosure

STATED_WIDTHS = 1.01  # widths by which a stated bound is outside of the interval; the bounds on errors are rounded, too


@dataclass(frozen=True, slots=True)
class Interval:
    """Two floats between which the true value lies.

    Parameters
    ----------
    low, high : float
        The ends.
    """

    low: float
    high: float

    def __add__(self, other: Interval) -> Interval:
        return Interval(_down(self.low + other.low), _up(self.high + other.high))

    def __sub__(self, other: Interval) -> Interval:
        return Interval(_down(self.low - other.high), _up(self.high - other.low))

    def times(self, other: Interval) -> Interval:
        """Return the product with another value; both are at least 0."""
        return Interval(max(0.0, _down(self.low * other.low)), _up(self.high * other.high))

    def over(self, other: Interval) -> Interval:
        """Return the quotient of two values that are at least 0; unbounded if the divisor may be 0."""
        if not other.low > 0:
            return Interval(0.0, math.inf)
        return Interval(max(0.0, _down(self.low / other.high)), _up(self.high / other.low))

    def half(self) -> Interval:
        """Return half the value."""
        return Interval(_down(0.5 * self.low), _up(0.5 * self.high))

    def square(self) -> Interval:
        """Return the square."""
        ends = (self.low * self.low, self.high * self.high)
        low = 0.0 if self.low <= 0 <= self.high else max(0.0, _down(min(ends)))
        return Interval(low, _up(max(ends)))

    def root(self) -> Interval:
        """Return the square root of a value that is at least 0."""
        return Interval(max(0.0, _down(math.sqrt(max(0.0, self.low)))), _up(math.sqrt(max(0.0, self.high))))

    def widened(self, by: float) -> Interval:
        """Return the interval of all values that are at most this far away."""
        return Interval(_down(self.low - by), _up(self.high + by))

    def stated_low(self) -> float:
        """Return a lower bound that another computation of the same accuracy confirms."""
        return _down(self.low - STATED_WIDTHS * (self.high - self.low))

    def stated_high(self) -> float:
        """Return an upper bound that another computation of the same accuracy confirms."""
        return _up(self.high + STATED_WIDTHS * (self.high - self.low))

    def enclosure(self) -> Enclosure:
        """Return the same ends as fractions; an end that is not a number is unbounded."""
        return Enclosure.between(self.low, self.high)


def _down(number: float) -> float:
    return math.nextafter(number, -math.inf)


def _up(number: float) -> float:
    return math.nextafter(number, math.inf)
