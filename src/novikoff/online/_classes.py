"""The labels that an online learner knows, and the binary problems that it solves for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes, encode
from novikoff._multiclass import OneVsRest
from novikoff.errors import InvalidInputError, input_error, quote


class Classes:
    """The classes of a learner, in the order of their codes, and the problems of its kernel.

    Declared classes are all known at the start, and the problems are those of ``OneVsRest``. Undeclared classes are
    added when they appear. A class that appears late must be learned as if it had been known from the start: its
    problem has seen all earlier examples, as negatives. So problem 0 is one without a positive class, and the problem
    of a new class starts as a copy of it.

    Parameters
    ----------
    declared : ndarray or None
        The classes in ascending order; None if they are not known at the start.

    Attributes
    ----------
    labels : list
        The label of each code.
    code_of : dict
        The code of each label.
    strategy : OneVsRest
        The classes in ascending order, and how scores become labels.
    problems : list of int
        The problem behind each column of ``decision_function``.
    """

    def __init__(self, declared: NDArray[Any] | None) -> None:
        self.declared = declared is not None
        self.restore([] if declared is None else declared.tolist(), np.zeros(0) if declared is None else declared)

    def restore(self, labels: list[Any], values: NDArray[Any]) -> None:
        """Set the labels, in the order of their codes, and the same in ascending order."""
        self.labels, self.strategy, self._sorted = labels, OneVsRest(values), values.tolist()
        self.code_of: dict[Any, int] = {label: code for code, label in enumerate(labels)}
        positives = self.strategy.positives
        self.problems = (
            list(range(len(positives))) if self.declared else [1 + self.code_of[label] for label in positives]
        )

    def positive_codes(self) -> list[int]:
        """Return the code of the positive class of each problem; -1 for none."""
        return self.strategy.positive_codes if self.declared else list(range(-1, len(self.labels)))

    def add_problems(self, kernel: _core.OnlineLearner) -> None:
        """Give a new kernel its problems."""
        for code in self.positive_codes():
            kernel.add_problem(code)

    def add(self, label: Any, kernel: _core.OnlineLearner) -> int:
        """Add a new class, and its problem, and return its code.

        The kernel may have the problem already, if learning the first example of a class was interrupted. Then it has
        seen only negatives since, like problem 0.
        """
        if kernel.problems == 1 + len(self.labels):
            kernel.add_problem(len(self.labels), 0)
        labels = [*self.labels, label]
        self.restore(labels, np.array(sorted(labels)))
        return self.code_of[label]

    def codes(self, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None) -> Codes:
        """Return the code of each label, or -1 for a row of weight 0.

        New labels get the next codes, in the order in which they appear.
        """
        if weights is not None and not weights.all():
            codes = np.full(len(labels), -1, dtype=np.int32)
            codes[weights > 0] = self.codes(where, labels[weights > 0], None)
            return codes
        if len(labels) == 0:
            return np.zeros(0, dtype=np.int32)
        values, places = encode(where, labels)
        if not self.declared:
            self.check_sortable(where, values.tolist())
        known = [self.code_of.get(value, -1) for value in values.tolist()]
        first = {k: int(np.argmax(places == k)) for k, code in enumerate(known) if code < 0}
        new = sorted(first, key=first.__getitem__)
        if new and self.declared:
            raise self.undeclared(where, values.tolist()[new[0]], f" in row {first[new[0]]}")
        for code, k in enumerate(new, start=len(self.labels)):
            known[k] = code
        return np.array(known, dtype=np.int32)[places]

    def decide(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return the labels for scores of shape (problems, rows); None while no class is known."""
        if not self.labels:
            return np.full(scores.shape[1], None)
        return self.strategy.choose(self.strategy.combine(scores[self.problems].T))

    def decide_one(self, scores: list[float]) -> Any:
        """Return the label for the scores of one example."""
        return self._sorted[self.strategy.choose_one(scores)]

    def check_sortable(self, where: str, labels: list[Any]) -> None:
        """Refuse labels that cannot be sorted together with those known."""
        try:
            sorted([*self.labels[:1], *labels])
        except TypeError as error:
            raise input_error(where, f"labels must be of one type, so that they can be sorted: {error}.") from None

    def undeclared(self, where: str, label: Any, place: str = "") -> InvalidInputError:
        """Return the error for a label that was not declared."""
        known = quote(self._sorted)
        return input_error(where, f"the label {quote(label)}{place} is not among the declared classes {known}.")
