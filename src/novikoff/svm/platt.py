"""Platt scaling: probabilities from scores, by a sigmoid that is fitted to the scores of held-out rows.

With scores f_i, weights c_i and targets t_i, the sigmoid p(f) = 1 / (1 + exp(A f + B)) minimises

    - sum_i c_i (t_i log p(f_i) + (1 - t_i) log(1 - p(f_i))).

The targets are (N+ + 1) / (N+ + 2) and 1 / (N- + 2) instead of 1 and 0, where N+ and N- are the total weights of the
classes, so that a finite sample never gives a probability of 0 or 1 (Platt 1999). It is solved by Newton's method with
the numerically safe formulas of Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support vector
machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

FOLDS = 5
MAX_STEPS = 100
GRADIENT_TOLERANCE = 1e-9  # relative to the total weight
HESSIAN_RIDGE = 1e-12  # relative to the total weight; keeps the Hessian positive definite if all scores are equal
MIN_STEP, SUFFICIENT_DECREASE = 1e-10, 1e-4  # of the line search


@dataclass(frozen=True)
class Sigmoid:
    """p(f) = 1 / (1 + exp(slope f + offset)); the slope is negative if higher scores favour the class."""

    slope: float
    offset: float

    def __call__(self, scores: Floats) -> Floats:
        """Return the probability of the class for each score."""
        with np.errstate(over="ignore"):  # an overflow means the probability 0
            values: Floats = np.exp(-np.logaddexp(0.0, self.slope * scores + self.offset))
        return values

    @staticmethod
    def fit(scores: Floats, is_positive: NDArray[np.bool_], weights: Floats | None = None) -> Sigmoid:
        """Fit a sigmoid. The scores are divided by the largest one, so that their scale does not matter."""
        costs = np.ones(len(scores)) if weights is None else weights
        scale = float(np.abs(scores).max(initial=0.0)) or 1.0
        f = scores / scale
        positive, negative = float(costs[is_positive].sum()), float(costs[~is_positive].sum())
        targets = np.where(is_positive, (positive + 1) / (positive + 2), 1 / (negative + 2))
        columns = np.column_stack([f, np.ones(len(f))])
        point = np.array([0.0, np.log((negative + 1) / (positive + 1))])
        value = _cross_entropy(columns @ point, targets, costs)
        for _ in range(MAX_STEPS):
            exponent = columns @ point
            p, q = np.exp(-np.logaddexp(0.0, exponent)), np.exp(-np.logaddexp(0.0, -exponent))
            gradient = columns.T @ (costs * (targets - p))
            if np.abs(gradient).max() <= GRADIENT_TOLERANCE * float(costs.sum()):
                break
            hessian = (columns.T * (costs * p * q)) @ columns + HESSIAN_RIDGE * float(costs.sum()) * np.eye(2)
            direction = -np.linalg.solve(hessian, gradient)
            step, slope = 1.0, float(gradient @ direction)
            while step > MIN_STEP:
                trial = _cross_entropy(columns @ (point + step * direction), targets, costs)
                if trial <= value + SUFFICIENT_DECREASE * step * slope:
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
    """Return one column per class: 1 - p and p for two classes; for more, the normalised values of all sigmoids."""
    if scores.ndim == 1:
        p = sigmoids[0](scores)
        return np.column_stack([1 - p, p])
    values = np.column_stack([sigmoid(scores[:, k]) for k, sigmoid in enumerate(sigmoids)])
    total = values.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(values, total, out=np.full(values.shape, 1 / values.shape[1]), where=total > 0)
    return shares
