"""What a mixture of learners counts, whose leader predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.theory.geometry import Floats
from novikoff.theory.mixture_replay import NOBODY

from ._problem_state import Count

Codes = NDArray[np.int32]
RIGHT, ONE = np.zeros(1, dtype=np.int32), np.ones(1)  # the code of a label that is the right one, and a weight


@dataclass(frozen=True)
class MixtureCounts:
    """What a mixture of N members has counted. It is never modified.

    ``decayed``, ``whole`` and ``part`` have the mistakes of the members, and last those of the mixture: decayed, of
    whole weight, and the sum of fractions. ``rounds`` are the examples, of which one of weight 2.5 counts as three, and
    ``examples`` is their weight.
    """

    decayed: Floats
    whole: Floats
    part: Floats
    rounds: int
    examples: Count

    @classmethod
    def none(cls, members: int) -> MixtureCounts:
        """Return counts of 0."""
        decayed, whole, part = np.zeros((3, members + 1))
        return cls(decayed, whole, part, 0, Count(0, 0.0))

    @property
    def mistakes(self) -> list[float]:
        """The mistakes of the members, and last those of the mixture."""
        found: list[float] = (self.whole + self.part).tolist()
        return found

    def leader(self) -> int:
        """Return the member with the fewest decayed mistakes; of several, the first."""
        return int(np.argmin(self.decayed[:-1]))

    def after(self, decay: float, predictions: Codes, labels: Codes, amounts: Floats) -> tuple[MixtureCounts, Codes]:
        """Return the counts after some examples, and the leader before each; -1 before the first round.

        Parameters
        ----------
        decay : float
            The factor of all counts before each example.
        predictions : ndarray of int32, of shape (n_members, n_samples)
            The code that each member predicts; below 0 for none.
        labels : ndarray of int32
            The codes of the labels.
        amounts : ndarray of float64
            Weights of at most 1; an example of weight 0 is predicted, and not counted.
        """
        unknown = self._before_the_first(amounts)
        predictions[:, unknown] = NOBODY
        decayed, whole, part = self.decayed.copy(), self.whole.copy(), self.part.copy()
        leaders = np.empty(len(labels), dtype=np.int32)
        _core.mix(decay, decayed, whole, part, predictions.ravel(), labels, amounts, leaders)
        leaders[unknown] = NOBODY
        examples = self.examples.whole + int(np.count_nonzero(amounts == 1)), self.examples.part
        for amount in amounts[(amounts > 0) & (amounts < 1)].tolist():  # in their order, whatever the batches
            examples = examples[0], examples[1] + amount
        rounds = self.rounds + int(np.count_nonzero(amounts))
        return MixtureCounts(decayed, whole, part, rounds, Count(*examples)), leaders

    def after_one(self, decay: float, labels: Sequence[Any], y: Any, amount: float = 1.0) -> MixtureCounts:
        """Return the counts after one example of label y, for which the members predict these labels."""
        codes = [0 if label == y else 1 for label in labels]
        predictions = np.array(codes, dtype=np.int32)[:, None]
        return self.after(decay, predictions, RIGHT, ONE if amount == 1.0 else np.array([amount]))[0]

    def _before_the_first(self, amounts: Floats) -> slice:
        """Return the examples up to the first that counts: no member knows a label before it, even a declared one."""
        if self.rounds:
            return slice(0)
        first = np.flatnonzero(amounts)[:1]
        return slice(int(first[0]) + 1) if len(first) else slice(None)


def chosen_by(leaders: Codes, predictions: Codes) -> Codes:
    """Return the codes that the leaders predict; -1 where there is none."""
    found: Codes = predictions[leaders, np.arange(len(leaders))]
    return np.where(leaders == NOBODY, NOBODY, found).astype(np.int32)


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
