"""The normalised perceptron, in which long examples do not count more than short ones."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff.online import OnlineClassifier
from novikoff.theory.rules import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class NormalizedPerceptron(OnlineClassifier):
    """Perceptron that adds u / |u| on a mistake, where u is the example.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to add a constant feature of 1 to every example.
    """

    _rule_names: ClassVar[tuple[str, ...]] = ("normalized perceptron",)

    def _rule(self) -> Rule:
        return Rule("normalized perceptron", geometry=self._geometry())
