"""An online learner on partitioned data: one round in one partition, and the learner that all rounds make.

In each round every partition runs the learner over its own rows, from common weights v. The next v is the mean of what
the partitions end with, with shares in proportion to their mistakes (McDonald, Hall and Mann 2010; docs/theory.md, I).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff.persistence.codec import names_to_bytes
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.geometry import Floats
from novikoff.theory.rules import Rule

from ._examples import Examples
from ._problem_state import Average, Count, ProblemState
from ._state import kernel_configuration
from ._together import Together, groups_of


@dataclass(frozen=True)
class Start:
    """The common weights of one binary problem at the beginning of a round.

    Parameters
    ----------
    positive : int
        The code of the positive class.
    weights : ndarray of shape (n_features,)
        The weights.
    bias : float
        The intercept.
    """

    positive: int
    weights: Floats
    bias: float


@dataclass(frozen=True)
class Outcome:
    """What a round did in one binary problem, in one partition or in several.

    Parameters
    ----------
    mistakes : float
        The mistakes, or the sum of their weights.
    updates : int
        The number of updates.
    each : list of float
        The mistakes of each partition.
    moved : bool
        Whether an update changed the weights of a partition.
    weights, bias : ndarray or None, and float
        The mean of the weights that the partitions ended with, with their mistakes as shares; if there are none, with
        their updates. None if there are none either.
    examples, positives, energy : float
        The sums of the weights of all examples and of the positive ones, and of |u|^2.
    squared_radius : float
        The largest |u|^2.
    rounding : float
        The largest distance of the weights of a partition from the start and the exact sum of its updates.
    longest : float
        The largest |v| at the end of a partition.
    average : ndarray or None
        The sum of the weights after each example, if they are averaged; the last entry is that of the intercept.
    """

    mistakes: float
    updates: int
    each: list[float]
    moved: bool = False
    weights: Floats | None = None
    bias: float = 0.0
    examples: float = 0.0
    positives: float = 0.0
    energy: float = 0.0
    squared_radius: float = 0.0
    rounding: float = 0.0
    longest: float = 0.0
    average: Floats | None = None

    def share_of(self, other: Outcome) -> float:
        """Return how much this counts beside another one: the mistakes, if either has some; else the updates."""
        return self.mistakes if self.mistakes > 0 or other.mistakes > 0 else float(self.updates)

    def __add__(self, other: Outcome) -> Outcome:
        weights, bias = self._mean(other)
        averages = [one.average for one in (self, other) if one.average is not None]
        return Outcome(
            self.mistakes + other.mistakes,
            self.updates + other.updates,
            self.each + other.each,
            self.moved or other.moved,
            weights,
            bias,
            self.examples + other.examples,
            self.positives + other.positives,
            self.energy + other.energy,
            max(self.squared_radius, other.squared_radius),
            max(self.rounding, other.rounding),
            max(self.longest, other.longest),
            sum(averages[1:], averages[0]) if averages else None,
        )

    def _mean(self, other: Outcome) -> tuple[Floats | None, float]:
        """Return the mean of two weight vectors by their shares; without arithmetic if only one has a share."""
        own, others = self.share_of(other), other.share_of(self)
        if self.weights is None or other.weights is None or not (own and others):
            kept = self if self.weights is not None and (own or other.weights is None) else other
            return kept.weights, kept.bias
        total = own + others
        return (
            (own * self.weights + others * other.weights) / total,
            (own * self.bias + others * other.bias) / total,
        )


def learn_part(
    where: str,
    rule: Rule,
    starts: Sequence[Start],
    X: Any,
    codes: Codes,
    weights: NDArray[np.float64] | None,
    order_seed: int | None,
) -> list[tuple[Outcome, Duals]]:
    """Run a learner over the rows of one partition, once, for all binary problems.

    Parameters
    ----------
    where : str
        Where the rows come from, for error messages.
    rule : Rule
        The rule.
    starts : sequence of Start
        The common weights of the problems.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows, at least one.
    codes : ndarray of int32
        The code of the class of each row; -1 for a row of weight 0.
    weights : ndarray of shape (n_rows,) or None
        The weights of the rows.
    order_seed : int or None
        Seed of the row order; None for the order of the rows.

    Returns
    -------
    list of (Outcome, Duals)
        Of each problem, what was done, and the steps of the rows.
    """
    kernel = kernel_of(rule, [_fresh(rule, start) for start in starts])
    examples = Examples.of(where, X, codes, weights)
    if len(starts) > 1:
        examples.examine(where)
    order = None
    if order_seed is not None:
        order = np.arange(examples.rows.count)
        _core.Random(order_seed).shuffle(order)
    found = []
    for group in groups_of(len(starts), kernel, examples, rule):
        together = Together(where, kernel, examples, group)
        reports = together.learn(order)
        duals = together.leave(list(group))
        found += [
            (_outcome(kernel, rule, q, starts[q], moved), own)
            for q, (moved, _, _), own in zip(group, reports, duals, strict=True)
        ]
    return found


def kernel_of(rule: Rule, problems: Sequence[ProblemState]) -> _core.OnlineLearner:
    """Return a kernel with the states of its binary problems.

    Parameters
    ----------
    rule : Rule
        The rule.
    problems : sequence of ProblemState
        The states.
    """
    kernel = _core.OnlineLearner.__new__(_core.OnlineLearner)
    states = [problem.for_kernels(None) for problem in problems]
    kernel.__setstate__((kernel_configuration(rule, 0), states, names_to_bytes([]), None, np.zeros(0)))
    return kernel


def squared_length(weights: Floats, bias: float) -> tuple[float, float]:
    """Return |v|^2 and a bound on its rounding error."""
    square = float(weights @ weights) + bias * bias
    return square, (len(weights) + 8) * EPS * square


def counted_as(total: float) -> Count:
    """Return a total of example weights as the kernels count it."""
    return Count(int(total), total - int(total))


def _fresh(rule: Rule, start: Start) -> ProblemState:
    """Return a problem that begins with these weights, and has counted nothing."""
    square, error = squared_length(start.weights, start.bias)
    nothing = Count(0, 0.0)
    return ProblemState(
        positive=start.positive,
        weights=start.weights,
        bias=start.bias,
        average=Average(np.zeros(len(start.weights)), 0.0) if rule.keep == "average" else None,
        votes=None,
        examples=nothing,
        mistakes=nothing,
        positives=nothing,
        steps=nothing,
        updates=0,
        squared_length=square,
        squared_length_carry=0.0,
        squared_length_error=error,
        rounding=0.0,
        squared_radius=0.0,
        energy=0.0,
        margin_bound=math.inf,
    )


def _outcome(kernel: _core.OnlineLearner, rule: Rule, q: int, start: Start, moved: bool) -> Outcome:
    """Return what a pass did in one problem."""
    tally = kernel.tally(q)
    mistakes, updates = float(tally["mistakes"]), int(tally["updates"])
    weights, bias, average = None, 0.0, None
    longest = 0.0
    if mistakes or updates:
        weights, bias = kernel.last_weights(q)[: len(start.weights)], kernel.last_bias(q)
        longest = math.sqrt(sum(squared_length(weights, bias)))
    examples = float(tally["examples"])
    if rule.keep == "average" and examples:
        average = examples * np.append(kernel.weights(q)[: len(start.weights)], kernel.bias(q))
    return Outcome(
        mistakes,
        updates,
        [mistakes],
        moved,
        weights,
        bias,
        examples,
        float(tally["positives"]),
        float(tally["energy"]),
        float(tally["squared_radius"]),
        float(tally["rounding"]),
        longest,
        average,
    )
