"""Certificates and records of binary problems, from what the kernel counted."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._wide_array import narrowed, occurring
from novikoff.theory import bounds
from novikoff.theory.enclosed_sums import EPS, exact_total
from novikoff.theory.evidence import Evidence
from novikoff.theory.geometry import Floats
from novikoff.theory.margin import PerceptronMarginCertificate
from novikoff.theory.mistakes import MistakeCertificate
from novikoff.theory.mixing import Mixing
from novikoff.theory.mixing_bounds import weighted_mistakes
from novikoff.theory.mixing_certificate import MixingCertificate
from novikoff.theory.moving_target import MovingTargetCertificate
from novikoff.theory.rules import Rule
from novikoff.theory.second_order import SecondOrderCertificate

from ._cycle import Run


@dataclass(frozen=True)
class Sum:
    """The sum v of y u over the examples that a second-order learner added, and its diagonal matrix.

    Parameters
    ----------
    evidence : Evidence
        The sum, and the rows behind it if they are known.
    variances : ndarray of shape (n_features,)
        The diagonal of A^-1, where 0 stands for 1.
    intercept_variance : float
        Its entry of the intercept.
    """

    evidence: Evidence
    variances: Floats
    intercept_variance: float


@dataclass(frozen=True)
class Problem:
    """One binary problem as a certificate needs it.

    Parameters
    ----------
    rule : Rule
        The rule that was learned with.
    tally : dict
        The counts of the kernel.
    evidence : Evidence
        The last weights, and the rows behind them if they are known.
    run : Run or None
        The outcome of ``fit``; None on a stream or after several fits.
    is_stream : bool
        Whether all was learned from one stream.
    second : Sum or None, default=None
        Of a second-order learner, the sum that proofs are made from.
    """

    rule: Rule
    tally: dict[str, Any]
    evidence: Evidence
    run: Run | None
    is_stream: bool
    second: Sum | None = None

    @property
    def radius(self) -> float:
        """The length of the longest example; an upper bound on it after several fits."""
        radius = float(np.sqrt(self.tally["squared_radius"]))
        is_sum = self.is_stream or self.run is not None
        return radius if is_sum else radius * (1 + 2 * (len(self.evidence.weights) + 8) * EPS)

    def _widening(self, terms: int) -> float:
        """Return by how much a bound on a margin must be widened for sums of so many terms.

        A margin of a vector, or of a sum of vectors with weights that add up to 1, is at most R. Its rounding error is
        at most one rounding of R for each term and for each column, and a verifier has as much again.
        """
        return 2 * (terms + len(self.evidence.weights) + 32) * EPS * self.radius

    def margin_upper_bound(self) -> float:
        """Return |v| / M of the present weights; on a stream, the smallest so far. Rounding is allowed for."""
        evidence = self.evidence if self.second is None else self.second.evidence
        duals, run = evidence.duals, self.run
        steps = self.tally["steps"] if duals is None else float(exact_total(duals.weights))
        length = evidence.length() + self.tally["rounding"]
        now = bounds.margin_upper_bound(length, steps) * (1 + 8 * EPS)
        if duals is not None and run is not None:
            return now + self._widening(len(duals.rows) + run.passes)
        smallest = float(self.tally["margin_bound"]) * (1 + 8 * EPS)
        # on a stream, the private part of v is not stored, so its length is not known
        least = smallest if self.evidence.geometry.slack_feature > 0 else min(now, smallest)
        return least + self._widening(self.tally["updates"])

    def margin_lower_bound(self) -> float:
        """Return the margin of the model, rounded down, if a pass without an update measured it; else -infinity."""
        length = self.evidence.length()
        if self.run is None or not self.run.halted or length == 0:
            return -np.inf
        margin = self.run.smallest_margin / length
        underflow = len(self.evidence.weights) * math.ulp(0.0) / length
        return float(margin - 8 * EPS * abs(margin) - self._widening(len(self.evidence.weights)) - underflow)

    def separates(self) -> bool:
        """Return whether the last pass shows that the model has every row on its right side, rounding excluded."""
        return self.run is not None and self.run.halted and self.run.smallest_margin > 0


def certify_mistakes(problem: Problem) -> MistakeCertificate:
    """Return the certificate of the mistakes that were made."""
    tally, run = problem.tally, problem.run
    return MistakeCertificate(
        rule=problem.rule.name,
        parameter=problem.rule.parameter,
        examples=tally["examples"],
        positives=tally["positives"],
        mistakes=tally["mistakes"],
        updates=tally["updates"],
        radius=problem.radius,
        energy=tally["energy"],
        margin_upper_bound=problem.margin_upper_bound(),
        separates=problem.separates(),
        passes=int(problem.is_stream) if run is None else run.passes,
        evidence=problem.evidence,
    )


def certify_mixing(problem: Problem, mixing: Mixing) -> MixingCertificate:
    """Return the certificate of weights that were mixed from those of partitions."""
    tally = problem.tally
    return MixingCertificate(
        rule=problem.rule.name,
        parameter=problem.rule.parameter,
        examples=tally["examples"],
        positives=tally["positives"],
        mistakes=tally["mistakes"],
        weighted_mistakes=float(weighted_mistakes(mixing.mistakes)),
        updates=tally["updates"],
        radius=problem.radius,
        energy=tally["energy"],
        margin_upper_bound=problem.margin_upper_bound(),
        evidence=problem.evidence,
        mixing=mixing,
    )


def certify_moving_target(problem: Problem) -> MovingTargetCertificate:
    """Return the certificate of a learner that forgets.

    The largest |v| and the sum of what is remembered are widened by the rounding errors of this run and of a replay:
    at most 20 roundings of W for each update and each term of a score, whose number is at most that of the columns.
    """
    tally, forgetting = problem.tally, problem.rule.forgetting
    slack = 64 * (len(problem.evidence.weights) + 8) * (tally["updates"] + 8) * EPS
    return MovingTargetCertificate(
        rule=problem.rule.name,
        parameter=problem.rule.parameter,
        forget=forgetting.forget,
        half_life=forgetting.half_life,
        examples=tally["examples"],
        positives=tally["positives"],
        mistakes=tally["mistakes"],
        updates=tally["updates"],
        radius=problem.radius,
        energy=tally["energy"],
        remembered=tally["steps"] * max(0.0, 1 - slack),
        longest=tally["longest"] * (1 + slack),
        margin_upper_bound=problem.margin_upper_bound(),
        evidence=problem.evidence,
    )


def certify_margin(problem: Problem) -> PerceptronMarginCertificate:
    """Return the certificate of the margin that was reached, and of the largest possible one."""
    tally = problem.tally
    return PerceptronMarginCertificate(
        margin_lower_bound=problem.margin_lower_bound(),
        margin_upper_bound=problem.margin_upper_bound(),
        halted=problem.run is not None and problem.run.halted,
        updates=tally["updates"],
        examples=tally["examples"],
        mistakes=tally["mistakes"],
        radius=problem.radius,
        evidence=problem.evidence,
    )


def certify_second_order(problem: Problem) -> SecondOrderCertificate:
    """Return the certificate of a second-order learner."""
    second, tally = problem.second, problem.tally
    assert second is not None
    fields = {
        field.name: getattr(certify_mistakes(problem), field.name) for field in dataclasses.fields(MistakeCertificate)
    }
    return SecondOrderCertificate(
        **fields,
        added=tally["steps"],
        sum=second.evidence,
        sum_square=_sum_square(problem, second),
        variances=second.variances,
        intercept_variance=second.intercept_variance,
    )


def _sum_square(problem: Problem, second: Sum) -> float:
    """Return v'A^-1 v, with the rounding of v allowed for, and as much again for a verifier."""
    tally = problem.tally
    values, matrix = diagonal_entries(
        second.evidence.weights, second.evidence.intercept, second.variances, second.intercept_variance
    )
    rounding = math.sqrt(float(matrix.max())) * float(tally["rounding"])
    if problem.rule.implementation().has_unit_columns:  # an entry of v is at most N times the scale of its column
        rounding = 2 * EPS * (tally["updates"] + 2) * (tally["steps"] + 2) * math.sqrt(len(values))
    return widened_square(values, matrix, rounding, tally["updates"])


def diagonal_entries(
    sums: Floats, intercept: float, variances: Floats, intercept_variance: float
) -> tuple[Floats, Floats]:
    """Return the entries of v that may not be 0, that of the intercept last, and those of the diagonal of A^-1."""
    columns = occurring(sums)
    narrow = narrowed(variances, columns)
    matrix = np.append(np.where(narrow == 0, 1.0, narrow), intercept_variance)
    return np.append(narrowed(sums, columns), intercept), matrix


def widened_square(values: Floats, matrix: Floats, rounding: float, updates: int) -> float:
    """Return an upper bound on v'A^-1 v, in whose metric v has this rounding error; as much again is for a verifier."""
    roundings = 4 * (len(values) + updates + 32) * EPS
    length = math.sqrt(float(np.sum(matrix * values * values)))
    return float((length * (1 + roundings) + 2 * rounding + 1e-150) ** 2 * (1 + 4 * EPS))
