"""What the certificates of all online learners have in common."""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from novikoff._counts import count, counted

from .certificate import Certificate, Support, above
from .enclosed_sums import exact_total
from .enclosure import Enclosure, agrees, at_most
from .evidence import Evidence
from .geometry import Floats, as_table
from .online_checks import OnlineChecks
from .replayed_run import Replay
from .running_scale import as_seen
from .verification import Check, Verification

MAX_COUNT = 2**40  # of passes, and of updates; a larger number would allow for rounding errors of any size


class OnlineCertificate(Certificate):
    """A certificate of an online learner, about the last weights of its run."""

    evidence: Evidence
    examples: float
    mistakes: float
    updates: int
    margin_upper_bound: float

    def plane(self) -> tuple[Floats, float]:
        return self.evidence.plane()

    def labels(self) -> tuple[Any, Any]:
        return self.evidence.positive, None

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := self.evidence.fits(X, y, sample_weight):
            return Verification((unfit,))
        X, signs, copies = self.evidence.examples(X, y, sample_weight)
        if unfit := self.evidence.misfit(copies) or self._misfit_of_counts(copies):
            return Verification((unfit,))
        scale, found, number = self.evidence.scale, [], np.size(y)
        if not self.evidence.has_known_rows:
            return Verification((self._check_unknown_rows(),))
        if scale is not None:
            seen = as_seen(X, copies, scale.kind)
            X, found, number = (
                seen.X,
                [seen.check(scale.factors, scale.shifts)],
                len(copies),
            )  # each copy of a row was counted
        checks = OnlineChecks(self.evidence, X, signs, copies, exact, number)
        if not checks.lifted.rows.is_finite:
            return Verification((Check("data", "fails", "NaN or infinity among the values"),))
        return Verification((*found, *self.check_claims(checks)))

    def _check_unknown_rows(self) -> Check:
        """Check that nothing is claimed about rows that were scaled by a fit and by a stream, which data hide."""
        claimed = self.evidence.duals is not None or getattr(self, "margin_lower_bound", -math.inf) > -math.inf
        claimed |= any(getattr(self, name, False) for name in ("passes", "separates", "halted"))
        words = "rows were scaled by a fit and by a stream, so the data do not show them as they were seen"
        return Check("scale", "fails" if claimed else "on trust", words)

    def _misfit_of_counts(self, copies: Floats) -> Check | None:
        """Return a failed check if no run can have these numbers of passes and updates; others depend on them."""
        passes = getattr(self, "passes", 0)
        for name, number in (("passes", passes), ("updates", self.updates)):
            if not (isinstance(number, numbers.Integral) and 0 <= int(number) <= MAX_COUNT):
                return Check(name, "fails", f"{number}, which no run can have")
        if passes and self.updates > passes * exact_total(np.ceil(copies)):
            return Check(
                "updates", "fails", f"{count(self.updates)}, more than there are examples in {counted(passes, 'pass')}"
            )
        return None

    @abstractmethod
    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        """Check the claims against the rows of ``checks``."""

    def check_upper_bound(self, claim: str, checks: OnlineChecks) -> list[Check]:
        """Check the weights and the bound on all margins against the rows that the weights are a sum of."""
        if self.margin_upper_bound == math.inf:
            bound = Check(claim, "on trust", "no bound is claimed")
        elif self.evidence.duals is None:
            words = f"at most {above(self.margin_upper_bound)}, the least |v|/M of the run"
            bound = Check(claim, "on trust", words)
        else:
            bound = checks.margin_upper_bound(claim, self.margin_upper_bound)
        return [bound] if self.evidence.duals is None else [checks.weights(self.updates), bound]

    def support(self, X: Any, y: Any) -> Support:
        """Return the rows that v is a sum of, if the data are those it was learned from."""
        X, none, evidence = as_table(X), Support(name="examples with an update"), self.evidence
        if evidence.duals is None or evidence.fits(X, y, None) or evidence.misfit(np.ones(X.shape[0])):
            return none
        copies = np.ones(X.shape[0])
        rows = X if evidence.scale is None else as_seen(X, copies, evidence.scale.kind).X
        checks = OnlineChecks(evidence, rows, evidence.signs(np.ravel(y)), copies, exact=False)
        if not checks.lifted.rows.is_finite or checks.weights(self.updates).status == "fails":
            return none
        return replace(none, rows=evidence.duals.rows)

    @property
    def needs_replay(self) -> bool:
        """Whether the rows that the weights are a sum of are not known, so that only a replay shows the weights."""
        return self.evidence.duals is None

    def check_replay(self, run: Replay) -> list[Check]:
        gap = run.distance(self.evidence.weights, self.evidence.intercept)
        mistaken = Enclosure.exactly(exact_total(np.array(run.mistaken)))
        checks = [
            at_most("run", run.rounding, gap, squared=True),
            agrees("mistakes of the run", self.mistakes, mistaken, 2 * run.visits + 4),
            _same("updates of the run", self.updates, run.updates),
        ]
        checks[0] = replace(checks[0], detail=f"repeated, its weights differ by {gap.root().outer_high():.3g}")
        if self.needs_replay and run.updates and self.margin_upper_bound != math.inf:
            checks.append(run.check_bound("bound of the run", self.margin_upper_bound))
        return checks


def _same(claim: str, claimed: int, found: int) -> Check:
    """Check that two counts are equal."""
    return Check(claim, "holds" if claimed == found else "fails", f"claimed {count(claimed)}, found {count(found)}")
