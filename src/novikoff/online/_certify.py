"""Certificates and records of binary problems, from what the kernel counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.theory import bounds
from novikoff.theory.enclosed_sums import EPS, exact_total
from novikoff.theory.evidence import Evidence
from novikoff.theory.margin import PerceptronMarginCertificate
from novikoff.theory.mistakes import MistakeCertificate
from novikoff.theory.moving_target import MovingTargetCertificate
from novikoff.theory.rules import Rule

from ._cycle import Run


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
    """

    rule: Rule
    tally: dict[str, Any]
    evidence: Evidence
    run: Run | None
    is_stream: bool

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
        duals, run = self.evidence.duals, self.run
        steps = self.tally["steps"] if duals is None else float(exact_total(duals.weights))
        length = self.evidence.length() + self.tally["rounding"]
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
