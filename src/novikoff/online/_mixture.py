"""What a mixture of learners counts, and how the predictions of its members become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._validation import check_choice, check_number
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats
from novikoff.theory.mixture_replay import MAX_CHANGES, NOBODY, VOTES

from ._problem_state import Count

Codes = NDArray[np.int32]
MAX_BETA = 0.999  # with a larger factor, a bound would say nothing
MAX_SHARE = 0.5  # of two members, which then share all
RIGHT, ONE = np.zeros(1, dtype=np.int32), np.ones(1)  # the code of a label that is the right one, and a weight


@dataclass(frozen=True)
class Vote:
    """How the predictions of the members become one, with checked parameters."""

    kind: str
    decay: float
    beta: float
    share: float

    @classmethod
    def of(cls, model: Any, members: int) -> Vote:
        """Check the parameters of a tracker of so many members."""
        return cls(model.vote, model.decay, model.beta, model.share).check(type(model).__name__, members)

    def check(self, where: str, members: int) -> Vote:
        """Refuse parameters that a tracker of so many members cannot have; return them as floats."""
        kind = check_choice(where, "vote", self.kind, VOTES)
        decay = check_number(where, "decay", self.decay, above=0, at_most=1)
        beta = check_number(where, "beta", self.beta, above=0, at_most=MAX_BETA)
        share = check_number(where, "share", self.share, above=0, at_most=MAX_SHARE)
        if kind == "share" and members < 2:
            raise input_error(where, 'vote="share" needs at least two learners.')
        return Vote(kind, decay, beta, share)


@dataclass(frozen=True)
class MixtureCounts:
    """What a mixture of N members has counted. It is never modified.

    ``decayed``, ``whole`` and ``part`` have the mistakes of the members, and last those of the mixture: decayed, of
    whole weight, and the sum of fractions. ``shares`` are the weights of fixed share, of which only the ratios matter;
    they stay 1 in other mixtures. ``fewest`` has the mistakes of the
    best sequences of members, by the number of changes and by their last member. ``rounds`` are the examples, of which
    one of weight 2.5 counts as three, and ``examples`` is their weight. ``delay`` is the largest number of rounds that
    were learned between a prediction and its own label, and ``is_constant_delay`` says whether it was always the same.
    """

    decayed: Floats
    whole: Floats
    part: Floats
    shares: Floats
    fewest: Floats
    rounds: int
    examples: Count
    delay: int = 0
    is_constant_delay: bool = True

    @classmethod
    def none(cls, members: int) -> MixtureCounts:
        """Return counts of 0."""
        fewest = np.zeros((MAX_CHANGES + 1) * members)
        decayed, whole, part = np.zeros((3, members + 1))
        return cls(decayed, whole, part, np.ones(members), fewest, 0, Count(0, 0.0))

    @property
    def members(self) -> int:
        """The number of members."""
        return len(self.shares)

    @property
    def mistakes(self) -> list[float]:
        """The mistakes of the members, and last those of the mixture."""
        found: list[float] = (self.whole + self.part).tolist()
        return found

    def leader(self) -> int:
        """Return the member with the fewest decayed mistakes; of several, the first."""
        return int(np.argmin(self.decayed[:-1]))

    def vote_weights(self, vote: Vote) -> list[float]:
        """Return the weight of each member in a vote."""
        if vote.kind == "share":
            found: list[float] = self.shares.tolist()
            return found
        counts = (self.decayed[:-1] * vote.decay).tolist()  # they decay before the next vote
        least = min(counts)
        return [_core.power(vote.beta, count - least) for count in counts]

    def after(self, vote: Vote, predictions: Codes, labels: Codes, amounts: Floats) -> tuple[MixtureCounts, Codes]:
        """Return the counts after some examples, and the codes that the mixture predicts for them.

        Parameters
        ----------
        vote : Vote
            How predictions become one.
        predictions : ndarray of int32, of shape (n_members, n_samples)
            The code that each member predicts; below 0 for none.
        labels : ndarray of int32
            The codes of the labels.
        amounts : ndarray of float64
            Weights of at most 1; an example of weight 0 is predicted, and not counted.
        """
        predictions[:, self._before_the_first(amounts)] = NOBODY
        chosen = np.empty(len(labels), dtype=np.int32)
        held = self.mixed(vote, predictions, labels, amounts, chosen)
        return MixtureCounts(**held, **self.rounds_after(amounts, at_once(amounts))), chosen

    def leaders(self, vote: Vote, predictions: Codes, labels: Codes, amounts: Floats) -> Codes:
        """Return the leader before each of these examples, which are those of ``after``; -1 before the first round."""
        chosen, found = np.empty((2, len(labels)), dtype=np.int32)
        unknown = self._before_the_first(amounts)
        predictions[:, unknown] = NOBODY
        self.mixed(vote, predictions, labels, amounts, chosen, found)
        found[unknown] = NOBODY
        return found

    def _before_the_first(self, amounts: Floats) -> slice:
        """Return the examples up to the first that counts: no member knows a label before it, even a declared one."""
        if self.rounds:
            return slice(0)
        first = np.flatnonzero(amounts)[:1]
        return slice(int(first[0]) + 1) if len(first) else slice(None)

    def after_one(self, vote: Vote, labels: Sequence[Any], y: Any) -> MixtureCounts:
        """Return the counts after one example of weight 1 and label y, for which the members predict these labels."""
        codes = [1 + labels.index(label) if label != y else 0 for label in labels]  # equal for equal labels
        predictions = np.array(codes if self.rounds else [NOBODY] * len(codes), dtype=np.int32)
        held = self.mixed(vote, predictions, RIGHT, ONE, np.empty(1, dtype=np.int32))
        return MixtureCounts(**held, **self.rounds_after_one(1.0, 0))

    def choose(self, vote: Vote, predictions: Codes) -> Codes:
        """Return the codes that the mixture predicts, given those of its members."""
        rows = predictions.shape[1]
        chosen = np.empty(rows, dtype=np.int32)
        self.mixed(vote, predictions, np.zeros(rows, dtype=np.int32), np.zeros(rows), chosen)
        return chosen

    def rounds_after(self, amounts: Floats, behind: NDArray[np.int64]) -> dict[str, Any]:
        """Return the numbers of rounds, and their delay, after further rounds of these weights.

        The delay is constant if min(t, delay) other rounds were learned between prediction and label of round t, for
        every t: all labels are missing at first, and then the same number. It is the same however rounds are grouped.

        Parameters
        ----------
        amounts : ndarray of float64
            Weights of at most 1; those that are 0 are not counted.
        behind : ndarray of int64
            How many rounds were learned between the prediction and the label of each round that is counted.
        """
        whole, part = self.examples.whole + int(np.count_nonzero(amounts == 1)), self.examples.part
        for amount in amounts[(amounts > 0) & (amounts < 1)].tolist():  # in their order, whatever the batches
            part += amount
        delay = max(self.delay, int(behind.max(initial=0)))
        is_constant = self._may_be_constant(delay)
        is_constant &= bool(np.array_equal(behind, np.minimum(self.rounds + np.arange(len(behind)), delay)))
        rounds = {"rounds": self.rounds + len(behind), "examples": Count(whole, part)}
        return rounds | {"delay": delay, "is_constant_delay": is_constant}

    def rounds_after_one(self, amount: float, behind: int) -> dict[str, Any]:
        """Return what ``rounds_after`` returns for one round, in less time."""
        examples, delay = self.examples, max(self.delay, behind)
        whole, part = (examples.whole + 1, examples.part) if amount == 1 else (examples.whole, examples.part + amount)
        is_constant = self._may_be_constant(delay) and behind == min(self.rounds, delay)
        rounds = {"rounds": self.rounds + 1, "examples": Count(whole, part)}
        return rounds | {"delay": delay, "is_constant_delay": is_constant}

    def _may_be_constant(self, delay: int) -> bool:
        """Whether all rounds so far may be the first ones of a stream with this delay, which is not smaller."""
        return self.is_constant_delay and (delay == self.delay or self.delay >= self.rounds - 1)

    def mixed(
        self,
        vote: Vote,
        predictions: Codes,
        labels: Codes,
        amounts: Floats,
        chosen: Codes,
        leaders: Codes | None = None,
    ) -> dict[str, Any]:
        """Return the counts of mistakes after some examples.

        Fills ``chosen`` with what the mixture predicts, and ``leaders`` with the leader before each example.
        """
        decayed, whole, part = self.decayed.copy(), self.whole.copy(), self.part.copy()
        shares, fewest = self.shares.copy(), self.fewest.copy()
        arguments = (vote.kind, vote.decay, vote.beta, vote.share, decayed, whole, part, shares, fewest)
        _core.mix(*arguments, predictions.ravel(), labels, amounts, chosen, leaders)
        return {"decayed": decayed, "whole": whole, "part": part, "shares": shares, "fewest": fewest}


def at_once(amounts: Floats) -> NDArray[np.int64]:
    """Return that no round was learned between the prediction and the label of each that is counted."""
    return np.zeros(np.count_nonzero(amounts), dtype=np.int64)


def codes_of(classes: NDArray[Any], labels: NDArray[Any]) -> Codes:
    """Return the places of labels among the classes in ascending order; -1 for None."""
    if labels.dtype == object or classes.dtype == object:
        place_of: dict[Any, int] = {label: place for place, label in enumerate(classes.tolist())}
        return np.array([place_of.get(label, NOBODY) for label in labels.tolist()], dtype=np.int32)
    return np.searchsorted(classes, labels).astype(np.int32)


def codes_of_pieces(classes: NDArray[Any], pieces: Sequence[NDArray[Any]]) -> Codes:
    """Return the places of labels that come in several arrays."""
    return np.concatenate([codes_of(classes, piece) for piece in pieces])


def labels_of(classes: NDArray[Any], codes: Codes) -> NDArray[Any]:
    """Return the labels at these places of the classes, None for places below 0."""
    if not len(classes):
        return np.full(len(codes), None)
    found: NDArray[Any] = classes[codes]
    if (unknown := codes < 0).any():
        found = found.astype(object)
        found[unknown] = None
    return found
