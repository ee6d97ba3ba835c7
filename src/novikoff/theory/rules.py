"""The contract of online rules, and the registry of their kinds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from novikoff._registry import Registry
from novikoff.errors import input_error

from .bound_curves import OTHER_THEOREM
from .forgetting import Forgetting
from .geometry import Floats, Geometry


class RuleInput(NamedTuple):
    """What a rule knows of an example, and of the weights v, when it decides on an update.

    Parameters
    ----------
    y : float
        The label, -1 or +1.
    score : float
        v.u.
    squared_norm : float
        |u|^2.
    weight : float
        The weight of the example, in (0, 1]. An example of weight 2.5 arrives as three: 1, 1 and 0.5.
    squared_length : float
        |v|^2, as a running sum: rounding may make it slightly negative.
    steps : float
        The sum of all steps so far.
    """

    y: float
    score: float
    squared_norm: float
    weight: float
    squared_length: float
    steps: float

    @property
    def margin(self) -> float:
        """The score in the direction of the label, y v.u."""
        return self.y * self.score


@dataclass(frozen=True)
class OnlineRule(ABC):
    """A first-order online rule: the update v += tau y u with a step tau >= 0 that depends on six numbers.

    A new rule is a subclass with a ``step``, entered in the registry ``RULES`` under its name. It can then be named by
    the ``Rule`` of a learner, verified, saved, loaded and drawn. Without a compiled kernel, ``step`` is called for
    every example, which is slow but gives the same results. It must be a function of its arguments alone.

    Parameters
    ----------
    parameter : float, default=0.0
        The one number that the rule depends on, such as C.
    tie : {"mistake", "positive"}, default="mistake"
        Whether a score of exactly 0 counts as a mistake or as a prediction of +1.
    extra : float, default=0.0
        A second number that the rule depends on, if there is one.

    Attributes
    ----------
    kernel : str or None
        The name of the compiled rule in ``cpp/include/novikoff/rules.hpp``; None if there is none.
    steps_count_mistakes : bool
        Whether each mistake, and nothing else, adds y u to v. The sum of the steps is then the number of mistakes, and
        the bounds of Freund and Schapire (1999) hold.
    adds_examples : bool
        Whether each update adds y u to v, so that v is the sum of as many examples as there were updates.
    promises_to_halt : bool
        Whether a theorem says that passes over separable rows end, and ``fit`` should warn if they did not; False for
        rules that are made for rows that overlap.
    bound_name : str
        The name of ``bound`` in plots.
    is_second_order : bool
        Whether the weights are not a sum of examples, because every column has steps of its own.
    has_unit_columns : bool
        Whether a second-order rule has u_j^2 s_j <= 1 for all examples and columns, where s is the diagonal of A^-1.
    is_joint : bool
        Whether all classes are learned together: the rule sees the vectors z of docs/theory.md J5 with the label +1.
        The radius that its bounds take is that of the examples u.
    """

    parameter: float = 0.0
    tie: str = "mistake"
    extra: float = 0.0

    kernel: ClassVar[str | None] = None
    steps_count_mistakes: ClassVar[bool] = False
    adds_examples: ClassVar[bool] = False
    promises_to_halt: ClassVar[bool] = False
    bound_name: ClassVar[str] = OTHER_THEOREM
    is_second_order: ClassVar[bool] = False
    has_unit_columns: ClassVar[bool] = False
    is_joint: ClassVar[bool] = False

    @abstractmethod
    def step(self, example: RuleInput) -> float:
        """Return how far to move along y u: a finite number, 0 for no update."""

    def threshold(self, example: RuleInput) -> float:
        """Return the margin y v.u below which the rule updates.

        ``verify`` repeats runs. Where a margin is so close to the threshold that rounding may have decided about the
        update, a different outcome does not refute the model.
        """
        return 0.0

    def bound(self, radius: float, margin: float) -> float:
        """Return the largest possible number of mistakes if all |u| <= radius and a separator has this margin."""
        return math.inf

    def update_bound(self, radius: float, margin: float) -> float:
        """Return the largest possible number of updates if all |u| <= radius and a separator has this margin."""
        return math.inf

    def length_bound(self, radius: float, margin: float, updates: Floats) -> Floats:
        """Return upper bounds on |v| after these numbers of updates, under the same hypotheses."""
        return np.full_like(updates, math.inf)

    def required_margin(self) -> float:
        """Return the margin without which the rule never stops making updates: 0 if any separator is enough."""
        return 0.0

    def has_valid_parameter(self) -> bool:
        """Return whether ``parameter`` is one that the rule can have; it may come from a damaged file."""
        return self.parameter >= 0

    def is_mistake(self, y: float, score: float) -> bool:
        """Return whether the prediction was wrong (docs/theory.md, A2)."""
        return y * score < 0 or (score == 0 and (self.tie == "mistake" or y < 0))

    def __call__(self, *numbers: float) -> float:
        """Return the step for the fields of ``RuleInput``. The compiled loop calls this where there is no kernel."""
        return self.step(RuleInput(*numbers))


RULES: Registry[type[OnlineRule]] = Registry(
    "online rule",
    {
        "perceptron": "novikoff.theory.perceptron_rules:PerceptronRule",
        "fixed margin": "novikoff.theory.perceptron_rules:FixedMarginRule",
        "dynamic margin": "novikoff.theory.perceptron_rules:DynamicMarginRule",
        "passive-aggressive": "novikoff.theory.passive_aggressive_rules:PassiveAggressiveRule",
        "passive-aggressive I": "novikoff.theory.passive_aggressive_rules:PassiveAggressiveIRule",
        "passive-aggressive II": "novikoff.theory.passive_aggressive_rules:PassiveAggressiveIIRule",
        "arow": "novikoff.theory.second_order_rules:ArowRule",
        "normalized adaptive, logistic": "novikoff.theory.second_order_rules:LogisticAdaptiveRule",
        "normalized adaptive, hinge": "novikoff.theory.second_order_rules:HingeAdaptiveRule",
        "normalized adaptive, squared": "novikoff.theory.second_order_rules:SquaredAdaptiveRule",
        "soft confidence I": "novikoff.theory.second_order_rules:SoftConfidenceIRule",
        "soft confidence II": "novikoff.theory.second_order_rules:SoftConfidenceIIRule",
        "multiclass perceptron": "novikoff.theory.multiclass_rules:MulticlassPerceptronRule",
        "multiclass arow": "novikoff.theory.multiclass_rules:MulticlassArowRule",
        "multiclass passive-aggressive I": "novikoff.theory.multiclass_rules:MulticlassPassiveAggressiveIRule",
        "multiclass passive-aggressive II": "novikoff.theory.multiclass_rules:MulticlassPassiveAggressiveIIRule",
    },
)


@dataclass(frozen=True)
class Rule:
    """The rule that a run was made with, as the model file stores it.

    Parameters
    ----------
    name : str
        The name of the rule in ``RULES``.
    parameter : float, default=0.0
        The one number that the rule depends on, such as C. Its meaning is the rule's own.
    tie : {"mistake", "positive"}, default="mistake"
        Whether a score of exactly 0 counts as a mistake or as a prediction of +1.
    keep : {"last", "average", "votes"}, default="last"
        Which weights predict: the last ones, the average of all, or the vote of all.
    geometry : Geometry
        How an example becomes the vector that the rule sees.
    forgetting : Forgetting
        What is kept of the weights by examples and updates.
    extra : float, default=0.0
        A second number that the rule depends on, if there is one.
    """

    name: str
    parameter: float = 0.0
    tie: str = "mistake"
    keep: str = "last"
    geometry: Geometry = field(default_factory=Geometry)
    forgetting: Forgetting = Forgetting()  # noqa: RUF009  # it is frozen, and older files get this default
    extra: float = 0.0

    def implementation(self) -> OnlineRule:
        """Return the rule that ``RULES`` has under this name."""
        if self.name not in RULES:
            raise input_error("rule", RULES.unknown(self.name))
        return _rule_of(RULES[self.name], self.parameter, self.tie, self.extra)

    @property
    def changes_only_by_updates(self) -> bool:
        """Whether predictions are those of the last weights, which only updates change."""
        is_plain = self.geometry.scale is None and not self.forgetting.is_any
        return self.keep == "last" and is_plain and not self.implementation().is_second_order


@lru_cache(maxsize=256, typed=True)
def _rule_of(kind: type[OnlineRule], parameter: float, tie: str, extra: float) -> OnlineRule:
    """Return a rule, which never changes and is asked for several times when a learner begins."""
    return kind(parameter, tie, extra)
