"""The labels of an online learner whose classes are learned together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

import novikoff._core as _core
from novikoff._cached import cached_property
from novikoff._multiclass import Kesler

from ._classes import Classes, Order

T = TypeVar("T")


class JointClasses(Classes):
    """Classes that are learned together. The problems of the kernel are their weight vectors, in the order of codes.

    A class that appears late starts with weights of 0, as if it had been known before: only classes that have occurred
    take part in what is learned (docs/theory.md, J6).
    """

    @property
    def problem_count(self) -> int:
        """Number of weight vectors."""
        return self.count

    @property
    def run_count(self) -> int:
        """Number of problems over which ``fit`` makes passes of their own: the joint one."""
        return 1

    @property
    def has_one_score(self) -> bool:
        """Whether the sign of one score decides. Here, two scores are compared."""
        return False

    @cached_property
    def strategy(self) -> Kesler:  # type: ignore[override]  # of the same contract
        """The classes in ascending order, and how scores become labels."""
        labels = self._order.labels
        return Kesler(self._values if self._values is not None else np.array(labels) if labels else np.zeros(0))

    @cached_property
    def _order(self) -> Order:
        labels = sorted(self.labels) if self._values is None else self._values.tolist()
        return Order(labels, [self._code_of[label] for label in labels])

    def of_columns(self, of_runs: Sequence[T]) -> list[T]:
        """Return what ``fit`` found, which is the same for all columns."""
        return list(of_runs)

    def positive_codes(self) -> list[int]:
        """Return the class of each weight vector."""
        return list(range(self.count))

    def are_problems_of(self, positives: list[int]) -> bool:
        """Whether a saved kernel has these classes, which it stores in the order in which they occurred."""
        return sorted(positives) == self.positive_codes()

    def decide_one(self, scores: list[float]) -> Any:
        """Return the label for the scores of one example: that of the largest; of two equal ones, the last."""
        labels = self._order.labels
        if self.count == 2:
            return labels[int(scores[1] - scores[0] >= 0)]
        return labels[max(range(self.count), key=scores.__getitem__)]

    def named_scores(self, scores: list[float]) -> Any:
        """Return the scores of one example: a number for two classes, their difference, and a dict for more."""
        if self.count <= 2:
            return scores[1] - scores[0] if self.count == 2 else scores[0]
        return dict(zip(self._order.labels, scores, strict=True))

    def _add_problem(self, kernel: _core.OnlineLearner) -> None:
        kernel.add_problem(self.count)

    def _problem_of(self, code: int) -> int:
        return code
