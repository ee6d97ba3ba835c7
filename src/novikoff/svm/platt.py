"""Platt scaling: probabilities from the scores of a classifier, by a sigmoid fitted to rows that it did not learn from.

With scores f_i, weights c_i and targets t_i, the sigmoid p(f) = 1 / (1 + exp(A f + B)) minimises

    - sum_i c_i (t_i log p(f_i) + (1 - t_i) log(1 - p(f_i))).

The targets are not 1 and 0 but (N+ + 1) / (N+ + 2) and 1 / (N- + 2), with N+ and N- the total weights of the classes:
so no finite sample makes a probability certain (Platt 1999). Newton's method with the safe formulas of Lin, Lin and
Weng (2007), A note on Platt's probabilistic outputs for support vector machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

FOLDS = 5
MOST_STEPS = 100
FLAT = 1e-9  # the gradient at the end, in proportion to the total weight
RIDGE = 1e-12  # keeps the Hessian positive where all scores are alike


@dataclass(frozen=True)
class Sigmoid:
    """p(f) = 1 / (1 + exp(slope f + offset)); the slope is negative where higher scores speak for the class."""

    slope: float
    offset: float

    def __call__(self, scores: Floats) -> Floats:
        """The probability of the class for each score."""
        with np.errstate(over="ignore"):  # what overflows is certain
            values: Floats = np.exp(-np.logaddexp(0.0, self.slope * scores + self.offset))
        return values

    @staticmethod
    def fit(scores: Floats, is_positive: NDArray[np.bool_], weights: Floats | None = None) -> Sigmoid:
        """The sigmoid that fits best. Meanwhile scores are divided by the largest: their scale does not matter."""
        costs = np.ones(len(scores)) if weights is None else weights
        scale = float(np.abs(scores).max(initial=0.0)) or 1.0
        f = scores / scale
        positive, negative = float(costs[is_positive].sum()), float(costs[~is_positive].sum())
        targets = np.where(is_positive, (positive + 1) / (positive + 2), 1 / (negative + 2))
        columns = np.column_stack([f, np.ones(len(f))])
        point = np.array([0.0, np.log((negative + 1) / (positive + 1))])
        value = _cross_entropy(columns @ point, targets, costs)
        for _ in range(MOST_STEPS):
            exponent = columns @ point
            p, q = np.exp(-np.logaddexp(0.0, exponent)), np.exp(-np.logaddexp(0.0, -exponent))
            gradient = columns.T @ (costs * (targets - p))
            if np.abs(gradient).max() <= FLAT * float(costs.sum()):
                break
            hessian = (columns.T * (costs * p * q)) @ columns + RIDGE * float(costs.sum()) * np.eye(2)
            direction = -np.linalg.solve(hessian, gradient)
            step, slope = 1.0, float(gradient @ direction)
            while step > 1e-10:
                trial = _cross_entropy(columns @ (point + step * direction), targets, costs)
                if trial <= value + 1e-4 * step * slope:
                    break
                step /= 2
            else:
                break
            point, value = point + step * direction, trial
        return Sigmoid(float(point[0]) / scale, float(point[1]))


def _cross_entropy(exponent: Floats, targets: Floats, costs: Floats) -> float:
    """Return -sum c (t log p + (1 - t) log(1 - p)) for p = 1 / (1 + exp(exponent)), without overflow."""
    return float(costs @ (np.logaddexp(0.0, exponent) - (1 - targets) * exponent))


def probabilities(sigmoids: list[Sigmoid], scores: Any) -> Floats:
    """One column a class: for two classes p and 1 - p, for more one sigmoid each, normalised to the sum 1."""
    if scores.ndim == 1:
        p = sigmoids[0](scores)
        return np.column_stack([1 - p, p])
    values = np.column_stack([sigmoid(scores[:, k]) for k, sigmoid in enumerate(sigmoids)])
    total = values.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(values, total, out=np.full(values.shape, 1 / values.shape[1]), where=total > 0)
    return shares
