"""Which label asks which binary question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes, encode
from novikoff.errors import invalid


class Classes:
    """The labels a learner knows, and the questions that it asks about them.

    Declared classes are all known up front: two of them share one question, more have one each. Undeclared classes are
    met on the way. A class met late must stand as if it had always been asked for: its question has seen all earlier
    examples, as negatives. So one more question is kept, whose answer is always no, and a new class starts as its copy.
    """

    def __init__(self, declared: NDArray[Any] | None) -> None:
        self.declared = declared is not None
        self.labels: list[Any] = [] if declared is None else declared.tolist()
        self.values = np.zeros(0) if declared is None else declared  # the labels in order, as an array
        self._arrange()

    def _arrange(self) -> None:
        """Number the classes, put them in order, and say which questions give the scores."""
        self.code_of: dict[Any, int] = {label: code for code, label in enumerate(self.labels)}
        self.sorted: list[Any] = sorted(self.labels)
        first = 0 if self.declared else 1  # question 0 of undeclared classes is the one that is always answered no
        self.questions = [first + self.code_of[label] for label in self.sorted]
        if len(self.labels) <= 2:
            self.questions = [0] if self.declared else self.questions[-1:]
        self.only = self.questions[0] if len(self.questions) == 1 else None
        self.positive = self.sorted[-1] if self.sorted else None
        self.negative = self.sorted[0] if self.sorted else None

    def positives(self) -> list[int]:
        """The class that each question calls +1, by its code; -1 is none."""
        if not self.declared:
            return list(range(-1, len(self.labels)))
        return [1] if len(self.labels) == 2 else list(range(len(self.labels)))

    def ask(self, learner: _core.OnlineLearner) -> None:
        """Give a new learner its questions."""
        for code in self.positives():
            learner.add_problem(code)

    def take_up(self, labels: list[Any], values: NDArray[Any]) -> None:
        """Know classes that were met before, in this order, by a learner that has their questions."""
        self.labels, self.values = labels, values
        self._arrange()

    def meet(self, label: Any, learner: _core.OnlineLearner) -> int:
        """Take in a class never seen before.

        Its question may be there already: it was added for a class whose first example was interrupted, and all it has
        heard since are negatives, like the one it was copied from.
        """
        if learner.problems == 1 + len(self.labels):
            learner.add_problem(len(self.labels), 0)
        self.labels = [*self.labels, label]
        self._arrange()
        self.values = np.array(self.sorted)
        return self.code_of[label]

    def codes(self, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None) -> Codes:
        """Return each label's code, or -1 for a row of weight 0.

        New labels get the codes that they will have: the next ones, in the order of their first appearance.
        """
        if weights is not None and not weights.all():
            codes = np.full(len(labels), -1, dtype=np.int32)
            codes[weights > 0] = self.codes(where, labels[weights > 0], None)
            return codes
        if len(labels) == 0:
            return np.zeros(0, dtype=np.int32)
        values, places = encode(where, labels)
        if not self.declared:
            self.check_order(where, values.tolist())
        known = [self.code_of.get(value, -1) for value in values.tolist()]
        first = {k: int(np.argmax(places == k)) for k, code in enumerate(known) if code < 0}
        new = sorted(first, key=first.__getitem__)
        if new and self.declared:
            raise self.refuse(where, values.tolist()[new[0]], f" in row {first[new[0]]}")
        for code, k in enumerate(new, start=len(self.labels)):
            known[k] = code
        return np.array(known, dtype=np.int32)[places]

    def choose(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Labels by the scores of decision_function; a score of exactly 0 goes to the positive class."""
        codes = (scores >= 0) * (len(self.values) - 1) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.values[codes]
        return labels

    def decide(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Labels by the scores of all questions, a row a question; None where no label is known yet."""
        if len(self.values) == 0:
            return np.full(scores.shape[1], None)
        return self.choose(scores[self.only] if self.only is not None else scores[self.questions].T)

    def check_order(self, where: str, labels: list[Any]) -> None:
        """Refuse labels that cannot be put in order with those known."""
        try:
            sorted([*self.labels[:1], *labels])
        except TypeError as error:
            raise invalid(where, "Labels of one kind, which can be put in order.", f"a mixture: {error}") from None

    def refuse(self, where: str, label: Any, place: str = "") -> ValueError:
        """Say that a label was not declared."""
        return invalid(where, f"A label among the declared classes {self.sorted}.", f"{label!r}{place}")

    def positive_of(self, column: int) -> Any:
        """The label that the question behind this column of scores calls +1."""
        return self.positive if self.only is not None else self.sorted[column]
