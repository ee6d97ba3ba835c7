"""Counts of a model that learns: its mistakes, those of predictions that were served, and those of two baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.evaluate.baselines import LastLabel, MostFrequent

from .curve import Curve
from .examples import NOT_SERVED, Examples

Codes = NDArray[np.int32]


class Tally:
    """Counts of one learner.

    Attributes
    ----------
    examples, mistakes : int
        Examples learned, and how many of them were predicted wrongly just before.
    served, served_mistakes : int
        Examples for which a prediction had been served, and how many of these predictions were wrong.
    largest_delay : int
        The largest number of examples that were learned between a served prediction and its label.
    model_mistakes : int or None
        Of a shadow: mistakes of the main learner in the examples that the shadow has learned; None if not known.
    """

    def __init__(self) -> None:
        self.examples = self.mistakes = self.served = self.served_mistakes = self.largest_delay = 0
        self.most_frequent, self.last_label, self.curve = MostFrequent(), LastLabel(), Curve()
        self.model_mistakes: int | None = None
        self._main: Tally | None = None
        self._main_before = 0  # mistakes of the main learner in examples that the shadow has not learned

    @property
    def last_label_mistakes(self) -> int:
        """Mistakes of predicting the label of the example before."""
        return self.examples - self.last_label.right

    @property
    def majority_mistakes(self) -> int:
        """Mistakes of predicting the most frequent label so far."""
        return self.examples - self.most_frequent.right

    def compare_with(self, main: Tally, model_mistakes: int = 0) -> None:
        """Count the mistakes of the main learner in the examples of this shadow, too.

        Parameters
        ----------
        main : Tally
            The counts of the main learner, which counts examples before its shadows do.
        model_mistakes : int, default=0
            Its mistakes in the examples that this shadow has learned until now.
        """
        self._main, self.model_mistakes = main, model_mistakes
        self._main_before = main.mistakes - model_mistakes

    def count(self, examples: Examples, predicted: Codes, is_main: bool) -> NDArray[np.bool_]:
        """Count examples that were learned; return which of them were mistakes.

        Parameters
        ----------
        examples : Examples
            The examples.
        predicted : ndarray of int32
            The codes that were predicted just before each was learned; -1 for none.
        is_main : bool
            Whether to count the baselines and what was served, which are the same for shadows.
        """
        codes = examples.codes
        is_mistake: NDArray[np.bool_] = predicted != codes
        first, begin = self.examples, 0
        labels = list(range(int(codes.max(initial=-1)) + 1))
        for end in self.curve.ends(len(codes)):
            self.examples = first + end  # first: another thread may subtract from it what was right
            self.mistakes += int(np.count_nonzero(is_mistake[begin:end]))
            if is_main:
                self.most_frequent.add_many(labels, codes[begin:end])
                self.last_label.add_many(labels, codes[begin:end])
            self.curve.add(self.examples, self.mistakes, self.last_label_mistakes, self.majority_mistakes)
            begin = end
        if is_main and examples.served is not None:
            self._count_served(first, codes, *examples.served)
        elif not is_main and self._main is not None:
            self.model_mistakes = self._main.mistakes - self._main_before
        return is_mistake

    def _count_served(self, first: int, codes: Codes, served: Codes, versions: NDArray[np.int64]) -> None:
        is_served = served != NOT_SERVED
        if not is_served.any():
            return
        # another thread may read meanwhile: first the mistakes, then the delay, which must not be older
        delays = first + np.arange(len(codes)) - versions
        self.largest_delay = max(self.largest_delay, int(delays[is_served].max()))
        self.served += int(np.count_nonzero(is_served))
        self.served_mistakes += int(np.count_nonzero(is_served & (served != codes)))

    def state(self) -> dict[str, Any]:
        """Return the counts of the learner itself, from which ``from_state`` goes on."""
        most = self.most_frequent
        return {
            "counts": [self.examples, self.mistakes, self.served, self.served_mistakes, self.largest_delay],
            "most_frequent": [list(most.labels), list(most.counts), most.right],
            "last_label": [self.last_label.guess, self.last_label.right],
            "curve": self.curve.state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Tally:
        """Return the counts of a state."""
        tally = cls()
        counts = map(int, state["counts"])
        tally.examples, tally.mistakes, tally.served, tally.served_mistakes, tally.largest_delay = counts
        labels, found, right = state["most_frequent"]
        tally.most_frequent.restore(list(labels), list(found), right)
        tally.last_label.guess, tally.last_label.right = state["last_label"]
        tally.curve = Curve.from_state(state["curve"])
        return tally
