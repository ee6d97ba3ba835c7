"""The rules of the passive-aggressive algorithms (Crammer et al. 2006, section 3)."""

from __future__ import annotations

import math
from typing import ClassVar

from . import bounds
from .bound_curves import NOVIKOFF, OTHER_THEOREM
from .rules import OnlineRule, RuleInput

EPSILON = math.ulp(1.0)


class PassiveAggressiveRule(OnlineRule):
    """Passive-aggressive: the nearest v with y v.u >= 1. A fraction of an example goes that fraction of the way."""

    kernel: ClassVar[str | None] = "passive-aggressive"
    promises_to_halt: ClassVar[bool] = True
    bound_name: ClassVar[str] = NOVIKOFF

    def step(self, example: RuleInput) -> float:
        return example.weight * self.full_step(example, example.squared_norm)

    def threshold(self, example: RuleInput) -> float:
        return 1.0

    def bound(self, radius: float, margin: float) -> float:
        return bounds.novikoff(radius, margin)

    @staticmethod
    def full_step(example: RuleInput, squared_norm: float) -> float:
        """Return the step after which an example of this squared length has no loss.

        A loss within the rounding error of the score counts as 0, and so does a step that is not finite.
        """
        loss = 1 - example.margin
        if not loss > 0 or example.squared_norm == 0:
            return 0.0
        product = max(0.0, example.squared_length * example.squared_norm)
        if loss < 1e-6 and loss <= 16 * EPSILON * (1 + math.sqrt(product)):
            return 0.0
        step = loss / squared_norm
        return step if math.isfinite(step) else 0.0


class PassiveAggressiveIRule(PassiveAggressiveRule):
    """PA-I: the step is at most C. The weight of an example multiplies C."""

    kernel: ClassVar[str | None] = "passive-aggressive I"
    promises_to_halt: ClassVar[bool] = False
    bound_name: ClassVar[str] = OTHER_THEOREM

    def step(self, example: RuleInput) -> float:
        return min(example.weight * self.parameter, self.full_step(example, example.squared_norm))

    def bound(self, radius: float, margin: float) -> float:
        return bounds.passive_aggressive_I(radius, margin, self.parameter)

    def has_valid_parameter(self) -> bool:
        return self.parameter > 0


class PassiveAggressiveIIRule(PassiveAggressiveIRule):
    """PA-II: the squared slack adds 1/(2C) to |u|^2. The weight of an example multiplies C."""

    kernel: ClassVar[str | None] = "passive-aggressive II"

    def step(self, example: RuleInput) -> float:
        cost = 2 * example.weight * self.parameter
        return self.full_step(example, example.squared_norm + (1 / cost if cost > 0 else math.inf))

    def bound(self, radius: float, margin: float) -> float:
        return bounds.passive_aggressive_II(radius, margin, self.parameter)
