"""Primal and dual objective of a joint machine of several classes, enclosed in one pass, or as exact fractions.

The objectives are those of ``novikoff.theory.crammer_singer``. D is that of t beta, for the largest t <= 1 for which no
row has a sum above its cost. docs/theory.md J.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .enclosed_sums import EPS, Combination, Enclosed, Rows, exact_total, exponent_of, scaled, weighted_sum
from .enclosure import ROUNDING_UNIT, Enclosure
from .exact_gap import ExactTable
from .gap_parts import HALF
from .gap_values import SMALL_WORK, SMALLEST_NORMAL, TINY, add, work_of
from .geometry import Floats, Matrix
from .joint_duals import JointDuals, excess
from .quick_gap import squared_length

LOSS_TABLES = 4  # tables of rows times classes that count as one of the entries of a block


class JointPoint(NamedTuple):
    """A point of a joint problem.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
        The weights w_k.
    biases : ndarray of shape (n_classes,)
        The intercepts b_k.
    duals : JointDuals
        Duals that are feasible, except that rows may be above their costs.
    """

    weights: Matrix
    biases: Floats
    duals: JointDuals


@dataclass(frozen=True)
class JointMargin:
    """A joint problem of several classes: the objectives of any weights and of any duals.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows with finite values.
    codes : ndarray of shape (n_samples,)
        The index of the class of each row; -1 for a row without a cost whose label is not known.
    costs : ndarray of shape (n_samples,)
        The cost C_i of each row.
    intercept : {"free", "penalized", "none"}
        The role of the intercepts.
    classes : int
        The number of classes.
    """

    X: Any
    codes: NDArray[np.intp]
    costs: Floats
    intercept: str
    classes: int

    @property
    def is_small(self) -> bool:
        """Whether `exact` takes so little time that it need not be asked for."""
        return self.classes * work_of(self.X) <= SMALL_WORK

    def enclose(self, point: JointPoint, rows: Rows, quick: bool = False) -> tuple[Enclosure, Enclosure]:
        """Return enclosures of P(w, b) and of D(t beta), computed in one pass over the rows of X.

        With ``quick`` they are wider, and take half the time.
        """
        weights, biases, duals = point
        classes, transposed = self.classes, np.ascontiguousarray(weights.T)
        exponent = max(rows.score_exponent(weights, biases), 1) + 1  # differences of two scores are below 1, too
        coefficients, unit = self._coefficients(duals)
        losses, sums = Enclosure.exactly(0), Combination(rows, unit, count=classes, quick=quick)
        for block in rows.blocks(width=LOSS_TABLES * classes):
            codes, costs = self.codes[block.cut], self.costs[block.cut]
            scores = rows.scores(block, transposed, 0.0, exponent, quick)
            if not weights.any():
                scores = Enclosed(scores.middle, np.zeros_like(scores.radius), exponent)
            losses += weighted_sum(costs, *_losses(scores, biases, codes), exponent)
            own = coefficients[block.cut]
            if own.nnz:
                sums.add(block, own.toarray())
        return self._primal(losses, weights, biases), self._dual(sums, duals)

    def exact(self, point: JointPoint) -> tuple[Enclosure, Enclosure]:
        """Return P(w, b) and D(t beta) as fractions."""
        weights, biases, duals = point
        table, penalized = ExactTable.of(self.X, np.zeros(len(self.codes)), self.costs), self.intercept == "penalized"
        primal = table.joint_primal(weights, biases, self.codes, penalized)
        return Enclosure.exactly(primal), Enclosure.exactly(table.joint_dual(duals, self.codes, len(biases), penalized))

    def _coefficients(self, duals: JointDuals) -> tuple[sp.csr_array, int]:
        """Return all a_ik in units of 2^e, in which they are at most 1, and e."""
        unit = exponent_of(duals.values) + self.classes.bit_length()
        small = JointDuals(duals.rows, duals.classes, scaled(duals.values, unit))
        return small.coefficients(self.codes, self.classes), unit

    def _primal(self, losses: Enclosure, weights: Matrix, biases: Floats) -> Enclosure:
        """Return P(w, b)."""
        found = losses + HALF * squared_length(weights.ravel())
        return found + HALF * squared_length(biases) if self.intercept == "penalized" else found

    def _dual(self, sums: Combination, duals: JointDuals) -> Enclosure:
        """Return D(t beta), given the sums of a_ik x_i of each class."""
        classes = self.classes
        if not duals.values.any():
            return Enclosure.exactly(0)
        # The coefficient of the own class is a sum of up to K numbers, which may be off by K eps times its size.
        length = sums.squared_length((classes + 2) * ROUNDING_UNIT)
        if self.intercept == "penalized":
            length += Enclosure.exactly(sum((s * s for s in duals.class_sums(self.codes, classes)), Fraction(0)))
        scale, total = excess(duals, self.costs, classes), Enclosure.exactly(exact_total(duals.values))
        return scale * total - HALF * scale.square() * length


def _losses(scores: Enclosed, biases: Floats, codes: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return bounds on the largest 1 + f_k - f_y over all classes k but the own one y, or on 0 if that is larger.

    Huge biases cancel, so they are subtracted first. The errors of all additions are computed exactly, so that a loss
    of 0 may be exact.
    """
    every, own = np.arange(len(codes)), np.maximum(codes, 0)
    b, one = np.ldexp(biases, -scores.exponent), float(np.ldexp(1.0, -scores.exponent))
    lost = 3 * TINY * bool(np.any((np.abs(b) < SMALLEST_NORMAL) & (biases != 0)) or one < SMALLEST_NORMAL)
    apart, first = add(scores.middle, -scores.middle[every, own][:, None])
    of_biases, second = add(b, -b[own][:, None])
    short, third = add(apart, of_biases)
    short, fourth = add(short, one)
    radius = scores.radius + scores.radius[every, own][:, None]
    radius += first + second + third + fourth + lost
    radius *= 1 + 8 * EPS
    low, high = np.nextafter(short - radius, -np.inf), np.nextafter(short + radius, np.inf)
    high[(radius == 0) & (short <= 0)] = 0.0
    for table in (low, high):
        table[every, own] = 0.0
    return np.maximum(0.0, low.max(axis=1)), np.maximum(0.0, high.max(axis=1))
