"""What a perceptron that asks for some labels only proves, and its independent check in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from novikoff._counts import count, counted

from . import selective_bounds
from .certificate import above
from .enclosed_sums import EPS, exact_total
from .enclosure import Enclosure, agrees
from .evidence import Evidence
from .forgetting import LARGEST_WEIGHT
from .geometry import Extended
from .margin_value import Margin, margin_number
from .online_certificate import OnlineCertificate
from .online_checks import OnlineChecks
from .replay import replay, with_doubt
from .replayed_run import Replay
from .selective_rules import SelectiveRule
from .verification import Check

LABELS = "labels asked for"  # a claim


@dataclass(frozen=True, repr=False, eq=False)
class SelectiveCertificate(OnlineCertificate):
    """How many labels a selective perceptron asked for, and an estimate of all its mistakes.

    A label is asked for with probability b / (b + |p|), where p is the score. A mistake whose label was asked for
    counts the inverse of that. In every run this count is at most (1 + R^2/(2b)) L/gamma + |w|^2 (2b + R^2)^2 / (8 b
    gamma^2) for every plane w and gamma > 0, where L is the sum of max(0, gamma - y w.u) over the updates
    (docs/theory.md, Q1). Over all coins, its expectation is that of the number of all mistakes, asked for or not, in
    the ``complete`` examples (Q2). These are all examples; with a budget, those up to its last label. If a label within
    the budget was asked for and not given, they end with the first such example, and the expected number of mistakes
    in them lies between the expectations of ``estimate`` and of ``estimate + missing_weight`` (Q4).

    A score of exactly 0 counts as a mistake.

    Parameters
    ----------
    b : float
        The parameter b.
    seed : int
        The seed of the coins.
    budget : int or None
        The number of labels after which none was used; None if there was no limit.
    examples : float
        Number of examples, each scored before its label was asked for, or the sum of their weights.
    asked : float
        Number of labels that were asked for and used.
    unanswered : float
        Number of labels that the coins asked for, but that were not given, or came after the budget was used up.
    complete : float
        Number of examples up to the last label of the budget, or up to the first one that was asked for within the
        budget and not given; all examples if there was neither.
    positives : float
        Number of positive labels among those asked for.
    mistakes : float
        Number of wrong predictions among the examples whose labels were asked for.
    estimate : float
        The sum of (b + |p|) / b over those of these mistakes that are among the complete examples: an estimate of all
        mistakes in these.
    updates : int
        Number of updates.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2. Together with ``examples`` it tells these data from others.
    margin_upper_bound : float
        No plane separates the examples with a larger margin. There may be no plane that separates them at all.
    evidence : Evidence
        The last weights.
    missing_weight : float, default=0.0
        The number (b + |p|) / b, times its weight, of the example whose label was the first to be asked for within the
        budget and not given: what the estimate lacks if its prediction was wrong. It is 0 if there was none.

    See Also
    --------
    novikoff.SelectivePerceptron : The learner that has this certificate.

    Examples
    --------
    >>> from novikoff import SelectivePerceptron
    >>> X, y = [[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]
    >>> certificate = SelectivePerceptron(b=0.5, fit_intercept=False).partial_fit(X, y).certificate_
    >>> certificate.asked, certificate.examples
    (1.0, 4.0)
    """

    b: float
    seed: int
    budget: int | None
    examples: float
    asked: float
    unanswered: float
    complete: float
    positives: float
    mistakes: float
    estimate: Extended
    updates: int
    radius: float
    energy: Extended
    margin_upper_bound: Extended
    evidence: Evidence
    missing_weight: Extended = 0.0

    passes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.margin_upper_bound == self.margin_upper_bound:  # not NaN, which a damaged file may have
            margin = Margin.of(self.margin_upper_bound, self.evidence.geometry)
            object.__setattr__(self, "margin_upper_bound", margin)

    def bound(self, margin: float, loss: float = 0.0, length: float = 1.0) -> float:
        """Return what ``estimate`` cannot exceed if there is a plane with this margin (docs/theory.md, Q1).

        Parameters
        ----------
        margin : float or Margin
            The number gamma: by default, the margin of a plane that separates the examples, measured with the vectors u
            that the learner saw.
        loss : float, default=0.0
            The sum of max(0, gamma - y w.u) over the updates, or over all examples, for a plane w.
        length : float, default=1.0
            The length of w.

        Returns
        -------
        float
            The bound; infinity if the margin is not positive.
        """
        number = margin_number(f"{type(self).__name__}.bound", margin, self.evidence.geometry)
        if not number > 0:
            return float("inf")
        return selective_bounds.selective_perceptron(self.radius, self.b, length, number, loss) * (1 + 16 * EPS)

    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        found = [checks.radius(self.radius), checks.total("examples", self.examples, 1), checks.energy(self.energy, 1)]
        found += self.check_upper_bound("no separator has a larger margin", checks)
        found += self._check_counts()
        words = {"b": f"{self.b:g}", "seed": str(self.seed), "budget": self._budget_in_words()}
        found += [Check(name, "on trust", f"{value}, of the run") for name, value in words.items()]
        return found if any(check.status == "fails" for check in found) else found + self._check_run(checks)

    @property
    def needs_replay(self) -> bool:
        """Whether the run must be repeated to show the weights: ``verify`` does so, as it throws the coins again."""
        return False

    def _check_run(self, checks: OnlineChecks) -> list[Check]:
        """Throw the coins again, and compare."""
        rule = SelectiveRule(self.b, extra=float(self.seed), budget=self.budget)
        if not rule.has_valid_parameter() or np.max(checks.copies) > LARGEST_WEIGHT:
            return [Check("run", "fails", "a parameter or a weight that no run can have")]
        if self.missing_weight:
            return [Check("run", "open", "labels were asked for and not given, and the data do not show which")]
        X, signs, copies, geometry = checks.given, checks.signs, checks.copies, self.evidence.geometry
        run = replay(X, signs, copies, rule, geometry, [np.arange(len(signs))], checks.exact)
        return with_doubt(self.check_replay(run), run.doubtful)

    def _check_counts(self) -> list[Check]:
        """Refute numbers that no run can have. Rounded sums of some terms do not exceed those of all."""
        asked, most, slack = self.asked, self.examples, 4 * (self.updates + 8) * EPS
        is_missing, is_used_up = self.missing_weight > 0, self.budget is not None and asked >= self.budget
        all_used = not (is_missing or is_used_up)
        possible = {
            "b": 0 < self.b < np.inf,
            "mistakes": 0 <= self.mistakes <= asked,
            "positives": 0 <= self.positives <= asked,
            LABELS: 0 <= asked <= most and (self.budget is None or asked <= self.budget + 1),
            "labels not given": 0 <= self.unanswered <= most and (not all_used if self.unanswered else not is_missing),
            "complete examples": 0 <= self.complete <= most and (self.complete == most or not all_used),
            "estimate": self.estimate >= 0 and (is_missing or self.mistakes <= self.estimate * (1 + slack)),
            "weight of a missing label": self.missing_weight >= 0,
        }
        words = "a number that no run can have"
        return [Check(name, "fails", words) for name, good in possible.items() if not good]

    def check_learned(self, run: Any) -> list[Check]:
        rule = run.rule
        expected = ("selective perceptron", rule.parameter, rule.extra, rule.budget, rule.geometry)
        same = (rule.name, self.b, self.seed, self.budget, self.evidence.geometry) == expected
        same = same and run.is_stream and (self.evidence.scale is None) == (run.scale is None)
        words = f"b, seed, budget and geometry are {'' if same else 'not '}those of the run"
        return [Check("run record", "holds" if same else "fails", words)]

    def check_replay(self, run: Replay) -> list[Check]:
        asking, roundings = run.asking, 2 * run.visits + 4
        sums = {
            f"{LABELS} by the run": (self.asked, asking.asked),
            "labels asked for and not given": (self.unanswered, asking.unanswered),
            "complete examples of the run": (self.complete, asking.complete),
            "positive labels of the run": (self.positives, asking.positives),
        }
        found = [
            agrees(name, claimed, Enclosure.exactly(exact_total(np.array(terms))), roundings)
            for name, (claimed, terms) in sums.items()
        ]
        found.append(self._check_estimate(run))
        if run.updates and self.margin_upper_bound < np.inf:
            found.append(run.check_bound("bound of the run", self.margin_upper_bound))
        return [*super().check_replay(run), *found]

    def _check_estimate(self, run: Replay) -> Check:
        total = exact_total(np.array(run.asking.estimate)) if np.all(np.isfinite(run.asking.estimate)) else None
        claim = "estimate of the run"
        if total is None or not np.isfinite(self.estimate):
            same = total is None and self.estimate == np.inf
            return Check(claim, "holds" if same else "fails", f"claimed {self.estimate:.10g}")
        slack = Fraction(run.asking.estimate_error) + (2 * run.visits + 16) * Fraction(EPS) * total
        same = abs(Fraction(float(self.estimate)) - total) <= slack
        return Check(claim, "holds" if same else "fails", f"claimed {self.estimate:.10g}, found {float(total):.10g}")

    def explain(self) -> str:
        words = (
            f"Each of {counted(self.examples, 'example')} was scored by the latest weights. With probability "
            f"b/(b + |score|), where b is {self.b:g}, its label was asked for: {counted(self.asked, 'time')}. The "
            f"number of scores that were not on the side of these labels was {count(self.mistakes)}. If each counts "
            f"the inverse of the probability with which it was asked for, those in {self._complete_in_words()} add up "
            f"to {self.estimate:.6g}, an estimate of all mistakes in them, asked for or not: over all coins, "
        )
        if self.missing_weight:
            words += (
                "the expected number of these mistakes is at least that of the estimate, and at most that of the "
                f"estimate and what the missing label would add to it, {self.missing_weight:.6g}. "
            )
        else:
            words += "both numbers have the same expectation. "
        words += (
            "In every run, the estimate is at most (2b + R^2)^2 / (8 b gamma^2) if a plane separates the examples with "
            f"margin gamma. No plane has a margin above {above(self.margin_upper_bound)}."
        )
        if self.unanswered:
            reason = "came after the budget was used up"
            if self.missing_weight:
                reason = "were not given" if self.budget is None else f"were not given or {reason}"
            words += f" {counted(self.unanswered, 'label')} that the coins asked for {reason}."
        return words

    def claims(self) -> list[tuple[str, str]]:
        share = self.asked / self.examples if self.examples else 0.0
        asked = f"{count(self.asked)} of {counted(self.examples, 'example')}, {100 * share:.3g} percent"
        limit = "" if self.budget is None else f", budget {self._budget_in_words()}"
        words = [
            ("mistakes", f"{count(self.mistakes)} among the labels asked for"),
            (LABELS, f"{asked}{limit}"),
            ("estimate", f"{self._estimate_in_words()} mistakes, asked for or not, in {self._complete_in_words()}"),
            ("radius", f"{self.radius:.6g}"),
            ("best margin", f"at most {above(self.margin_upper_bound)}"),
        ]
        geometry = self.evidence.geometry
        parts = ["columns scaled by what was seen of them"] * (geometry.scale is not None)
        parts += ["examples scaled to unit length"] * geometry.normalize
        return [*words, ("geometry", " and ".join(parts))] if parts else words

    def _budget_in_words(self) -> str:
        return "none" if self.budget is None else count(self.budget)

    def _estimate_in_words(self) -> str:
        most = f" to {self.estimate + self.missing_weight:.6g}" if self.missing_weight else ""
        return f"{self.estimate:.6g}{most}"

    def _complete_in_words(self) -> str:
        if self.complete == self.examples and not self.missing_weight:
            return "all examples"
        end = "first label that was asked for and not given" if self.missing_weight else "last label of the budget"
        return f"the first {counted(self.complete, 'example')}, up to the {end}"
