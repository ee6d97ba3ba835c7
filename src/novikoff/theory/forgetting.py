"""How a learner forgets: its weights shrink at each update, or by a half-life at each example (docs/theory.md, M)."""

from __future__ import annotations

import decimal
from dataclasses import dataclass

SHORTEST_HALF_LIFE = 1.0  # in examples
LONGEST_HALF_LIFE = 1e15  # with a longer one, a double cannot tell what is kept from 1
LARGEST_WEIGHT = 1_000_000.0  # of an example with a half-life, because each of its copies fades the weights
UNIT_EXPONENT = -32  # the factor of the stored weights is at least this power of 2


@dataclass(frozen=True)
class Forgetting:
    """What is kept of the weights v.

    Parameters
    ----------
    forget : float, default=0.0
        The fraction of v that an update forgets before it adds its example; at least 0 and below 1.
    half_life : float or None, default=None
        The number of examples in which v fades to a half, from 1 to 1e15; None if it does not fade.
    """

    forget: float = 0.0
    half_life: float | None = None

    @property
    def is_any(self) -> bool:
        """Whether anything is forgotten."""
        return self.forget > 0 or self.half_life is not None

    @property
    def is_possible(self) -> bool:
        """Whether both numbers are in range; they may come from a damaged file."""
        half_life = SHORTEST_HALF_LIFE if self.half_life is None else self.half_life
        return 0 <= self.forget < 1 and SHORTEST_HALF_LIFE <= half_life <= LONGEST_HALF_LIFE

    @property
    def fade(self) -> float:
        """What is kept of v by an example: 2^(-1/half_life), rounded once, so that it is the same on every machine."""
        if self.half_life is None:
            return 1.0
        with decimal.localcontext() as context:
            context.prec = 60
            return float(decimal.Decimal(2) ** (-1 / decimal.Decimal(self.half_life)))

    def kept_by_update(self, copy: float) -> float:
        """Return what an update by a copy of an example keeps of v; a fraction of a copy forgets that fraction."""
        return 1 - copy * self.forget
