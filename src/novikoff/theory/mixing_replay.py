"""The rounds of an online learner on partitioned data, repeated in plain NumPy, row by row."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .enclosed_sums import exact_total
from .enclosure import Enclosure
from .geometry import Floats, Geometry, each_row
from .mixing import Mixing, order_seed
from .replay import learn_example, shuffles
from .replayed_run import EPS, SMALLEST, CarriedSum, Replay, squared_distance
from .rules import OnlineRule

Row = tuple[Any, Floats]


@dataclass
class MixedReplay:
    """The state of repeated rounds, and at the end their outcome.

    Parameters
    ----------
    weights, bias : ndarray and float
        The common weights.
    mistakes : list of list of Fraction
        The mistakes of each partition in each round.
    updates, visits : int, default=0
        Number of updates of all partitions, and of times that a row, or a copy of it, was predicted.
    rounding : float, default=0.0
        A bound on the distance of the weights from those of another computation of the same rounds.
    average_weights, average_bias, average_examples : ndarray and float
        The sum of all weights that any partition has had, one for each example, and the number of these examples.
    average_rounding, longest : float, default=0.0
        A bound on the distance of two computations of the mean of one partition in one round, and on its length.
    terms : int, default=0
        The number of these means.
    doubtful : int or None, default=None
        The first row on which rounding may have made the decision.
    """

    weights: Floats
    bias: float = 0.0
    mistakes: list[list[Fraction]] = field(default_factory=list)
    updates: int = 0
    visits: int = 0
    rounding: float = 0.0
    average_weights: Floats = field(default_factory=lambda: np.zeros(0))
    average_bias: float = 0.0
    average_examples: float = 0.0
    average_rounding: float = 0.0
    longest: float = 0.0
    terms: int = 0
    doubtful: int | None = None

    def distance(self, weights: Floats, bias: float) -> Enclosure:
        """Return the enclosure of the squared distance of the common weights from others."""
        return squared_distance(self.weights, self.bias, weights, bias)

    def average_error(self) -> float:
        """Return a bound on the distance of two computations of the average: of its terms, and of their sums."""
        of_sums = 2 * (self.terms + 16) * EPS * self.longest * math.sqrt(len(self.average_weights) + 1)
        return self.average_rounding + of_sums

    def average_distance(self, weights: Floats, bias: float) -> Enclosure:
        """Return the enclosure of the squared distance of the average from other weights."""
        total = self.average_examples or 1.0
        return squared_distance(self.average_weights / total, self.average_bias / total, weights, bias)


def replay_mixing(
    X: Any, signs: Floats, copies: Floats, rule: OnlineRule, geometry: Geometry, mixing: Mixing
) -> MixedReplay:
    """Repeat the rounds of a learner on partitioned data.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows of all partitions.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    copies : ndarray of shape (n_samples,)
        Weights. An integer weight k stands for k copies, one after the other.
    rule : OnlineRule
        The rule.
    geometry : Geometry
        How a row becomes the vector that the rule sees, without a private feature or a scale.
    mixing : Mixing
        The partitions, the number of rounds, and the seed of the row orders. Its counts are not used.

    Returns
    -------
    MixedReplay
        The outcome.
    """
    occurring = Columns.occurring(X)
    cut = X if occurring is None else occurring.cut(X)
    rows = list(each_row(cut))
    found = MixedReplay(np.zeros(cut.shape[1]), average_weights=np.zeros(cut.shape[1]))
    firsts = np.concatenate([[0], np.cumsum(mixing.rows)]).tolist()
    for number in range(mixing.rounds):
        parts = []
        for partition, count in enumerate(mixing.rows.tolist()):
            order = np.arange(count)
            if mixing.shuffle:
                order = next(shuffles(count, order_seed(mixing.seed, number, partition), 1))
            with np.errstate(over="ignore", invalid="ignore"):  # numbers that are not finite are not near any weights
                parts.append(_pass(found, rows, signs, copies, rule, geometry, firsts[partition] + order))
        _mix(found, parts)
    if occurring is not None:
        found.weights = occurring.widen(found.weights)
        found.average_weights = occurring.widen(found.average_weights)
    return found


def _pass(
    start: MixedReplay,
    rows: list[Row],
    signs: Floats,
    copies: Floats,
    rule: OnlineRule,
    geometry: Geometry,
    order: NDArray[np.int64],
) -> Replay:
    """Run the learner over the rows of one partition, from the common weights."""
    square = float(start.weights @ start.weights) + start.bias * start.bias
    run = Replay(
        start.weights.copy(),
        start.bias,
        average_weights=np.zeros(len(start.weights)),
        rounding=start.rounding,
        squared_length=CarriedSum(square),
        squared_length_error=(len(start.weights) + 8) * EPS * square + 2 * math.sqrt(square) * start.rounding,
    )
    one = 1.0 if geometry.fit_intercept else 0.0
    for i in order.tolist():
        columns, values = rows[i]
        norm2, scale = float(values @ values) + one, 1.0
        if geometry.normalize and norm2 > 0:
            length = math.sqrt(norm2) if norm2 < math.inf else math.hypot(*values.tolist(), one)
            scale, norm2 = 1 / length, 1.0
        learn_example(run, rule, i, (columns, values, scale, one), norm2, float(signs[i]), float(copies[i]))
    return run


def _mix(found: MixedReplay, parts: list[Replay]) -> None:
    """Let the common weights be the mean of those of the partitions, and count what they did."""
    mistakes = [exact_total(np.array(part.mistaken)) for part in parts]
    found.mistakes.append(mistakes)
    found.updates += sum(part.updates for part in parts)
    found.visits += sum(part.visits for part in parts)
    if found.doubtful is None:
        found.doubtful = next((part.doubtful for part in parts if part.doubtful is not None), None)
    _add_averages(found, parts)
    shares = mistakes if any(mistakes) else [Fraction(part.updates) for part in parts]
    total = sum(shares, Fraction(0))
    if not total:
        return
    mean, bias = np.zeros(len(found.weights)), 0.0
    longest = 0.0
    for part, share in zip(parts, shares, strict=True):
        if share:
            mean += float(share / total) * part.weights
            bias += float(share / total) * part.bias
            longest = max(longest, part.largest_length())
    found.weights, found.bias = mean, bias
    # Two computations of a mean of S vectors, each with up to S + 4 roundings of the longest of them in each entry.
    of_mean = 2 * (len(parts) + 8) * EPS * longest * math.sqrt(len(mean) + 1) + len(mean) * SMALLEST
    found.rounding = max(part.rounding for part in parts) + of_mean


def _add_averages(found: MixedReplay, parts: list[Replay]) -> None:
    """Add the weights that each partition has had, one for each of its examples."""
    for part in parts:
        if not part.examples:
            continue
        weights, bias = part.average()
        found.average_weights = found.average_weights + part.examples * weights
        found.average_bias += part.examples * bias
        found.average_examples += part.examples
        found.terms += 1
        found.longest = max(found.longest, part.largest_length() + part.path)
        found.average_rounding = max(found.average_rounding, part.rounding + part.average_rounding)
