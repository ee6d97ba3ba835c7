"""The objectives of a soft-margin machine as sums over parts of the rows, each enclosed, so that parts can be added.

A part may be measured on another machine than the others. The bound on the rounding error of a sum of vectors counts
the additions of all parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .enclosed_sums import SumParts
from .enclosure import Enclosure
from .feasible import shares_of
from .geometry import Floats
from .quick_gap import squared_length

HALF = Enclosure.exactly(Fraction(1, 2))
NOTHING = Enclosure.exactly(0)


@dataclass(frozen=True)
class GapPart:
    """What some rows contribute to the objectives of weights and of duals.

    Parameters
    ----------
    losses : Enclosure
        The sum of C_i times the loss.
    sums : SumParts
        The sum of a_i y_i x_i.
    totals : tuple of Fraction
        The sums of the duals of the positive and of the negative rows, exactly.
    ridges : tuple of Enclosure
        The sums of a_i^2 / (4 C_i) of both; 0 for the hinge.
    """

    losses: Enclosure
    sums: SumParts
    totals: tuple[Fraction, Fraction]
    ridges: tuple[Enclosure, Enclosure]

    def __add__(self, other: GapPart) -> GapPart:
        return GapPart(
            self.losses + other.losses,
            self.sums + other.sums,
            (self.totals[0] + other.totals[0], self.totals[1] + other.totals[1]),
            (self.ridges[0] + other.ridges[0], self.ridges[1] + other.ridges[1]),
        )

    def primal(self, weights: Floats, bias: float, intercept: str) -> Enclosure:
        """Return P(w, b), if the part is that of all rows."""
        found = self.losses + HALF * squared_length(weights)
        return found + HALF * Enclosure.exactly(bias).square() if intercept == "penalized" else found

    def dual(self, intercept: str) -> Enclosure:
        """Return D(a) for balanced a, if the part is that of all rows."""
        if not any(self.totals):
            return NOTHING
        shares = shares_of(*self.totals) if intercept == "free" else (Fraction(1), Fraction(1))
        total = sum((share * own for share, own in zip(shares, self.totals, strict=True)), Fraction(0))
        found = Enclosure.exactly(total)
        found -= HALF * self.sums.squared_length(1 - min(shares))  # scaling by t changes a coefficient by this share
        if intercept == "penalized":
            found -= HALF * Enclosure.exactly(self.totals[0] - self.totals[1]).square()
        for share, ridge in zip(shares, self.ridges, strict=True):
            found -= Enclosure.exactly(share * share) * ridge
        return found
