"""Rules with a full matrix, as the verifier repeats them: with the matrix itself and a root of its inverse.

Both keep A = a I + sum u u' and v = sum y u over the updates, and w = A^-1 v (docs/theory.md L2, L3). The kernel
factors A. Here the inverse is S S', and w moves by recursive least squares, because A w = v are the normal equations of
ridge regression to the labels. Both are accurate for rows of any length, where A itself is singular in floating point.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from .enclosed_sums import EPS
from .geometry import Floats, Matrix
from .second_order_rules import Example, Outcome, SecondOrderRule

REFRESH = 200  # updates after which the root is computed anew, so that rounding errors do not add up
MAX_CONDITION = 2.0**26  # of A, if so; one refinement of the weights then leaves the square of the error, a rounding
SAFETY = 64.0  # multiplies the rounding errors of two solutions, of which no sharp bound is known


class FullSecondOrderPerceptronRule(SecondOrderRule):
    """The second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005): ``parameter`` is a."""

    kernel: ClassVar[str | None] = "full second-order perceptron"
    has_matrix: ClassVar[bool] = True

    def start(self, width: int) -> dict[str, Any]:
        return {
            "weights": np.zeros(width),
            "sum": np.zeros(width),
            "matrix": self.parameter * np.eye(width),
            "root": np.eye(width) / math.sqrt(self.parameter),
            "is_whole": True,  # no example of the sum is missing in the matrix
            "updates": 0,
            "rounding": 0.0,
        }

    @np.errstate(over="ignore", invalid="ignore")  # what overflows may differ by anything
    def learn(self, state: dict[str, Any], example: Example) -> Outcome:
        given, columns, u = example.given, example.columns, example.u
        if not self._makes_update(example):
            return Outcome(False, False)
        matrix, root, weights = (state[name] for name in ("matrix", "root", "weights"))
        state["sum"][columns] += given.y * given.weight * u
        trace = float(np.trace(matrix)) + given.weight * given.squared_norm
        if not self._is_safe(trace, len(weights)):
            state["is_whole"] = False
            return Outcome(True, True, rounding=state["rounding"])
        matrix[np.ix_(columns, columns)] += given.weight * np.outer(u, u)
        state["updates"] += 1
        spread = _shrink(root, root[columns].T @ u, given.weight)
        weights += given.weight * (given.y - float(weights[columns] @ u)) * spread
        if state["updates"] % REFRESH == 0:
            self._refresh(state)
        state["rounding"] = self._rounding(state)
        return Outcome(True, True, rounding=state["rounding"] / math.sqrt(float(np.diagonal(matrix).min())))

    def _refresh(self, state: dict[str, Any]) -> None:
        """Compute the root and the weights from the matrix and the sum, unless the matrix has lost too many digits."""
        matrix, weights, sums = state["matrix"], state["weights"], state["sum"]
        if not (state["is_whole"] and _condition(matrix, state["root"]) <= MAX_CONDITION):
            return
        state["root"] = root = np.linalg.inv(np.linalg.cholesky(matrix)).T
        weights[:] = root @ (root.T @ sums)
        weights += root @ (root.T @ (sums - matrix @ weights))  # removes the error of the root

    def score_rounding(self, state: dict[str, Any], example: Example, rounding: float) -> float:
        diagonal = np.diagonal(state["matrix"])[example.columns]
        return 2 * float(state["rounding"]) * math.sqrt(float(np.sum(example.u / diagonal * example.u)))

    def _makes_update(self, example: Example) -> bool:
        return example.mistake

    def _is_safe(self, trace: float, width: int) -> bool:
        """Return whether the matrix cannot overflow, as in cpp/include/novikoff/full_matrix.hpp."""
        T = trace - (width - 1) * self.parameter
        with np.errstate(over="ignore"):
            return bool(np.float64(T) * max(T, np.sqrt(T)) / self.parameter < 10.0**280)

    def _rounding(self, state: dict[str, Any]) -> float:
        """Return how far weights times the roots of the diagonal may differ from those of another computation.

        The errors of the matrix are random and grow as the root of the number of updates.
        """
        diagonal, width = np.diagonal(state["matrix"]), len(state["weights"])
        condition = _condition(state["matrix"], state["root"])
        length = math.sqrt(float(np.sum(state["weights"] * diagonal * state["weights"])))
        found = SAFETY * (width + 8 + math.sqrt(state["updates"])) * EPS * condition * length
        return math.inf if math.isnan(found) else found


class FullArowRule(FullSecondOrderPerceptronRule):
    """AROW with the full matrix (Crammer, Kulesza and Dredze 2009): ``parameter`` is r."""

    kernel: ClassVar[str | None] = "full arow"

    def needed_margin(self, state: dict[str, Any], example: Example) -> float:
        return 1.0

    def _makes_update(self, example: Example) -> bool:
        return example.given.margin < 1


def _shrink(root: Matrix, p: Floats, weight: float) -> Floats:
    """Turn a root S of A^-1 into one of (A + c u u')^-1, given p = S'u, and return this inverse times u.

    A reflection turns the direction of p into a column of S, which is then divided by sqrt(1 + c |p|^2). No digits
    cancel, however long p is: the reflection is the one with the largest element of p as pivot.
    """
    length = float(np.linalg.norm(p))
    growth = 1 + weight * length * length
    spread: Floats = root @ p / growth
    if length > 0:
        pivot = int(np.argmax(np.abs(p)))
        v = p / length
        v[pivot] += math.copysign(1.0, v[pivot])
        root -= np.outer(root @ v, v / abs(v[pivot]))
        root[:, pivot] /= math.sqrt(growth)
    return spread


def _condition(matrix: Matrix, root: Matrix) -> float:
    """Return a bound on the condition of the matrix, with its rows and columns scaled to a diagonal of 1.

    It is the product of the traces of the scaled matrix and of its inverse.
    """
    return len(matrix) * float(np.sum(np.einsum("ij,ij->i", root, root) * np.diagonal(matrix)))
