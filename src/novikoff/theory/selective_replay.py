"""The repeated run of a selective perceptron, coin by coin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .enclosed_sums import EPS
from .geometry import Floats
from .selective_rules import SelectiveRule


@dataclass
class Asking:
    """What a repeated run asked for.

    Parameters
    ----------
    coins : int, default=0
        Number of coins that were thrown: one for each copy of an example.
    asked, positives : list of float
        The weights of the examples whose labels were asked for and used, and of the positive ones among them.
    unanswered : list of float
        The weights of the examples whose labels were asked for after the budget was used up.
    complete : list of float
        The weights of the examples up to the last label of the budget.
    estimate : list of float
        What the asked mistakes among them count.
    estimate_error : float, default=0.0
        A bound on the difference of their sum from that of another computation of the run.
    """

    coins: int = 0
    asked: list[float] = field(default_factory=list)
    positives: list[float] = field(default_factory=list)
    unanswered: list[float] = field(default_factory=list)
    complete: list[float] = field(default_factory=list)
    estimate: list[float] = field(default_factory=list)
    estimate_error: float = 0.0
    _used: float = 0.0

    def throw(self, rule: SelectiveRule, score: float, y: float, copy: float) -> bool:
        """Throw the next coin, and return whether the label of a copy of an example is used."""
        wanted = rule.asks(score, self.coins)
        self.coins += 1
        is_within_budget = rule.budget is None or self._used < rule.budget  # known before the coin is thrown
        asked = wanted and is_within_budget
        if is_within_budget:
            self.complete.append(copy)
        if wanted and not asked:
            self.unanswered.append(copy)
        if asked:
            self._used += copy
            self.asked.append(copy)
            self.positives += [copy] * (y > 0)
        return asked

    def count_mistake(self, rule: SelectiveRule, score: float, copy: float, rounding: float) -> None:
        """Count an asked mistake, whose score has this rounding error."""
        self.estimate.append(copy * rule.inverse_probability(score))
        self.estimate_error += copy * rounding / rule.parameter


def learn_selectively(
    run: Any,
    rule: SelectiveRule,
    row: int,
    x: tuple[Any, Floats, float, float],
    norm2: float,
    y: float,
    weight: float,
) -> None:
    """Learn from an example as often as its weight says, with a coin for each copy.

    Parameters
    ----------
    run : Replay
        The run, with an ``Asking``.
    rule : SelectiveRule
        The rule.
    row : int
        The number of the row.
    x : tuple
        Its columns and values, the factor by which it is scaled, and the value of the constant feature.
    norm2, y, weight : float
        |u|^2, the label and the weight of the example.
    """
    columns, values, scale, one = x
    whole, part = int(weight), weight - int(weight)
    while whole > 0 or part > 0:
        copy = 1.0 if whole > 0 else part
        terms = values * run.weights[columns]
        score = scale * (float(terms.sum()) + run.bias)
        size = scale * (float(np.abs(terms).sum()) + abs(run.bias))
        rounding = 4 * (len(terms) + 8) * EPS * size + 2 * run.rounding * math.sqrt(norm2)
        limit = rule.asking_score(run.asking.coins)
        near = abs(abs(score) - limit) < rounding + 8 * EPS * min(limit, abs(score) + rounding)
        asked = run.asking.throw(rule, score, y, copy)
        mistake = asked and rule.is_mistake(y, score)
        if run.doubtful is None and (near or (asked and abs(score) < rounding)):
            run.doubtful = row
        if mistake:
            run.asking.count_mistake(rule, score, copy, rounding)
            if norm2 == 0:  # an update along 0 changes nothing
                run.stand_still(row, copy, 1)
            else:
                run.move(row, columns, values, copy * y * scale, copy * y * scale * one)
                run.lengthen(row, copy, y * score, norm2, len(values))
        run.count(copy, mistake)
        whole, part = (whole - 1, part) if whole > 0 else (0, 0.0)
