"""The rules of the perceptron, the passive-aggressive algorithms and AROW for classes that are learned together.

They are those for two classes on Kesler's vectors z (docs/theory.md, J5), whose steps they inherit.
"""

from __future__ import annotations

import math
from typing import ClassVar

from . import kesler_bounds
from .bound_curves import OTHER_THEOREM
from .passive_aggressive_rules import PassiveAggressiveIIRule, PassiveAggressiveIRule
from .perceptron_rules import PerceptronRule
from .rules import RuleInput
from .second_order_rules import ArowRule


class MulticlassPerceptronRule(PerceptronRule):
    """Multiclass perceptron: v += z if the class of the example does not lead (docs/theory.md, J6)."""

    adds_examples: ClassVar[bool] = False  # each update adds z instead
    bound_name: ClassVar[str] = OTHER_THEOREM
    is_joint: ClassVar[bool] = True

    def bound(self, radius: float, margin: float) -> float:
        return kesler_bounds.multiclass_perceptron(radius, margin)

    def update_bound(self, radius: float, margin: float) -> float:
        return self.bound(radius, margin)

    def comparator_bound(self, radius: float, length: float, loss: float, squared_loss: float) -> float:
        """Return the largest number of mistakes, given the length of any comparator and its loss on the examples."""
        return kesler_bounds.multiclass_perceptron_loss(radius, length, loss)


class MulticlassPassiveAggressiveIRule(PassiveAggressiveIRule):
    """Multiclass PA-I (docs/theory.md, J7)."""

    is_joint: ClassVar[bool] = True

    def bound(self, radius: float, margin: float) -> float:
        return self.comparator_bound(radius, 1 / margin, 0.0, 0.0) if margin > 0 else math.inf

    def comparator_bound(self, radius: float, length: float, loss: float, squared_loss: float) -> float:
        """Return the largest number of mistakes, given the length of any comparator and its loss on the examples."""
        return kesler_bounds.passive_aggressive_I(radius, length, loss, self.parameter)


class MulticlassPassiveAggressiveIIRule(PassiveAggressiveIIRule):
    """Multiclass PA-II (docs/theory.md, J7)."""

    is_joint: ClassVar[bool] = True

    def bound(self, radius: float, margin: float) -> float:
        return self.comparator_bound(radius, 1 / margin, 0.0, 0.0) if margin > 0 else math.inf

    def comparator_bound(self, radius: float, length: float, loss: float, squared_loss: float) -> float:
        """Return the largest number of mistakes, given the length of any comparator and its loss on the examples."""
        return kesler_bounds.passive_aggressive_II(radius, length, squared_loss, self.parameter)


class MulticlassArowRule(ArowRule):
    """Multiclass AROW with one variance for each class and column (docs/theory.md, L5)."""

    is_joint: ClassVar[bool] = True

    def threshold(self, example: RuleInput) -> float:
        return 1.0
