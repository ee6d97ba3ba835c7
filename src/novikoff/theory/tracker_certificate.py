"""The certificate of a mixture of online learners: how many mistakes it made, and how many its best member."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count, counted

from . import mixture_bounds
from .certificate import Certificate, above, misfit
from .enclosed_sums import exact_total
from .enclosure import Enclosure, agrees
from .geometry import Floats, as_table, copies_apart
from .mixture_replay import MAX_CHANGES, VOTES, MixtureReplay, predictions_of
from .replayed_run import EPS
from .rules import RULES, Rule
from .verification import Check, Verification

MAX_COPIES = 100_000_000  # of rows: each copy is predicted


@dataclass(frozen=True)
class MemberMistakes:
    """The mistakes of one member of a mixture.

    Parameters
    ----------
    name : str
        The class of the learner.
    rule : Rule
        The rule that it learns by.
    mistakes : float
        The weight of the examples whose label it did not predict.
    decayed_mistakes : float
        The same with each mistake multiplied by the decay of every later example.
    share : float
        Its part of the total weight of fixed share; that of equal weights in other mixtures.
    """

    name: str
    rule: Rule
    mistakes: float
    decayed_mistakes: float
    share: float


@dataclass(frozen=True, repr=False, eq=False)
class TrackerCertificate(Certificate):
    """The mistakes of a mixture of online learners on a stream, and a bound on them by those of its members.

    A mistake is a prediction, before the label was seen, of another label or of none. Examples of weight k count as k,
    each of which is predicted; one that was served before its label came is predicted once, and counts k times.

    Parameters
    ----------
    vote : {"leader", "majority", "share"}
        How the predictions of the members become one.
    decay : float
        The factor of all decayed counts before each example.
    beta : float
        The factor of the weight of a member for each of its mistakes; used by "majority" and "share".
    share : float
        The fraction of its weight that each member gives to the others after each example; used by "share".
    members : tuple of MemberMistakes
        The mistakes of the members.
    mistakes, decayed_mistakes : float
        Those of the mixture.
    examples : float
        The weight of all examples.
    rounds : int
        The number of examples, of which one of weight 2.5 counts as three.
    sequences : tuple of float
        For "share", the fewest mistakes of a sequence of members that changes at most 0, 1, 2, ... times; else empty.
    classes : tuple
        The labels in ascending order.
    class_examples : tuple of float
        The weight of the examples of each label.
    declared : bool
        Whether all labels were known from the start.
    n_features : int
        The number of columns.
    delay : int, default=0
        The largest number of examples that were learned between a prediction and its own label.
    is_constant_delay : bool, default=True
        Whether so many were learned in between for all examples, or all that came before. Otherwise, the data do not
        show which weights served a prediction, and the counts cannot be verified.

    See Also
    --------
    novikoff.Tracker : The learner.

    Examples
    --------
    >>> from novikoff import Perceptron, PassiveAggressiveI, Tracker
    >>> X, y = [[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]
    >>> certificate = Tracker([Perceptron(), PassiveAggressiveI()], decay=1.0).partial_fit(X, y).certificate_
    >>> certificate.mistakes, certificate.bound
    (2.0, 5.0)
    """

    vote: str
    decay: float
    beta: float
    share: float
    members: tuple[MemberMistakes, ...]
    mistakes: float
    decayed_mistakes: float
    examples: float
    rounds: int
    sequences: tuple[float, ...]
    classes: tuple[Any, ...]
    class_examples: tuple[float, ...]
    declared: bool
    n_features: int
    delay: int = 0
    is_constant_delay: bool = True

    @property
    def bound(self) -> float:
        """The largest number of mistakes that the theorem allows, given those of the members (docs/theory.md N).

        For "leader" and "majority", it bounds the decayed mistakes, by those of the member with the fewest (N4; N1 and
        N2). For "share" it bounds all mistakes, by those of the best sequence of members (N5). With a delay, P5, P4 and
        P6 hold instead.
        """
        best, members, late = min(member.decayed_mistakes for member in self.members), len(self.members), self.delay
        if self.vote == "leader":
            return mixture_bounds.fewest_mistakes(best, members, late, self.decay)
        if self.vote == "majority":
            return mixture_bounds.weighted_majority(best, members, self.beta, late, self.decay)
        return min(
            mixture_bounds.fixed_share(fewest, changes, self.rounds, members, self.beta, self.share, late)
            for changes, fewest in enumerate(self.sequences)
            if changes < max(1, self.rounds)
        )

    def claims(self) -> list[tuple[str, str]]:
        bounded = "mistakes" if self.vote == "share" else "decayed mistakes"
        found = [("mistakes", f"{count(self.mistakes)} in {counted(self.examples, 'example')}")]
        if self.delay:
            between = f"{'' if self.is_constant_delay else 'at most '}{counted(self.delay, 'label')}"
            found.append(("delay", f"{between} learned between a prediction and its own"))
        if self.vote != "share":
            found.append(("decayed mistakes", f"{self.decayed_mistakes:.6g}"))
        limit = self.bound
        words = f"at most {above(limit)}" if limit < math.inf else "none, because the delay is too long"
        found.append((f"bound on the {bounded}", words))
        for place, member in enumerate(self.members):
            words = f"{member.name}: {counted(member.mistakes, 'mistake')}, {member.decayed_mistakes:.6g} decayed"
            found.append((f"member {place + 1}", words))
        return found

    def explain(self) -> str:
        extra = "(N - 1)(1 + decay + ... + decay^delay)" if self.delay else "N - 1"
        how = {
            "leader": "the member with the fewest mistakes predicted, where older mistakes count less; its decayed "
            f"mistakes are at most N m + {extra}, with N members of which the best has m",
            "majority": "the members voted, each with a weight that falls with its decayed mistakes (Littlestone and "
            "Warmuth), which bounds the decayed mistakes by those of the best member",
            "share": "the members voted with weights that fall with their mistakes and are shared (Herbster and "
            "Warmuth), which bounds the mistakes by those of the best sequence of members",
        }
        late = ""
        if self.delay:
            late = (
                f" Labels came late: up to {counted(self.delay, 'other label')} were learned between a prediction and "
                "its own. The mistakes are those of the predictions that were served, for which the bound is weaker."
            )
        return (
            f"Each of {counted(self.examples, 'example')} was predicted before its label was seen, by "
            f"{counted(len(self.members), 'member')}: {how[self.vote]}. The number of wrong predictions was "
            f"{count(self.mistakes)}.{late}"
        )

    def stated(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("vote", "decay", "beta", "share")}

    def fitted(self) -> dict[str, Any]:
        counts = [member.decayed_mistakes for member in self.members]
        return {"leader_": counts.index(min(counts))}

    def labels(self) -> tuple[Any, ...]:
        return self.classes

    def check_learned(self, run: Any) -> list[Check]:
        """Check that the members are of the classes, and learned by the rules, that the certificate states."""
        learned = [(record.learner, record.problems[0].run) for record in run]
        found = [(name, own.rule, own.is_stream) for name, own in learned if own is not None]
        same = found == [(member.name, member.rule, True) for member in self.members]
        words = f"names and rules are {'' if same else 'not '}those of the runs of the members"
        return [Check("run record", "holds" if same else "fails", words)]

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        unfit = misfit(X, y, sample_weight, columns=self.n_features) or self._impossible()
        if unfit is not None:
            return Verification((unfit,))
        labels, weights = np.ravel(np.asarray(y)), np.ones(X.shape[0])
        if sample_weight is not None:
            weights = weights * np.asarray(sample_weight, dtype=np.float64)
        if weights.sum() > MAX_COPIES:
            return Verification((Check("data", "fails", f"the weights add up to more than {MAX_COPIES} examples"),))
        seen = np.flatnonzero(weights)
        index, amounts = copies_apart(weights[seen])
        index = seen[index]
        codes = self._codes(labels[index])
        if isinstance(codes, Check):
            return Verification((codes,))
        checks = [
            agrees("examples", self.examples, Enclosure.exactly(exact_total(amounts)), 2 * len(amounts)),
            _equal("rounds", self.rounds, len(index)),
        ]
        for code, (label, claimed) in enumerate(zip(self.classes, self.class_examples, strict=True)):
            truth = Enclosure.exactly(exact_total(amounts[codes == code]))
            checks.append(agrees(f"examples of {label!r}", claimed, truth, 4 * len(amounts)))
        if not any(check.status == "fails" for check in checks):
            checks += self._check_run(X[index], codes, amounts)
        return Verification(tuple(checks))

    def _impossible(self) -> Check | None:
        """Return a failed check if no mixture can have these numbers; the replay needs them."""
        numbers = [self.mistakes, self.decayed_mistakes, self.examples, *self.sequences, *self.class_examples]
        numbers += [n for member in self.members for n in (member.mistakes, member.decayed_mistakes, member.share)]
        wanted = MAX_CHANGES + 1 if self.vote == "share" else 0
        possible = {
            "vote": self.vote in VOTES,
            "members": len(self.members) > (self.vote == "share"),
            "decay": 0 < self.decay <= 1,
            "beta": 0 < self.beta < 1,
            "share": 0 < self.share < 1 and (self.vote != "share" or self.share <= 0.5),
            "counts": all(isinstance(n, int | float) and 0 <= n < math.inf for n in numbers) and self.rounds >= 0,
            "delay": 0 <= self.delay < max(1, self.rounds),
            "sequences": len(self.sequences) == wanted,
            "classes": len(set(self.classes)) == len(self.classes) == len(self.class_examples) > 0,
            "rules": all(member.rule.name in RULES for member in self.members),
        }
        wrong = [name for name, is_possible in possible.items() if not is_possible]
        return Check(wrong[0], "fails", "no mixture can have these") if wrong else None

    def _codes(self, labels: NDArray[Any]) -> NDArray[np.int64] | Check:
        """Return the codes of the labels, which must be those of the certificate."""
        code_of = {label: code for code, label in enumerate(self.classes)}
        found = [code_of.get(label, -1) for label in labels.tolist()]
        if -1 in found:
            return Check("labels", "fails", f"{labels.tolist()[found.index(-1)]!r} is not one that the model knows")
        if not self.declared and len(set(found)) < len(self.classes):
            return Check("labels", "fails", "the model knows labels that do not occur")
        return np.array(found, dtype=np.int64)

    def _check_run(self, X: Any, codes: NDArray[np.int64], amounts: Floats) -> list[Check]:
        """Repeat the runs of all members, and the mixture of them."""
        if not self.is_constant_delay:
            words = f"the data do not show which weights served each prediction; labels came up to {self.delay} later"
            return [Check("served predictions", "open", words), self._check_bound()]
        stream, known = (X, codes, amounts), (len(self.classes), self.declared)
        every = [predictions_of(*stream, member.rule, *known, self.delay) for member in self.members]
        again = MixtureReplay(len(every), self.vote, self.decay, self.beta, self.share)
        again.run(np.array([own.codes for own in every]), codes, amounts, self.delay)
        more = 4 * len(codes) + 16
        names = [f"member {place + 1}" for place in range(len(every))] + ["mixture"]
        claimed: list[MemberMistakes | TrackerCertificate] = [*self.members, self]
        checks = []
        for name, own, plain, decayed in zip(names, claimed, again.mistakes, again.decayed, strict=True):
            checks.append(agrees(f"mistakes of {name}", own.mistakes, Enclosure.exactly(plain), more))
            checks.append(agrees(f"decayed mistakes of {name}", own.decayed_mistakes, Enclosure.exactly(decayed), more))
        each = 4 * (len(every) + 64)  # roundings of a weight: a power by up to 63 products, and the sum of all weights
        for place, part in enumerate((again.weights / again.weights.sum()).tolist()):
            roundings = each * (len(codes) + 4)
            stated = self.members[place].share
            check = agrees(f"share of member {place + 1}", stated, Enclosure.exactly(part), roundings)
            if self.vote == "share" or check.status != "holds":  # shares of other mixtures are equal and say nothing
                checks.append(check)
        for changes, fewest in enumerate(self.sequences):
            truth = Enclosure.exactly(float(again.fewest[changes].min()))
            checks.append(agrees(f"best sequence with {counted(changes, 'change')}", fewest, truth, more))
        doubts = [own.doubtful for own in every if own.doubtful is not None]
        doubts_of_vote = doubts if again.doubtful is None else [*doubts, again.doubtful]
        return [
            *(_open_if(doubts_of_vote if check.claim.endswith("of mixture") else doubts, check) for check in checks),
            self._check_bound(),
        ]

    def _check_bound(self) -> Check:
        """Compare the mistakes with the bound, with an allowance for the rounding errors of all counts and weights.

        Each example changes the decayed counts, and the logarithm of the total weight, by a few roundings per member.
        """
        made = self.mistakes if self.vote == "share" else self.decayed_mistakes
        each = 4 * (len(self.members) + 64) * EPS
        progress = 1.0
        if self.vote == "majority":
            progress = mixture_bounds.majority_progress(self.beta, len(self.members), self.delay, self.decay)
        elif self.vote == "share":
            progress = mixture_bounds.share_progress(self.beta, self.share, self.delay)
        allowed = self.bound * (1 + each * (self.rounds + 4))
        allowed += each * self.rounds / progress if progress > 0 else 0.0  # the bound is then infinite
        what = "mistakes" if self.vote == "share" else "decayed mistakes"
        words = f"{made:.6g} {what}, and the theorem allows at most {above(self.bound)}"
        return Check("bound", "holds" if made <= allowed else "fails", words)


def _open_if(doubts: list[int], check: Check) -> Check:
    """Return a check that does not fail if rounding may have decided one of these rows."""
    if check.status != "fails" or not doubts:
        return check
    words = f"; row {min(doubts)} is so close that rounding may have decided it"
    return dataclasses.replace(check, status="open", detail=check.detail + words)


def _equal(claim: str, claimed: int, found: int) -> Check:
    return Check(claim, "holds" if claimed == found else "fails", f"claimed {claimed}, found {found}")
