"""Rules with a full matrix, as the verifier repeats them: with the matrix itself and its inverse, not with factors.

Both keep A = a I + sum u u' and v = sum y u over the updates, and w = A^-1 v (docs/theory.md L2, L3).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from .enclosed_sums import EPS
from .geometry import Matrix
from .second_order_rules import Example, Outcome, SecondOrderRule

REFRESH = 200  # updates after which the inverse is computed anew
MAX_GROWTH = 2.0**26  # of det A since then; one refinement of the weights leaves the square of the error, a rounding
SAFETY = 64.0  # multiplies the rounding errors of two solutions, of which no sharp bound is known


class FullSecondOrderPerceptronRule(SecondOrderRule):
    """The second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005): ``parameter`` is a."""

    kernel: ClassVar[str | None] = "full second-order perceptron"
    has_matrix: ClassVar[bool] = True

    def start(self, width: int) -> dict[str, Any]:
        matrices = {"matrix": self.parameter * np.eye(width), "inverse": np.eye(width) / self.parameter}
        return {
            "weights": np.zeros(width),
            "sum": np.zeros(width),
            **matrices,
            "updates": 0,
            "rounding": 0.0,
            "growth": 1.0,
        }

    @np.errstate(over="ignore", invalid="ignore")  # what overflows may differ by anything
    def learn(self, state: dict[str, Any], example: Example) -> Outcome:
        given, columns, u = example.given, example.columns, example.u
        if not self._makes_update(example):
            return Outcome(False, False)
        matrix, inverse, weights, sums = (state[name] for name in ("matrix", "inverse", "weights", "sum"))
        sums[columns] += given.y * given.weight * u
        trace = float(np.trace(matrix)) + given.weight * given.squared_norm
        if not self._is_safe(trace, len(weights)):
            return Outcome(True, True, rounding=state["rounding"])
        matrix[np.ix_(columns, columns)] += given.weight * np.outer(u, u)
        state["updates"] += 1
        spread = inverse[:, columns] @ u
        growth = 1 + given.weight * float(spread[columns] @ u)
        state["growth"] *= growth
        if state["updates"] % REFRESH == 0 or state["growth"] > MAX_GROWTH:
            inverse[:], state["growth"] = self._inverse(matrix), 1.0
        else:
            inverse -= np.outer(spread, spread * (given.weight / growth))
        weights[:] = inverse @ sums
        weights += inverse @ (sums - matrix @ weights)  # removes the error of the inverse
        state["rounding"] = self._rounding(state)
        return Outcome(True, True, rounding=state["rounding"] / math.sqrt(float(np.diagonal(matrix).min())))

    def _inverse(self, matrix: Matrix) -> Matrix:
        """Return the inverse, of the nearest matrix whose eigenvalues are at least a if rounding made it singular."""
        inverse: Matrix
        try:
            inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(matrix)
            inverse = vectors / np.maximum(values, self.parameter) @ vectors.T
        return inverse

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

        The condition of the matrix, with its rows and columns scaled to a diagonal of 1, is at most the product of the
        traces of the matrix and of its inverse. The errors of the matrix are random and grow as the root of the number
        of updates.
        """
        diagonal, width = np.diagonal(state["matrix"]), len(state["weights"])
        condition = width * float(np.sum(np.abs(np.diagonal(state["inverse"])) * diagonal))
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
