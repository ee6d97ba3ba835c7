"""The number of mistakes of an online learner, and its independent check in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count, counted
from novikoff._wide_array import stored
from novikoff.errors import input_error

from . import bounds
from .bound_curves import FREUND_SCHAPIRE, freund_schapire_curve
from .certificate import above
from .columns import compact
from .enclosed_sums import EPS
from .enclosure import Enclosure, agrees
from .evidence import Evidence
from .generalization import Generalization
from .geometry import Extended, Floats, Lifted, as_table, length_of
from .lifted import relative_to
from .margin_value import Margin, margin_number
from .online_certificate import OnlineCertificate
from .online_checks import OnlineChecks
from .rules import RULES, OnlineRule, Rule
from .running_scale import as_seen
from .verification import Check

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
    With ``exact``, ``verify`` decides in rational arithmetic what floating point leaves open: the sides of rows
    that are close to the plane, and bounds that are close to what the rows show.

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
    energy: Extended
    margin_upper_bound: Extended
    separates: bool
    passes: int
    evidence: Evidence

    def __post_init__(self) -> None:
        if self.margin_upper_bound == self.margin_upper_bound:  # not NaN, which a damaged file may have
            margin = Margin.of(self.margin_upper_bound, self.evidence.geometry)
            object.__setattr__(self, "margin_upper_bound", margin)

    @property
    def online_rule(self) -> OnlineRule:
        """The rule that the mistakes were made with."""
        return Rule(self.rule, self.parameter).implementation()

    def bound(self, margin: float) -> float:
        """Return the largest possible number of mistakes if a plane separates the data with this margin.

        Parameters
        ----------
        margin : float or Margin
            The margin of a plane, measured with the vectors u that the learner saw: with an intercept, u = (x, 1), and
            the margin is that of ``HardMarginSVM(penalized_intercept=True)``. An array of one number is accepted.

        Returns
        -------
        float
            The bound of the theorem that applies to the rule; infinity if the margin is not positive.

        Raises
        ------
        InvalidInputError
            If the margin is a ``Margin`` of another geometry, about which the theorem says nothing.
        """
        where = f"{type(self).__name__}.bound"
        return self.online_rule.bound(self.radius, margin_number(where, margin, self.evidence.geometry))

    def comparator_bound(self, X: Any, y: Any, coef: Any, intercept: float = 0.0, sample_weight: Any = None) -> float:
        """Return the bound on the mistakes of a perceptron that follows from any plane (Freund and Schapire 1999).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        coef : array-like of shape (n_features,)
            Weights of the plane, which need not separate the rows. With a running scale, it is a plane of the rows as
            they were seen.
        intercept : float, default=0.0
            Its intercept. Ignored if the learner has none.
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
        if self.passes == 0:
            message = "the model was learned by several fits, so the number of passes is not known. Fit it once."
            raise input_error("comparator_bound", message)
        X, signs = as_table(X), self.evidence.signs(y)
        if self.evidence.scale is not None:
            X, signs, sample_weight = self.evidence.examples(X, y, sample_weight)
            X = as_seen(X, sample_weight, self.evidence.scale.kind).X
        lifted = Lifted(X, self.evidence.geometry)
        weights = np.asarray(coef, dtype=np.float64).ravel()
        intercept = intercept if self.evidence.geometry.fit_intercept else 0.0
        margins = signs * lifted.scores(weights, intercept) / length_of(weights, intercept)
        return bounds.freund_schapire(self.radius, margins, sample_weight, self.passes)

    @property
    def generalization(self) -> Generalization | None:
        """What the mistakes of one pass say about new examples (Freund and Schapire 1999, section 4).

        None for other numbers of passes, for rules other than the perceptron, and with private features or a running
        scale, with which a hypothesis of the past is not applied to a row as it was then.
        """
        if (
            not self.online_rule.steps_count_mistakes
            or self.passes != 1
            or self.examples < 2
            or self.evidence.geometry.slack_feature
            or self.evidence.scale is not None
        ):
            return None
        return Generalization(
            min(1.0, 2 * self.mistakes / self.examples),
            f"if the {count(self.examples)} examples are independent draws from one distribution, each counted once, "
            "the vote of all hypotheses of a pass over all but one of them errs on a new example with a probability of "
            "at most the expectation of this number, twice the fraction of mistakes; here the number of mistakes was "
            f"{count(self.mistakes)}",
        )

    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        if self.passes < 0:
            return [Check("passes", "fails", counted(self.passes, "pass"))]
        found = self._check_data(checks)
        found += self.check_upper_bound("no separator has a larger margin", checks)
        rule = self.online_rule if self.rule in RULES else None
        if self.evidence.duals is not None and rule is not None and rule.steps_count_mistakes:
            steps = Enclosure.exactly(checks.combined.steps)
            found.append(agrees("mistakes, as the steps behind the weights", self.mistakes, steps, self.updates + 4))
        if self.separates:
            found.append(checks.separates())
        found.append(self._check_mistakes(checks, rule))
        words = {"rule": self.rule, "parameter": f"{self.parameter:g}", "passes": count(self.passes)}
        words["updates"] = count(self.updates)
        return found + [Check(name, "on trust", f"{value}, of the run") for name, value in words.items()]

    def _check_data(self, checks: OnlineChecks) -> list[Check]:
        """Check that these are the data that the learner saw, as far as sums over them tell."""
        if self.passes == 0:
            words = {"examples": self.examples, "positives": self.positives, "sum of squares": self.energy}
            trusted = [Check(name, "on trust", f"{count(value)}, of several fits") for name, value in words.items()]
            return [checks.radius(self.radius, one_sided=True), *trusted]
        return checks.data(self.radius, self.examples, self.positives, self.energy, self.passes)

    def check_learned(self, run: Any) -> list[Check]:
        passes = 1 if run.is_stream else run.passes or 0
        expected = (run.rule.name, run.rule.parameter, passes, run.rule.geometry)
        same = (self.rule, self.parameter, self.passes, self.evidence.geometry) == expected
        same = same and (self.evidence.scale is None) == (run.scale is None)
        words = f"rule, parameter, passes and geometry are {'' if same else 'not '}those of the run"
        return [Check("run record", "holds" if same else "fails", words)]

    def _check_mistakes(self, checks: OnlineChecks, rule: OnlineRule | None) -> Check:
        """Compare the number of mistakes with the bound that follows from the model itself."""
        if not 0 <= self.mistakes <= self.examples < np.inf:
            return Check("mistakes", "fails", f"{count(self.mistakes)} in {counted(self.examples, 'example')}")
        if self.passes == 0:
            return Check("mistakes", "on trust", f"{count(self.mistakes)}, of several fits")
        most = None if rule is None or not rule.has_valid_parameter() else self._most_mistakes(checks, rule)
        if most is None or most == np.inf:
            return Check("mistakes", "on trust", count(self.mistakes))
        made, allowed = count(self.mistakes), count(most)
        if self.mistakes <= most:
            return Check("mistakes", "on trust", f"{made}, and the theorem allows at most {allowed}")
        return Check("mistakes", "fails", f"{made}, but the theorem allows at most {allowed}")

    def _most_mistakes(self, checks: OnlineChecks, rule: OnlineRule) -> float | None:
        """Return an upper bound on the mistakes by the theorem that applies; None if none does.

        The theorems assume exact scores. Rounding lets a run make updates at margins that are up to (d + 8) roundings
        of |v| |u| above 0, and moves v by a rounding of itself with each update; both lengthen v, and so increase the
        bound, by a fraction that is at most their number.
        """
        length, radius = checks.squared_length, checks.squared_radius
        if self.evidence.geometry.slack_feature or not length.low > 0 or not (length.is_bounded and radius.is_bounded):
            return None
        margin = checks.smallest_margin.signed_square() / length
        if self.separates and margin.low > 0:
            most = rule.bound(radius.root().outer_high(), Enclosure(margin.low, margin.low).root().outer_low())
        elif rule.steps_count_mistakes and radius.low > 0:
            relative = relative_to(checks.margins, (length * radius).root())
            most = bounds.freund_schapire(1.0, relative, checks.copies, self.passes)
        else:
            return None
        roundings = 4 * (checks.width + 8) * (max(0, self.updates) + 8) + len(checks.copies) + 64
        return most * (1 + roundings * EPS)

    def explain(self) -> str:
        words = (
            f"Each of {counted(self.examples, 'example')} was scored by the latest weights before its label was seen. "
            f"The number of scores that were not on the side of the label was {count(self.mistakes)}. No plane "
            f"separates the examples with a margin above {above(self.margin_upper_bound)}: the sum of the examples "
            "that it learned from proves it. "
        )
        if self.separates and self.evidence.geometry.slack_feature:
            return words + (
                "The last pass made no mistake: in the space in which each example has a private feature of its own, "
                "the weights have every example on its side. Predictions are made without these features, so some "
                "examples may be on the wrong side; verify counts those on the right side."
            )
        if self.separates:
            return words + "The last pass made no mistake: the weights it ended with have every example on its side."
        return words + "The model was not shown to separate them."

    def _separates_in_words(self) -> str:
        if not self.separates:
            return "not shown"
        within = "with private features, but perhaps not without" if self.evidence.geometry.slack_feature else "yes"
        return f"{within}: the last pass made no mistake"

    def bound_curves(
        self, X: Any, y: Any, weights: Floats, intercept: float, counts: NDArray[np.int64]
    ) -> dict[str, Floats]:
        geometry = self.evidence.geometry
        if geometry.slack_feature or geometry.scale or len(weights) != X.shape[1] or not np.any(stored(weights)):
            return {}
        X, weights = compact(X, weights)
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
            ("mistakes", f"{count(self.mistakes)} in {counted(self.examples, 'example')}"),
            ("radius", f"{self.radius:.6g}" if self.passes else f"at most {above(self.radius)}"),
            ("best margin", f"at most {above(self.margin_upper_bound)}"),
            ("separates", self._separates_in_words()),
        ]
        geometry = self.evidence.geometry
        parts = ["columns scaled by what was seen of them"] * (geometry.scale is not None)
        parts += ["examples scaled to unit length"] * geometry.normalize
        parts += [f"a private feature of {geometry.slack_feature:g} for each example"] * (geometry.slack_feature > 0)
        return [*words, ("geometry", " and ".join(parts))] if parts else words
