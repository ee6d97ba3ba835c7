"""The number of mistakes of an online learner, and its independent check in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import input_error

from . import bounds
from .bound_curves import FREUND_SCHAPIRE, freund_schapire_curve
from .certificate import ROUNDING, above
from .columns import compact
from .evidence import Evidence, OnlineCertificate
from .exact import Examples, to_integers
from .generalization import Generalization
from .geometry import Floats, Lifted, as_table, length_of
from .rules import OnlineRule, Rule
from .verification import Check, Verification, compare

LARGEST_INFORMATIVE_SHARE = 0.99  # of all examples: a larger bound on the mistakes is not worth drawing


@dataclass(frozen=True, repr=False, eq=False)
class MistakeCertificate(OnlineCertificate):
    """How many mistakes an online learner made, and an upper bound on the margin of the data.

    Parameters
    ----------
    rule : str
        The rule of the learner, which determines the bound on the mistakes.
    parameter : float
        The parameter of the rule.
    examples : float
        Number of examples, each predicted before its label was seen, or the sum of their weights.
    positives : float
        The same for the positive examples.
    mistakes : float
        Number of wrong predictions.
    updates : int
        Number of updates.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2. Together with ``examples`` and ``positives`` it tells these data from others.
    margin_upper_bound : float
        No plane separates the examples with a larger margin. There may be no plane that separates them at all.
    separates : bool
        Whether the last pass went through all data without a mistake.
    passes : int
        Number of passes; 0 after several fits.
    evidence : Evidence
        The last weights, and the examples that they are a sum of, where these are known.

    See Also
    --------
    novikoff.Perceptron : A learner that has this certificate.

    Notes
    -----
    With ``exact``, ``verify`` decides in integers on which side rows are that are too close to the plane for floating
    point.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> certificate = Perceptron().partial_fit([[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]).certificate_
    >>> certificate.mistakes, certificate.examples
    (2.0, 4.0)
    """

    rule: str
    parameter: float
    examples: float
    positives: float
    mistakes: float
    updates: int
    radius: float
    energy: float
    margin_upper_bound: float
    separates: bool
    passes: int
    evidence: Evidence

    @property
    def online_rule(self) -> OnlineRule:
        """The rule that the mistakes were made with."""
        return Rule(self.rule, self.parameter).implementation()

    def bound(self, margin: float) -> float:
        """Return the largest possible number of mistakes if a plane separates the data with this margin.

        Parameters
        ----------
        margin : float
            The margin of a plane.

        Returns
        -------
        float
            The bound of the theorem that applies to the rule.
        """
        return self.online_rule.bound(self.radius, margin)

    def comparator_bound(self, X: Any, y: Any, coef: Any, intercept: float = 0.0, sample_weight: Any = None) -> float:
        """Return the bound on the mistakes of a perceptron that follows from any plane (Freund and Schapire 1999).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        coef : array-like of shape (n_features,)
            Weights of the plane, which need not separate the rows.
        intercept : float, default=0.0
            Its intercept.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The largest possible number of mistakes.
        """
        if not self.online_rule.steps_count_mistakes:
            raise input_error(
                "comparator_bound", f"the bound holds for the perceptron, not for the rule {self.rule!r}."
            )
        lifted = Lifted(as_table(X), self.evidence.geometry)
        weights = np.asarray(coef, dtype=np.float64).ravel()
        margins = self.evidence.signs(y) * lifted.scores(weights, intercept) / length_of(weights, intercept)
        return bounds.freund_schapire(self.radius, margins, sample_weight, self.passes)

    @property
    def generalization(self) -> Generalization | None:
        """What the mistakes of one pass say about new examples (Freund and Schapire 1999, section 4).

        None for other numbers of passes, for rules other than the perceptron, and with private features.
        """
        if (
            not self.online_rule.steps_count_mistakes
            or self.passes != 1
            or self.examples < 2
            or self.evidence.geometry.slack_feature
        ):
            return None
        return Generalization(
            min(1.0, 2 * self.mistakes / self.examples),
            f"if the {self.examples:g} examples are independent draws from one distribution, each counted once, the "
            "vote of all hypotheses of a pass over all but one of them errs on a new example with a probability of at "
            f"most the expectation of this number, twice the fraction of mistakes; here there were {self.mistakes:g}",
        )

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
        checks = self._check_data(lifted, signs, copies)
        checks += self._check_margin(lifted, signs)
        margins, errors = self.evidence.margins(lifted, signs)
        if self.separates:
            decided = self._exactly(X, signs, margins, errors) if exact else (margins, errors)
            checks.append(_separation(*decided, seen))
        checks.append(self._check_mistakes(margins, copies, seen))
        return Verification(tuple(checks))

    def _exactly(self, X: Any, signs: Floats, margins: Floats, errors: Floats) -> tuple[Floats, Floats]:
        """Replace the margins that rounding leaves open by their exact signs, unless u has private features."""
        rows = np.flatnonzero(np.abs(margins) <= errors)
        geometry = self.evidence.geometry
        if geometry.slack_feature or len(rows) == 0:
            return margins, errors
        v = np.append(self.evidence.weights, [self.evidence.intercept] if geometry.fit_intercept else [])
        decided, sure = margins.copy(), errors.copy()
        decided[rows] = Examples(X[rows], signs[rows], geometry.fit_intercept).sides(to_integers(v)[0])
        sure[rows] = 0.0
        return decided, sure

    def _check_data(self, lifted: Lifted, signs: Floats, copies: Floats) -> list[Check]:
        """Check that these are the data that the learner saw, as far as sums over them tell."""
        longest = float(lifted.lengths[copies > 0].max(initial=0.0))
        checks = [compare("radius", self.radius, longest, slack=ROUNDING * self.radius, exact_match=self.passes > 0)]
        if self.passes == 0:
            return [*checks, Check("examples", "on trust", f"{self.examples:g}, of several fits")]
        sums = [
            ("examples", self.examples, float(copies.sum())),
            ("positives", self.positives, float(copies[signs > 0].sum())),
            ("sum of squares", self.energy, float(copies @ lifted.lengths**2)),
        ]
        for claim, claimed, found in sums:
            slack = ROUNDING * max(claimed, self.examples)
            check = compare(claim, claimed, self.passes * found, slack=slack, exact_match=True)
            if check.status == "fails":
                hint = "; sample_weight must include the class weights"
                check = replace(check, detail=check.detail + hint)
            checks.append(check)
        return checks

    def _check_margin(self, lifted: Lifted, signs: Floats) -> list[Check]:
        claim = "no separator has a larger margin"
        if self.evidence.duals is None:
            return [Check(claim, "on trust", f"at most {self.margin_upper_bound:.6g}, the least |v|/M of the run")]
        anew = self.evidence.recombined(lifted, signs)
        checks = [anew.check, compare(claim, self.margin_upper_bound, anew.ratio, slack=anew.rounding)]
        if self.online_rule.steps_count_mistakes:
            found = "mistakes, as the steps behind the weights"
            checks.append(compare(found, self.mistakes, anew.steps, slack=ROUNDING * anew.steps, exact_match=True))
        return checks

    def _check_mistakes(self, margins: Floats, copies: Floats, seen: NDArray[np.bool_]) -> Check:
        """Compare the number of mistakes with the bound that follows from the model itself."""
        length = self.evidence.length()
        if self.passes == 0:
            return Check("mistakes", "on trust", f"{self.mistakes:g}, of several fits")
        if self.mistakes > self.examples:
            return Check("mistakes", "fails", f"{self.mistakes:g} in {self.examples:g} examples")
        if length > 0 and self.separates and self.evidence.geometry.slack_feature == 0:
            most = self.bound(float(margins[seen].min()) / length)
        elif length > 0 and self.online_rule.steps_count_mistakes and self.evidence.geometry.slack_feature == 0:
            most = bounds.freund_schapire(self.radius, margins / length, copies, self.passes)
        else:
            return Check("mistakes", "on trust", f"{self.mistakes:g}")
        if self.mistakes <= most * (1 + ROUNDING):
            return Check("mistakes", "on trust", f"{self.mistakes:g}, within the {most:.6g} that the theorem allows")
        return Check("mistakes", "fails", f"{self.mistakes:g}, more than the {most:.6g} that the theorem allows")

    def explain(self) -> str:
        examples, mistakes = (
            f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"
            for value in (float(self.examples), float(self.mistakes))
        )
        words = (
            f"Each of {examples} examples was scored by the latest weights before its label was seen, and {mistakes} "
            "scores were not on the side of the label. No plane separates the examples with a margin above "
            f"{self.margin_upper_bound:.6g}: the sum of the examples that it learned from proves it. "
        )
        if self.separates:
            return words + "The last pass made no mistake: the weights it ended with have every example on its side."
        return words + "The model was not shown to separate them."

    def bound_curves(
        self, X: Any, y: Any, weights: Floats, intercept: float, counts: NDArray[np.int64]
    ) -> dict[str, Floats]:
        geometry = self.evidence.geometry
        if geometry.slack_feature or len(weights) != X.shape[1] or not np.any(weights):
            return {}
        intercept = intercept if geometry.fit_intercept else 0.0
        lifted = Lifted(X, geometry)
        margins = self.evidence.signs(y) * lifted.scores(weights, intercept) / length_of(weights, intercept)
        radius = np.maximum.accumulate(lifted.lengths)[counts - 1]
        found: dict[str, Floats] = {}
        if margins.min() > 0:
            rule, least = self.online_rule, float(margins.min())
            curve = np.array([rule.bound(R, least) for R in radius.tolist()])
            if np.isfinite(curve[-1]):  # a rule may have no bound
                found[rule.bound_name] = curve
        if self.online_rule.steps_count_mistakes:
            nearly = freund_schapire_curve(radius, margins, counts)
            if nearly[-1] < LARGEST_INFORMATIVE_SHARE * counts[-1]:
                found[FREUND_SCHAPIRE] = nearly
        return found

    def claims(self) -> list[tuple[str, str]]:
        words = [
            ("mistakes", f"{self.mistakes:g} in {self.examples:g} examples"),
            ("radius", f"{self.radius:.6g}"),
            ("best margin", f"at most {above(self.margin_upper_bound)}"),
            ("separates", "yes: the last pass made no mistake" if self.separates else "not shown"),
        ]
        if self.evidence.geometry.slack_feature:
            words.append(
                ("geometry", f"with a private feature of {self.evidence.geometry.slack_feature:g} for each example")
            )
        return words


def _separation(margins: Floats, errors: Floats, seen: NDArray[np.bool_]) -> Check:
    claim = "separates"
    rows = np.flatnonzero(seen)
    wrong = rows[margins[rows] + errors[rows] <= 0]
    if len(wrong):
        return Check(claim, "fails", f"row {wrong[0]} is on the wrong side", int(wrong[0]))
    unsure = rows[margins[rows] <= errors[rows]]
    if len(unsure):
        return Check(claim, "open", f"row {unsure[0]} is too close to the boundary for floating point", int(unsure[0]))
    return Check(claim, "holds", f"all {len(rows)} rows are on the right side")
