"""Certificates and records of binary problems, from what the kernel counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.theory import bounds
from novikoff.theory.evidence import Evidence
from novikoff.theory.margin import PerceptronMarginCertificate
from novikoff.theory.mistakes import MistakeCertificate
from novikoff.theory.rules import Rule

from ._cycle import Run

ROUNDING_ALLOWANCE = 1e-9  # relative amount by which a bound is moved to the safe side of rounding


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
        """The length of the longest example."""
        return float(np.sqrt(self.tally["squared_radius"]))

    def margin_upper_bound(self) -> float:
        """Return |v| / M of the present weights; on a stream, the smallest so far. Rounding is allowed for."""
        length = self.evidence.length() * (1 + ROUNDING_ALLOWANCE) + self.tally["rounding"]
        now = bounds.margin_upper_bound(length, self.tally["steps"])
        if self.run is not None:
            return now
        smallest = float(self.tally["margin_bound"])
        # on a stream, the private part of v is not stored, so its length is not known
        return smallest if self.evidence.geometry.slack_feature > 0 else min(now, smallest)

    def margin_lower_bound(self) -> float:
        """Return the margin of the model, rounded down, if a pass without an update measured it; else -infinity."""
        length = self.evidence.length()
        if self.run is None or not self.run.halted or length == 0:
            return -np.inf
        margin = self.run.smallest_margin / length
        rounding = (len(self.evidence.weights) + 4) * np.finfo(float).eps * self.radius
        return float(margin - ROUNDING_ALLOWANCE * abs(margin) - rounding)


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
        separates=run is not None and run.halted and run.smallest_margin > 0,
        passes=int(problem.is_stream) if run is None else run.passes,
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
