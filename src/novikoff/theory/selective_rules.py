"""The rule of the selective perceptron, and its coins."""

from __future__ import annotations

from typing import ClassVar

from .perceptron_rules import PerceptronRule
from .selective_bounds import selective_perceptron

UINT64_MASK = 2**64 - 1
INCREMENT = 0x9E3779B97F4A7C15  # of SplitMix64
MAX_SEED = 2**32 - 1


def mixed(state: int) -> int:
    """Return the number that SplitMix64 makes of a state (Steele, Lea and Flood 2014)."""
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & UINT64_MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & UINT64_MASK
    return z ^ (z >> 31)


def coin(seed: int, number: int) -> float:
    """Return a coin, a multiple of 2^-53 in [0, 1) that depends on a seed and on its number only.

    Parameters
    ----------
    seed : int
        The seed, which is mixed first, so that close seeds give sequences that have nothing in common.
    number : int
        The number of the coin, from 0.
    """
    state = mixed((seed + INCREMENT) & UINT64_MASK)
    return (mixed((state + (number + 1) * INCREMENT) & UINT64_MASK) >> 11) * 2.0**-53


class SelectiveRule(PerceptronRule):
    """Selective perceptron (Cesa-Bianchi, Gentile and Zaniboni 2006; docs/theory.md, Q).

    It asks for a label with probability b / (b + |score|). If it asked and was wrong, v += y u. The parameter is b, and
    the second number is the seed of the coins.
    """

    kernel: ClassVar[str | None] = "selective perceptron"
    asks_for_labels: ClassVar[bool] = True
    promises_to_halt: ClassVar[bool] = False

    def asks(self, score: float, number: int) -> bool:
        """Return whether a coin asks for the label of an example with this score."""
        return score == 0 or coin(int(self.extra), number) * (self.parameter + abs(score)) < self.parameter

    def asking_score(self, number: int) -> float:
        """Return the |score| up to which a coin asks."""
        drawn = coin(int(self.extra), number)
        return self.parameter * (1 - drawn) / drawn if drawn > 0 else float("inf")

    def inverse_probability(self, score: float) -> float:
        """Return (b + |score|) / b, which an asked mistake counts."""
        return (self.parameter + abs(score)) / self.parameter

    def bound(self, radius: float, margin: float) -> float:
        return selective_perceptron(radius, self.parameter, 1.0, margin, 0.0) if margin > 0 else float("inf")

    def has_valid_parameter(self) -> bool:
        has_seed = 0 <= self.extra <= MAX_SEED and self.extra == int(self.extra)
        return 0 < self.parameter < float("inf") and has_seed and (self.budget is None or self.budget >= 1)
