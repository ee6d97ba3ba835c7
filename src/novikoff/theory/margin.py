"""Bounds on the margin of a separator; those of a margin perceptron, and their independent check in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .certificate import ROUNDING, Certificate, above, below
from .columns import compact
from .evidence import Evidence, OnlineCertificate
from .exact import Examples, to_integers
from .geometry import Extended, Floats, Lifted, as_table
from .verification import Check, Verification, compare


@dataclass(frozen=True, repr=False, eq=False)
class MarginCertificate(Certificate):
    """Bounds on the margin of a plane and on the largest margin of any plane.

    The claim is ``margin_lower_bound`` <= margin of the model <= largest margin <= ``margin_upper_bound``.

    Parameters
    ----------
    margin_lower_bound : float
        -infinity if the model was not compared with all its data, and at most 0 if it does not separate them.
    margin_upper_bound : float
        Infinity if nothing is known.
    examples : float
        Number of examples, or the sum of their weights.

    Examples
    --------
    >>> from novikoff import HardMarginSVM, MarginPerceptron
    >>> from novikoff.theory import MarginCertificate
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1]
    >>> models = [HardMarginSVM().fit(X, y), MarginPerceptron().fit(X, y)]
    >>> [isinstance(model.certificate_, MarginCertificate) for model in models]
    [True, True]
    """

    margin_lower_bound: Extended
    margin_upper_bound: Extended
    examples: float

    @property
    def ratio(self) -> float:
        """The fraction of the largest margin that the model has, at least."""
        return self.margin_lower_bound / self.margin_upper_bound if self.margin_upper_bound > 0 else 0.0

    def explain(self) -> str:
        best = f"no plane has a margin above {self.margin_upper_bound:.6g}"
        if self.margin_lower_bound <= 0:
            return f"The model was not shown to separate the rows; {best}."
        share = max(0.0, min(1.0, self.ratio))
        digits = 3 if 0 < min(share, 1 - share) < 0.001 else 1  # more digits where one would show 0 or 100 %
        return (
            f"Every row is on its right side, at least {self.margin_lower_bound:.6g} away from the plane, "
            f"and {best}: the model has {100 * share:.{digits}f} % of the best margin there is, or more."
        )

    def claims(self) -> list[tuple[str, str]]:
        words = [("best margin", f"at most {above(self.margin_upper_bound)}")]
        if self.margin_lower_bound > -np.inf:
            share = 100 * max(0.0, self.ratio)
            words.insert(0, ("margin", f"at least {below(self.margin_lower_bound)} ({share:.1f} % of the best)"))
        return words


@dataclass(frozen=True, repr=False, eq=False)
class PerceptronMarginCertificate(OnlineCertificate, MarginCertificate):
    """Bounds on the margin of a margin perceptron, whose weights are a sum of examples, which proves the upper bound.

    Parameters
    ----------
    margin_lower_bound, margin_upper_bound, examples : float
        As in ``MarginCertificate``.
    halted : bool
        Whether the last pass made no update.
    updates : int
        Number of updates.
    mistakes : float
        Number of predictions that were wrong before the label was seen.
    radius : float
        The largest |u|.
    evidence : Evidence
        The weights, and the examples that they are a sum of, where these are known.

    See Also
    --------
    novikoff.MarginPerceptron : The learner that has this certificate.

    Notes
    -----
    ``verify`` checks the bounds up to rounding. With ``exact`` it also decides in integers that the model separates the
    rows, if a positive margin is claimed.

    Examples
    --------
    >>> from novikoff import MarginPerceptron
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1]
    >>> certificate = MarginPerceptron().fit(X, y).certificate_
    >>> certificate.halted, certificate.margin_lower_bound > 0
    (True, True)
    """

    halted: bool
    updates: int
    mistakes: float
    radius: float
    evidence: Evidence

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if misfit := self.evidence.fits(X, y, sample_weight):
            return Verification((misfit,))
        X, weights = compact(X, self.evidence.weights)
        return replace(self, evidence=replace(self.evidence, weights=weights))._checked(X, y, sample_weight, exact)

    def _checked(self, X: Any, y: Any, sample_weight: Any, exact: bool) -> Verification:
        """Check the claims against rows of the width of the weights."""
        lifted, signs, copies = self.evidence.examples(X, y, sample_weight)
        seen = copies > 0
        longest = float(lifted.lengths[seen].max(initial=0.0))
        checks = [
            compare("radius", self.radius, longest, slack=ROUNDING * self.radius, exact_match=True),
            compare("lower below upper bound", self.margin_upper_bound, self.margin_lower_bound, slack=0.0),
            self._check_lower(lifted, signs, seen),
            Check("mistakes", "on trust", f"{self.mistakes:g} in {self.examples:g} examples"),
        ]
        if self.evidence.duals is None:
            checks.append(
                Check("upper bound", "on trust", f"{self.margin_upper_bound:.6g}, the least |v|/M of the run")
            )
        else:
            anew = self.evidence.recombined(lifted, signs)
            checks += [
                anew.check,
                compare("upper bound", self.margin_upper_bound, anew.ratio, slack=anew.rounding),
                compare(
                    "updates, no fewer than the steps", float(self.updates), anew.steps, slack=ROUNDING * anew.steps
                ),
            ]
        if exact and self.margin_lower_bound > 0:
            checks.append(self._check_sides(X, signs, seen))
        return Verification(tuple(checks))

    def _check_sides(self, X: Any, signs: Floats, seen: NDArray[np.bool_]) -> Check:
        geometry, rows = self.evidence.geometry, np.flatnonzero(seen)
        if geometry.slack_feature:
            return Check("separates", "open", "private features are not decided exactly")
        v = np.append(self.evidence.weights, [self.evidence.intercept] if geometry.fit_intercept else [])
        wrong = rows[Examples(X[rows], signs[rows], geometry.fit_intercept).sides(to_integers(v)[0]) <= 0]
        if len(wrong):
            return Check("separates", "fails", f"row {wrong[0]} is not on the right side", int(wrong[0]))
        return Check("separates", "holds", f"exactly: all {len(rows)} rows are on the right side")

    def _check_lower(self, lifted: Lifted, signs: Floats, seen: NDArray[np.bool_]) -> Check:
        claim = "lower bound"
        length = self.evidence.length()
        if length == 0 or self.margin_lower_bound == -np.inf:
            return Check(claim, "on trust", "no lower bound is claimed")
        margins, errors = self.evidence.margins(lifted, signs)
        rows = np.flatnonzero(seen)
        worst = int(rows[np.argmin(margins[rows])])
        found, error = margins[worst] / length, errors[worst] / length + ROUNDING * abs(margins[worst]) / length
        detail = f"claimed {self.margin_lower_bound:.6g}, found {found:.6g}"
        if found + error < self.margin_lower_bound:
            return Check(claim, "fails", detail, worst)
        return Check(claim, "holds", detail)

    def band(self) -> float | None:
        return self.margin_lower_bound * self.evidence.length() if self.margin_lower_bound > 0 else None

    def claims(self) -> list[tuple[str, str]]:
        return [*super().claims(), ("updates", str(self.updates))]
