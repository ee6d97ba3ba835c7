"""The model that a certificate of an online learner speaks of, and its comparison with the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import bounds
from .certificate import OTHER_DATA, ROUNDING, Certificate, Duals, Support, misfit
from .geometry import Floats, Geometry, Lifted, as_table, copies_apart, length_of
from .replay import Replay
from .verification import Check, compare


@dataclass(frozen=True)
class Recombined:
    """A model that was recomputed from its duals a: whether it is the same, sum a, |v| / sum a, and its rounding."""

    check: Check
    steps: float
    ratio: float
    rounding: float


@dataclass(frozen=True)
class Evidence:
    """The model that a certificate of an online learner speaks of.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights of v.
    intercept : float
        The intercept of v.
    geometry : Geometry
        How examples x become vectors u.
    positive : object
        The label that is +1.
    duals : Duals or None, default=None
        v as a combination of the rows of one data set, where it is known.
    """

    weights: Floats
    intercept: float
    geometry: Geometry
    positive: Any
    duals: Duals | None = None

    def signs(self, y: Any) -> Floats:
        """Return labels as -1 and +1."""
        return np.where(np.asarray(y) == self.positive, 1.0, -1.0)

    def examples(self, X: Any, y: Any, sample_weight: Any) -> tuple[Lifted, Floats, Floats]:
        """Return the vectors u, their signs and their weights, with copies where each has a private feature."""
        signs = self.signs(np.ravel(y))
        copies = np.ones(len(signs))
        if sample_weight is not None:
            copies *= np.asarray(sample_weight, dtype=np.float64)
        if self.geometry.slack_feature and copies.max() > 1:
            index, copies = copies_apart(copies)
            X, signs = X[index], signs[index]
        return Lifted(X, self.geometry), signs, copies

    def fits(self, X: Any, y: Any, sample_weight: Any) -> Check | None:
        """Return a failed check if the data do not have the shape that the model needs."""
        return misfit(X, y, sample_weight, columns=len(self.weights))

    def margins(self, lifted: Lifted, signs: Floats) -> tuple[Floats, Floats]:
        """Return y v.u of every row, and a bound on its rounding error, with private features where they are known."""
        margins = signs * lifted.scores(self.weights, self.intercept)
        errors = lifted.rounding(self.weights, self.intercept)
        if self.duals is not None and self.geometry.slack_feature:
            own = self.geometry.slack_feature * self.geometry.slack_feature * self.duals.dense(len(lifted))
            margins, errors = margins + own, errors + ROUNDING * own
        return margins, errors

    def length(self) -> float:
        """Return |v|."""
        private = None if self.duals is None else self.duals.weights
        return length_of(self.weights, self.intercept, private, self.geometry.slack_feature)

    def recombined(self, lifted: Lifted, signs: Floats) -> Recombined:
        """Recompute v from its duals, and check that it is the same."""
        assert self.duals is not None
        if len(self.duals.rows) and self.duals.rows[-1] >= len(lifted):
            check = Check("weights", "fails", f"they are a sum of rows beyond the {len(lifted)} given")
            return Recombined(check, steps=0.0, ratio=np.inf, rounding=0.0)
        if np.any(self.duals.weights < 0):
            check = Check("weights", "fails", "some examples have a negative weight in their sum")
            return Recombined(check, steps=0.0, ratio=np.inf, rounding=0.0)
        a = self.duals.dense(len(lifted))
        weights, intercept = lifted.combine(a * signs)
        distance = length_of(weights - self.weights, intercept - self.intercept)
        allowed = ROUNDING * float(a @ lifted.lengths)
        length = length_of(weights, intercept, self.duals.weights, self.geometry.slack_feature)
        detail = f"the weights differ from the sum of the examples by {distance:.3g}"
        if distance > allowed:
            detail += f": {OTHER_DATA}"
        return Recombined(
            check=Check("weights", "holds" if distance <= allowed else "fails", detail),
            steps=float(a.sum()),
            ratio=bounds.margin_upper_bound(length, float(a.sum())),
            rounding=allowed / float(a.sum()) if a.any() else 0.0,
        )

    def support(self, X: Any, y: Any) -> Support:
        """Return the rows that v is a sum of, if the data are those it was learned from."""
        X, none = as_table(X), Support(name="examples with an update")
        if self.duals is None or len(self.weights) != X.shape[1]:
            return none
        anew = self.recombined(Lifted(X, self.geometry), self.signs(np.ravel(y)))
        return replace(none, rows=self.duals.rows) if anew.check.status == "holds" else none


class OnlineCertificate(Certificate):
    """A certificate of an online learner, about the last weights of its run."""

    evidence: Evidence
    mistakes: float
    margin_upper_bound: float

    def plane(self) -> tuple[Floats, float]:
        return self.evidence.weights, self.evidence.intercept

    def labels(self) -> tuple[Any, Any]:
        return self.evidence.positive, None

    def support(self, X: Any, y: Any) -> Support:
        return self.evidence.support(X, y)

    @property
    def needs_replay(self) -> bool:
        """Whether the rows that the weights are a sum of are not known, so that only a replay shows the weights."""
        return self.evidence.duals is None

    def check_replay(self, run: Replay) -> list[Check]:
        distance = length_of(run.weights - self.evidence.weights, run.bias - self.evidence.intercept)
        same = distance <= ROUNDING * run.path
        slack = ROUNDING * run.path / run.steps if run.steps else 0.0
        counted = ROUNDING * run.examples
        return [
            Check("run", "holds" if same else "fails", f"repeated, its weights differ by {distance:.3g}"),
            compare("mistakes of the run", self.mistakes, run.mistakes, slack=counted, exact_match=True),
            compare("bound of the run", self.margin_upper_bound, run.margin_bound, slack=slack),
        ]
