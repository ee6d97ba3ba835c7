"""Enclosures: two numbers between which a true value lies, and the checks of claims about that value.

The true value is that of exact arithmetic on the given floats, each of which is a rational number. Sums over rows and
columns are computed in floating point with bounds on their errors (``enclosed_sums``); from there on, arithmetic is
exact, because the ends of an enclosure are fractions. So a check has no tolerance: a claim holds if it is true for all
values between the ends, fails if it is true for none of them, and is open otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from .verification import Check

End = Fraction | float  # a float only if it is an infinity
ROUNDING_UNIT = Fraction(1, 2**52)  # twice the largest relative error of an operation on doubles
MAX_ROUNDINGS = 2**42  # a number to which more operations led agrees with nothing; far below 2^52
SMALLEST = Fraction(1, 2**1074)  # the smallest positive double; the largest error of a product that underflows


@dataclass(frozen=True)
class Enclosure:
    """Two numbers between which the true value lies.

    Parameters
    ----------
    low, high : Fraction or infinity
        The ends, which may be the value themselves.
    """

    low: End
    high: End

    @classmethod
    def exactly(cls, value: float | Fraction) -> Enclosure:
        """Return the enclosure of one number; everything if it is not finite."""
        if not isinstance(value, Fraction):
            if not math.isfinite(value):
                return UNBOUNDED
            value = Fraction(value)
        return cls(value, value)

    @classmethod
    def between(cls, low: float, high: float, exponent: int = 0) -> Enclosure:
        """Return the enclosure of two floats times 2^exponent; an end that is not a number is unbounded."""
        scale = Fraction(2) ** exponent
        lower = Fraction(low) * scale if math.isfinite(low) else -math.inf
        upper = Fraction(high) * scale if math.isfinite(high) else math.inf
        return cls(lower, upper)

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return isinstance(self.low, Fraction) and isinstance(self.high, Fraction)

    @property
    def width(self) -> End:
        """The distance of the ends."""
        return self.high - self.low if self.is_bounded else math.inf

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(_sum(self.low, other.low, -math.inf), _sum(self.high, other.high, math.inf))

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return self + (-other)

    def __mul__(self, other: Enclosure) -> Enclosure:
        if not (self.is_bounded and other.is_bounded):
            return UNBOUNDED
        products = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Enclosure(min(products), max(products))

    def __truediv__(self, other: Enclosure) -> Enclosure:
        """Divide by a positive number; everything if it may be 0 or less."""
        if not (self.is_bounded and other.is_bounded) or other.low <= 0:
            return UNBOUNDED
        quotients = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Enclosure(min(quotients), max(quotients))

    def square(self) -> Enclosure:
        """Return the enclosure of the square."""
        if not self.is_bounded:
            return Enclosure(Fraction(0), math.inf)
        squares = (self.low * self.low, self.high * self.high)
        return Enclosure(Fraction(0) if self.low <= 0 <= self.high else min(squares), max(squares))

    def signed_square(self) -> Enclosure:
        """Return the enclosure of x |x|, which is in the order of x."""
        return Enclosure(signed_square(self.low), signed_square(self.high))

    def times_power_of_two(self, exponent: int) -> Enclosure:
        """Return the enclosure of the value times 2^exponent."""
        scale = Fraction(2) ** exponent
        return Enclosure(*(end * scale if isinstance(end, Fraction) else end for end in (self.low, self.high)))

    def root(self, bits: int = 200) -> Enclosure:
        """Return the enclosure of the square root of a value >= 0, to this many bits; exact where the root is."""
        low = _root(self.low, bits)[0] if isinstance(self.low, Fraction) else Fraction(0)
        return Enclosure(low, _root(self.high, bits)[1] if isinstance(self.high, Fraction) else math.inf)

    def outer_low(self) -> float:
        """Return the largest float that is not above the value, whatever the value is."""
        return _float_towards(self.low, -math.inf)

    def outer_high(self) -> float:
        """Return the smallest float that is not below the value, whatever the value is."""
        return _float_towards(self.high, math.inf)

    def stated_low(self) -> float:
        """Return a lower bound that another computation of the same accuracy confirms."""
        return _float_towards(_sum(self.low, -_widening(self), -math.inf), -math.inf)

    def stated_high(self) -> float:
        """Return an upper bound that another computation of the same accuracy confirms."""
        return _float_towards(_sum(self.high, _widening(self), math.inf), math.inf)


UNBOUNDED = Enclosure(-math.inf, math.inf)


def signed_square(number: End) -> End:
    """Return x |x|."""
    square = number * number
    return square if number >= 0 else -square


def at_most(claim: str, claimed: float, found: Enclosure, *, squared: bool = False, hint: str = "") -> Check:
    """Check the claim that a value is at most ``claimed``.

    Parameters
    ----------
    claim : str
        The name of the claim.
    claimed : float
        The claimed bound.
    found : Enclosure
        The enclosure of the value x; with ``squared``, of x |x|.
    squared : bool, default=False
        Whether squares are compared, so that lengths need no square roots.
    hint : str, default=""
        What to add to the words if the claim fails.
    """
    limit = _limit(claimed, squared)
    if limit is None:
        return Check(claim, "fails", f"claimed {claimed}, which is not a number")
    if found.high <= limit:
        return Check(claim, "holds", f"claimed {claimed:.10g}, found {_shown(found.high, squared)} or less")
    if found.low > limit:
        return Check(claim, "fails", f"claimed {claimed:.10g}, found {_shown(found.low, squared)} or more{hint}")
    return Check(claim, "open", f"claimed {claimed:.10g}, found {_range(found, squared)}")


def at_least(claim: str, claimed: float, found: Enclosure, *, squared: bool = False, hint: str = "") -> Check:
    """Check the claim that a value is at least ``claimed``; the parameters are those of `at_most`."""
    limit = _limit(claimed, squared)
    if limit is None:
        return Check(claim, "fails", f"claimed {claimed}, which is not a number")
    if found.low >= limit:
        return Check(claim, "holds", f"claimed {claimed:.10g}, found {_shown(found.low, squared)} or more")
    if found.high < limit:
        return Check(claim, "fails", f"claimed {claimed:.10g}, found {_shown(found.high, squared)} or less{hint}")
    return Check(claim, "open", f"claimed {claimed:.10g}, found {_range(found, squared)}")


def agrees(claim: str, claimed: float, found: Enclosure, roundings: int, *, squared: bool = False) -> Check:
    """Check that a number may be the result of computing a value x >= 0 in floating point.

    The claim is |claimed - x| <= k 2^-52 x + k 2^-1074, with k ``roundings``: that is the accuracy of a sum of
    nonnegative terms in which no term passes through more than k operations (Higham 2002, section 3.1).

    Parameters
    ----------
    claim : str
        The name of the claim.
    claimed : float
        The claimed number.
    found : Enclosure
        The enclosure of x; with ``squared``, of its square.
    roundings : int
        The number k of operations.
    squared : bool, default=False
        Whether squares are compared.
    """
    words = f"claimed {claimed:.10g}, found {_range(found, squared)}"
    if not (math.isfinite(claimed) and claimed >= 0 and 0 <= roundings <= MAX_ROUNDINGS):
        return Check(claim, "fails", words)
    last_digits, tiny = roundings * ROUNDING_UNIT, roundings * SMALLEST
    # |c - x| <= d x + t is equivalent to (c - t) / (1 + d) <= x <= (c + t) / (1 - d).
    lowest = max(Fraction(0), (Fraction(claimed) - tiny) / (1 + last_digits))
    highest = (Fraction(claimed) + tiny) / (1 - last_digits)
    if squared:
        lowest, highest = lowest * lowest, highest * highest
    if lowest <= max(Fraction(0), found.low) and found.high <= highest:  # x is not negative
        return Check(claim, "holds", words)
    apart = found.high < lowest or found.low > highest
    return Check(claim, "fails" if apart else "open", words)


def _limit(claimed: float, squared: bool) -> End | None:
    """Return a claimed bound, or its signed square, as an end; None if it is not a number."""
    if math.isnan(claimed):
        return None
    limit = Fraction(claimed) if math.isfinite(claimed) else claimed
    return signed_square(limit) if squared else limit


def _sum(a: End, b: End, otherwise: float) -> End:
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else otherwise


def _widening(found: Enclosure) -> End:
    """Return the width, enlarged a little, because the bounds on rounding errors are rounded as well."""
    return found.width * Fraction(101, 100) if isinstance(found.width, Fraction) else math.inf


def _root(number: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return the square root, rounded down and up to at least this many bits; equal if it is a fraction of them."""
    if number <= 0:
        return Fraction(0), Fraction(0)
    # sqrt(p / q) = sqrt(p q) / q, and p q is multiplied by 4^k so that the integer root has enough bits.
    product = number.numerator * number.denominator
    k = max(0, bits - product.bit_length() // 2)
    floor = math.isqrt(product << (2 * k))
    exact = floor * floor == product << (2 * k)
    divisor = number.denominator << k
    return Fraction(floor, divisor), Fraction(floor if exact else floor + 1, divisor)


def _float_towards(number: End, side: float) -> float:
    """Return the nearest float on this side of a number, or the number itself."""
    if not isinstance(number, Fraction):
        return number
    near = _nearest(number)
    if math.isinf(near):  # the nearest float is the largest finite one, or the infinity on the other side
        return near if near == side else math.nextafter(near, 0.0)
    beyond = Fraction(near) < number if side > 0 else Fraction(near) > number
    return math.nextafter(near, side) if beyond else near


def _shown(end: End, squared: bool) -> str:
    number = _root_of_signed_square(end) if squared else _nearest(end)
    return f"{number:.10g}"


def _range(found: Enclosure, squared: bool) -> str:
    low, high = _shown(found.low, squared), _shown(found.high, squared)
    return low if low == high else f"a number from {low} to {high}"


def _nearest(end: End) -> float:
    try:
        return float(end)
    except OverflowError:
        return math.inf if end > 0 else -math.inf


def _root_of_signed_square(end: End) -> float:
    if not isinstance(end, Fraction):
        return end
    root = _nearest(_root(abs(end), 60)[0])
    return root if end >= 0 else -root
