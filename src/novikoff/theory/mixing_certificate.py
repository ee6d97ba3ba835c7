"""What an online learner proves whose weights were mixed from those of partitions, and its check in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff._counts import count, counted

from . import mixing_bounds
from .certificate import above
from .enclosed_sums import EPS, exact_total
from .enclosure import Enclosure, agrees, at_most
from .evidence import Evidence
from .geometry import Extended
from .margin_value import Margin, margin_number
from .mixing import Mixing
from .mixing_replay import MixedReplay, replay_mixing
from .online_certificate import OnlineCertificate
from .online_checks import OnlineChecks
from .replay import with_doubt
from .rules import OnlineRule, Rule
from .verification import Check, Status

MIXED_RULES = (  # for which I1 or I2 is proved
    "perceptron",
    "passive-aggressive",
    "passive-aggressive I",
    "passive-aggressive II",
)
ERRORS = "rows on the wrong side"  # a claim


@dataclass(frozen=True, repr=False, eq=False)
class MixingCertificate(OnlineCertificate):
    """How many mistakes an online learner made on partitioned data, and an upper bound on the margin of the data.

    In each round every partition runs the learner over its own rows, from common weights v, and makes k_i mistakes. The
    next v is the mean of what the partitions end with, with the shares mu_i = k_i / (k_1 + ... + k_S). Two numbers are
    counted: the sum of mu_i k_i over rounds and partitions, which every bound on the mistakes of one sequential run
    bounds (docs/theory.md, I1 and I2), and the sum of all k_i, which is at most S times as large (I3).

    Parameters
    ----------
    rule : str
        The rule of the learner, which determines the bound on the mistakes.
    parameter : float
        The parameter of the rule.
    examples : float
        Number of examples in all rounds, each predicted before its label was seen, or the sum of their weights.
    positives : float
        The same for the positive examples.
    mistakes : float
        Number of wrong predictions of all partitions together.
    weighted_mistakes : float
        The sum of mu_i k_i, which the theorem of the rule bounds.
    updates : int
        Number of updates of all partitions together.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2 over all examples of all rounds.
    margin_upper_bound : float
        No plane separates the examples with a larger margin. There may be no plane that separates them at all.
    evidence : Evidence
        The final weights, and the examples that they are a weighted sum of.
    mixing : Mixing
        The partitions, the mistakes of each of them in each round, and how the rows were visited.

    See Also
    --------
    novikoff.theory.MistakeCertificate : The certificate of one sequential run.

    Notes
    -----
    ``verify`` takes the rows of all partitions in their order, and repeats the run row by row.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.distributed import fit
    >>> X, y = [[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]
    >>> certificate = fit(Perceptron(), X, y, on="local:2").certificate_
    >>> certificate.mistakes, certificate.separates
    (3.0, True)
    """

    rule: str
    parameter: float
    examples: float
    positives: float
    mistakes: float
    weighted_mistakes: float
    updates: int
    radius: float
    energy: Extended
    margin_upper_bound: Extended
    evidence: Evidence
    mixing: Mixing

    def __post_init__(self) -> None:
        if self.margin_upper_bound == self.margin_upper_bound:  # not NaN, which a damaged file may have
            margin = Margin.of(self.margin_upper_bound, self.evidence.geometry)
            object.__setattr__(self, "margin_upper_bound", margin)

    @property
    def online_rule(self) -> OnlineRule:
        """The rule that the mistakes were made with."""
        return Rule(self.rule, self.parameter, self.mixing.tie).implementation()

    @property
    def passes(self) -> int:
        """The number of rounds, each of which is one pass over all rows."""
        return self.mixing.rounds

    @property
    def separates(self) -> bool:
        """Whether the final weights have every row on its side."""
        return self.mixing.errors == 0

    @property
    def needs_replay(self) -> bool:
        """Whether the run must be repeated to show the weights: ``verify`` does so."""
        return False

    def bound(self, margin: float) -> float:
        """Return what ``weighted_mistakes`` cannot exceed if a plane separates the data with this margin.

        Parameters
        ----------
        margin : float or Margin
            The margin of a plane, measured with the vectors u that the learner saw: with an intercept, u = (x, 1).

        Returns
        -------
        float
            The bound of the rule; infinity if the margin is not positive.
        """
        where = f"{type(self).__name__}.bound"
        return self.online_rule.bound(self.radius, margin_number(where, margin, self.evidence.geometry))

    def total_bound(self, margin: float) -> float:
        """Return what ``mistakes`` cannot exceed if a plane separates the data with this margin (docs/theory.md, I3).

        Parameters
        ----------
        margin : float or Margin
            As for ``bound``.

        Returns
        -------
        float
            ``bound`` times the number of partitions that have rows.
        """
        return mixing_bounds.total_mistakes(self.bound(margin), self.mixing.partitions)

    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        if unfit := self.mixing.misfit(checks.count) or self._misfit_of_run():
            return [unfit]
        found = checks.data(self.radius, self.examples, self.positives, self.energy, self.passes)
        found += self._check_sum(checks)
        found.append(self._check_errors(checks))
        found += self._check_counts(checks)
        words = {"rule": self.rule, "parameter": f"{self.parameter:g}", "tie": self.mixing.tie}
        words |= {"seed": str(self.mixing.seed), "shuffle": str(self.mixing.shuffle)}
        found += [Check(name, "on trust", f"{value}, of the run") for name, value in words.items()]
        return found if any(check.status == "fails" for check in found) else found + self._check_run(checks)

    def _misfit_of_run(self) -> Check | None:
        """Return a failed check if no run on partitions has this rule, this geometry, or no rows behind its weights."""
        geometry = self.evidence.geometry
        if self.rule not in MIXED_RULES or not self.online_rule.has_valid_parameter():
            return Check("rule", "fails", f"no run on partitions has {self.rule!r} with {self.parameter:g}")
        if geometry.slack_feature or geometry.scale is not None or self.evidence.duals is None:
            return Check("weights", "fails", "private features, a scale or no rows behind them: no run on partitions")
        return None

    def _check_sum(self, checks: OnlineChecks) -> list[Check]:
        """Check the weights and the bound on all margins; a mean of S vectors has about log S roundings."""
        of_means = 4 * self.passes * (len(self.mixing.rows).bit_length() + 4)
        if self.margin_upper_bound == np.inf:
            bound = Check("no separator has a larger margin", "on trust", "no bound is claimed")
        else:
            bound = checks.margin_upper_bound("no separator has a larger margin", self.margin_upper_bound)
        return [checks.weights(self.updates + of_means), bound]

    def _check_errors(self, checks: OnlineChecks) -> Check:
        """Check the number of rows that are not on the right side of the final weights."""
        wrong, unsure = errors_of(checks)
        if len(unsure):
            detail = f"row {unsure[0]} is too close to the boundary for floating point"
            return Check(ERRORS, "open", detail, int(unsure[0]))
        total = Enclosure.exactly(exact_total(checks.copies[wrong]))
        found = agrees(ERRORS, self.mixing.errors, total, checks.count + 4)
        return replace(found, row=int(wrong[0])) if found.status == "fails" and len(wrong) else found

    def _check_counts(self, checks: OnlineChecks) -> list[Check]:
        """Check the sums over the mistakes of all rounds, and what the theorem of the rule says about them."""
        if not 0 <= self.mistakes <= self.examples < np.inf:
            return [Check("mistakes", "fails", f"{count(self.mistakes)} in {counted(self.examples, 'example')}")]
        each, roundings = self.mixing.mistakes, self.mixing.mistakes.size + 16
        weighted = mixing_bounds.weighted_mistakes(each)
        found = [
            agrees("mistakes", self.mistakes, Enclosure.exactly(exact_total(each.ravel())), roundings),
            agrees("weighted mistakes", self.weighted_mistakes, Enclosure.exactly(weighted), roundings),
        ]
        if self.online_rule.steps_count_mistakes:
            steps, more = Enclosure.exactly(checks.combined.steps), 4 * self.passes + self.updates + 16
            found.append(
                agrees("weighted mistakes, as the steps behind the weights", self.weighted_mistakes, steps, more)
            )
        most = self._most_mistakes(checks)
        if most < np.inf:
            status: Status = "holds" if self.weighted_mistakes <= most else "fails"
            words = f"{self.weighted_mistakes:.6g} weighted mistakes, and the theorem allows at most {above(most)}"
            found.append(Check("bound of the theorem", status, words))
        return found

    def _most_mistakes(self, checks: OnlineChecks) -> float:
        """Return an upper bound on the weighted mistakes by the theorem of the rule; infinity if rows are not apart.

        Rounding is allowed for as in a ``MistakeCertificate``.
        """
        squared_margin = checks.smallest_margin.signed_square() / checks.squared_length
        radius, margin = checks.squared_radius.root().outer_high(), squared_margin.root().outer_low()
        roundings = 4 * (checks.width + 8) * (self.updates + 8 * self.passes + 8) + len(checks.copies) + 64
        return self.online_rule.bound(radius, margin) * (1 + roundings * EPS)

    def _check_run(self, checks: OnlineChecks) -> list[Check]:
        """Repeat the run, and compare."""
        geometry = self.evidence.geometry
        run = replay_mixing(checks.given, checks.signs, checks.copies, self.online_rule, geometry, self.mixing)
        return with_doubt(self._compared(run), run.doubtful)

    def _compared(self, run: MixedReplay) -> list[Check]:
        gap = run.distance(self.evidence.weights, self.evidence.intercept)
        weights = replace(
            at_most("run", run.rounding, gap, squared=True),
            detail=f"repeated, its weights differ by {gap.root().outer_high():.3g}",
        )
        claim, roundings = "mistakes of each partition in each round", 2 * run.visits + 4
        differing = [
            agrees(claim, claimed, Enclosure.exactly(found), roundings)
            for own, others in zip(self.mixing.mistakes.tolist(), run.mistakes, strict=True)
            for claimed, found in zip(own, others, strict=True)
            if Fraction(claimed) != found
        ]
        wrong = next((check for check in differing if check.status == "fails"), None)
        words = f"{counted(self.passes, 'round')} of {counted(len(self.mixing.rows), 'partition')}, as repeated"
        same = Check(claim, "holds", words) if wrong is None else wrong
        status: Status = "holds" if self.updates == run.updates else "fails"
        updates = Check("updates of the run", status, f"claimed {count(self.updates)}, found {count(run.updates)}")
        return [weights, same, updates]

    def check_learned(self, run: Any) -> list[Check]:
        rule, mixing = run.rule, run.mixing
        expected = (rule.name, rule.parameter, rule.tie, rule.geometry, run.passes)
        same = (self.rule, self.parameter, self.mixing.tie, self.evidence.geometry, self.passes) == expected
        same = same and mixing is not None and np.array_equal(mixing.rows, self.mixing.rows)
        same = same and (mixing.seed, mixing.shuffle) == (self.mixing.seed, self.mixing.shuffle)
        words = f"rule, parameter, geometry, partitions, rounds and seed are {'' if same else 'not '}those of the run"
        return [Check("run record", "holds" if same else "fails", words)]

    def explain(self) -> str:
        words = (
            f"The rows are in {counted(len(self.mixing.rows), 'partition')}. In each of "
            f"{counted(self.passes, 'round')}, every partition ran the learner over its own rows, from common weights, "
            "and scored each example before its label was seen. The next common weights are the mean of those that "
            "the partitions ended with, with shares in proportion to their mistakes. The number of scores that were "
            f"not on the side of the label was {count(self.mistakes)} in {counted(self.examples, 'example')}. "
            "Multiplied by the shares, the mistakes of all partitions and rounds add up to "
            f"{self.weighted_mistakes:.6g}: this number is at most what the theorem of the rule allows in one run over "
            "all rows, and the number of all mistakes is at most as many times that as there are partitions. "
            f"No plane separates the examples with a margin above {above(self.margin_upper_bound)}: the weighted sum "
            "of the examples that were learned from proves it. "
        )
        return words + f"{self._errors_in_words()}."

    def _errors_in_words(self) -> str:
        if self.separates:
            return "The final weights have every row on its side"
        return f"The final weights do not have {counted(self.mixing.errors, 'row')} on the right side"

    def claims(self) -> list[tuple[str, str]]:
        words = [
            ("mistakes", f"{count(self.mistakes)} in {counted(self.examples, 'example')}, of all partitions"),
            ("weighted mistakes", f"{self.weighted_mistakes:.6g}, which the theorem of the rule bounds"),
            ("rounds", f"{count(self.passes)}, each over {counted(len(self.mixing.rows), 'partition')}"),
            (ERRORS, count(self.mixing.errors)),
            ("radius", f"{self.radius:.6g}"),
            ("best margin", f"at most {above(self.margin_upper_bound)}"),
        ]
        if self.evidence.geometry.normalize:
            words.append(("geometry", "examples scaled to unit length"))
        return words


def errors_of(checks: OnlineChecks) -> tuple[Any, Any]:
    """Return the rows with y v.u <= 0, and those about which floating point does not decide; none if exact.

    Parameters
    ----------
    checks : OnlineChecks
        The model and the rows; those of weight 0 do not count.

    Returns
    -------
    tuple of (ndarray of int64, ndarray of int64)
        The numbers of the rows.
    """
    low, high = (ends[checks.seen] for ends in checks.margins.ends())
    wrong, unsure = checks.seen[high <= 0], checks.seen[(low <= 0) & (high > 0)]
    if not checks.exact or not len(unsure):
        return wrong, unsure
    model = checks.model
    found = checks.exactly.margins(unsure, model.weights, model.intercept, None)
    more = [row for row, margin in found if not margin.is_positive()]
    return np.sort(np.append(wrong, np.array(more, dtype=np.int64))), unsure[:0]
