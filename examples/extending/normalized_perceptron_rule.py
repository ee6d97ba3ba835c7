"""The rule of the normalised perceptron."""

import math

from novikoff.theory.rules import OnlineRule, RuleInput


class NormalizedPerceptronRule(OnlineRule):
    """Perceptron whose steps have unit length: v += y u / |u| on a mistake."""

    def step(self, example: RuleInput) -> float:
        if example.squared_norm == 0 or not self.is_mistake(example.y, example.score):
            return 0.0
        return example.weight / math.sqrt(example.squared_norm)
