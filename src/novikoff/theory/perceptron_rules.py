"""The rules of the perceptron and of the margin perceptrons."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from . import bounds
from .bound_curves import NOVIKOFF
from .geometry import Floats
from .rules import OnlineRule, RuleInput


class PerceptronRule(OnlineRule):
    """Perceptron (Rosenblatt 1958): v += y u on a mistake (docs/theory.md, A1)."""

    kernel: ClassVar[str | None] = "perceptron"
    steps_count_mistakes: ClassVar[bool] = True
    adds_examples: ClassVar[bool] = True
    promises_to_halt: ClassVar[bool] = True
    bound_name: ClassVar[str] = NOVIKOFF

    def step(self, example: RuleInput) -> float:
        return example.weight if self.is_mistake(example.y, example.score) else 0.0

    def bound(self, radius: float, margin: float) -> float:
        return bounds.novikoff(radius, margin)

    def update_bound(self, radius: float, margin: float) -> float:
        return bounds.novikoff(radius, margin)

    def length_bound(self, radius: float, margin: float, updates: Floats) -> Floats:
        return radius * np.sqrt(updates)


class FixedMarginRule(OnlineRule):
    """Margin perceptron: v += y u while y v.u < theta |v|, and always at v = 0 (docs/theory.md, C1).

    The parameter is theta.
    """

    kernel: ClassVar[str | None] = "fixed margin"
    adds_examples: ClassVar[bool] = True
    promises_to_halt: ClassVar[bool] = True

    def step(self, example: RuleInput) -> float:
        reached = example.squared_length > 0 and example.margin >= self.threshold(example)
        return 0.0 if reached else example.weight

    def threshold(self, example: RuleInput) -> float:
        return self.parameter * math.sqrt(max(0.0, example.squared_length))

    def required_margin(self) -> float:
        return self.parameter

    def update_bound(self, radius: float, margin: float) -> float:
        return bounds.margin_perceptron(radius, margin, self.lost(margin)) if margin > self.parameter else math.inf

    def length_bound(self, radius: float, margin: float, updates: Floats) -> Floats:
        return bounds.margin_perceptron_length(radius, margin, self.lost(margin), updates)

    def lost(self, margin: float) -> float:
        """Return the epsilon for which the threshold is (1 - epsilon) times this margin."""
        return 1 - self.parameter / margin if margin > 0 else -math.inf


class DynamicMarginRule(OnlineRule):
    """Perceptron with dynamic margin (Panagiotakopoulos and Tsampouka 2011): theta = (1 - epsilon) |v| / M.

    M is the number of updates, so theta is a fraction of an upper bound on the unknown margin (docs/theory.md, C4).
    The parameter is epsilon.
    """

    kernel: ClassVar[str | None] = "dynamic margin"
    adds_examples: ClassVar[bool] = True
    promises_to_halt: ClassVar[bool] = True

    def step(self, example: RuleInput) -> float:
        wanted = (1 - self.parameter) * example.squared_length
        reached = example.squared_length > 0 and example.margin * example.steps >= wanted
        return 0.0 if reached else example.weight

    def threshold(self, example: RuleInput) -> float:
        return (1 - self.parameter) * example.squared_length / example.steps if example.steps > 0 else 0.0

    def update_bound(self, radius: float, margin: float) -> float:
        return bounds.dynamic_margin_perceptron(radius, margin, self.parameter)

    def length_bound(self, radius: float, margin: float, updates: Floats) -> Floats:
        return bounds.dynamic_margin_length(radius, self.parameter, updates)
