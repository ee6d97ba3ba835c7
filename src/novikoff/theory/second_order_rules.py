"""Rules by which every column has steps of its own, as the verifier repeats them.

The weights w of such a learner are not a sum of examples. What is proven follows from another vector, the sum v of y u
over the examples that caused an update, or over those that were mistakes (docs/theory.md L1).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from novikoff._wide_array import changed

from .geometry import Floats
from .rules import OnlineRule, RuleInput

LEAST_VARIANCE = float(np.finfo(np.float64).tiny)


@dataclass(eq=False)
class Example:
    """One copy of an example, and what the weights make of it.

    Parameters
    ----------
    columns : ndarray of int64
        The columns of u that are not 0, the one of the intercept last.
    u : ndarray of float64
        The values in these columns.
    given : RuleInput
        Label, score, squared norm and weight.
    mistake : bool
        Whether the score is on the wrong side.
    """

    columns: Any
    u: Floats
    given: RuleInput
    mistake: bool


@dataclass(frozen=True)
class Outcome:
    """What a rule did with an example.

    Parameters
    ----------
    enters_sum : bool
        Whether y u was added to the sum v.
    changes : bool
        Whether another copy of the example could change anything.
    sensitivity : float, default=0.0
        How far an error of 1 in the score moves the weights.
    growth : float, default=1.0
        The factor by which an error in the weights may grow.
    """

    enters_sum: bool
    changes: bool
    sensitivity: float = 0.0
    growth: float = 1.0


class SecondOrderRule(OnlineRule):
    """The contract of rules with a state of their own, which is a dict of arrays with one number per column.

    A new one is a subclass with ``start`` and ``learn``, entered in ``RULES``, and a kernel of the same name in
    ``cpp/include/novikoff/rules.hpp``.
    """

    is_second_order: ClassVar[bool] = True

    def step(self, example: RuleInput) -> NoReturn:
        raise TypeError("a second-order rule has a step for each column, which depends on the vector u.")

    @abstractmethod
    def start(self, width: int) -> dict[str, Any]:
        """Return the state before the first example: ``weights`` and what the rule keeps beside them."""

    @abstractmethod
    def learn(self, state: dict[str, Any], example: Example) -> Outcome:
        """Change the state by one copy of an example."""

    def needed_margin(self, state: dict[str, Any], example: Example) -> float:
        """Return the margin below which there is an update; infinity if there always is one."""
        return 0.0

    def score_rounding(self, state: dict[str, Any], example: Example, rounding: float) -> float:
        """Return how far scores may differ if the weights of two computations of the run differ by ``rounding``."""
        return 2 * rounding * math.sqrt(example.given.squared_norm)

    def has_valid_parameter(self) -> bool:
        return self.parameter > 0

    def variances(self, vectors: dict[str, Any]) -> Any:
        """Return the diagonal of A^-1 for the bound L1, from the arrays of a state; 0 stands for 1."""
        raise TypeError("the rule has no diagonal matrix.")


class ArowRule(SecondOrderRule):
    """AROW with one variance per column (Crammer, Kulesza and Dredze 2009): ``parameter`` is r, ``extra`` the floor."""

    kernel: ClassVar[str | None] = "arow"

    def start(self, width: int) -> dict[str, Any]:
        return {"weights": np.zeros(width), "variances": np.ones(width)}

    def needed_margin(self, state: dict[str, Any], example: Example) -> float:
        return 1.0

    def learn(self, state: dict[str, Any], example: Example) -> Outcome:
        given, columns, u = example.given, example.columns, example.u
        loss = 1 - given.margin
        if not loss > 0:
            return Outcome(False, False)
        variances = state["variances"][columns]
        spread, slack = variances * u, self.parameter / given.weight
        along = loss / (float(spread @ u) + slack)
        along = along if math.isfinite(along) else 0.0
        state["weights"][columns] += along * given.y * spread
        least = max(self.extra, LEAST_VARIANCE)
        state["variances"][columns] = np.maximum(least, variances / (1 + (1 / slack) * spread * u))
        return Outcome(True, True, sensitivity=along / loss * float(np.sqrt(spread @ spread)))

    def variances(self, vectors: dict[str, Any]) -> Any:
        return vectors["variances"]

    def has_valid_parameter(self) -> bool:
        return self.parameter > 0 and 0 <= self.extra <= 1


class SoftConfidenceIRule(SecondOrderRule):
    """SCW-I with one variance per column (Wang, Zhao and Hoi 2012): ``parameter`` is C, ``extra`` the quantile phi."""

    kernel: ClassVar[str | None] = "soft confidence I"
    has_squared_loss: ClassVar[bool] = False

    def start(self, width: int) -> dict[str, Any]:
        return {"weights": np.zeros(width), "variances": np.ones(width)}

    def needed_margin(self, state: dict[str, Any], example: Example) -> float:
        u = example.u
        return self.extra * math.sqrt(float(state["variances"][example.columns] * u @ u))

    def learn(self, state: dict[str, Any], example: Example) -> Outcome:
        given, columns, u = example.given, example.columns, example.u
        variances = state["variances"][columns]
        spread = variances * u
        V = float(spread @ u)
        alpha, shrink = self._step(given.margin, V, given.weight)
        if alpha == 0 and not example.mistake:
            return Outcome(False, False)
        state["weights"][columns] += alpha * given.y * spread
        state["variances"][columns] = np.maximum(LEAST_VARIANCE, variances / (1 + shrink * spread * u))
        return Outcome(True, True, sensitivity=float(np.sqrt(spread @ spread)) / V if V > 0 else 0.0)

    def _step(self, margin: float, V: float, weight: float) -> tuple[float, float]:
        """Return the multiplier alpha and how much 1/s grows, as in cpp/include/novikoff/soft_confidence.hpp."""
        phi, C = self.extra, weight * self.parameter
        deviation = math.sqrt(V)
        missing = phi * deviation - margin
        if not missing > 0 or V == 0:
            return 0.0, 0.0
        ratio = (V + (1 / (2 * C) if self.has_squared_loss else 0.0)) / V
        m, stiffness = margin / deviation, ratio * (ratio + phi * phi)
        half, root = m * (2 * ratio + phi * phi) / 2, phi / 2 * math.sqrt(phi * phi * m * m + 4 * stiffness)
        scaled = missing / deviation * (phi + m) / (half + root) if m > 0 else (root - half) / stiffness
        alpha = scaled / deviation
        alpha = alpha if math.isfinite(alpha) and alpha > 0 else 0.0
        alpha = alpha if self.has_squared_loss else min(C, alpha)
        pull = alpha * phi * deviation
        shrink = alpha * phi * (math.sqrt(pull * pull + 4) + pull) / (2 * deviation)
        return (alpha, shrink) if math.isfinite(shrink) else (0.0, 0.0)

    def variances(self, vectors: dict[str, Any]) -> Any:
        return vectors["variances"]

    def has_valid_parameter(self) -> bool:
        return self.parameter > 0 and self.extra > 0


class SoftConfidenceIIRule(SoftConfidenceIRule):
    """SCW-II: the loss is squared."""

    kernel: ClassVar[str | None] = "soft confidence II"
    has_squared_loss: ClassVar[bool] = True


class LogisticAdaptiveRule(SecondOrderRule):
    """Normalised adaptive updates (Ross, Mineiro and Langford 2013); ``parameter`` is the learning rate."""

    kernel: ClassVar[str | None] = "normalized adaptive, logistic"
    has_unit_columns: ClassVar[bool] = True

    def start(self, width: int) -> dict[str, Any]:
        names = ("weights", "scales", "squares")
        return {name: np.zeros(width) for name in names} | {"norms": 0.0, "time": 0.0}

    def slope(self, y: float, score: float) -> tuple[float, float]:
        """Return the first two derivatives of the loss by the score."""
        odds = math.exp(min(700.0, y * score))
        return -y / (1 + odds), odds / (1 + odds) / (1 + odds)

    def learn(self, state: dict[str, Any], example: Example) -> Outcome:
        given, columns, u = example.given, example.columns, example.u
        weights, scales, squares = state["weights"], state["scales"], state["squares"]
        old, size = scales[columns], np.abs(u)
        weights[columns] *= np.where(size > old, old / size, 1.0)
        scales[columns] = scale = np.maximum(old, size)
        state["norms"] += given.weight * float(np.sum((u / scale) ** 2))
        state["time"] += given.weight
        is_rescaled = bool(np.any((size > old) & (old > 0)))
        score = float(u @ weights[columns]) if is_rescaled else given.score
        slope, curvature = (given.weight * value for value in self.slope(given.y, score))
        if slope == 0 or not math.isfinite(slope):
            return Outcome(example.mistake, True)
        gradient = slope * u
        with np.errstate(over="ignore", under="ignore"):
            total = squares[columns] + gradient * gradient
        valid = (total > 0) & np.isfinite(total)
        squares[columns] = np.where(valid, total, squares[columns])
        rate = self.parameter * math.sqrt(state["time"] / state["norms"])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            steps = rate * (gradient / np.sqrt(total)) / scale
        steps = np.where(valid & np.isfinite(steps), steps, 0.0)
        weights[columns] -= steps
        sensitivity = float(np.sqrt(steps @ steps)) / abs(slope) * max(1.0, curvature)
        growth = max(1.0, abs(float(steps @ u)) / abs(slope) * curvature - 1)
        return Outcome(example.mistake, True, sensitivity, growth)

    def variances(self, vectors: dict[str, Any]) -> Any:
        with np.errstate(divide="ignore", over="ignore"):
            return changed(vectors["scales"], lambda s: np.where(s > 0, np.clip(s**-2.0, LEAST_VARIANCE, 1e300), 0.0))


class HingeAdaptiveRule(LogisticAdaptiveRule):
    """The same with the hinge loss."""

    kernel: ClassVar[str | None] = "normalized adaptive, hinge"

    def needed_margin(self, state: dict[str, Any], example: Example) -> float:
        return 1.0

    def slope(self, y: float, score: float) -> tuple[float, float]:
        return (-y if y * score < 1 else 0.0), 0.0


class SquaredAdaptiveRule(LogisticAdaptiveRule):
    """The same with the squared loss (score - y)^2."""

    kernel: ClassVar[str | None] = "normalized adaptive, squared"

    def slope(self, y: float, score: float) -> tuple[float, float]:
        return 2 * (score - y), 2.0
