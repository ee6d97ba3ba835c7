"""The rules of the perceptron and of the margin perceptrons."""

from __future__ import annotations

import math
from typing import ClassVar

from . import bounds
from .bound_curves import NOVIKOFF
from .rules import OnlineRule, RuleInput


class PerceptronRule(OnlineRule):
    """Perceptron (Rosenblatt 1958): v += y u on a mistake (docs/theory.md, A1)."""

    kernel: ClassVar[str | None] = "perceptron"
    steps_count_mistakes: ClassVar[bool] = True
    bound_name: ClassVar[str] = NOVIKOFF

    def step(self, example: RuleInput) -> float:
        return example.weight if self.is_mistake(example.y, example.score) else 0.0

    def bound(self, radius: float, margin: float) -> float:
        return bounds.novikoff(radius, margin)


class FixedMarginRule(OnlineRule):
    """Margin perceptron: v += y u while y v.u < theta |v|, and always at v = 0 (docs/theory.md, C1).

    The parameter is theta.
    """

    kernel: ClassVar[str | None] = "fixed margin"

    def step(self, example: RuleInput) -> float:
        reached = example.squared_length > 0 and example.margin >= self.threshold(example)
        return 0.0 if reached else example.weight

    def threshold(self, example: RuleInput) -> float:
        return self.parameter * math.sqrt(max(0.0, example.squared_length))

    def required_margin(self) -> float:
        return self.parameter


class DynamicMarginRule(OnlineRule):
    """Perceptron with dynamic margin (Panagiotakopoulos and Tsampouka 2011): theta = (1 - epsilon) |v| / M.

    M is the number of updates, so theta is a fraction of an upper bound on the unknown margin (docs/theory.md, C4).
    The parameter is epsilon.
    """

    kernel: ClassVar[str | None] = "dynamic margin"

    def step(self, example: RuleInput) -> float:
        wanted = (1 - self.parameter) * example.squared_length
        reached = example.squared_length > 0 and example.margin * example.steps >= wanted
        return 0.0 if reached else example.weight

    def threshold(self, example: RuleInput) -> float:
        return (1 - self.parameter) * example.squared_length / example.steps if example.steps > 0 else 0.0
