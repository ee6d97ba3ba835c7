"""The repeated run of a second-order learner, example by example."""

from __future__ import annotations

from typing import Any

import numpy as np

from .enclosed_sums import EPS
from .geometry import Floats
from .rules import RuleInput
from .second_order_rules import Example, Outcome, SecondOrderRule

SAFETY = 256.0  # multiplies the sum of local rounding errors: no norm is known in which later steps shrink all of them


def learn_second_order(
    run: Any,
    rule: SecondOrderRule,
    row: int,
    x: tuple[Any, Floats, float, float],
    norm2: float,
    y: float,
    weight: float,
) -> None:
    """Learn from an example as often as its weight says; a fraction is one last copy of less weight.

    Parameters
    ----------
    run : Replay
        The run. Its ``state`` has arrays whose last entry is that of the intercept.
    rule : SecondOrderRule
        The rule.
    row : int
        The number of the row.
    x : tuple
        Its columns and values, the factor by which it is scaled, and the value of the constant feature.
    norm2, y, weight : float
        |u|^2, the label and the weight of the example.
    """
    weights = run.state["weights"]
    columns, u = entries(len(weights), x)
    whole, part = int(weight), weight - int(weight)
    while whole > 0 or part > 0:
        terms = u * weights[columns]
        score, size = float(terms.sum()), float(np.abs(terms).sum())
        given = RuleInput(y, score, norm2, 1.0 if whole > 0 else part, 0.0, run.steps)
        example = Example(columns, u, given, rule.is_mistake(y, score))
        distance = min(abs(score), abs(given.margin - rule.needed_margin(run.state, example)))
        rounding = 4 * (len(terms) + 8) * EPS * size + rule.score_rounding(run.state, example, run.rounding)
        if run.doubtful is None and distance < rounding:
            run.doubtful = row
        if norm2 == 0:  # it changes no weight
            if example.mistake:
                run.enter_sum(row, whole + part, whole + (part > 0))
            run.count(whole + part, example.mistake)
            return
        outcome = rule.learn(run.state, example)
        run.rounding = rounding_after(outcome, run.rounding, size, weights[columns])
        if outcome.enters_sum:
            run.enter_sum(row, given.weight, 1)
        run.count(given.weight, example.mistake)
        whole, part = (whole - 1, part) if whole > 0 else (0, 0.0)
        if not (outcome.changes or example.mistake):
            if whole or part:
                run.count(whole + part, False)
            return


def rounding_after(outcome: Outcome, before: float, size: float, weights: Floats) -> float:
    """Return how far the weights of two computations of a run may differ after an update of these weights.

    Parameters
    ----------
    outcome : Outcome
        What the rule did.
    before : float
        How far they may have differed before.
    size : float
        The sum of the absolute values of the terms of the score.
    weights : ndarray of float64
        The weights in the columns of the example, after the update.

    Returns
    -------
    float
        A bound on the distance.
    """
    local = (len(weights) + 16) * EPS * (outcome.sensitivity * (1 + size) + float(np.abs(weights).max()))
    return outcome.growth * before + SAFETY * local


def entries(width: int, x: tuple[Any, Floats, float, float]) -> tuple[Any, Floats]:
    """Return the columns of u that are not 0, each once, and the values; the intercept has the last column."""
    columns, values, scale, one = x
    columns, values = np.append(np.arange(width - 1)[columns], width - 1), np.append(values, one)
    found, places = np.unique(columns, return_inverse=True)
    sums = np.bincount(places, values)
    return found[sums != 0], scale * sums[sums != 0]
