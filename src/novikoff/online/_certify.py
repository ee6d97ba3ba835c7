"""From what a learner counted to the certificate of one question."""

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

PADDING = 1e-9  # by how much, relatively, a bound is put on the safe side of the rounding behind it


@dataclass(frozen=True)
class Question:
    """What is known of one binary question: its rule, its counts, its model, and its run if ``fit`` made it."""

    rule: Rule
    tally: dict[str, Any]
    evidence: Evidence
    run: Run | None
    is_stream: bool  # learned from one stream alone

    @property
    def radius(self) -> float:
        """The length of the longest example."""
        return float(np.sqrt(self.tally["squared_radius"]))

    @property
    def halted(self) -> bool:
        """Whether the last pass found nothing to change."""
        return self.run is not None and self.run.halted

    def margin_upper_bound(self) -> float:
        """Return |v| / M of the present model; on a stream, the least there ever was. Rounding is counted in."""
        length = self.evidence.length() * (1 + PADDING) + self.tally["rounding"]
        now = bounds.margin_upper_bound(length, self.tally["steps"])
        if self.run is not None:
            return now
        private = self.evidence.geometry.slack_feature > 0  # the private part of v is not kept on a stream
        return float(self.tally["margin_bound"]) if private else min(now, float(self.tally["margin_bound"]))

    def margin_lower_bound(self) -> float:
        """Return the model's own margin, rounded down, if a pass that changed nothing measured it; else -infinity."""
        length = self.evidence.length()
        if self.run is None or not self.run.halted or length == 0:
            return -np.inf
        margin = self.run.smallest_margin / length
        rounding = (len(self.evidence.weights) + 4) * np.finfo(float).eps * self.radius
        return float(margin - PADDING * abs(margin) - rounding)


def certify_mistakes(question: Question) -> MistakeCertificate:
    """Mistakes against what the theorem of the rule allows."""
    tally, run = question.tally, question.run
    return MistakeCertificate(
        rule=question.rule.name,
        parameter=question.rule.parameter,
        examples=tally["examples"],
        positives=tally["positives"],
        mistakes=tally["mistakes"],
        updates=tally["updates"],
        radius=question.radius,
        energy=tally["energy"],
        margin_upper_bound=question.margin_upper_bound(),
        separates=run is not None and run.halted and run.smallest_margin > 0,
        passes=int(question.is_stream) if run is None else run.passes,
        evidence=question.evidence,
    )


def certify_margin(question: Question) -> PerceptronMarginCertificate:
    """The margin reached against the best there is."""
    tally = question.tally
    return PerceptronMarginCertificate(
        margin_lower_bound=question.margin_lower_bound(),
        margin_upper_bound=question.margin_upper_bound(),
        halted=question.halted,
        updates=tally["updates"],
        examples=tally["examples"],
        mistakes=tally["mistakes"],
        radius=question.radius,
        evidence=question.evidence,
    )
